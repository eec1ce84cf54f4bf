package view

import (
	"cmp"
	"slices"

	"github.com/assetcook/assetcook/profile/memory"
)

// columns lists the columns that can sort the list.
var columns = []string{"address", "bytes", "capacity", "rounding", "worker", "group", "name", "scope", "type", "lifetime", "site"}

// sort sorts allocations by number, largest first, or by name. It sorts equal allocations by
// address.
func (l *listQuery) sort(column string, reverse bool) {
	items := l.list.Items
	var key func(memory.Item) uint64
	switch column {
	case "address":
		key = func(i memory.Item) uint64 { return i.Address }
	case "bytes":
		key = func(i memory.Item) uint64 { return ^uint64(i.Bytes) }
	case "capacity":
		key = func(i memory.Item) uint64 { return ^uint64(i.Capacity) }
	case "rounding":
		key = func(i memory.Item) uint64 { return ^uint64(i.Capacity - i.Bytes) }
	default:
		ranks := ownerRanks(l.list.Owners, column)
		key = func(i memory.Item) uint64 { return ranks[i.Owner] }
	}
	keys := make([]keyed, len(l.order))
	for i, item := range l.order {
		keys[i] = keyed{key(items[item]), item}
		if reverse {
			keys[i].key = ^keys[i].key
		}
	}
	for i, k := range sortKeyed(keys) {
		l.order[i] = k.item
	}
}

// A keyed is a sort key with the index of its item.
type keyed struct {
	key  uint64
	item uint32
}

// sortKeyed sorts by key, stably. It is a radix sort with digits of 11 bits. Sizes differ in at
// most two digits, so sorting a million allocations takes a fifth of the time that a comparison
// sort takes.
func sortKeyed(list []keyed) []keyed {
	const bits, mask = 11, 1<<11 - 1
	spare := make([]keyed, len(list))
	for shift := 0; shift < 64 && len(list) > 1; shift += bits {
		var ends [mask + 1]int
		for i := range list {
			ends[list[i].key>>shift&mask]++
		}
		if ends[list[0].key>>shift&mask] == len(list) {
			continue
		}
		for digit := 1; digit <= mask; digit++ {
			ends[digit] += ends[digit-1]
		}
		for _, k := range slices.Backward(list) {
			digit := k.key >> shift & mask
			ends[digit]--
			spare[ends[digit]] = k
		}
		list, spare = spare, list
	}
	return list
}

// ownerRanks returns the ranks of owners in a column. Equal owners have equal ranks.
func ownerRanks(owners []memory.Owner, column string) []uint64 {
	name := func(i int) string {
		o := &owners[i]
		switch column {
		case "worker":
			return o.Worker
		case "group":
			return o.Group
		case "name":
			return o.Name
		case "scope":
			return o.Scope
		case "type":
			return o.Type
		case "lifetime":
			return string(o.Lifetime)
		}
		return o.Site
	}
	order := make([]int, len(owners))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(name(a), name(b)) })
	ranks := make([]uint64, len(owners))
	for i, at := range order[min(1, len(order)):] {
		ranks[at] = ranks[order[i]]
		if name(at) != name(order[i]) {
			ranks[at]++
		}
	}
	return ranks
}
