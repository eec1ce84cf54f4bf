package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strings"
)

// Read yields all assets of a manifest in order. It supports the present format and format 1, which
// earlier versions wrote. It calls load to read the parts that the root names, one at a time, by
// their names in [File]. It returns only names that [Build] accepts, and yields assets of a part
// only if the content matches the name of the part.
//
// If there is an error, it comes last, with a zero Asset, and names the damaged file. The assets
// before it are then not the whole list. The error wraps the error of load, so that a caller can
// find out that a part is missing, and read the root again.
func Read(root []byte, load func(name string) ([]byte, error)) iter.Seq2[Asset, error] {
	return standard(Parts).readAssets(root, load)
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
			pass(wholeAssets(r))
			return
		}
		for i := range r.parts {
			if !pass(c.partAssets(r.parts, i, load)) {
				return
			}
		}
	}
}

// An entry is an asset and its line in a file.
type entry struct {
	Asset
	line []byte
}

// wholeAssets yields the assets of a root that contains all assets.
func wholeAssets(r root) iter.Seq2[entry, error] {
	first := opening
	if r.format == 1 {
		first = opening1
	}
	return entries(Name, r.assets, first, func(entry, int64) error { return nil })
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
			case n == 1 && e.assetKey() != p.first:
				return fmt.Errorf("the part must begin with %q, target %q, as %s says", p.first.source, p.first.target, Name)
			case n > 1 && e.Source != source && c.begins(e.Source):
				return errors.New("this asset must begin a new part")
			case i+1 < len(parts) && e.Source >= parts[i+1].first.source:
				return errors.New("the asset belongs in a later part of the manifest")
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
			yield(entry{}, fmt.Errorf("%s: damaged: the part has %d assets, but %s says %d", p.name, count, Name, p.assets))
		}
	}
}

// entries yields the assets of a file. The assets must be sorted and pass check, whose argument
// n is the number of earlier assets. The sequence ends after an error.
func entries(name string, data []byte, opening string, check func(e entry, n int64) error) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		var last key
		var n int64
		for l, err := range linesBetween(data, opening) {
			e := entry{line: l.text}
			if err == nil {
				e.Asset, err = decodeAsset(string(l.text))
			}
			if err == nil && n > 0 && last.compare(e.assetKey()) >= 0 {
				err = errors.New("the assets are not sorted, or one is listed twice")
			}
			if n++; err == nil {
				err = check(e, n)
			}
			if err != nil {
				yield(entry{}, damagedManifest(name, l.number, err))
				return
			}
			last = e.assetKey()
			if !yield(e, nil) {
				return
			}
		}
	}
}

// These are the first and the last lines of a manifest's files.
const (
	opening      = `{"assetcook":2,"assets":[`
	partsOpening = `{"assetcook":2,"parts":[`
	opening1     = `{"assetcook":1,"assets":[`
	closing      = "\n]}\n"
)

// root is manifest.json: a list of assets, or of parts.
type root struct {
	format int
	assets []byte // the whole file, if the root lists assets
	parts  []part // nil unless the root lists parts
}

// openRoot parses a root. If the root lists assets, wholeAssets reads them later.
func (c cutting) openRoot(data []byte) (root, error) {
	switch {
	case bytes.HasPrefix(data, []byte(opening)):
		return root{format: 2, assets: data}, nil
	case bytes.HasPrefix(data, []byte(opening1)):
		return root{format: 1, assets: data}, nil
	case bytes.HasPrefix(data, []byte(partsOpening)):
		parts, err := c.readManifestParts(data)
		return root{format: 2, parts: parts}, err
	}
	if number := formatDigits(data); number != "" && number != "1" && number != "2" {
		return root{}, fmt.Errorf("%s: format %.20s: %w", Name, number, ErrFormat)
	}
	return root{}, fmt.Errorf("%s: damaged, or not made by cook: the file begins with %.40q", Name, data)
}

// formatDigits returns the digits of the format number in any root, or "".
func formatDigits(data []byte) string {
	after, found := bytes.CutPrefix(data, []byte(`{"assetcook":`))
	digits, _, end := bytes.Cut(after, []byte(","))
	if !found || !end || len(bytes.Trim(digits, "0123456789")) > 0 {
		return ""
	}
	return string(digits)
}

// readManifestParts checks the parts of a root as far as possible without reading them.
func (c cutting) readManifestParts(data []byte) ([]part, error) {
	var parts []part
	names := map[string]bool{}
	for l, err := range linesBetween(data, partsOpening) {
		var p part
		if err == nil {
			p, err = decodePart(string(l.text))
		}
		if err == nil {
			err = c.checkNext(parts, p, names)
		}
		if err != nil {
			return nil, damagedManifest(Name, l.number, err)
		}
		parts = append(parts, p)
		names[p.name] = true
	}
	return parts, nil
}

// maxPart limits the number of assets that a root may state for a part. The sum over all parts
// therefore cannot overflow. No real part reaches the limit.
const maxPart = 1 << 31

func (c cutting) checkNext(before []part, p part, names map[string]bool) error {
	switch {
	case p.assets < 1 || p.assets > maxPart:
		return fmt.Errorf("a part lists %d assets, which is out of range", p.assets)
	case names[p.name]:
		return fmt.Errorf("%s is listed twice", p.name)
	case len(before) == 0:
		return nil
	case before[len(before)-1].first.source >= p.first.source:
		return errors.New("the parts are not sorted")
	case !c.begins(p.first.source):
		return fmt.Errorf("a part must not begin with the source %q", p.first.source)
	}
	return nil
}

// line is a line of a file, without the comma at its end.
type line struct {
	number int // line number, from 1
	text   []byte
}

// linesBetween yields the lines between an opening line and the closing line. The sequence ends
// after an error.
func linesBetween(data []byte, opening string) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		rest, found := bytes.CutPrefix(data, []byte(opening))
		if !found {
			yield(line{number: 1}, fmt.Errorf("the file does not begin with %s", opening))
			return
		}
		rest, found = bytes.CutSuffix(rest, []byte(closing))
		if !found {
			yield(line{number: 1 + bytes.Count(data, []byte("\n"))}, fmt.Errorf("the file does not end with %q: it was cut off", closing))
			return
		}
		for number := 2; len(rest) > 0; number++ {
			if rest[0] != '\n' {
				yield(line{number: number - 1}, errors.New("want one asset or one part on each line"))
				return
			}
			text, tail := rest[1:], []byte(nil)
			if end := bytes.IndexByte(text, '\n'); end >= 0 {
				text, tail = text[:end], text[end:]
				if text, found = bytes.CutSuffix(text, []byte(",")); !found {
					yield(line{number: number}, errors.New("want a comma at the end of the line"))
					return
				}
			}
			if !yield(line{number, text}, nil) {
				return
			}
			rest = tail
		}
	}
}

func damagedManifest(name string, number int, err error) error {
	cause := strings.ReplaceAll(err.Error(), "\n", "; ")
	return fmt.Errorf("%s: damaged at line %d: %s", name, number, cause)
}
