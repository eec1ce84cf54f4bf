package memory

import (
	"cmp"
	"slices"
)

// A List is the slices held at one time, sorted by address. It takes a quarter of the memory of
// [Allocations], because it stores each owner once.
type List struct {
	Owners []Owner
	Items  []Item
}

// An Owner is the common data of the allocations of one pool, stack of scopes and call site.
type Owner struct {
	Key
	Type     string   `json:"type,omitempty"`
	Lifetime Lifetime `json:"lifetime,omitempty"`
	Parents  string   `json:"parents,omitempty"`
	Site     string   `json:"site,omitempty"`
}

// An Item is one slice of a List. See [Allocation] for the fields.
type Item struct {
	Address  uint64
	ID       uint64
	Bytes    int64
	Capacity int64
	Owner    uint32 // index in List.Owners
}

// List lists the slices of pools that are held now, as [Tracker.Allocations] does.
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

// At returns an allocation of the list.
func (l *List) At(i int) Allocation {
	item := l.Items[i]
	o := &l.Owners[item.Owner]
	return Allocation{uintptr(item.Address), item.Bytes, item.Capacity, item.ID, o.Key, o.Type, o.Lifetime, o.Parents, o.Site}
}

// ListChanges are the differences between two lists, as in [Changes].
type ListChanges struct {
	New, Gone, Changed *List
}

// Sub returns the changes since an earlier list of the same tracker, as [Allocations.Sub] does.
func (l *List) Sub(earlier *List) ListChanges {
	numbers := make(map[Owner]uint32, len(l.Owners))
	for i, o := range l.Owners {
		numbers[o] = uint32(i)
	}
	same := make([]int64, len(earlier.Owners)) // the same owner in l, -1 for none
	for i, o := range earlier.Owners {
		same[i] = -1
		if n, ok := numbers[o]; ok {
			same[i] = int64(n)
		}
	}
	fresh, gone, changed := differences(l.Items, earlier.Items, func(i Item) uint64 { return i.ID }, func(now, was Item) bool {
		return now.Address == was.Address && now.Bytes == was.Bytes && now.Capacity == was.Capacity && int64(now.Owner) == same[was.Owner]
	})
	return ListChanges{New: &List{l.Owners, fresh}, Gone: &List{earlier.Owners, gone}, Changed: &List{l.Owners, changed}}
}

// Leaks returns the slices of a list outside [Permanent] pools.
func (l *List) Leaks() *List {
	return &List{l.Owners, slices.DeleteFunc(slices.Clone(l.Items), func(i Item) bool { return l.Owners[i.Owner].Lifetime == Permanent })}
}

// Places sums up by pool, scope and site, over all workers, most bytes first.
func (l *List) Places() []Place {
	sums := make([]Amount, len(l.Owners))
	for _, i := range l.Items {
		sums[i.Owner].Bytes += i.Bytes
		sums[i.Owner].Count++
	}
	return sumPlaces(func(yield func(Place) bool) {
		for i, o := range l.Owners {
			if sums[i].Count != 0 && !yield(Place{o.Key, o.Site, sums[i]}) {
				return
			}
		}
	})
}
