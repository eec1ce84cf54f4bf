package memory

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
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
	before := make(map[uint64]Allocation, len(earlier))
	for _, l := range earlier {
		before[l.ID] = l
	}
	var c Changes
	for _, l := range a {
		old, known := before[l.ID]
		switch {
		case !known:
			c.New = append(c.New, l)
		case old != l:
			c.Changed = append(c.Changed, l)
		}
		delete(before, l.ID)
	}
	for _, l := range earlier {
		if _, gone := before[l.ID]; gone {
			c.Gone = append(c.Gone, l)
		}
	}
	return c
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
			fmt.Fprintf(out, "%s: %d bytes in %d of %s", part.what, l.bytes, l.count, l.key.label())
			if l.key.Scope != "" {
				fmt.Fprintf(out, " from %s", l.key.Scope)
			}
			if l.site != "" {
				fmt.Fprintf(out, " at %s", l.site)
			}
			out.WriteByte('\n')
		}
	}
	return out.Flush()
}

// A place is where allocations come from that are one line.
type place struct {
	key  Key // without worker
	site string
}

type placed struct {
	place
	bytes, count int64
}

// bySite sums up by place, the most bytes first.
func (a Allocations) bySite() []placed {
	sums := map[place]*placed{}
	for _, l := range a {
		p := place{l.Owner, l.Site}
		p.key.Worker = ""
		if sums[p] == nil {
			sums[p] = &placed{place: p}
		}
		sums[p].bytes += l.Bytes
		sums[p].count++
	}
	list := make([]placed, 0, len(sums))
	for _, s := range sums {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b placed) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), a.key.compare(b.key), cmp.Compare(a.site, b.site))
	})
	return list
}
