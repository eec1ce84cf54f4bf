package reapi

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
)

// open opens a server at an address.
func open(t *testing.T, address string, opt Options) share.Server {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), u, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestRequestsCarryCredentialsAndDeadline checks the headers of each request: program, run,
// credentials and deadline.
func TestRequestsCarryCredentialsAndDeadline(t *testing.T) {
	server := &remotetest.Server{}
	asked := 0
	server.Fault = func(ctx context.Context, call string) error {
		asked++
		md, _ := metadata.FromIncomingContext(ctx)
		var who repb.RequestMetadata
		if values := md.Get("build.bazel.remote.execution.v2.requestmetadata-bin"); len(values) != 1 || proto.Unmarshal([]byte(values[0]), &who) != nil {
			t.Errorf("%s: metadata %q", call, values)
		}
		if who.GetToolDetails().GetToolName() != "assetcook" || who.ToolInvocationId != "a run" || !contains(md.Get("authorization"), "Bearer x") {
			t.Errorf("%s: %v, %v", call, &who, md)
		}
		if until, ok := ctx.Deadline(); ok != (call != "GetCapabilities") || ok && time.Until(until) > time.Hour {
			t.Errorf("%s: deadline %v", call, until)
		}
		return nil
	}
	s := open(t, server.Start(t), Options{Authorization: "Bearer x", Invocation: "a run"})
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	blob := []byte("blob")
	d := s.Traits().Function.Of(blob)
	if err := s.WriteSmall(ctx, []share.Digest{d}, [][]byte{blob}); err != nil {
		t.Error(err)
	}
	if r, err := s.Read(ctx, d); err != nil {
		t.Error(err)
	} else {
		r.Close()
	}
	if asked != 3 {
		t.Errorf("%d requests, want 3", asked)
	}
}

func contains(list []string, want string) bool { return len(list) == 1 && list[0] == want }

// TestEachStatusCodeHasItsError checks the error of package share for each gRPC code, with the
// server's text.
func TestEachStatusCodeHasItsError(t *testing.T) {
	kinds := []error{share.ErrMissing, share.ErrRefused, share.ErrFull, share.ErrInternal, share.ErrUnavailable}
	for code, want := range map[codes.Code]error{
		codes.Canceled: share.ErrUnavailable, codes.Unknown: share.ErrInternal, codes.InvalidArgument: nil, codes.DeadlineExceeded: share.ErrUnavailable,
		codes.NotFound: share.ErrMissing, codes.AlreadyExists: share.ErrUnavailable, codes.PermissionDenied: share.ErrRefused, codes.ResourceExhausted: share.ErrFull,
		codes.FailedPrecondition: nil, codes.Aborted: share.ErrUnavailable, codes.OutOfRange: nil, codes.Unimplemented: nil, codes.Internal: share.ErrInternal,
		codes.Unavailable: share.ErrUnavailable, codes.DataLoss: share.ErrInternal, codes.Unauthenticated: share.ErrRefused, 99: share.ErrUnavailable,
	} {
		plain := status.New(code, "wörds\x1b")
		detailed, err := plain.WithDetails(&repb.Digest{Hash: "ab"})
		if err != nil {
			t.Fatal(err)
		}
		for _, answer := range []*status.Status{plain, detailed} {
			server := &remotetest.Server{}
			server.Fault = func(_ context.Context, call string) error {
				if call == "GetCapabilities" {
					return nil
				}
				return answer.Err()
			}
			s := open(t, server.Start(t), Options{})
			_, err := s.Result(t.Context(), share.SHA256.Of(nil))
			var got error
			for _, kind := range kinds {
				if errors.Is(err, kind) {
					got = kind
					break
				}
			}
			if err == nil || got != want || want != share.ErrMissing && !strings.Contains(err.Error(), `wörds`) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%v: %v, want %v", answer, err, want)
			}
		}
	}
}

// frame puts a message into the frame of gRPC.
func frame(flag byte, message []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{flag}, uint32(len(message))), message...)
}

// TestAnswerOtherThanGRPCMakesServerUnavailable checks that an answer without gRPC causes an error
// of one line.
func TestAnswerOtherThanGRPCMakesServerUnavailable(t *testing.T) {
	const gRPC = "application/grpc"
	for name, answer := range map[string]http.HandlerFunc{
		"a page":           func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"an error page":    func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no\nway", http.StatusBadGateway) },
		"a redirect":       func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Location", "/x"); w.WriteHeader(307) },
		"no status":        write(gRPC, frame(0, nil)),
		"nothing":          write(gRPC, nil),
		"half a prefix":    write(gRPC, []byte{0, 0}),
		"half a message":   write(gRPC, frame(0, make([]byte, 9))[:9], "Grpc-Status", "0"),
		"a huge length":    write(gRPC, []byte{0, 0xff, 0xff, 0xff, 0xff, 1}, "Grpc-Status", "0"),
		"not a message":    write(gRPC, frame(0, []byte{0xff}), "Grpc-Status", "0"),
		"compressed":       write(gRPC, frame(1, []byte("x")), "Grpc-Status", "0"),
		"a strange status": write(gRPC, frame(0, nil), "Grpc-Status", "x"),
		"a strange reason": write(gRPC, nil, "Grpc-Status", "14", "Grpc-Message", "%zz%"),
		"strange details":  write(gRPC, nil, "Grpc-Status", "14", "Grpc-Status-Details-Bin", "!"),
		"garbled details":  write(gRPC, nil, "Grpc-Status", "14", "Grpc-Status-Details-Bin", "/w"),
		"details of none":  write(gRPC, nil, "Grpc-Status", "14", "Grpc-Status-Details-Bin", "AA"),
		"empty details":    write(gRPC, nil, "Grpc-Status", "14", "Grpc-Status-Details-Bin", "EgA"),
		"a status of 00":   write(gRPC, nil, "Grpc-Status", "00"),
		"cut":              func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(answer)
			server.Config.Protocols = new(http.Protocols)
			server.Config.Protocols.SetUnencryptedHTTP2(true)
			server.Start()
			defer server.Close()
			address, _ := url.Parse(strings.Replace(server.URL, "http:", "grpc:", 1))
			_, err := Open(t.Context(), address, Options{})
			if !errors.Is(err, share.ErrUnavailable) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestServerMayLimitRequestsOfAConnection checks that all requests are answered if the server
// limits the requests per connection.
func TestServerMayLimitRequestsOfAConnection(t *testing.T) {
	able := messages.ServerCapabilities{Cache: messages.CacheCapabilities{DigestFunctions: []messages.DigestFunction{messages.SHA256}}}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/GetCapabilities") {
			write("application/grpc", frame(0, messages.Marshal(&able)), "Grpc-Status", "0")(w, r)
		} else {
			write("application/grpc", nil, "Grpc-Status", "5")(w, r)
		}
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 2}
	server.Start()
	defer server.Close()
	s := open(t, strings.Replace(server.URL, "http:", "grpc:", 1), Options{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	share.Each(100, func(i int) error {
		if _, err := s.Result(ctx, share.SHA256.Of([]byte{byte(i)})); err != share.ErrMissing {
			t.Errorf("%v", err)
		}
		return nil
	})
}

// write returns a handler that answers with a body and trailers.
func write(kind string, body []byte, trailers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(http.StatusOK)
		w.Write(body)
		for i := 0; i < len(trailers); i += 2 {
			w.Header().Set(http.TrailerPrefix+trailers[i], trailers[i+1])
		}
	}
}

func TestLongAnswerIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	server := &remotetest.Server{}
	address := server.Start(t)
	s := open(t, address, Options{})
	d := share.SHA256.Of([]byte("action"))
	for size, want := range map[int]error{maxMessage - 1<<10: nil, maxMessage: share.ErrInternal} {
		server.Change(func(_ map[string][]byte, results map[string]*repb.ActionResult) {
			results[d.Hash] = &repb.ActionResult{StdoutRaw: make([]byte, size)}
		})
		if r, err := s.Result(t.Context(), d); !errors.Is(err, want) || err == nil && len(r.StdoutRaw) != size {
			t.Errorf("%d bytes: %v, want %v", size, err, want)
		}
	}
}

func TestExecutionWithoutResultIsAnError(t *testing.T) {
	const kind = "type.googleapis.com/build.bazel.remote.execution.v2.ExecuteResponse"
	response := func(r messages.ExecuteResponse) messages.Operation {
		return messages.Operation{Response: messages.Any{TypeURL: kind, Value: messages.Marshal(&r)}}
	}
	for name, tt := range map[string]struct {
		op   messages.Operation
		want string
	}{
		"a result":       {response(messages.ExecuteResponse{Result: messages.ActionResult{ExitCode: 3}}), ""},
		"failed":         {messages.Operation{Error: messages.Status{Code: int32(codes.Internal), Message: "why"}}, "the server is not available for this request: why"},
		"inputs lacking": {response(messages.ExecuteResponse{Status: messages.Status{Code: int32(codes.FailedPrecondition)}}), share.ErrInputs.Error()},
		"too long":       {response(messages.ExecuteResponse{Status: messages.Status{Code: int32(codes.DeadlineExceeded)}}), "cooking exceeds the time limit of the server"},
		"nothing":        {messages.Operation{}, "the server's answer is a message of another type: "},
		"another type":   {messages.Operation{Response: messages.Any{TypeURL: "x/Y"}}, "the server's answer is a message of another type: x/Y"},
		"garbled":        {messages.Operation{Response: messages.Any{TypeURL: kind, Value: []byte{0xff}}}, "the server's answer: "},
	} {
		got, err := outcome(&tt.op)
		if tt.want == "" && (err != nil || got.ExitCode != 3) || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)) {
			t.Errorf("%s: %+v, %v, want %q", name, got, err, tt.want)
		}
	}
}
