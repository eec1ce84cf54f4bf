package reapi

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	bspb "google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Options say how a server is reached, besides its address.
type Options struct {
	TLS *tls.Config
	// Authorization is the value of that header; "" for none.
	Authorization string
	// Invocation identifies the run in the server's logs.
	Invocation string
}

// defaultBatch is what a request may hold where the server does not say: the limit of gRPC
// for a message, less what is around the blobs.
const defaultBatch = 4<<20 - 64<<10

// A server is an open one.
type server struct {
	conn     *grpc.ClientConn
	instance string
	function repb.DigestFunction_Value
	traits   share.Traits
	zstd     bool

	actions repb.ActionCacheClient
	cas     repb.ContentAddressableStorageClient
	bytes   bspb.ByteStreamClient

	execution repb.ExecutionClient

	noBatchRead, noBatchWrite atomic.Bool // the server does not know the call
}

// Open opens the server at grpc://HOST:PORT/INSTANCE, or with grpcs:// by TLS.
func Open(ctx context.Context, address *url.URL, opt Options) (share.Server, error) {
	transport := insecure.NewCredentials()
	if address.Scheme == "grpcs" {
		transport = credentials.NewTLS(opt.TLS)
	}
	host := address.Host
	if address.Port() == "" {
		host += map[string]string{"grpc": ":80", "grpcs": ":443"}[address.Scheme]
	}
	headers, err := headers(opt)
	if err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient("passthrough:///"+host,
		grpc.WithTransportCredentials(transport),
		grpc.WithUnaryInterceptor(func(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			return call(metadata.NewOutgoingContext(ctx, headers), method, req, reply, conn, opts...)
		}),
		grpc.WithStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, stream grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			return stream(metadata.NewOutgoingContext(ctx, headers), desc, conn, method, opts...)
		}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)),
		grpc.WithDisableServiceConfig(), grpc.WithInitialWindowSize(1<<20), grpc.WithInitialConnWindowSize(4<<20))
	if err != nil {
		return nil, err
	}
	s := &server{
		conn: conn, instance: strings.Trim(address.Path, "/"),
		actions: repb.NewActionCacheClient(conn), cas: repb.NewContentAddressableStorageClient(conn), bytes: bspb.NewByteStreamClient(conn),
		execution: repb.NewExecutionClient(conn),
	}
	if err := s.askCapabilities(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return s, nil
}

// headers are sent with each request.
func headers(opt Options) (metadata.MD, error) {
	tool := &repb.RequestMetadata{ToolDetails: &repb.ToolDetails{ToolName: "assetcook"}, ToolInvocationId: opt.Invocation}
	md := metadata.Pairs("build.bazel.remote.execution.v2.requestmetadata-bin", string(share.Encode(tool)))
	if opt.Authorization != "" {
		if strings.ContainsAny(opt.Authorization, "\r\n") {
			return nil, errors.New("the credentials hold a line break")
		}
		md.Set("authorization", opt.Authorization)
	}
	return md, nil
}

func (s *server) askCapabilities(ctx context.Context) error {
	all, err := repb.NewCapabilitiesClient(s.conn).GetCapabilities(ctx, &repb.GetCapabilitiesRequest{InstanceName: s.instance})
	if err != nil {
		return asError(err)
	}
	cache := all.GetCacheCapabilities()
	switch functions := cache.GetDigestFunctions(); {
	case slices.Contains(functions, repb.DigestFunction_BLAKE3):
		s.function, s.traits.Function = repb.DigestFunction_BLAKE3, share.BLAKE3
	case slices.Contains(functions, repb.DigestFunction_SHA256):
		s.function, s.traits.Function = repb.DigestFunction_SHA256, share.SHA256
	default:
		return fmt.Errorf("the server offers neither BLAKE3 nor SHA-256, but %v", functions)
	}
	s.traits.Batch = defaultBatch
	if most := cache.GetMaxBatchTotalSizeBytes(); most > 0 {
		s.traits.Batch = min(most, defaultBatch)
	}
	s.traits.MaxBlob = cache.GetMaxCasBlobSizeBytes()
	for _, c := range cache.GetSupportedCompressors() {
		s.traits.Compressors = append(s.traits.Compressors, strings.ToLower(c.String()))
		s.zstd = s.zstd || c == repb.Compressor_ZSTD
	}
	s.traits.Actions = true
	s.traits.Executes = all.GetExecutionCapabilities().GetExecEnabled()
	s.traits.Uploads = cache.GetActionCacheUpdateCapabilities().GetUpdateEnabled()
	return nil
}

func (s *server) Traits() share.Traits { return s.traits }

func (s *server) Close() error { return s.conn.Close() }

func (s *server) Result(ctx context.Context, action share.Digest) (*repb.ActionResult, error) {
	r, err := s.actions.GetActionResult(ctx, &repb.GetActionResultRequest{
		InstanceName: s.instance, ActionDigest: message(action), InlineStdout: true, DigestFunction: s.function,
	})
	if err != nil {
		return nil, asError(err)
	}
	if d := r.GetStdoutDigest(); len(r.StdoutRaw) == 0 && d.GetSizeBytes() > 0 && d.GetSizeBytes() <= s.traits.Batch {
		// The server has moved it out of the message.
		from, err := s.Read(ctx, share.Digest{Hash: d.Hash, Size: d.SizeBytes})
		if err != nil {
			return nil, err
		}
		defer from.Close()
		if r.StdoutRaw, err = io.ReadAll(io.LimitReader(from, d.SizeBytes)); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (s *server) PutResult(ctx context.Context, action share.Digest, r *repb.ActionResult) error {
	_, err := s.actions.UpdateActionResult(ctx, &repb.UpdateActionResultRequest{
		InstanceName: s.instance, ActionDigest: message(action), ActionResult: r, DigestFunction: s.function,
	})
	return asError(err)
}

func (s *server) Missing(ctx context.Context, digests []share.Digest) ([]share.Digest, error) {
	r, err := s.cas.FindMissingBlobs(ctx, &repb.FindMissingBlobsRequest{
		InstanceName: s.instance, BlobDigests: messages(digests), DigestFunction: s.function,
	})
	if err != nil {
		return nil, asError(err)
	}
	missing := make([]share.Digest, 0, len(r.MissingBlobDigests))
	for _, d := range r.MissingBlobDigests {
		missing = append(missing, share.Digest{Hash: d.GetHash(), Size: d.GetSizeBytes()})
	}
	return missing, nil
}

func message(d share.Digest) *repb.Digest { return &repb.Digest{Hash: d.Hash, SizeBytes: d.Size} }

func messages(digests []share.Digest) []*repb.Digest {
	all := make([]*repb.Digest, len(digests))
	for i, d := range digests {
		all[i] = message(d)
	}
	return all
}

// asError is an error of gRPC as one of package share.
func asError(err error) error {
	if err == nil {
		return nil
	}
	return statusError(status.Convert(err))
}

func statusError(st *status.Status) error {
	kind := share.ErrUnavailable
	switch st.Code() {
	case codes.OK:
		return nil
	case codes.NotFound:
		return share.ErrMissing
	case codes.Unauthenticated, codes.PermissionDenied:
		kind = share.ErrRefused
	case codes.ResourceExhausted:
		kind = share.ErrFull
	case codes.Internal, codes.Unknown, codes.DataLoss:
		kind = share.ErrInternal
	case codes.InvalidArgument, codes.Unimplemented, codes.FailedPrecondition, codes.OutOfRange:
		return &callError{st}
	}
	why := st.Message()
	if _, cause, ok := strings.Cut(why, "Error while dialing: "); ok {
		why = strings.TrimSuffix(cause, `"`)
	}
	return fmt.Errorf("%w: %s", kind, pathname.Show(why))
}

// A callError says that a call was understood and is wrong.
type callError struct{ *status.Status }

func (e *callError) Error() string { return pathname.Show(e.Message()) }

func isUnimplemented(err error) bool {
	var call *callError
	return errors.As(err, &call) && call.Code() == codes.Unimplemented
}
