package memory

import (
	"cmp"
	"encoding/csv"
	"io"
	"iter"
	"slices"
	"strconv"
)

// A List holds the slices that were in use at one moment, sorted by address. It stores each owner
// once.
type List struct {
	Owners []Owner
	Items  []Item
}

// An Owner holds the data shared by all allocations of one pool, stack of scopes and call site.
type Owner struct {
	Key
	Type     string   `json:"type,omitempty"`     // type of the pool's content
	Lifetime Lifetime `json:"lifetime,omitempty"` // intended lifetime of the pool's slices
	Parents  string   `json:"parents,omitempty"`  // names of the enclosing groups, as in GroupRow
	Site     string   `json:"site,omitempty"`     // directory/file.go:line of the call, with Options.Sites
}

// An Item is one slice in use.
type Item struct {
	Address  uint64
	ID       uint64 // unique number of the allocation; a tracker never uses it again
	Bytes    int64  // requested number of bytes
	Capacity int64  // number of bytes that the slice occupies
	Owner    uint32 // index of the owner in List.Owners
}

// Lifetime is the intended lifetime of a pool's slices. The value "" means unknown.
type Lifetime string

const (
	Temporary Lifetime = "temporary" // the slice is freed at the end of the allocation's scope or earlier
	Permanent Lifetime = "permanent" // the slice is kept until the program ends, and is not a leak
)

// List returns the slices of pools that are in use now. A slice that is allocated or freed during
// the call may or may not be in the list, but no item combines the data of two slices. The list
// does not contain memory recorded by Grow, which has no address (see [Tracker.Snapshot]), or
// untracked slices. The list of a nil tracker is empty.
func (t *Tracker) List() *List {
	l := &List{}
	if t == nil {
		return l
	}
	type origin struct {
		site   *site
		caller uint32
	}
	owners := map[origin]uint32{}
	var origins []origin
	for b, number := range t.stock.all() {
		if !b.state.CompareAndSwap(live, listed) {
			continue
		}
		from := origin{b.owner.Load(), b.caller}
		owner, known := owners[from]
		if !known {
			owner = uint32(len(origins))
			owners[from] = owner
			origins = append(origins, from)
		}
		l.Items = append(l.Items, Item{uint64(b.key()), uint64(number)<<32 | uint64(b.uses), int64(b.size), int64(b.capacity), owner})
		b.state.Store(live)
	}
	keys := map[*site]Key{}
	for _, o := range origins {
		key, known := keys[o.site]
		if !known {
			key = o.site.key()
			keys[o.site] = key
		}
		p := o.site.pool
		l.Owners = append(l.Owners, Owner{key, p.options.Type, p.options.Lifetime, p.group.chain(), t.callers.name(o.caller)})
	}
	slices.SortFunc(l.Items, func(a, b Item) int { return cmp.Compare(a.Address, b.Address) })
	return l
}

// WriteCSV writes the items with the given indexes as comma-separated values (RFC 4180, lines ended
// by \n). If indexes is nil, it writes all items. The header line is always:
//
//	address,bytes,capacity,worker,group,name,scope,type,lifetime,parents,site
//
// Addresses are hexadecimal, with the prefix 0x.
func (l *List) WriteCSV(w io.Writer, items iter.Seq[int]) error {
	if items == nil {
		items = func(yield func(int) bool) {
			for i := range l.Items {
				if !yield(i) {
					return
				}
			}
		}
	}
	out := csv.NewWriter(w)
	out.Write([]string{"address", "bytes", "capacity", "worker", "group", "name", "scope", "type", "lifetime", "parents", "site"})
	for i := range items {
		item := &l.Items[i]
		o := &l.Owners[item.Owner]
		out.Write([]string{"0x" + strconv.FormatUint(item.Address, 16), strconv.FormatInt(item.Bytes, 10), strconv.FormatInt(item.Capacity, 10),
			o.Worker, o.Group, o.Name, o.Scope, o.Type, string(o.Lifetime), o.Parents, o.Site})
	}
	out.Flush() // Error below also returns the errors of Write.
	return out.Error()
}
