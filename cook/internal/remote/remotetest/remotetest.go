// Package remotetest is an in-memory server of the Bazel Remote Execution API and of Bazel's HTTP
// protocol for tests. It can be made to fail in many ways.
package remotetest

import (
	"bytes"
	"context"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	bspb "google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// A Server keeps blobs and results in memory. Set its exported fields before starting it.
type Server struct {
	// BLAKE3 makes the server offer this digest function, in addition to SHA-256.
	BLAKE3 bool
	// Zstd makes the server offer compressed blobs.
	Zstd bool
	// NoBatch makes the server reject batch calls.
	NoBatch bool
	// ReadOnly rejects results.
	ReadOnly bool
	// Authorization is the required value of that header; "" accepts anything.
	Authorization string
	// Fault is called before each request with the name of the request, such as "GetActionResult".
	// If Fault returns an error, the server answers with this error. Fault may block.
	Fault func(ctx context.Context, call string) error
	// Blobs limits the accepted blobs.
	Blobs Blobs
	// CutAt makes the server break each stream of a blob once, after CutAt bytes. If it is 0, no
	// stream breaks.
	CutAt int64
	// Ahead is added to the local time to get the server's time.
	Ahead time.Duration
	// Farm executes the actions of clients.
	Farm Farm

	contents contents
	// calls counts the requests by name.
	calls sync.Map // values of type *atomic.Int64, by name
}

// Blobs limits the blobs that a server accepts.
type Blobs struct {
	// Refuse, if set, is called with the size of each uploaded blob. An error that it returns is
	// the answer to the upload.
	Refuse func(size int64) error
	// Most is the maximum blob size that the server announces, or 0.
	Most int64
}

// contents are the blobs and results of a server.
type contents struct {
	mu      sync.Mutex
	blobs   map[string][]byte
	results map[string]*repb.ActionResult
	cut     map[string]bool // streams that were broken already
}

// A Test is the part of testing.TB that the server needs.
type Test interface {
	Fatal(args ...any)
	Cleanup(func())
}

// Start serves the Remote Execution API on loopback until the test ends, and returns the
// address.
func (s *Server) Start(t Test) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(
		grpc.UnaryInterceptor(func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
			if err := s.admitCall(ctx, info.FullMethod); err != nil {
				return nil, err
			}
			return handler(ctx, req)
		}),
		grpc.StreamInterceptor(func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
			if err := s.admitCall(stream.Context(), info.FullMethod); err != nil {
				return err
			}
			return handler(srv, stream)
		}))
	repb.RegisterCapabilitiesServer(server, capabilities{s: s})
	repb.RegisterActionCacheServer(server, actionCache{s: s})
	repb.RegisterContentAddressableStorageServer(server, cas{s: s})
	bspb.RegisterByteStreamServer(server, byteStream{s: s})
	repb.RegisterExecutionServer(server, execution{s: s})
	go server.Serve(listener)
	t.Cleanup(func() {
		server.Stop()
		s.Farm.executions.stopAll()
	})
	return "grpc://" + listener.Addr().String()
}

// StartHTTP serves Bazel's HTTP protocol on loopback until the test ends, and returns the
// address.
func (s *Server) StartHTTP(t Test) string {
	server := httptest.NewServer(http.HandlerFunc(s.serveHTTP))
	t.Cleanup(server.Close)
	return server.URL + "/cache"
}

// StartHTTPS is like StartHTTP, with TLS. It also returns the server's certificate in PEM.
func (s *Server) StartHTTPS(t Test) (string, []byte) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(s.serveHTTP))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL + "/cache", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}

// Calls returns the number of requests with a name.
func (s *Server) Calls(name string) int64 {
	n, ok := s.calls.Load(name)
	if !ok {
		return 0
	}
	return n.(*atomic.Int64).Load()
}

// Change edits the contents of the server. Blobs and results are stored under the hashes of their
// digests.
func (s *Server) Change(change func(blobs map[string][]byte, results map[string]*repb.ActionResult)) {
	s.contents.mu.Lock()
	defer s.contents.mu.Unlock()
	s.contents.makeMaps()
	change(s.contents.blobs, s.contents.results)
}

// makeMaps prepares empty contents. The caller holds the lock.
func (c *contents) makeMaps() {
	if c.blobs == nil {
		c.blobs, c.results, c.cut = map[string][]byte{}, map[string]*repb.ActionResult{}, map[string]bool{}
	}
}

// admitCall counts a request and calls Fault.
func (s *Server) admitCall(ctx context.Context, method string) error {
	name := method[strings.LastIndex(method, "/")+1:]
	n, _ := s.calls.LoadOrStore(name, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
	if md, _ := metadata.FromIncomingContext(ctx); s.Authorization != "" && !slices.Contains(md.Get("authorization"), s.Authorization) {
		return status.Error(codes.Unauthenticated, "invalid credentials")
	}
	if s.Fault != nil {
		return s.Fault(ctx, name)
	}
	return nil
}

func (s *Server) findBlob(hash string) ([]byte, bool) {
	s.contents.mu.Lock()
	defer s.contents.mu.Unlock()
	s.contents.makeMaps()
	b, ok := s.contents.blobs[hash]
	return b, ok || isEmpty(hash)
}

// isEmpty reports whether hash belongs to the empty blob, which every server has.
func isEmpty(hash string) bool {
	return hash == digestBy(repb.DigestFunction_SHA256, nil).Hash || hash == digestBy(repb.DigestFunction_BLAKE3, nil).Hash
}

// acceptBlob stores a blob if it matches its digest.
func (s *Server) acceptBlob(f repb.DigestFunction_Value, d *repb.Digest, data []byte) error {
	if !proto.Equal(digestBy(f, data), d) {
		return status.Errorf(codes.InvalidArgument, "blob %s of %d bytes does not match its digest", d.GetHash(), len(data))
	}
	if s.Blobs.Refuse != nil {
		if err := s.Blobs.Refuse(int64(len(data))); err != nil {
			return err
		}
	}
	s.contents.mu.Lock()
	defer s.contents.mu.Unlock()
	s.contents.makeMaps()
	s.contents.blobs[d.GetHash()] = bytes.Clone(data)
	return nil
}

func (s *Server) findResult(hash string) (*repb.ActionResult, bool) {
	s.contents.mu.Lock()
	defer s.contents.mu.Unlock()
	s.contents.makeMaps()
	r, ok := s.contents.results[hash]
	if !ok {
		return nil, false
	}
	return s.stampTimes(proto.Clone(r).(*repb.ActionResult)), true
}

// stampTimes sets the times of a result according to the server's clock.
func (s *Server) stampTimes(r *repb.ActionResult) *repb.ActionResult {
	if s.Ahead != 0 && r.ExecutionMetadata != nil {
		at := timestamppb.New(time.Now().Add(s.Ahead))
		r.ExecutionMetadata.ExecutionStartTimestamp, r.ExecutionMetadata.ExecutionCompletedTimestamp = at, at
	}
	return r
}

// acceptResult stores a result if its blobs exist.
func (s *Server) acceptResult(hash string, r *repb.ActionResult) error {
	if s.ReadOnly {
		return status.Error(codes.PermissionDenied, "read only")
	}
	s.contents.mu.Lock()
	defer s.contents.mu.Unlock()
	s.contents.makeMaps()
	for _, f := range r.OutputFiles {
		if _, ok := s.contents.blobs[f.GetDigest().GetHash()]; !ok && !isEmpty(f.GetDigest().GetHash()) {
			return status.Errorf(codes.FailedPrecondition, "blob %s of a result is missing", f.GetDigest().GetHash())
		}
	}
	s.contents.results[hash] = proto.Clone(r).(*repb.ActionResult)
	return nil
}

// cutsStream reports whether to break a stream. It returns true only once per name.
func (s *Server) cutsStream(name string) bool {
	s.contents.mu.Lock()
	defer s.contents.mu.Unlock()
	s.contents.makeMaps()
	again := s.contents.cut[name]
	s.contents.cut[name] = true
	return s.CutAt > 0 && !again
}

// keepPart stores the received part of a blob under the name of the upload.
func (s *Server) keepPart(name string, data []byte) {
	s.contents.mu.Lock()
	defer s.contents.mu.Unlock()
	s.contents.blobs["part of "+name] = bytes.Clone(data)
}

func (s *Server) partOf(name string, size int64) []byte {
	s.contents.mu.Lock()
	defer s.contents.mu.Unlock()
	part := s.contents.blobs["part of "+name]
	return bytes.Clone(part[:min(int(size), len(part))])
}
