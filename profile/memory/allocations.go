package memory

import (
	"encoding/csv"
	"io"
	"iter"
	"slices"
	"strconv"
)

// An Allocation is one slice that was handed out. It has a JSON form.
type Allocation struct {
	Address  uintptr  `json:"address"`
	Bytes    int64    `json:"bytes"`    // as asked for
	Capacity int64    `json:"capacity"` // bytes that it takes
	ID       uint64   `json:"id"`       // no two allocations of a tracker have the same, at whatever time
	Owner    Key      `json:"owner"`
	Type     string   `json:"type,omitempty"`     // that of the pool
	Lifetime Lifetime `json:"lifetime,omitempty"` // that of the pool
	Parents  string   `json:"parents,omitempty"`  // of the group, as in GroupRow
	Site     string   `json:"site,omitempty"`     // folder/file.go:line, with Options.Sites
}

// Lifetime says how long the slices of a pool are meant to live.
type Lifetime string

const (
	Unspecified Lifetime = ""          // nothing is known
	Temporary   Lifetime = "temporary" // no longer than the scope in which they are allocated
	Permanent   Lifetime = "permanent" // to the end of the program: to be held is no leak
)

// Allocations are slices that were handed out at one time, by address.
type Allocations []Allocation

// Allocations lists the slices of pools that are held now. A slice that is handed out
// or given back meanwhile may be in the list or not; no line mixes two. What Grow
// entered has no address and is in no line, see [Tracker.Snapshot]; so are
// slices that are not tracked. A nil tracker has none.
func (t *Tracker) Allocations() Allocations {
	if t == nil {
		return nil
	}
	l := t.List()
	list := make(Allocations, len(l.Items))
	for i := range l.Items {
		list[i] = l.At(i)
	}
	return list
}

// WriteCSV writes the list as comma-separated values (RFC 4180, lines ended by \n) below
// a line with the names of the columns, which are always these:
//
//	address,bytes,capacity,worker,group,name,scope,type,lifetime,parents,site
//
// Addresses are hexadecimal, with 0x.
func (a Allocations) WriteCSV(w io.Writer) error {
	return writeAllocations(w, slices.Values(a))
}

// WriteCSV writes items of the list, by their indices, as [Allocations.WriteCSV] does.
func (l *List) WriteCSV(w io.Writer, items iter.Seq[int]) error {
	return writeAllocations(w, func(yield func(Allocation) bool) {
		for i := range items {
			if !yield(l.At(i)) {
				return
			}
		}
	})
}

func writeAllocations(w io.Writer, all iter.Seq[Allocation]) error {
	out := csv.NewWriter(w)
	out.Write([]string{"address", "bytes", "capacity", "worker", "group", "name", "scope", "type", "lifetime", "parents", "site"})
	for l := range all {
		k := l.Owner
		out.Write([]string{"0x" + strconv.FormatUint(uint64(l.Address), 16), strconv.FormatInt(l.Bytes, 10), strconv.FormatInt(l.Capacity, 10),
			k.Worker, k.Group, k.Name, k.Scope, l.Type, string(l.Lifetime), l.Parents, l.Site})
	}
	out.Flush() // Error has what Write met as well
	return out.Error()
}
