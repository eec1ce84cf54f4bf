package view

import (
	"cmp"
	"embed"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"github.com/assetcook/assetcook/internal/webjson"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/heap"
	"github.com/assetcook/assetcook/profile/memory"
)

// Sources holds the contents of a page. A nil source has no tab.
type Sources struct {
	// Recordings are shown in addition to Events, as far back as their tapes go.
	Recordings []Recording

	// Title is the page's heading. The default is the program's name.
	Title string

	Counters *counters.Set
	Events   *events.Feed
	Memory   *memory.Tracker

	// Heap, if not nil, reads the Go heap of the program that serves the page. Set it to heap.Read.
	// The page calls it only if a user asks for the heap or takes a snapshot.
	Heap func() *heap.Profile

	// Snapshots are shown in addition to the tracker, for comparison. See memory.ReadCapture.
	Snapshots []*memory.Capture

	// Tabs are the program's own additions to the page.
	Tabs []Tab

	// Token authorizes requests that change something; see NewToken. If it is empty, the handler
	// refuses such requests.
	Token string

	// Hosts lists additional host names, without ports, that requests may use for the handler.
	Hosts []string

	// Dumps is the directory for recordings that the console's "dump" command writes. If it is
	// empty, the handler refuses the command.
	Dumps string
}

// A Recording is a recording in a file, or the stream of another program.
type Recording struct {
	Name string
	Tape *events.Tape
}

// A Tab is a part of the page that a program adds: a JavaScript module and its API. Requests for
// both are restricted like requests for the page.
type Tab struct {
	ID    string // lower-case letters; the tab's path is tabs/ID/
	Title string

	// Files contains tab.js, and may contain tab.css and other files, which tab.js loads by
	// relative URLs. tab.js is a module with
	//
	//	export function mount(root, app) { ...; return { show() {}, hide() {} } }
	//
	// where root is an element to fill and app is the object that app.js has for tabs.
	Files fs.FS

	// API, if not nil, answers requests below api/ of the tab. A request for tabs/ID/api/PATH has
	// the path /PATH. Requests other than GET have the token of Sources.
	API http.Handler
}

// keptHistory is the number of bytes for the history of counters that no page shows. It suffices for
// 600 frames of 5,000 counters.
const keptHistory = 32 << 20

// A View is the handler and the state of one page. Close it when it is no longer served.
type View struct {
	sources Sources
	handler http.Handler
	memory  *memories
	lines   *timelines

	catalogs catalogs // cached catalogs of Sources.Counters
	unwatch  func()   // ends the history of counters that no page shows
	told     *told
	whens    whens
	dumping  sync.Mutex // held while a recording is written, so that only one is written at a time

	closing sync.Once
	closed  chan struct{}
}

// New returns the handler of a page. It may be served until the program ends.
func New(s Sources) *View {
	s.Title = cmp.Or(s.Title, filepath.Base(os.Args[0]))
	v := &View{sources: s, memory: newMemories(s), lines: newTimelines(s), told: newTold(), closed: make(chan struct{})}
	v.catalogs.set = s.Counters
	v.unwatch = s.Counters.WatchAll(keptHistory)
	v.handler = guarded(s, v.routes())
	return v
}

// ServeHTTP answers a request of the page.
func (v *View) ServeHTTP(w http.ResponseWriter, req *http.Request) { v.handler.ServeHTTP(w, req) }

// Close ends the streams to open pages, and stops all conditions of the command "when".
func (v *View) Close() error {
	v.closing.Do(func() {
		close(v.closed)
		v.unwatch()
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

// info is the answer to a page's first request.
type info struct {
	Title    string `json:"title"`
	Counters bool   `json:"counters"`
	Memory   bool   `json:"memory"` // true if snapshots can be taken
	Heap     bool   `json:"heap"`
	Dumps    bool   `json:"dumps"`

	Recordings []recordingInfo `json:"recordings"`
	Snapshots  []snapshotInfo  `json:"snapshots"`

	Tabs []tabInfo `json:"tabs"`
}

type tabInfo struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Style bool   `json:"style"` // true if the tab has a tab.css
}

func (v *View) info(w http.ResponseWriter, _ *http.Request) {
	s := v.sources
	answer := info{Title: s.Title, Counters: s.Counters != nil, Memory: v.memory.live(), Heap: s.Heap != nil, Dumps: s.Dumps != "", Recordings: v.lines.infos(), Snapshots: v.memory.infos(), Tabs: []tabInfo{}}
	for _, t := range s.Tabs {
		_, err := fs.Stat(t.Files, "tab.css")
		answer.Tabs = append(answer.Tabs, tabInfo{t.ID, t.Title, err == nil})
	}
	webjson.Write(w, answer)
}

//go:embed page
var embedded embed.FS

// pages returns a handler for the files of the page.
func pages() http.Handler {
	files, err := fs.Sub(embedded, "page")
	if err != nil {
		panic(err) // This cannot fail, because the directory is embedded.
	}
	return http.FileServerFS(files)
}
