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
	Bytes    int64    `json:"bytes"`    // requested size
	Capacity int64    `json:"capacity"` // bytes occupied
	ID       uint64   `json:"id"`       // unique among all allocations of a tracker, past and present
	Owner    Key      `json:"owner"`
	Type     string   `json:"type,omitempty"`     // type of the pool
	Lifetime Lifetime `json:"lifetime,omitempty"` // lifetime of the pool
	Parents  string   `json:"parents,omitempty"`  // of the group, as in GroupRow
	Site     string   `json:"site,omitempty"`     // directory/file.go:line, with Options.Sites
}

// Lifetime is the intended lifetime of a pool's slices; "" is unknown.
type Lifetime string

const (
	Temporary Lifetime = "temporary" // at most the scope of the allocation
	Permanent Lifetime = "permanent" // until the program ends: not a leak
)

// Allocations are the slices held at one time, sorted by address.
type Allocations []Allocation

// Allocations lists the slices of pools that are held now. A slice that is allocated or freed
// during the call may or may not be in the list, but no entry mixes two slices. Memory entered by
// Grow has no address and is not listed (see [Tracker.Snapshot]); neither are untracked slices. A
// nil tracker has none.
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

// WriteCSV writes the list as comma-separated values (RFC 4180, lines ended by \n). The header
// line is always:
//
//	address,bytes,capacity,worker,group,name,scope,type,lifetime,parents,site
//
// Addresses are hexadecimal, with 0x.
func (a Allocations) WriteCSV(w io.Writer) error {
	return writeAllocations(w, slices.Values(a))
}

// WriteCSV writes the items with these indexes, as [Allocations.WriteCSV] does.
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
	out.Flush() // Error includes errors of Write
	return out.Error()
}
