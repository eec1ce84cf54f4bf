package manifest

import (
	"fmt"
	"iter"
)

// Build writes the files of a whole manifest: the parts in order, the root
// last. It holds no more than a part, or 4096 assets, at a time; the data of a
// file is write's to keep. The assets must come sorted by source and target,
// each of these once, and with clean names. After an error, which may be
// write's, some parts may have been written, but no root.
func Build(assets iter.Seq[Asset], write func(File) error) error {
	if err := standard().build(assets, write); err != nil {
		return fmt.Errorf("build %s: %w", Name, err)
	}
	return nil
}

func (c cutting) build(assets iter.Seq[Asset], write func(File) error) error {
	var (
		parts []part
		held  []*body // complete ones; while one file may do they wait
		total int64
		last  key
		line  []byte
	)
	writeHeld := func() error {
		for _, b := range held {
			p, f := b.closePart()
			parts = append(parts, p)
			if err := write(f); err != nil {
				return err
			}
		}
		held = nil
		return nil
	}
	cut := cutter{cutting: c}
	for a := range assets {
		if err := a.check(); err != nil {
			return err
		}
		k := a.key()
		if total > 0 && last.compare(k) >= 0 {
			return fmt.Errorf("source %q, target %q comes after source %q, target %q; the list must be sorted and without duplicates",
				k.source, k.target, last.source, last.target)
		}
		last = k
		total++
		line = appendAsset(line[:0], &a)
		if b := cut.cutBefore(k, line); b != nil {
			held = append(held, b)
		}
		if total > c.whole && held != nil {
			if err := writeHeld(); err != nil {
				return err
			}
		}
	}
	if b := cut.flush(); b != nil {
		held = append(held, b)
	}
	if total <= c.whole {
		return write(File{Name: Name, Data: join(held)})
	}
	if err := writeHeld(); err != nil {
		return err
	}
	return write(rootOf(parts))
}
