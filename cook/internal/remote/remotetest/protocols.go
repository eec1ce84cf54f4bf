package remotetest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"github.com/klauspost/compress/zstd"
	bspb "google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

type capabilities struct {
	repb.UnimplementedCapabilitiesServer
	s *Server
}

func (c capabilities) GetCapabilities(context.Context, *repb.GetCapabilitiesRequest) (*repb.ServerCapabilities, error) {
	cache := &repb.CacheCapabilities{
		DigestFunctions:               []repb.DigestFunction_Value{repb.DigestFunction_SHA256},
		ActionCacheUpdateCapabilities: &repb.ActionCacheUpdateCapabilities{UpdateEnabled: !c.s.ReadOnly},
		MaxBatchTotalSizeBytes:        1 << 20,
		MaxCasBlobSizeBytes:           c.s.Blobs.Most,
	}
	if c.s.BLAKE3 {
		cache.DigestFunctions = append(cache.DigestFunctions, repb.DigestFunction_BLAKE3)
	}
	if c.s.Zstd {
		cache.SupportedCompressors = []repb.Compressor_Value{repb.Compressor_IDENTITY, repb.Compressor_ZSTD}
	}
	return &repb.ServerCapabilities{CacheCapabilities: cache, ExecutionCapabilities: &repb.ExecutionCapabilities{ExecEnabled: c.s.Farm.Executes}}, nil
}

type actionCache struct {
	repb.UnimplementedActionCacheServer
	s *Server
}

func (a actionCache) GetActionResult(_ context.Context, r *repb.GetActionResultRequest) (*repb.ActionResult, error) {
	if result, ok := a.s.findResult(r.GetActionDigest().GetHash()); ok {
		return result, nil
	}
	return nil, status.Error(codes.NotFound, "the server does not have the result")
}

func (a actionCache) UpdateActionResult(_ context.Context, r *repb.UpdateActionResultRequest) (*repb.ActionResult, error) {
	if _, ok := a.s.findBlob(r.GetActionDigest().GetHash()); !ok {
		return nil, status.Error(codes.FailedPrecondition, "the action is missing")
	}
	return r.ActionResult, a.s.acceptResult(r.GetActionDigest().GetHash(), r.ActionResult)
}

type cas struct {
	repb.UnimplementedContentAddressableStorageServer
	s *Server
}

func (c cas) FindMissingBlobs(_ context.Context, r *repb.FindMissingBlobsRequest) (*repb.FindMissingBlobsResponse, error) {
	answer := &repb.FindMissingBlobsResponse{}
	for _, d := range r.BlobDigests {
		if _, ok := c.s.findBlob(d.GetHash()); !ok {
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
		if data, ok := c.s.findBlob(d.GetHash()); !ok {
			one.Status = status.New(codes.NotFound, "the server does not have the blob").Proto()
		} else if one.Data = data; slices.Contains(r.AcceptableCompressors, repb.Compressor_ZSTD) && len(data) > 100 {
			packer, _ := zstd.NewWriter(nil)
			one.Data, one.Compressor = packer.EncodeAll(data, nil), repb.Compressor_ZSTD
		}
		answer.Responses = append(answer.Responses, one)
	}
	return answer, nil
}

func (c cas) BatchUpdateBlobs(_ context.Context, r *repb.BatchUpdateBlobsRequest) (*repb.BatchUpdateBlobsResponse, error) {
	if c.s.NoBatch {
		return nil, status.Error(codes.Unimplemented, "no batches")
	}
	answer := &repb.BatchUpdateBlobsResponse{}
	for _, one := range r.Requests {
		answer.Responses = append(answer.Responses, &repb.BatchUpdateBlobsResponse_Response{
			Digest: one.Digest, Status: status.Convert(c.s.acceptBlob(r.DigestFunction, one.Digest, one.Data)).Proto(),
		})
	}
	return answer, nil
}

type byteStream struct {
	bspb.UnimplementedByteStreamServer
	s *Server
}

// A resource is a decoded resource name of a blob.
type resource struct {
	function repb.DigestFunction_Value
	digest   *repb.Digest
	packed   bool
}

func parseResource(name string) (resource, error) {
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
	what, err := parseResource(r.ResourceName)
	if err != nil {
		return err
	}
	data, ok := b.s.findBlob(what.digest.Hash)
	if !ok {
		return status.Error(codes.NotFound, "the server does not have the blob")
	}
	if what.packed {
		packer, _ := zstd.NewWriter(nil)
		data = packer.EncodeAll(data, nil)
	}
	if r.ReadOffset < 0 || r.ReadOffset > int64(len(data)) {
		return status.Errorf(codes.OutOfRange, "the offset %d is outside the blob of %d bytes", r.ReadOffset, len(data))
	}
	data = data[r.ReadOffset:]
	cut := b.s.cutsStream(r.ResourceName)
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
			return status.Errorf(codes.InvalidArgument, "the client sent offset %d after %d bytes", m.WriteOffset, len(all))
		}
		all = append(all, m.Data...)
		if b.s.CutAt > 0 && int64(len(all)) >= b.s.CutAt && b.s.cutsStream(name) {
			b.s.keepPart(name, all)
			return status.Error(codes.Unavailable, "cut")
		}
		if m.FinishWrite {
			break
		}
	}
	what, err := parseResource(name)
	if err != nil {
		return err
	}
	if what.packed {
		unpacker, _ := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(64<<20))
		if all, err = unpacker.DecodeAll(all, nil); err != nil {
			return status.Error(codes.InvalidArgument, err.Error())
		}
	}
	if err := b.s.acceptBlob(what.function, what.digest, all); err != nil {
		return err
	}
	return stream.SendAndClose(&bspb.WriteResponse{CommittedSize: int64(len(all))})
}

func (b byteStream) QueryWriteStatus(_ context.Context, r *bspb.QueryWriteStatusRequest) (*bspb.QueryWriteStatusResponse, error) {
	b.s.contents.mu.Lock()
	defer b.s.contents.mu.Unlock()
	return &bspb.QueryWriteStatusResponse{CommittedSize: int64(len(b.s.contents.blobs["part of "+r.ResourceName]))}, nil
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
	if err := s.admitCall(ctx, r.Method+" "+kind); err != nil {
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
			err = s.acceptBlob(repb.DigestFunction_SHA256, &repb.Digest{Hash: hash, SizeBytes: int64(len(data))}, data)
		} else if err == nil {
			result := &repb.ActionResult{}
			if err = proto.Unmarshal(data, result); err == nil {
				err = s.acceptResult(hash, result)
			}
		}
		if err != nil {
			fail(err)
		}
		return
	}
	data, ok := s.findBlob(hash)
	if kind == "ac" {
		var result *repb.ActionResult
		if result, ok = s.findResult(hash); ok {
			data, _ = proto.Marshal(result)
		}
	}
	if !ok {
		fail(status.Error(codes.NotFound, "the server does not have the entry"))
		return
	}
	var offset int
	if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &offset); err == nil {
		w.WriteHeader(http.StatusPartialContent)
	} else {
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	}
	data = data[min(max(0, offset), len(data)):]
	if r.Method == http.MethodGet && kind == "cas" && int64(len(data)) > s.CutAt && s.cutsStream(r.URL.Path) {
		w.Write(data[:s.CutAt])
		panic(http.ErrAbortHandler)
	}
	if r.Method == http.MethodGet {
		w.Write(data)
	}
}
