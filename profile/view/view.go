package view

import (
	"cmp"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"github.com/assetcook/assetcook/internal/webjson"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/memory"
)

// Sources are what a page shows; what is nil has no tab.
type Sources struct {
	// Recordings are shown beside Events, each with the history that its tape has.
	Recordings []Recording

	// Title stands above the page; "" is the name of the program.
	Title string

	Counters *counters.Set
	Events   *events.Feed
	Memory   *memory.Tracker

	// Snapshots are shown beside the tracker, and can be compared: see memory.ReadCapture.
	Snapshots []MemorySnapshot

	// Tabs are what the program itself adds to the page.
	Tabs []Tab

	// Token lets requests act that have it: see NewToken. With "" none may.
	Token string

	// Hosts are further names under which the handler may be asked for, without ports.
	Hosts []string

	// Dumps is the folder in which the console's "dump" writes recordings; with "" it is
	// refused.
	Dumps string
}

// A Recording is a file, or a stream of another program.
type Recording struct {
	Name string
	Tape *events.Tape
}

// A Tab is a part of the page that a program adds: a module of JavaScript and what that asks
// for. Both are guarded as the page is.
type Tab struct {
	ID    string // lower-case letters, which name its place below tabs/
	Title string

	// Files has tab.js, and may have tab.css and others, which tab.js reaches by relative
	// URLs. tab.js is a module with
	//
	//	export function mount(root, app) { ...; return { show() {}, hide() {} } }
	//
	// where root is an element to fill and app is what app.js has for tabs.
	Files fs.FS

	// API answers what is asked for below api/ of the tab: tabs/ID/api/PATH comes as /PATH.
	// Requests that are not GET have the token of Sources. It may be nil.
	API http.Handler
}

// A View is the handler of one page, and what is kept for it. Close it when it is not
// served any more.
type View struct {
	sources Sources
	handler http.Handler
	memory  *memories
	lines   *timelines

	catalogs catalogs // of Sources.Counters
	told     *told
	whens    whens
	dumping  sync.Mutex // one recording at a time

	closing sync.Once
	closed  chan struct{}
}

// Handler returns the handler of a page that is served until the program ends.
func Handler(s Sources) http.Handler { return New(s) }

// New returns the handler of a page.
func New(s Sources) *View {
	s.Title = cmp.Or(s.Title, filepath.Base(os.Args[0]))
	v := &View{sources: s, memory: newMemories(s), lines: newTimelines(s), told: newTold(), closed: make(chan struct{})}
	v.catalogs.set = s.Counters
	v.handler = guarded(s, v.routes())
	return v
}

// ServeHTTP answers a request of the page.
func (v *View) ServeHTTP(w http.ResponseWriter, req *http.Request) { v.handler.ServeHTTP(w, req) }

// Close ends the streams of pages that are open, and the conditions of "when".
func (v *View) Close() error {
	v.closing.Do(func() {
		close(v.closed)
		v.memory.drop()
		v.lines.drop()
		v.whens.close()
	})
	return nil
}

func (v *View) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /", pages())
	mux.HandleFunc("GET /api/info", v.info)
	if v.sources.Counters != nil {
		mux.HandleFunc("GET /api/counters", v.listCounters)
		mux.HandleFunc("POST /api/frames", v.frames)
		mux.HandleFunc("GET /api/table.csv", v.tableCSV)
	}
	mux.HandleFunc("POST /api/console", v.consoleLine)
	mux.HandleFunc("GET /api/complete", v.complete)
	mux.HandleFunc("GET /api/ops", v.opsStream)
	v.memoryRoutes(mux)
	v.timelineRoutes(mux)
	for _, t := range v.sources.Tabs {
		at := "/tabs/" + t.ID
		mux.Handle("GET "+at+"/", http.StripPrefix(at, http.FileServerFS(t.Files)))
		if t.API != nil {
			api := http.StripPrefix(at+"/api", t.API)
			mux.Handle("GET "+at+"/api/", api)
			mux.Handle("POST "+at+"/api/", v.acting(api.ServeHTTP))
		}
	}
	return mux
}

// Info is what a page asks first.
type info struct {
	Title    string `json:"title"`
	Counters bool   `json:"counters"`
	Memory   bool   `json:"memory"`
	Dumps    bool   `json:"dumps"`

	Recordings []recordingInfo `json:"recordings"`
	Snapshots  []snapshotInfo  `json:"snapshots"`

	Tabs []tabInfo `json:"tabs"`
}

type tabInfo struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Style bool   `json:"style"` // it has a tab.css
}

func (v *View) info(w http.ResponseWriter, _ *http.Request) {
	s := v.sources
	answer := info{Title: s.Title, Counters: s.Counters != nil, Memory: s.Memory != nil, Dumps: s.Dumps != "", Recordings: v.lines.infos(), Snapshots: v.memory.infos(), Tabs: []tabInfo{}}
	for _, t := range s.Tabs {
		_, err := fs.Stat(t.Files, "tab.css")
		answer.Tabs = append(answer.Tabs, tabInfo{t.ID, t.Title, err == nil})
	}
	webjson.Write(w, answer)
}
