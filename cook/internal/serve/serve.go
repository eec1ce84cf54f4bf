// Package serve is an HTTP server for the artifacts of one target. Devices in the network, such as
// a phone, load the artifacts and the changes from it.
//
// A [Server] serves the same paths as an export of the target: manifest.json and its parts, and the
// artifacts that the manifest lists, without the directory of the target. In addition, it serves
// two paths of its own, which hide artifacts of the same names:
//
//	/events     the changes of the target, as server-sent events (package cook/reload)
//	/reload.js  a JavaScript module that calls functions for the events
//
// Only listed names are paths: a request is a look-up in the list, and never a walk through
// directories. The state of cook, sources, other targets, other files and symbolic links have no
// paths.
//
// # Contents
//
// A response is sent from one open file, which a cook replaces by a rename and never edits. Its
// ETag is the BLAKE3 hash of that file, not of the file in the manifest: between the rename and the
// new manifest, both differ. A range with If-Range is therefore never a range of another content.
//
// # Access
//
// Without a token, the server accepts only programs and pages of this machine. With a token, it
// accepts every request that has the token, also from pages of other sites. There are three places
// for the token:
//
//	/@TOKEN/manifest.json          relative URLs keep the token
//	/manifest.json?token=TOKEN
//	Authorization: Bearer TOKEN
package serve

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/eventstream"
	"github.com/assetcook/assetcook/cook/internal/export"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/reload"
)

// Options are the options of a Server.
type Options struct {
	Out    string // output directory
	Target string // name of the target; "" is the unnamed target
	Token  string // secret that requests must have; "" accepts only requests of this machine
}

// A Server serves one target of an output directory. The directory need not exist yet.
type Server struct {
	opt      Options
	tree     tree
	stream   *eventstream.Stream
	ctx      context.Context
	followed chan struct{} // closed when the server no longer follows changes
}

// Start returns a server that follows the changes in the output directory until ctx ends.
func Start(ctx context.Context, opt Options) *Server {
	s := &Server{opt: opt, tree: newServedTree(opt), stream: eventstream.New(), ctx: ctx, followed: make(chan struct{})}
	batches := reload.Follow(ctx, opt.Out) // followed before the first request, so that no change is missed
	go func() {
		defer close(s.followed)
		for batch, err := range batches {
			s.receiveBatch(batch, err)
		}
	}()
	return s
}

// receiveBatch sends the changes of the served target. A client may ask for a changed file at once,
// before the manifest lists the file.
func (s *Server) receiveBatch(batch reload.Batch, err error) {
	if err != nil {
		s.stream.SendProblem(err.Error())
		return
	}
	if changes := s.changesOfTarget(batch.Changes); len(changes) > 0 {
		s.tree.announce(changes)
		s.stream.SendChanges(changes)
	}
}

// changesOfTarget returns the changes of the served target, with paths as they are served.
func (s *Server) changesOfTarget(all []reload.Change) (changes []reload.Change) {
	for _, c := range all {
		below, ok := export.BelowTarget(s.opt.Target, c.Path)
		if ok && c.Cause.Target == s.opt.Target {
			c.Path = below
			changes = append(changes, c)
		}
	}
	return changes
}

// Limits of a connection.
const (
	headerTime = 10 * time.Second // time to send the header of a request
	idleTime   = time.Minute
	endTime    = 5 * time.Second  // time to receive the rest of a response after the stop
	sendTime   = 30 * time.Second // time to receive a response, plus its size at the rate slowest
	slowest    = 16 << 10         // minimum rate of a client, in bytes per second
)

// Serve accepts connections until the context of Start ends. It then ends the streams of events,
// and waits for a few seconds until clients have received the files that they are downloading.
func (s *Server) Serve(l net.Listener) error {
	server := &http.Server{
		Handler: s, BaseContext: func(net.Listener) context.Context { return s.ctx },
		ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: 16 << 10,
		ErrorLog: log.New(io.Discard, "", 0), // clients that do not trust the certificate cause most lines
	}
	stopped := make(chan struct{})
	stop := context.AfterFunc(s.ctx, func() {
		defer close(stopped)
		patience, cancel := context.WithTimeout(context.Background(), endTime)
		defer cancel()
		if server.Shutdown(patience) != nil {
			server.Close()
		}
	})
	err := server.Serve(l)
	if !stop() {
		<-stopped
		<-s.followed
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// ServeHTTP serves a file, the events or the script.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	// Without a deadline, a client that reads nothing would keep the connection forever.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(sendTime))
	name, ok := s.admitRequest(w, req)
	if !ok {
		return
	}
	if req.Method != http.MethodGet && (req.Method != http.MethodHead || name == eventsName) {
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		http.Error(w, "cook serve: files can only be read", http.StatusMethodNotAllowed)
		return
	}
	switch {
	case name == eventsName:
		s.stream.ServeHTTP(w, req)
	case name == scriptName:
		eventstream.ServeScript(w, req)
	case name == manifest.Name || manifest.IsPart(name):
		s.serveManifest(w, req, name)
	case name == "":
		s.serveIndex(w, req)
	default:
		s.sendArtifact(w, req, name)
	}
}

const (
	eventsName = "events"
	scriptName = "reload.js"
	indexName  = "index.html"
)

// serveIndex answers a request for the root.
func (s *Server) serveIndex(w http.ResponseWriter, req *http.Request) {
	if s.tree.serves(indexName) {
		s.sendArtifact(w, req, indexName)
		return
	}
	w.Header().Set("Content-Type", contentType(".txt"))
	w.Header().Set("Cache-Control", "no-store")
	io.WriteString(w, "cook serve works. Programs read manifest.json, the files that it lists, and events.\n")
}

func (s *Server) serveManifest(w http.ResponseWriter, req *http.Request, name string) {
	data, etag, ok := s.tree.presentManifest(name)
	if !ok {
		s.notFound(w, name)
		return
	}
	s.serveContent(w, req, name, etag, int64(len(data)), strings.NewReader(string(data)))
}

func (s *Server) sendArtifact(w http.ResponseWriter, req *http.Request, name string) {
	f, etag, err := s.tree.openArtifact(name)
	if err != nil {
		s.notFound(w, name)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		s.notFound(w, name)
		return
	}
	s.serveContent(w, req, name, etag, info.Size(), f)
}

// serveContent sends a content or a range of it. It sends no modification time, because two
// contents within one second would have the same.
func (s *Server) serveContent(w http.ResponseWriter, req *http.Request, name, etag string, size int64, content io.ReadSeeker) {
	w.Header().Set("Content-Type", contentType(path.Ext(name)))
	w.Header().Set("Cache-Control", "no-cache") // a client may store the content, but must ask for a newer one
	w.Header().Set("ETag", etag)
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(sendTime + time.Duration(size/slowest)*time.Second))
	http.ServeContent(w, req, "", time.Time{}, content)
}

// notFound answers a request for a name that is not listed, or whose file is gone.
func (s *Server) notFound(w http.ResponseWriter, name string) {
	w.Header().Set("Cache-Control", "no-store")
	if !s.tree.isCooked() {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "cook serve: nothing is cooked yet for this target; try again later", http.StatusServiceUnavailable)
		return
	}
	http.Error(w, "cook serve: manifest.json of this target does not list this path", http.StatusNotFound)
}

// contentType returns the content type of a file with the given extension. It does not use the
// table of the system, because that table differs between machines.
func contentType(ext string) string {
	types := map[string]string{
		".basis": "image/basis", ".bin": "application/octet-stream", ".bmp": "image/bmp", ".cbor": "application/cbor", ".css": "text/css; charset=utf-8",
		".csv": "text/csv; charset=utf-8", ".dds": "image/vnd-ms.dds", ".exr": "image/aces", ".flac": "audio/flac", ".fnt": "text/plain; charset=utf-8", ".gif": "image/gif",
		".glb": "model/gltf-binary", ".gltf": "model/gltf+json", ".hdr": "image/vnd.radiance", ".html": "text/html; charset=utf-8", ".jpeg": "image/jpeg",
		".jpg": "image/jpeg", ".js": "text/javascript; charset=utf-8", ".json": "application/json", ".ktx2": "image/ktx2", ".mjs": "text/javascript; charset=utf-8",
		".mp3": "audio/mpeg", ".mp4": "video/mp4", ".msgpack": "application/vnd.msgpack", ".obj": "model/obj", ".ogg": "audio/ogg", ".opus": "audio/ogg", ".otf": "font/otf",
		".png": "image/png", ".svg": "image/svg+xml", ".toml": "application/toml", ".ttf": "font/ttf", ".txt": "text/plain; charset=utf-8", ".wasm": "application/wasm",
		".wav": "audio/wav", ".webm": "video/webm", ".webp": "image/webp", ".woff": "font/woff", ".woff2": "font/woff2", ".xml": "application/xml", ".zst": "application/zstd",
	}

	if known, ok := types[strings.ToLower(ext)]; ok {
		return known
	}
	return "application/octet-stream"
}
