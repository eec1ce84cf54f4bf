package view

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/assetcook/assetcook/internal/webjson"
	"github.com/assetcook/assetcook/profile/heap"
	"github.com/assetcook/assetcook/profile/memory"
)

// These are limits for the snapshots that the page takes. The oldest snapshots are dropped first.
// An allocation takes 40 bytes.
const (
	maxTaken       = 8
	maxTakenItems  = 4 << 20
	listingForgets = time.Minute // time until an unused list is dropped
)

// memories holds the snapshots available to a page.
type memories struct {
	tracker *memory.Tracker // may be nil, also if heap is not
	heap    func() *heap.Profile
	files   []*keptMemory // snapshots from files; never changed
	most    int           // maximum number of allocations in all snapshots in taken; the latest snapshot alone may have more

	mu      sync.Mutex // guards the fields below
	taken   []*keptMemory
	next    int
	listing *memory.Capture // latest list of the tracker's allocations; may be nil
	forget  *time.Timer     // timer that drops the listing
	queries []*listQuery    // the latest queries, at most two, newest last
	changes *listChanges    // latest comparison of two snapshots
}

type keptMemory struct {
	id   string
	name string
	*memory.Capture
}

// snapshotInfo describes a snapshot to the page.
type snapshotInfo struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	At   int64  `json:"at"` // Unix time in nanoseconds
	File bool   `json:"file"`
	Heap bool   `json:"heap"` // true if the snapshot has the Go heap
}

func newMemories(s Sources) *memories {
	m := &memories{tracker: s.Memory, heap: s.Heap, most: maxTakenItems}
	for i, f := range s.Snapshots {
		m.files = append(m.files, &keptMemory{"f" + strconv.Itoa(i), f.Name, f})
	}
	return m
}

// live reports whether a running program is connected.
func (m *memories) live() bool { return m.tracker != nil || m.heap != nil }

func (m *memories) infos() []snapshotInfo {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := []snapshotInfo{}
	for _, k := range m.files {
		list = append(list, k.info(true))
	}
	for _, k := range m.taken {
		list = append(list, k.info(false))
	}
	return list
}

func (k *keptMemory) info(file bool) snapshotInfo {
	return snapshotInfo{k.id, k.name, k.At.UnixNano(), file, k.Heap != nil}
}

const liveID = "live"

// find returns the snapshot with an identifier, or nil if the identifier means the running program.
func (m *memories) find(id string) (*memory.Capture, error) {
	if id == liveID || id == "" && m.live() {
		if !m.live() {
			return nil, fmt.Errorf("no running program is connected; choose a snapshot")
		}
		return nil, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range slices.Concat(m.files, m.taken) {
		if k.id == id || id == "" {
			return k.Capture, nil
		}
	}
	return nil, fmt.Errorf("the snapshot %.40q was deleted, because only the latest %d are kept", id, maxTaken)
}

// rows returns the rows and groups of a snapshot. Without a snapshot, it returns the tracker's
// current ones.
func (m *memories) rows(id string) (*memory.Snapshot, time.Time, error) {
	c, err := m.find(id)
	switch {
	case err != nil:
		return nil, time.Time{}, err
	case c == nil:
		return m.tracker.Snapshot(), time.Now(), nil
	}
	return c.Snapshot, c.At, nil
}

// captureAll returns the current state of the running program, with its Go heap.
func (m *memories) captureAll() *memory.Capture {
	c := m.tracker.Capture(time.Now())
	if m.heap != nil {
		c.Heap = m.heap()
	}
	return c
}

// takeSnapshot captures the program's current state. It returns the names of the snapshots that it
// dropped to make room.
func (m *memories) takeSnapshot(name string) (snapshotInfo, []string) {
	c := m.captureAll()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next++
	id := strconv.Itoa(m.next)
	k := &keptMemory{"s" + id, cmp.Or(name, "snapshot "+id), c}
	m.taken = append(m.taken, k)
	items := 0
	for _, t := range m.taken {
		items += len(t.List.Items)
	}
	gone := []string{}
	for len(m.taken) > 1 && (len(m.taken) > maxTaken || items > m.most) {
		gone = append(gone, m.taken[0].name)
		items -= len(m.taken[0].List.Items)
		m.taken = slices.Delete(m.taken, 0, 1)
	}
	if len(gone) > 0 {
		m.queries, m.changes = nil, nil // Cached queries may refer to dropped snapshots.
	}
	return k.info(false), gone
}

func (v *View) memoryRoutes(mux *http.ServeMux) {
	if !v.memory.live() && len(v.memory.files) == 0 {
		return
	}
	mux.HandleFunc("GET /api/memory", v.memoryTree)
	mux.HandleFunc("GET /api/memory/heap", v.memoryHeap)
	mux.HandleFunc("POST /api/memory/collect", v.acting(v.memoryCollect))
	mux.HandleFunc("GET /api/memory/groups", v.memoryGroups)
	mux.HandleFunc("GET /api/memory/summary", v.memorySummary)
	mux.HandleFunc("GET /api/memory/diff", v.memoryDiff)
	mux.HandleFunc("GET /api/memory/allocations", v.memoryAllocations)
	mux.HandleFunc("GET /api/memory/allocations.csv", v.memoryAllocationsCSV)
	mux.HandleFunc("GET /api/memory/rows.csv", v.memoryRowsCSV)
	mux.HandleFunc("GET /api/memory/file", v.memoryFile)
	mux.HandleFunc("POST /api/memory/snapshot", v.acting(v.memoryTake))
}

func (v *View) memoryTake(w http.ResponseWriter, req *http.Request) {
	var body struct {
		Name string `json:"name"`
	}
	if !webjson.Read(w, req, &body) {
		return
	}
	if len(body.Name) > 100 {
		webjson.Fail(w, http.StatusBadRequest, "the name has %d bytes; at most 100 are kept", len(body.Name))
		return
	}
	if !v.memory.live() {
		webjson.Fail(w, http.StatusBadRequest, "no running program is connected, so no snapshot is possible")
		return
	}
	info, gone := v.memory.takeSnapshot(body.Name)
	webjson.Write(w, struct {
		snapshotInfo
		Gone []string `json:"gone"`
	}{info, gone})
}

// memoryGroups serves only the groups, for a page that samples them.
func (v *View) memoryGroups(w http.ResponseWriter, _ *http.Request) {
	webjson.Write(w, struct {
		At     int64             `json:"at"`
		Groups []memory.GroupRow `json:"groups"`
	}{time.Now().UnixNano(), v.memory.tracker.Groups()})
}

// A groupNow is the current state of a group, and its state in an earlier snapshot.
type groupNow struct {
	memory.GroupRow
	Was *memory.GroupRow `json:"was,omitempty"`
}

// summary is a snapshot without the tree and the list.
type summary struct {
	At      int64         `json:"at"`
	Program string        `json:"program,omitempty"`
	Groups  []groupNow    `json:"groups"`
	Usage   *memory.Usage `json:"usage"`
	Was     *memory.Usage `json:"was,omitempty"`

	Untracked   int64 `json:"untracked"`
	Unprotected int64 `json:"unprotected"`
	Coarse      int64 `json:"coarse"`
}

// light returns a snapshot without its list of allocations.
func (m *memories) light(id string) (*memory.Capture, error) {
	c, err := m.find(id)
	if c == nil && err == nil {
		c = &memory.Capture{At: time.Now(), Snapshot: m.tracker.Snapshot(), Usage: m.tracker.Usage()}
	}
	return c, err
}

func (v *View) memorySummary(w http.ResponseWriter, req *http.Request) {
	q := req.URL.Query()
	c, err := v.memory.light(q.Get("snap"))
	if err != nil {
		webjson.Fail(w, http.StatusNotFound, "%v", err)
		return
	}
	s := summary{At: c.At.UnixNano(), Program: c.Program, Usage: c.Usage, Groups: []groupNow{},
		Untracked: c.Snapshot.Untracked, Unprotected: c.Snapshot.Unprotected, Coarse: c.Snapshot.Coarse}
	if q.Get("base") == "" {
		for _, g := range c.Snapshot.Groups {
			s.Groups = append(s.Groups, groupNow{g, nil})
		}
		webjson.Write(w, s)
		return
	}
	was, err := v.memory.light(q.Get("base"))
	if err != nil {
		webjson.Fail(w, http.StatusNotFound, "%v", err)
		return
	}
	s.Was = was.Usage
	for _, pair := range c.Snapshot.GroupPairs(was.Snapshot) {
		s.Groups = append(s.Groups, groupNow{pair[0], &pair[1]})
	}
	webjson.Write(w, s)
}

func (v *View) memoryRowsCSV(w http.ResponseWriter, req *http.Request) {
	s, _, err := v.memory.rows(req.URL.Query().Get("snap"))
	if err != nil {
		webjson.Fail(w, http.StatusNotFound, "%v", err)
		return
	}
	attach(w, "text/csv; charset=utf-8", "memory.csv")
	s.WriteCSV(w) // An error means that the page has disconnected.
}

// memoryFile serves a snapshot as a file that memory.ReadCapture can read.
func (v *View) memoryFile(w http.ResponseWriter, req *http.Request) {
	c, err := v.memory.find(req.URL.Query().Get("snap"))
	if err != nil {
		webjson.Fail(w, http.StatusNotFound, "%v", err)
		return
	}
	if c == nil {
		c = v.memory.captureAll()
	}
	named := *c
	named.Program = cmp.Or(c.Program, v.sources.Title)
	attach(w, "application/json", "memory-"+c.At.UTC().Format("20060102-150405")+".json")
	named.WriteJSON(w)
}

func attach(w http.ResponseWriter, kind, name string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
}
