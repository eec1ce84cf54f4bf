package reload

import (
	"context"
	"net/http"
	"sync"

	"github.com/assetcook/assetcook/cook/internal/eventstream"
	"github.com/assetcook/assetcook/internal/webguard"
)

// Handler serves the changes in an output directory to browsers and other programs:
//
//	GET /events     server-sent events
//	GET /reload.js  a JavaScript module that calls functions for the events
//
// The data of an event is JSON, {"changes": [{"path", "blob", "removed", "source", "target",
// "reason", "saved"}]}, where saved is in milliseconds since 1970, or {"problem": "the manifest
// cannot be read because ..."}. Programs without a JSON parser read the lines "changed: PATH",
// "removed: PATH" and "problem: TEXT" of the event, which browsers ignore.
//
// The first event of a stream is named hello if the client will get all changes from now on, or
// compare if it has missed changes. A client that reconnects gets the changes that it has missed,
// if the handler still keeps them.
//
// The handler refuses requests for hosts other than this machine, and requests from pages of other
// machines. Pages of this machine may come from any port. The handler watches the directory while a
// client is connected.
func Handler(out string) http.Handler {
	h := &handler{out: out, stream: eventstream.New()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, req *http.Request) {
		defer h.joinFollower()()
		h.stream.ServeHTTP(w, req)
	})
	mux.HandleFunc("GET /reload.js", eventstream.ServeScript)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		origin, ours := webguard.OurPage(req)
		if !ours || !webguard.OurName(req, nil) {
			http.Error(w, "reload: only programs and pages on this machine may connect", http.StatusForbidden)
			return
		}
		w.Header().Set("Vary", "Origin")
		if origin != "" {
			w.Header().Set("Access-Control-Allow-Origin", origin)
		}
		mux.ServeHTTP(w, req)
	})
}

type handler struct {
	out    string
	stream *eventstream.Stream

	mu       sync.Mutex
	clients  int
	follower *follower // nil until a client connects
	stop     func()    // stops the follower and waits for its goroutine
}

// joinFollower watches the directory until leave is called.
func (h *handler) joinFollower() (leave func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.clients++; h.clients == 1 {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		if h.follower == nil {
			h.follower = followManifest(h.out)
		}
		go func() {
			defer close(ended)
			h.followAndSend(ctx)
		}()
		h.stop = func() { cancel(); <-ended }
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.clients--; h.clients == 0 {
			h.stop()
		}
	}
}

func (h *handler) followAndSend(ctx context.Context) {
	for {
		batches, err := h.follower.waitForChanges(ctx)
		if ctx.Err() != nil && len(batches) == 0 {
			return
		}
		if err != nil {
			h.stream.SendProblem(err.Error())
		}
		for _, changes := range batches {
			h.stream.SendChanges(changes)
		}
	}
}
