package manifest

import (
	"errors"
	"fmt"
	"iter"
)

// Read yields all assets of a manifest in order: of this format, and of format
// 1, which earlier versions wrote. It reads the parts that the root names with load, by their names
// as in [File], one at a time. It returns only names that [Build] accepts, and yields from a part
// only if the content fits the name of the part.
//
// An error comes last, with a zero Asset, and names the damaged file. Then the assets before it are
// not the whole list. It wraps the error of load, so that a caller that learns of a missing part can
// read the root again.
func Read(root []byte, load func(name string) ([]byte, error)) iter.Seq2[Asset, error] {
	return standard().readAssets(root, load)
}

func (c cutting) readAssets(data []byte, load load) iter.Seq2[Asset, error] {
	return func(yield func(Asset, error) bool) {
		r, err := c.openRoot(data)
		if err != nil {
			yield(Asset{}, fmt.Errorf("read %w", err))
			return
		}
		pass := func(entries iter.Seq2[entry, error]) bool {
			for e, err := range entries {
				if err != nil {
					yield(Asset{}, fmt.Errorf("read %w", err))
					return false
				}
				if !yield(e.Asset, nil) {
					return false
				}
			}
			return true
		}
		if r.assets != nil {
			pass(c.wholeAssets(r))
			return
		}
		for i := range r.parts {
			if !pass(c.partAssets(r.parts, i, load)) {
				return
			}
		}
	}
}

// entry is an asset and the line that stands for it.
type entry struct {
	Asset
	line []byte
}

// wholeAssets yields the assets of a root that has all of them.
func (c cutting) wholeAssets(r root) iter.Seq2[entry, error] {
	if r.format == 1 {
		return entries(Name, r.assets, opening1, func(e entry, n int64) error { return nil })
	}
	return entries(Name, r.assets, opening, func(e entry, n int64) error {
		if n > c.whole {
			return fmt.Errorf("more than %d assets in one file", c.whole)
		}
		return nil
	})
}

// partAssets yields the assets of a part and compares them with the root.
func (c cutting) partAssets(parts []part, i int, load load) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		p := &parts[i]
		data, err := load(p.name)
		if err != nil {
			yield(entry{}, fmt.Errorf("%s: %w", p.name, err))
			return
		}
		if err := checkPart(p.name, data); err != nil {
			yield(entry{}, fmt.Errorf("%s: %w", p.name, err))
			return
		}
		var count int64
		var source string
		check := func(e entry, n int64) error {
			switch {
			case n == 1 && e.key() != p.first:
				return fmt.Errorf("it is not %q, target %q, with which %s says that the part begins", p.first.source, p.first.target, Name)
			case n > 1 && e.Source != source && c.begins(e.Source):
				return errors.New("another part should begin here")
			case i+1 < len(parts) && e.Source >= parts[i+1].first.source:
				return errors.New("it belongs into a later part")
			}
			count, source = n, e.Source
			return nil
		}
		for e, err := range entries(p.name, data, opening, check) {
			if !yield(e, err) || err != nil {
				return
			}
		}
		if count != p.assets {
			yield(entry{}, fmt.Errorf("%s: damaged: it has %d assets and %s says %d", p.name, count, Name, p.assets))
		}
	}
}

// entries yields the assets of a file of assets, which must be sorted and pass
// check, which is told how many there are so far. After an error it ends.
func entries(name string, data []byte, opening string, check func(e entry, n int64) error) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		var last key
		var n int64
		for l, err := range lines(data, opening) {
			e := entry{line: l.text}
			if err == nil {
				e.Asset, err = decodeAsset(string(l.text))
			}
			if err == nil && n > 0 && last.compare(e.key()) >= 0 {
				err = errors.New("the assets are not sorted, or one comes twice")
			}
			if n++; err == nil {
				err = check(e, n)
			}
			if err != nil {
				yield(entry{}, damaged(name, l.number, err))
				return
			}
			last = e.key()
			if !yield(e, nil) {
				return
			}
		}
	}
}
