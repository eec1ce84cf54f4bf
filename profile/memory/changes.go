package memory

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
)

// Changes are the differences between two lists of allocations. It has a JSON form.
type Changes struct {
	New     Allocations `json:"new"`     // since the earlier list: leaks, if nothing should remain
	Gone    Allocations `json:"gone"`    // since the earlier list, in their earlier state
	Changed Allocations `json:"changed"` // with a new size or owner, in their current state
}

// Sub returns the changes since an earlier list of the same tracker, each sorted by address. A
// slice moved by Resize counts as new, and its old place as gone.
func (a Allocations) Sub(earlier Allocations) Changes {
	fresh, gone, changed := differences(a, earlier, func(l Allocation) uint64 { return l.ID }, func(now, was Allocation) bool { return now == was })
	return Changes{New: fresh, Gone: gone, Changed: changed}
}

// differences compares two lists by unique identifiers.
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

// WriteText writes the changes for people: leaks, then other new or changed allocations, then
// gone ones. Allocations of one pool, scope and site are one line, over all workers, most bytes
// first. New allocations in a pool of Permanent lifetime are not leaks. It writes nothing if
// nothing has changed.
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

// A Place is the origin of allocations, and their sum.
type Place struct {
	Key         // without the worker
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

// sumPlaces sums up by place, most bytes first.
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
