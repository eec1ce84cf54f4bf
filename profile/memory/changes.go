package memory

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
)

// Changes are what differs between two lists of allocations. It has a JSON form.
type Changes struct {
	New     Allocations `json:"new"`     // since the earlier list: leaks, if all should be as before
	Gone    Allocations `json:"gone"`    // since then, as they were
	Changed Allocations `json:"changed"` // that have another size or owner, as they are
}

// Sub returns what has changed since an earlier list of the same tracker, each by
// address. A slice that was moved by Resize is new, and its old place is gone.
func (a Allocations) Sub(earlier Allocations) Changes {
	fresh, gone, changed := differences(a, earlier, func(l Allocation) uint64 { return l.ID }, func(now, was Allocation) bool { return now == was })
	return Changes{New: fresh, Gone: gone, Changed: changed}
}

// differences compares two lists by identifiers that none has twice.
func differences[T any](now, earlier []T, id func(T) uint64, same func(now, was T) bool) (fresh, gone, changed []T) {
	before := make(map[uint64]int, len(earlier))
	for i, was := range earlier {
		before[id(was)] = i
	}
	stays := make([]bool, len(earlier))
	for _, l := range now {
		i, known := before[id(l)]
		if !known {
			fresh = append(fresh, l)
			continue
		}
		stays[i] = true
		if !same(l, earlier[i]) {
			changed = append(changed, l)
		}
	}
	for i, was := range earlier {
		if !stays[i] {
			gone = append(gone, was)
		}
	}
	return fresh, gone, changed
}

// WriteText writes lines for people: first the leaks, then what else is new or
// changed, then what is gone. Allocations of one pool, scope and site, of all
// workers, are one line, the most bytes first. What is new in a pool of Permanent
// lifetime is no leak. Nothing is written if nothing has changed.
//
//	leak: 8192 bytes in 2 of scratch/blocks from wall.png;encode at texture/encode.go:57
//	new: 96 bytes in 1 of names/table
//	changed: 120 bytes in 1 of images/pixels from wall.png
//	gone: 1200000 bytes in 1 of files/content from wall.png
func (c Changes) WriteText(w io.Writer) error {
	var leaks, kept Allocations
	for _, l := range c.New {
		if l.Lifetime == Permanent {
			kept = append(kept, l)
		} else {
			leaks = append(leaks, l)
		}
	}
	out := bufio.NewWriter(w)
	for _, part := range []struct {
		what string
		list Allocations
	}{{"leak", leaks}, {"new", kept}, {"changed", c.Changed}, {"gone", c.Gone}} {
		for _, l := range part.list.bySite() {
			fmt.Fprintf(out, "%s: %d bytes in %d of %s", part.what, l.Bytes, l.Count, l.label())
			if l.Scope != "" {
				fmt.Fprintf(out, " from %s", l.Scope)
			}
			if l.Site != "" {
				fmt.Fprintf(out, " at %s", l.Site)
			}
			out.WriteByte('\n')
		}
	}
	return out.Flush()
}

// A Place is where allocations come from, and their sum.
type Place struct {
	Key         // without worker
	Site string `json:"site,omitempty"`
	Amount
}

func (a Allocations) bySite() []Place {
	return sumPlaces(func(yield func(Place) bool) {
		for _, l := range a {
			if !yield(Place{l.Owner, l.Site, Amount{l.Bytes, 1}}) {
				return
			}
		}
	})
}

// sumPlaces sums up by place, the most bytes first.
func sumPlaces(all iter.Seq[Place]) []Place {
	type where struct {
		key  Key
		site string
	}
	sums := map[where]*Place{}
	for p := range all {
		p.Worker = ""
		at := where{p.Key, p.Site}
		if sum := sums[at]; sum != nil {
			sum.Bytes += p.Bytes
			sum.Count += p.Count
		} else {
			sums[at] = &p
		}
	}
	list := make([]Place, 0, len(sums))
	for _, s := range sums {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b Place) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), a.compare(b.Key), cmp.Compare(a.Site, b.Site))
	})
	return list
}
