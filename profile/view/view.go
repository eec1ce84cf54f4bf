package view

import (
	"cmp"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/memory"
)

// Sources are what a page shows; what is nil has no tab.
type Sources struct {
	// Title stands above the page; "" is the name of the program.
	Title string

	Counters *counters.Set
	Events   *events.Feed
	Memory   *memory.Tracker

	// Token lets requests act that have it: see NewToken. With "" none may.
	Token string

	// Hosts are further names under which the handler may be asked for, without ports.
	Hosts []string

	// Dumps is the folder in which the console's "dump" writes recordings; with "" it is
	// refused.
	Dumps string
}

// A View is the handler of one page, and what is kept for it. Close it when it is not
// served any more.
type View struct {
	sources Sources
	handler http.Handler

	closing sync.Once
	closed  chan struct{}
}

// Handler returns the handler of a page that is served until the program ends.
func Handler(s Sources) http.Handler { return New(s) }

// New returns the handler of a page.
func New(s Sources) *View {
	s.Title = cmp.Or(s.Title, filepath.Base(os.Args[0]))
	v := &View{sources: s, closed: make(chan struct{})}
	v.handler = guarded(s, v.routes())
	return v
}

// ServeHTTP answers a request of the page.
func (v *View) ServeHTTP(w http.ResponseWriter, req *http.Request) { v.handler.ServeHTTP(w, req) }

// Close ends the streams of pages that are open.
func (v *View) Close() error {
	v.closing.Do(func() { close(v.closed) })
	return nil
}

func (v *View) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /", pages())
	mux.HandleFunc("GET /api/info", v.info)
	return mux
}

// Info is what a page asks first.
type info struct {
	Title    string `json:"title"`
	Counters bool   `json:"counters"`
	Memory   bool   `json:"memory"`
	Dumps    bool   `json:"dumps"`
}

func (v *View) info(w http.ResponseWriter, _ *http.Request) {
	s := v.sources
	writeJSON(w, info{Title: s.Title, Counters: s.Counters != nil, Memory: s.Memory != nil, Dumps: s.Dumps != ""})
}
