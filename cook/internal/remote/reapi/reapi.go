// Package reapi keeps results on a server of the Bazel Remote Execution API, version 2:
// bazel-remote, Buildbarn, BuildBuddy, NativeLink, buildfarm, Bazel's own worker.
//
// Open asks for the server's capabilities and observes them: the digest function (BLAKE3 if
// available, so that blobs need no second hash, otherwise SHA-256), the size of a batch, Zstandard,
// and whether it accepts results. If a server does not support batch calls, each blob has its own
// call.
//
// Package connect makes the gRPC calls over net/http, and package messages encodes them. No
// generated code slows the start of a program that links this package.
package reapi

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"connectrpc.com/connect"

	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
)

// Options hold the settings of a connection, besides the server's address.
type Options struct {
	TLS *tls.Config
	// Authorization is the value of the header; "" for none.
	Authorization string
	// Invocation identifies the run in the server's logs.
	Invocation string
	// Meter notes the bytes of the connections. It may be nil.
	Meter *share.Meter
}

// defaultBatch is the batch size if the server does not state one: the default message limit of
// gRPC, less the overhead of the blobs.
const defaultBatch = 4<<20 - 64<<10

// A server is an open connection to a server.
type server struct {
	calls     calls
	transport *transport
	instance  string
	function  messages.DigestFunction
	traits    share.Traits
	zstd      bool

	noBatchRead, noBatchWrite atomic.Bool // set if the server does not support the call
}

// Open opens the server at grpc://HOST:PORT/INSTANCE, or, with TLS, at grpcs://HOST:PORT/INSTANCE.
func Open(ctx context.Context, address *url.URL, opt Options) (share.Server, error) {
	headers, err := headers(opt)
	if err != nil {
		return nil, err
	}
	base, secure := "http://"+address.Host, (*tls.Config)(nil)
	if address.Scheme == "grpcs" {
		base, secure = "https://"+address.Host, cmp.Or(opt.TLS, &tls.Config{})
	}
	s := &server{transport: newTransport(secure, headers, opt.Meter), instance: strings.Trim(address.Path, "/")}
	s.calls = newCalls(s.transport, base)
	if err := s.askCapabilities(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// headers returns the headers of each request.
func headers(opt Options) (http.Header, error) {
	tool := &messages.RequestMetadata{ToolDetails: messages.ToolDetails{ToolName: "assetcook"}, ToolInvocationID: opt.Invocation}
	h := http.Header{}
	h.Set("build.bazel.remote.execution.v2.requestmetadata-bin", connect.EncodeBinaryHeader(messages.Marshal(tool)))
	if opt.Authorization != "" {
		if strings.ContainsAny(opt.Authorization, "\r\n") {
			return nil, errors.New("the credentials contain a line break")
		}
		h.Set("Authorization", opt.Authorization)
	}
	return h, nil
}

func (s *server) askCapabilities(ctx context.Context) error {
	all, err := callServer(ctx, s.calls.getCapabilities, &messages.GetCapabilitiesRequest{InstanceName: s.instance})
	if err != nil {
		return err
	}
	cache := all.Cache
	switch functions := cache.DigestFunctions; {
	case slices.Contains(functions, messages.BLAKE3):
		s.function, s.traits.Function = messages.BLAKE3, share.BLAKE3
	case slices.Contains(functions, messages.SHA256):
		s.function, s.traits.Function = messages.SHA256, share.SHA256
	default:
		return fmt.Errorf("the server offers neither BLAKE3 nor SHA-256, but %v", functions)
	}
	s.traits.Batch = defaultBatch
	if most := cache.MaxBatchTotalSizeBytes; most > 0 {
		s.traits.Batch = min(most, defaultBatch)
	}
	s.traits.MaxBlob = cache.MaxCASBlobSizeBytes
	for _, c := range cache.SupportedCompressors {
		s.traits.Compressors = append(s.traits.Compressors, strings.ToLower(c.String()))
		s.zstd = s.zstd || c == messages.Zstd
	}
	s.traits.Actions = true
	s.traits.Executes = all.Execution.ExecEnabled
	s.traits.Uploads = cache.ActionCacheUpdate.UpdateEnabled
	return nil
}

func (s *server) Traits() share.Traits { return s.traits }

func (s *server) Close() error {
	s.transport.CloseIdleConnections()
	return nil
}

func (s *server) Result(ctx context.Context, action share.Digest) (*messages.ActionResult, error) {
	r, err := callServer(ctx, s.calls.getActionResult, &messages.GetActionResultRequest{
		InstanceName: s.instance, ActionDigest: action, InlineStdout: true, DigestFunction: s.function,
	})
	if err != nil {
		return nil, err
	}
	if d := r.StdoutDigest; len(r.StdoutRaw) == 0 && d.Size > 0 && d.Size <= s.traits.Batch {
		// The server sent stdout as a blob instead of in the message.
		from, err := s.Read(ctx, d)
		if err != nil {
			return nil, err
		}
		defer from.Close()
		if r.StdoutRaw, err = io.ReadAll(io.LimitReader(from, d.Size)); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (s *server) PutResult(ctx context.Context, action share.Digest, r *messages.ActionResult) error {
	_, err := callServer(ctx, s.calls.updateActionResult, &messages.UpdateActionResultRequest{
		InstanceName: s.instance, ActionDigest: action, ActionResult: r, DigestFunction: s.function,
	})
	return err
}

func (s *server) Missing(ctx context.Context, digests []share.Digest) ([]share.Digest, error) {
	r, err := callServer(ctx, s.calls.findMissingBlobs, &messages.FindMissingBlobsRequest{
		InstanceName: s.instance, BlobDigests: digests, DigestFunction: s.function,
	})
	if err != nil {
		return nil, err
	}
	return r.MissingBlobDigests, nil
}
