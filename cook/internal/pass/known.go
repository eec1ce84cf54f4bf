package pass

import (
	"cmp"
	"iter"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/scan"
)

// touched returns a file that was found under another stamp with the content that is
// known, nil if it was not.
func (d *Delta) touched(path string) *restat.File {
	if d.Found == nil {
		return nil
	}
	ref, _, ok := d.Last.Find(path)
	if !ok {
		return nil
	}
	return d.touchedAt(ref)
}

// touchedAt is touched for a node.
func (d *Delta) touchedAt(ref index.Ref) *restat.File {
	i, ok := slices.BinarySearchFunc(d.Found.Files, ref, func(f restat.File, ref index.Ref) int { return cmp.Compare(f.Ref, ref) })
	if !ok || !d.Found.Files[i].Same {
		return nil
	}
	return &d.Found.Files[i]
}

// A view is what is known of files once those that were only touched have been read: an
// index under new stamps.
type view struct {
	*index.Index
	delta *Delta
	clock *scan.Clock
}

// File is called by many goroutines. A file of which the index is damaged is not known.
func (v view) File(path string) (f index.File, ok bool) {
	err := index.Guard(func() error {
		if f, ok = v.Index.File(path); ok {
			v.restamp(&f)
		}
		return nil
	})
	return f, ok && err == nil
}

func (v view) Match(entries []scan.Entry) iter.Seq2[*scan.Entry, *index.File] {
	return func(yield func(*scan.Entry, *index.File) bool) {
		for e, f := range v.Index.Match(entries) {
			if f != nil {
				v.restamp(f)
			}
			if !yield(e, f) {
				return
			}
		}
	}
}

func (v view) restamp(f *index.File) {
	if t := v.delta.touched(f.Path); t != nil {
		f.Stamp, f.Settled = t.Now, v.clock.Settled(t.Now) && !t.Busy
	}
}
