package view

import (
	"errors"
	"net/http"
	"runtime"
	"time"

	"github.com/assetcook/assetcook/internal/webjson"
	"github.com/assetcook/assetcook/profile/heap"
)

var errNoHeap = errors.New("this snapshot has no Go heap: the program did not set Sources.Heap")

// heapOf returns the Go heap of a snapshot or, without one, of the running program.
func (m *memories) heapOf(id string) (*heap.Profile, time.Time, int, error) {
	c, err := m.find(id)
	switch {
	case err != nil:
		return nil, time.Time{}, http.StatusNotFound, err
	case c == nil && m.heap != nil:
		return m.heap(), time.Now(), http.StatusOK, nil
	case c == nil || c.Heap == nil:
		return nil, time.Time{}, http.StatusConflict, errNoHeap
	}
	return c.Heap, c.At, http.StatusOK, nil
}

// memoryHeap serves the Go heap of a snapshot, or its changes since an earlier snapshot.
func (v *View) memoryHeap(w http.ResponseWriter, req *http.Request) {
	q := req.URL.Query()
	p, at, status, err := v.memory.heapOf(q.Get("snap"))
	if err != nil {
		webjson.Fail(w, status, "%v", err)
		return
	}
	if base := q.Get("base"); base != "" {
		was, _, status, err := v.memory.heapOf(base)
		if err != nil {
			webjson.Fail(w, status, "%v", err)
			return
		}
		p = p.Sub(was)
	}
	webjson.Write(w, struct {
		At int64 `json:"at"` // Unix time in nanoseconds
		*heap.Profile
	}{at.UnixNano(), p})
}

// memoryCollect runs a garbage collection, so that the heap is then as of now.
func (v *View) memoryCollect(w http.ResponseWriter, _ *http.Request) {
	if v.memory.heap == nil {
		webjson.Fail(w, http.StatusConflict, "%v", errNoHeap)
		return
	}
	runtime.GC()
	webjson.Write(w, struct{}{})
}
