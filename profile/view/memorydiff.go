package view

import (
	"errors"
	"net/http"

	"github.com/assetcook/assetcook/internal/webjson"
	"github.com/assetcook/assetcook/profile/memory"
)

// listChanges holds the changes between two captures.
type listChanges struct {
	base, now *memory.Capture
	memory.Changes
}

var errOtherRun = errors.New("the snapshots are from different runs, so only the sums of scopes and groups can be compared, not single allocations")

// changesLocked compares the allocations of two captures. The caller must hold m.mu.
func (m *memories) changesLocked(base, now *memory.Capture) (*listChanges, error) {
	if base.Tracker != now.Tracker {
		return nil, errOtherRun
	}
	if c := m.changes; c == nil || c.base != base || c.now != now {
		m.changes = &listChanges{base, now, now.List.Sub(base.List)}
	}
	return m.changes, nil
}

func (c *listChanges) part(name string) *memory.List {
	switch name {
	case "leaks":
		return c.Leaks
	case "new":
		return c.New
	case "gone":
		return c.Gone
	case "changed":
		return c.Changed
	}
	return nil
}

// changedPlaces lists the changes of one kind, summed by place of allocation.
type changedPlaces struct {
	Count  int            `json:"count"`
	Bytes  int64          `json:"bytes"`
	Places []memory.Place `json:"places"` // largest number of bytes first
	More   int            `json:"more"`   // number of omitted places
}

// memoryDiff serves the new, gone and changed allocations from snapshot a to b, leaks first.
func (v *View) memoryDiff(w http.ResponseWriter, req *http.Request) {
	q := req.URL.Query()
	now, err := v.memory.listSnapshots(q.Get("b"), q.Get("fresh") == "1")
	if err != nil {
		webjson.Fail(w, http.StatusNotFound, "%v", err)
		return
	}
	base, err := v.memory.listSnapshots(q.Get("a"), false)
	if err != nil {
		webjson.Fail(w, http.StatusNotFound, "%v", err)
		return
	}
	v.memory.mu.Lock()
	changes, err := v.memory.changesLocked(base, now)
	v.memory.mu.Unlock()
	if err != nil {
		webjson.Fail(w, http.StatusConflict, "%v", err)
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
	webjson.Write(w, answer)
}
