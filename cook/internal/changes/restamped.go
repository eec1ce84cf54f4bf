package changes

import (
	"iter"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A Restamped is an index with the new stamps of touched files.
type Restamped struct {
	last  *index.Index
	delta *Delta // nil for the old stamps
	clock *scan.Clock
}

// Restamped returns the index of a delta with the new stamps of touched files.
func (d *Delta) Restamped(clock *scan.Clock) Restamped { return Restamped{d.Last, d, clock} }

// WithOldStamps returns the index of a delta as the last run left it.
func (d *Delta) WithOldStamps(clock *scan.Clock) Restamped { return Restamped{d.Last, nil, clock} }

// File returns a known file. A file in a damaged part of the index is unknown. Many goroutines
// may call it.
func (r Restamped) File(path string) (f index.File, ok bool) {
	err := index.Guard(func() error {
		if f, ok = r.last.Files().File(path); ok {
			r.restamp(&f)
		}
		return nil
	})
	return f, ok && err == nil
}

// Match yields entries with their known files, nil for unknown entries.
func (r Restamped) Match(entries []scan.Entry) iter.Seq2[*scan.Entry, *index.File] {
	return func(yield func(*scan.Entry, *index.File) bool) {
		for e, f := range r.last.Files().Match(entries) {
			if f != nil {
				r.restamp(f)
			}
			if !yield(e, f) {
				return
			}
		}
	}
}

// Checksum returns the name of the function of all checksums.
func (r Restamped) Checksum() string { return r.last.Files().Checksum() }

// Part returns a known listing, link or extract.
func (r Restamped) Part(on dependency.Dependency) (index.File, bool) { return r.last.Files().Part(on) }

// Below yields known files and parts in a directory and below it.
func (r Restamped) Below(directory string) iter.Seq2[dependency.Dependency, index.File] {
	return r.last.Files().Below(directory)
}

func (r Restamped) restamp(f *index.File) {
	if r.delta == nil {
		return
	}
	if t := r.delta.Touched(f.Path); t != nil {
		f.Stamp, f.Settled = t.Now, r.clock.Settled(t.Now) && !t.Busy
	}
}
