// Package remotetest is an in-memory server of the Bazel Remote Execution API and of Bazel's HTTP
// protocol for tests. It can be made to fail in many ways.
package remotetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"
	bspb "google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// A Server keeps blobs and results in memory. Set its exported fields before starting it.
type Server struct {
	// BLAKE3 offers that function, in addition to SHA-256.
	BLAKE3 bool
	// Zstd offers compressed blobs.
	Zstd bool
	// NoBatch rejects batch calls.
	NoBatch bool
	// ReadOnly rejects results.
	ReadOnly bool
	// Authorization is the required value of that header; "" accepts anything.
	Authorization string
	// Fault is called before each request with its name, such as "GetActionResult"; its error is
	// the answer. It may block.
	Fault func(ctx context.Context, call string) error
	Blobs
	// CutAt breaks each stream of a blob once, after that many bytes; 0 breaks none.
	CutAt int64
	// Ahead is how far the server's clock is ahead.
	Ahead time.Duration
	// Farm executes actions.
	Farm

	kept
	// Calls counts requests by name.
	calls sync.Map // of *atomic.Int64
}

// Blobs say which blobs a server accepts.
type Blobs struct {
	// Refuse, if set, returns the error that answers an upload of a blob of some size.
	Refuse func(size int64) error
	// Most is the largest blob size that the server announces, 0 for none.
	Most int64
}

// kept is the server's contents.
type kept struct {
	mu      sync.Mutex
	blobs   map[string][]byte
	results map[string]*repb.ActionResult
	cut     map[string]bool // streams that were broken once
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
			if err := s.admit(ctx, info.FullMethod); err != nil {
				return nil, err
			}
			return handler(ctx, req)
		}),
		grpc.StreamInterceptor(func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
			if err := s.admit(stream.Context(), info.FullMethod); err != nil {
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
		s.executions.stop()
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

// Calls returns the number of requests with a name.
func (s *Server) Calls(name string) int64 {
	n, ok := s.calls.Load(name)
	if !ok {
		return 0
	}
	return n.(*atomic.Int64).Load()
}

// Change edits the server's contents: blobs and results by the hash of their digests.
func (s *Server) Change(change func(blobs map[string][]byte, results map[string]*repb.ActionResult)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.init()
	change(s.blobs, s.results)
}

func (s *Server) init() {
	if s.blobs == nil {
		s.blobs, s.results, s.cut = map[string][]byte{}, map[string]*repb.ActionResult{}, map[string]bool{}
	}
}

// admit counts a request and calls Fault.
func (s *Server) admit(ctx context.Context, method string) error {
	name := method[strings.LastIndex(method, "/")+1:]
	n, _ := s.calls.LoadOrStore(name, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
	if md, _ := metadata.FromIncomingContext(ctx); s.Authorization != "" && !contains(md.Get("authorization"), s.Authorization) {
		return status.Error(codes.Unauthenticated, "invalid credentials")
	}
	if s.Fault != nil {
		return s.Fault(ctx, name)
	}
	return nil
}

func contains(list []string, want string) bool {
	for _, v := range list {
		if v == want {
			return true
		}
	}
	return false
}

func (s *Server) blob(hash string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.init()
	b, ok := s.blobs[hash]
	return b, ok || isEmpty(hash)
}

// isEmpty reports whether hash belongs to the empty blob, which every server has.
func isEmpty(hash string) bool {
	sha, blake := sha256.Sum256(nil), blake3.Sum256(nil)
	return hash == hex.EncodeToString(sha[:]) || hash == hex.EncodeToString(blake[:])
}

// putBlob stores a blob if it matches its digest.
func (s *Server) putBlob(f repb.DigestFunction_Value, d *repb.Digest, data []byte) error {
	sum := sha256.Sum256(data)
	if f == repb.DigestFunction_BLAKE3 {
		sum = blake3.Sum256(data)
	}
	if hex.EncodeToString(sum[:]) != d.GetHash() || int64(len(data)) != d.GetSizeBytes() {
		return status.Errorf(codes.InvalidArgument, "blob %s of %d bytes does not match its digest", d.GetHash(), len(data))
	}
	if s.Refuse != nil {
		if err := s.Refuse(int64(len(data))); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.init()
	s.blobs[d.GetHash()] = bytes.Clone(data)
	return nil
}

func (s *Server) result(hash string) (*repb.ActionResult, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.init()
	r, ok := s.results[hash]
	if !ok {
		return nil, false
	}
	return s.stamp(proto.Clone(r).(*repb.ActionResult)), true
}

// putResult stores a result if its blobs exist.
func (s *Server) putResult(hash string, r *repb.ActionResult) error {
	if s.ReadOnly {
		return status.Error(codes.PermissionDenied, "read only")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.init()
	for _, f := range r.OutputFiles {
		if _, ok := s.blobs[f.GetDigest().GetHash()]; !ok && !isEmpty(f.GetDigest().GetHash()) {
			return status.Errorf(codes.FailedPrecondition, "blob %s of a result is missing", f.GetDigest().GetHash())
		}
	}
	s.results[hash] = proto.Clone(r).(*repb.ActionResult)
	return nil
}

type capabilities struct {
	repb.UnimplementedCapabilitiesServer
	s *Server
}

func (c capabilities) GetCapabilities(context.Context, *repb.GetCapabilitiesRequest) (*repb.ServerCapabilities, error) {
	cache := &repb.CacheCapabilities{
		DigestFunctions:               []repb.DigestFunction_Value{repb.DigestFunction_SHA256},
		ActionCacheUpdateCapabilities: &repb.ActionCacheUpdateCapabilities{UpdateEnabled: !c.s.ReadOnly},
		MaxBatchTotalSizeBytes:        1 << 20,
		MaxCasBlobSizeBytes:           c.s.Most,
	}
	if c.s.BLAKE3 {
		cache.DigestFunctions = append(cache.DigestFunctions, repb.DigestFunction_BLAKE3)
	}
	if c.s.Zstd {
		cache.SupportedCompressors = []repb.Compressor_Value{repb.Compressor_IDENTITY, repb.Compressor_ZSTD}
	}
	return &repb.ServerCapabilities{CacheCapabilities: cache, ExecutionCapabilities: &repb.ExecutionCapabilities{ExecEnabled: c.s.Executes}}, nil
}

type actionCache struct {
	repb.UnimplementedActionCacheServer
	s *Server
}

func (a actionCache) GetActionResult(_ context.Context, r *repb.GetActionResultRequest) (*repb.ActionResult, error) {
	if result, ok := a.s.result(r.GetActionDigest().GetHash()); ok {
		return result, nil
	}
	return nil, status.Error(codes.NotFound, "no such result")
}

func (a actionCache) UpdateActionResult(_ context.Context, r *repb.UpdateActionResultRequest) (*repb.ActionResult, error) {
	if _, ok := a.s.blob(r.GetActionDigest().GetHash()); !ok {
		return nil, status.Error(codes.FailedPrecondition, "the action is missing")
	}
	return r.ActionResult, a.s.putResult(r.GetActionDigest().GetHash(), r.ActionResult)
}

type cas struct {
	repb.UnimplementedContentAddressableStorageServer
	s *Server
}

func (c cas) FindMissingBlobs(_ context.Context, r *repb.FindMissingBlobsRequest) (*repb.FindMissingBlobsResponse, error) {
	answer := &repb.FindMissingBlobsResponse{}
	for _, d := range r.BlobDigests {
		if _, ok := c.s.blob(d.GetHash()); !ok {
			answer.MissingBlobDigests = append(answer.MissingBlobDigests, d)
		}
	}
	return answer, nil
}

func (c cas) BatchReadBlobs(_ context.Context, r *repb.BatchReadBlobsRequest) (*repb.BatchReadBlobsResponse, error) {
	if c.s.NoBatch {
		return nil, status.Error(codes.Unimplemented, "no batches")
	}
	answer := &repb.BatchReadBlobsResponse{}
	for _, d := range r.Digests {
		one := &repb.BatchReadBlobsResponse_Response{Digest: d}
		if data, ok := c.s.blob(d.GetHash()); !ok {
			one.Status = status.New(codes.NotFound, "no such blob").Proto()
		} else if one.Data = data; contains(names(r.AcceptableCompressors), "ZSTD") && len(data) > 100 {
			packer, _ := zstd.NewWriter(nil)
			one.Data, one.Compressor = packer.EncodeAll(data, nil), repb.Compressor_ZSTD
		}
		answer.Responses = append(answer.Responses, one)
	}
	return answer, nil
}

func names(all []repb.Compressor_Value) (list []string) {
	for _, c := range all {
		list = append(list, c.String())
	}
	return list
}

func (c cas) BatchUpdateBlobs(_ context.Context, r *repb.BatchUpdateBlobsRequest) (*repb.BatchUpdateBlobsResponse, error) {
	if c.s.NoBatch {
		return nil, status.Error(codes.Unimplemented, "no batches")
	}
	answer := &repb.BatchUpdateBlobsResponse{}
	for _, one := range r.Requests {
		answer.Responses = append(answer.Responses, &repb.BatchUpdateBlobsResponse_Response{
			Digest: one.Digest, Status: status.Convert(c.s.putBlob(r.DigestFunction, one.Digest, one.Data)).Proto(),
		})
	}
	return answer, nil
}

type byteStream struct {
	bspb.UnimplementedByteStreamServer
	s *Server
}

// A resource is a decoded name of a blob.
type resource struct {
	function repb.DigestFunction_Value
	digest   *repb.Digest
	packed   bool
}

func parse(name string) (resource, error) {
	words := strings.Split(name, "/")
	r := resource{function: repb.DigestFunction_SHA256}
	for i, w := range words {
		if w != "blobs" && w != "compressed-blobs" {
			continue
		}
		rest := words[i+1:]
		if w == "compressed-blobs" && len(rest) > 0 {
			r.packed, rest = true, rest[1:]
		}
		if len(rest) > 0 && rest[0] == "blake3" {
			r.function, rest = repb.DigestFunction_BLAKE3, rest[1:]
		}
		if len(rest) != 2 {
			break
		}
		size, err := strconv.ParseInt(rest[1], 10, 64)
		r.digest = &repb.Digest{Hash: rest[0], SizeBytes: size}
		return r, err
	}
	return r, status.Errorf(codes.InvalidArgument, "resource %q", name)
}

func (b byteStream) Read(r *bspb.ReadRequest, stream bspb.ByteStream_ReadServer) error {
	what, err := parse(r.ResourceName)
	if err != nil {
		return err
	}
	data, ok := b.s.blob(what.digest.Hash)
	if !ok {
		return status.Error(codes.NotFound, "no such blob")
	}
	if what.packed {
		packer, _ := zstd.NewWriter(nil)
		data = packer.EncodeAll(data, nil)
	}
	if r.ReadOffset < 0 || r.ReadOffset > int64(len(data)) {
		return status.Errorf(codes.OutOfRange, "offset %d of %d bytes", r.ReadOffset, len(data))
	}
	data = data[r.ReadOffset:]
	cut := b.s.cuts(r.ResourceName)
	for sent := int64(0); len(data) > 0; {
		n := min(64<<10, len(data))
		if err := stream.Send(&bspb.ReadResponse{Data: data[:n]}); err != nil {
			return err
		}
		data, sent = data[n:], sent+int64(n)
		if cut && sent >= b.s.CutAt {
			return status.Error(codes.Unavailable, "cut")
		}
	}
	return nil
}

// cuts reports whether a stream is to be broken, once per name.
func (s *Server) cuts(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.init()
	again := s.cut[name]
	s.cut[name] = true
	return s.CutAt > 0 && !again
}

func (b byteStream) Write(stream bspb.ByteStream_WriteServer) error {
	var all []byte
	var name string
	for {
		m, err := stream.Recv()
		if err == io.EOF {
			return status.Error(codes.InvalidArgument, "the upload ended without its last message")
		}
		if err != nil {
			return err
		}
		if name == "" {
			name = m.ResourceName
			if m.WriteOffset > 0 {
				all = b.s.partOf(name, m.WriteOffset)
			}
		}
		if m.WriteOffset != int64(len(all)) {
			return status.Errorf(codes.InvalidArgument, "offset %d after %d bytes", m.WriteOffset, len(all))
		}
		all = append(all, m.Data...)
		if b.s.CutAt > 0 && int64(len(all)) >= b.s.CutAt && b.s.cuts(name) {
			b.s.keepPart(name, all)
			return status.Error(codes.Unavailable, "cut")
		}
		if m.FinishWrite {
			break
		}
	}
	what, err := parse(name)
	if err != nil {
		return err
	}
	if what.packed {
		unpacker, _ := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(64<<20))
		if all, err = unpacker.DecodeAll(all, nil); err != nil {
			return status.Error(codes.InvalidArgument, err.Error())
		}
	}
	if err := b.s.putBlob(what.function, what.digest, all); err != nil {
		return err
	}
	return stream.SendAndClose(&bspb.WriteResponse{CommittedSize: int64(len(all))})
}

// keepPart stores the part of a blob under the name of its upload.
func (s *Server) keepPart(name string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blobs["part of "+name] = bytes.Clone(data)
}

func (s *Server) partOf(name string, size int64) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	part := s.blobs["part of "+name]
	return bytes.Clone(part[:min(int(size), len(part))])
}

func (b byteStream) QueryWriteStatus(_ context.Context, r *bspb.QueryWriteStatusRequest) (*bspb.QueryWriteStatusResponse, error) {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	return &bspb.QueryWriteStatusResponse{CommittedSize: int64(len(b.s.blobs["part of "+r.ResourceName]))}, nil
}

func (s *Server) serveHTTP(w http.ResponseWriter, r *http.Request) {
	fail := func(err error) {
		code := map[codes.Code]int{
			codes.NotFound: 404, codes.Unauthenticated: 401, codes.PermissionDenied: 403, codes.ResourceExhausted: 507, codes.InvalidArgument: 400, codes.FailedPrecondition: 412,
			codes.Internal: 500, codes.OutOfRange: 413,
		}[status.Code(err)]
		http.Error(w, err.Error(), max(code, 400))
	}
	w.Header().Set("Date", time.Now().Add(s.Ahead).UTC().Format(http.TimeFormat))
	rest, ok := strings.CutPrefix(r.URL.Path, "/cache/")
	kind, hash, _ := strings.Cut(rest, "/")
	if !ok || kind != "ac" && kind != "cas" || len(hash) != 64 {
		fail(status.Error(codes.NotFound, r.URL.Path))
		return
	}
	ctx := metadata.NewIncomingContext(r.Context(), metadata.Pairs("authorization", r.Header.Get("Authorization")))
	if err := s.admit(ctx, r.Method+" "+kind); err != nil {
		if status.Code(err) == codes.Unavailable {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fail(err)
		return
	}
	if r.Method == http.MethodPut {
		data, err := io.ReadAll(r.Body)
		if err == nil && kind == "cas" {
			err = s.putBlob(repb.DigestFunction_SHA256, &repb.Digest{Hash: hash, SizeBytes: int64(len(data))}, data)
		} else if err == nil {
			result := &repb.ActionResult{}
			if err = proto.Unmarshal(data, result); err == nil {
				err = s.putResult(hash, result)
			}
		}
		if err != nil {
			fail(err)
		}
		return
	}
	data, ok := s.blob(hash)
	if kind == "ac" {
		var result *repb.ActionResult
		if result, ok = s.result(hash); ok {
			data, _ = proto.Marshal(result)
		}
	}
	if !ok {
		fail(status.Error(codes.NotFound, "no such entry"))
		return
	}
	var offset int
	if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &offset); err == nil {
		w.WriteHeader(http.StatusPartialContent)
	} else {
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	}
	data = data[min(max(0, offset), len(data)):]
	if r.Method == http.MethodGet && kind == "cas" && int64(len(data)) > s.CutAt && s.cuts(r.URL.Path) {
		w.Write(data[:s.CutAt])
		panic(http.ErrAbortHandler)
	}
	if r.Method == http.MethodGet {
		w.Write(data)
	}
}
