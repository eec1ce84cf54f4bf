package view

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assetcook/assetcook/profile/memory"
)

// list returns a snapshot with its allocations. Those of the tracker are listed anew if it
// was asked for, and otherwise stay the same from one page of the list to the next.
// It is called while m.mu is not held.
func (m *memories) list(id string, fresh bool) (*memory.Capture, error) {
	c, err := m.find(id)
	if c != nil || err != nil {
		return c, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if fresh || m.listing == nil {
		m.listing = m.tracker.Capture(time.Now())
		m.queries, m.changes = nil, nil
	}
	if m.forget != nil {
		m.forget.Stop()
	}
	m.forget = time.AfterFunc(listingForgets, m.drop)
	return m.listing, nil
}

// drop forgets what was listed of the tracker.
func (m *memories) drop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.forget != nil {
		m.forget.Stop()
	}
	m.listing, m.queries, m.changes = nil, nil, nil
}

// listChanges are the changes between two captures.
type listChanges struct {
	base, now *memory.Capture
	leaks     *memory.List
	memory.ListChanges
}

var errOtherRun = errors.New("the snapshots are of different runs: single allocations cannot be compared, only what scopes and groups hold")

// changesLocked compares the allocations of two captures while m.mu is held.
func (m *memories) changesLocked(base, now *memory.Capture) (*listChanges, error) {
	if base.Tracker != now.Tracker {
		return nil, errOtherRun
	}
	if c := m.changes; c == nil || c.base != base || c.now != now {
		changes := now.List.Sub(base.List)
		m.changes = &listChanges{base, now, changes.New.Leaks(), changes}
	}
	return m.changes, nil
}

// A listQuery is a list of allocations as it was asked for, sorted.
type listQuery struct {
	key   string
	at    time.Time
	list  *memory.List
	order []uint32 // indices of list.Items
	bytes int64
	sizes int64 // capacities
}

// query returns the allocations that a query asks for, whichever part of them.
func (m *memories) query(q url.Values) (*listQuery, int, error) {
	sel, err := parseSelection(q)
	if err != nil {
		return nil, http.StatusBadRequest, err
	}
	column := cmp.Or(q.Get("sort"), "bytes")
	if !slices.Contains(columns, column) {
		return nil, http.StatusBadRequest, fmt.Errorf("%.40q is no column; there are %v", column, columns)
	}
	c, err := m.list(q.Get("snap"), q.Get("fresh") == "1")
	if err != nil {
		return nil, http.StatusNotFound, err
	}
	base, change := (*memory.Capture)(nil), q.Get("change")
	if change != "" {
		if base, err = m.list(q.Get("base"), false); err != nil {
			return nil, http.StatusNotFound, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	list := c.List
	if change != "" {
		changes, err := m.changesLocked(base, c)
		if err != nil {
			return nil, http.StatusConflict, err
		}
		if list = changes.part(change); list == nil {
			return nil, http.StatusBadRequest, fmt.Errorf("there are no changes %.40q, but leaks, new, gone and changed", change)
		}
	}
	for _, other := range []string{"offset", "limit", "fresh"} {
		q.Del(other)
	}
	key := q.Encode()
	for _, known := range m.queries {
		if known.key == key && known.list == list {
			return known, 0, nil
		}
	}
	found := &listQuery{key: key, at: c.At, list: list}
	found.choose(sel, q.Get("q"))
	found.sort(column, q.Get("reverse") == "1")
	m.queries = append(m.queries[max(0, len(m.queries)-1):], found) // two are kept
	return found, 0, nil
}

func (c *listChanges) part(name string) *memory.List {
	switch name {
	case "leaks":
		return c.leaks
	case "new":
		return c.New
	case "gone":
		return c.Gone
	case "changed":
		return c.Changed
	}
	return nil
}

// choose finds the allocations of a selection whose owner has a name with text in it or,
// where text is an address, in which that lies.
func (l *listQuery) choose(sel selection, text string) {
	address, isAddress := uint64(0), false
	if hex, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok {
		if n, err := strconv.ParseUint(hex, 16, 64); err == nil {
			address, isAddress, text = n, true, ""
		}
	}
	text = strings.ToLower(text)
	takes := make([]bool, len(l.list.Owners))
	for i, o := range l.list.Owners {
		takes[i] = sel.takes(o.Key) && contains(o, text)
	}
	for i, item := range l.list.Items {
		if takes[item.Owner] && (!isAddress || address >= item.Address && address-item.Address < uint64(max(item.Capacity, 1))) {
			l.order = append(l.order, uint32(i))
			l.bytes += item.Bytes
			l.sizes += item.Capacity
		}
	}
}

func contains(o memory.Owner, text string) bool {
	for _, name := range []string{o.Scope, o.Name, o.Group, o.Worker, o.Site, o.Type, string(o.Lifetime), o.Parents} {
		if strings.Contains(strings.ToLower(name), text) {
			return true
		}
	}
	return false
}

// columns are what the list can be sorted by.
var columns = []string{"address", "bytes", "capacity", "rounding", "worker", "group", "name", "scope", "type", "lifetime", "site"}

// sort puts what is most first, or by name, and equal ones by address.
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

// A keyed is an item and what it is sorted by.
type keyed struct {
	key  uint64
	item uint32
}

// sortKeyed sorts by key and leaves equal ones in their order. It counts digits of 11 bits:
// of a million sizes two differ, which takes a fifth of the time of comparing.
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

// ownerRanks returns the places of owners in the order of a column, equal ones the same.
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

// indices yields the allocations in their order, from one on.
func (l *listQuery) indices(from, most int) iter.Seq[int] {
	return func(yield func(int) bool) {
		from = min(from, len(l.order))
		for _, i := range l.order[from:min(from+most, len(l.order))] {
			if !yield(int(i)) {
				return
			}
		}
	}
}

// An allocationRow is an allocation as the page shows it: an address is text, as numbers of
// JavaScript have 53 bits.
type allocationRow struct {
	Address  string `json:"address"`
	Bytes    int64  `json:"bytes"`
	Capacity int64  `json:"capacity"`
	memory.Owner
}

func (v *View) memoryAllocations(w http.ResponseWriter, req *http.Request) {
	q := req.URL.Query()
	offset, err := number(q, "offset", 0, 0, 1<<30)
	if err != nil {
		fail(w, http.StatusBadRequest, "%v", err)
		return
	}
	limit, err := number(q, "limit", 200, 1, 1000)
	if err != nil {
		fail(w, http.StatusBadRequest, "%v", err)
		return
	}
	l, status, err := v.memory.query(q)
	if err != nil {
		fail(w, status, "%v", err)
		return
	}
	rows := []allocationRow{}
	for i := range l.indices(offset, limit) {
		item := l.list.Items[i]
		rows = append(rows, allocationRow{fmt.Sprintf("0x%x", item.Address), item.Bytes, item.Capacity, l.list.Owners[item.Owner]})
	}
	writeJSON(w, struct {
		At       int64           `json:"at"`
		Count    int             `json:"count"`
		Bytes    int64           `json:"bytes"`
		Capacity int64           `json:"capacity"`
		Offset   int             `json:"offset"`
		Rows     []allocationRow `json:"rows"`
	}{l.at.UnixNano(), len(l.order), l.bytes, l.sizes, offset, rows})
}

func (v *View) memoryAllocationsCSV(w http.ResponseWriter, req *http.Request) {
	l, status, err := v.memory.query(req.URL.Query())
	if err != nil {
		fail(w, status, "%v", err)
		return
	}
	attach(w, "text/csv; charset=utf-8", "allocations.csv")
	l.list.WriteCSV(w, l.indices(0, len(l.order)))
}

// changedPlaces is one kind of change, by place.
type changedPlaces struct {
	Count  int            `json:"count"`
	Bytes  int64          `json:"bytes"`
	Places []memory.Place `json:"places"` // the most bytes first
	More   int            `json:"more"`   // places that are left out
}

// memoryDiff answers with what is new, gone and changed from snapshot a to b, leaks first.
func (v *View) memoryDiff(w http.ResponseWriter, req *http.Request) {
	q := req.URL.Query()
	now, err := v.memory.list(q.Get("b"), q.Get("fresh") == "1")
	if err != nil {
		fail(w, http.StatusNotFound, "%v", err)
		return
	}
	base, err := v.memory.list(q.Get("a"), false)
	if err != nil {
		fail(w, http.StatusNotFound, "%v", err)
		return
	}
	v.memory.mu.Lock()
	changes, err := v.memory.changesLocked(base, now)
	v.memory.mu.Unlock()
	if err != nil {
		fail(w, http.StatusConflict, "%v", err)
		return
	}
	answer := map[string]changedPlaces{}
	for _, name := range []string{"leaks", "new", "gone", "changed"} {
		list := changes.part(name)
		part := changedPlaces{Count: len(list.Items), Places: list.Places()}
		for _, p := range part.Places {
			part.Bytes += p.Bytes
		}
		part.More = max(0, len(part.Places)-500)
		part.Places = part.Places[:len(part.Places)-part.More]
		answer[name] = part
	}
	writeJSON(w, answer)
}
