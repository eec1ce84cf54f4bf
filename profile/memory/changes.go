package memory

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
)

// Changes holds the differences between two lists of allocations.
type Changes struct {
	New     *List // slices allocated since the earlier list
	Leaks   *List // the part of New that is not from [Permanent] pools
	Gone    *List // slices freed since the earlier list, as described there
	Changed *List // slices with a new size or owner, as described in the later list
}

// Sub returns the changes since an earlier list of the same tracker, sorted by address. If Resize
// moved a slice, the new address is in New and the old one in Gone.
func (l *List) Sub(earlier *List) Changes {
	numbers := make(map[Owner]uint32, len(l.Owners))
	for i, o := range l.Owners {
		numbers[o] = uint32(i)
	}
	same := make([]int64, len(earlier.Owners)) // index of the same owner in l, or -1
	for i, o := range earlier.Owners {
		same[i] = -1
		if n, ok := numbers[o]; ok {
			same[i] = int64(n)
		}
	}
	before := make(map[uint64]int, len(earlier.Items))
	for i, was := range earlier.Items {
		before[was.ID] = i
	}
	c := Changes{New: &List{Owners: l.Owners}, Leaks: &List{Owners: l.Owners}, Gone: &List{Owners: earlier.Owners}, Changed: &List{Owners: l.Owners}}
	stays := make([]bool, len(earlier.Items))
	for _, now := range l.Items {
		i, known := before[now.ID]
		if !known {
			c.New.Items = append(c.New.Items, now)
			if l.Owners[now.Owner].Lifetime != Permanent {
				c.Leaks.Items = append(c.Leaks.Items, now)
			}
			continue
		}
		stays[i] = true
		was := earlier.Items[i]
		if now.Address != was.Address || now.Bytes != was.Bytes || now.Capacity != was.Capacity || int64(now.Owner) != same[was.Owner] {
			c.Changed.Items = append(c.Changed.Items, now)
		}
	}
	for i, was := range earlier.Items {
		if !stays[i] {
			c.Gone.Items = append(c.Gone.Items, was)
		}
	}
	return c
}

// WriteText writes the changes as readable text: leaks, then other new or changed allocations, then
// gone allocations. The allocations of one pool, scope and site form one line, summed over all
// workers. Lines are sorted by bytes, most first. New allocations in a pool of Permanent lifetime
// are not leaks. It writes nothing if nothing has changed.
//
//	leak: 8192 bytes in 2 of scratch/blocks from wall.png;encode at texture/encode.go:57
//	new: 96 bytes in 1 of names/table
//	changed: 120 bytes in 1 of images/pixels from wall.png
//	gone: 1200000 bytes in 1 of files/content from wall.png
func (c Changes) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	permanent := &List{c.New.Owners, slices.DeleteFunc(slices.Clone(c.New.Items), func(i Item) bool {
		return c.New.Owners[i.Owner].Lifetime != Permanent
	})}
	for _, part := range []struct {
		title string
		list  *List
	}{{"leak", c.Leaks}, {"new", permanent}, {"changed", c.Changed}, {"gone", c.Gone}} {
		for _, p := range part.list.Places() {
			fmt.Fprintf(out, "%s: %d bytes in %d of %s", part.title, p.Bytes, p.Count, p.label())
			if p.Scope != "" {
				fmt.Fprintf(out, " from %s", p.Scope)
			}
			if p.Site != "" {
				fmt.Fprintf(out, " at %s", p.Site)
			}
			out.WriteByte('\n')
		}
	}
	return out.Flush()
}

// A Place is a pool, scope and site that allocated, with total bytes and count. It has no peaks.
type Place struct {
	Key         // common key of the allocations; its field Worker is empty
	Site string `json:"site,omitempty"`
	Total
}

// Places sums the list by pool, scope and site, over all workers. It sorts the sums by bytes, most
// first.
func (l *List) Places() []Place {
	type where struct {
		key  Key
		site string
	}
	sums := map[where]*Total{}
	byOwner := make([]*Total, len(l.Owners))
	for _, item := range l.Items {
		sum := byOwner[item.Owner]
		if sum == nil {
			o := &l.Owners[item.Owner]
			at := where{o.Key, o.Site}
			at.key.Worker = ""
			if sum = sums[at]; sum == nil {
				sum = &Total{}
				sums[at] = sum
			}
			byOwner[item.Owner] = sum
		}
		sum.Bytes += item.Bytes
		sum.Count++
	}
	list := make([]Place, 0, len(sums))
	for at, sum := range sums {
		list = append(list, Place{at.key, at.site, *sum})
	}
	slices.SortFunc(list, func(a, b Place) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), a.compare(b.Key), cmp.Compare(a.Site, b.Site))
	})
	return list
}
