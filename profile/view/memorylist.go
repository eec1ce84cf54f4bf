package view

import (
	"cmp"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/webjson"
	"github.com/assetcook/assetcook/profile/memory"
)

// listSnapshots returns a snapshot with its allocations. For the running program, it lists the
// allocations again if fresh is set. Otherwise that list stays the same for all pages. The caller
// must not hold m.mu.
func (m *memories) listSnapshots(id string, fresh bool) (*memory.Capture, error) {
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

// drop removes the list of the tracker's allocations.
func (m *memories) drop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.forget != nil {
		m.forget.Stop()
	}
	m.listing, m.queries, m.changes = nil, nil, nil
}

// A listQuery is a sorted selection of allocations that a page has requested.
type listQuery struct {
	key   string
	at    time.Time
	list  *memory.List
	order []uint32 // indexes into list.Items
	bytes int64
	sizes int64 // sum of the capacities
}

// query returns all allocations that a query selects, without paging.
func (m *memories) query(q url.Values) (*listQuery, int, error) {
	sel, err := parseQuery(q)
	if err != nil {
		return nil, http.StatusBadRequest, err
	}
	column := cmp.Or(q.Get("sort"), "bytes")
	if !slices.Contains(columns, column) {
		return nil, http.StatusBadRequest, fmt.Errorf("unknown column %.40q; the columns are %v", column, columns)
	}
	c, err := m.listSnapshots(q.Get("snap"), q.Get("fresh") == "1")
	if err != nil {
		return nil, http.StatusNotFound, err
	}
	base, change := (*memory.Capture)(nil), q.Get("change")
	if change != "" {
		if base, err = m.listSnapshots(q.Get("base"), false); err != nil {
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
			return nil, http.StatusBadRequest, fmt.Errorf("unknown change %.40q: use leaks, new, gone or changed", change)
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
	found.choose(&sel, q.Get("q"))
	found.sort(column, q.Get("reverse") == "1")
	m.queries = append(m.queries[max(0, len(m.queries)-1):], found) // The cache holds at most two queries.
	return found, 0, nil
}

// choose finds the allocations whose owner has a name that contains the query's text. If the text
// is an address, it finds the allocation that contains the address.
func (l *listQuery) choose(sel *memory.Query, text string) {
	address, isAddress := uint64(0), false
	if hex, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok {
		if n, err := strconv.ParseUint(hex, 16, 64); err == nil {
			address, isAddress, text = n, true, ""
		}
	}
	text = strings.ToLower(text)
	takes := make([]bool, len(l.list.Owners))
	for i, o := range l.list.Owners {
		takes[i] = sel.Takes(o.Key) && contains(o, text)
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

// indices yields the indexes of the allocations in order, from position from on.
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

// An allocationRow is an allocation on the page. Its address is text, because JavaScript numbers
// have 53 bits.
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
		webjson.Fail(w, http.StatusBadRequest, "%v", err)
		return
	}
	limit, err := number(q, "limit", 200, 1, 1000)
	if err != nil {
		webjson.Fail(w, http.StatusBadRequest, "%v", err)
		return
	}
	l, status, err := v.memory.query(q)
	if err != nil {
		webjson.Fail(w, status, "%v", err)
		return
	}
	rows := []allocationRow{}
	for i := range l.indices(offset, limit) {
		item := l.list.Items[i]
		rows = append(rows, allocationRow{fmt.Sprintf("0x%x", item.Address), item.Bytes, item.Capacity, l.list.Owners[item.Owner]})
	}
	webjson.Write(w, struct {
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
		webjson.Fail(w, status, "%v", err)
		return
	}
	attach(w, "text/csv; charset=utf-8", "allocations.csv")
	l.list.WriteCSV(w, l.indices(0, len(l.order))) // An error means that the page has disconnected.
}
