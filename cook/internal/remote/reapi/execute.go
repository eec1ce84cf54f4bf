package reapi

import (
	"context"
	"errors"
	"fmt"
	"io"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/assetcook/assetcook/cook/internal/remote/share"
)

// Execute implements share.Executor. If the connection breaks, it waits for the same execution
// on another one.
func (s *server) Execute(ctx context.Context, action share.Digest, anew bool) (*repb.ActionResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	begin := func() (repb.Execution_ExecuteClient, error) {
		return s.execution.Execute(ctx, &repb.ExecuteRequest{
			InstanceName: s.instance, ActionDigest: message(action), SkipCacheLookup: anew, DigestFunction: s.function,
		})
	}
	name := ""
	stream, err := begin()
	for cuts := 0; ; {
		for err == nil {
			op, received := stream.Recv()
			if err = received; err != nil {
				break
			}
			name = op.GetName()
			if !op.GetDone() {
				continue
			}
			if failed := op.GetError(); failed != nil {
				return nil, executionError(status.FromProto(failed))
			}
			r := &repb.ExecuteResponse{}
			if err := op.GetResponse().UnmarshalTo(r); err != nil {
				return nil, fmt.Errorf("the server's answer: %w", err)
			}
			if st := status.FromProto(r.GetStatus()); st.Code() != codes.OK {
				return nil, executionError(st)
			}
			return r.GetResult(), nil
		}
		if code := status.Code(err); !errors.Is(err, io.EOF) && code != codes.Unavailable && code != codes.NotFound || cuts == resumes || ctx.Err() != nil {
			return nil, executionError(status.Convert(err))
		}
		cuts++
		if name == "" || status.Code(err) == codes.NotFound { // the server knows nothing of it, or nothing any more
			name = ""
			stream, err = begin()
		} else {
			stream, err = s.execution.WaitExecution(ctx, &repb.WaitExecutionRequest{Name: name})
		}
	}
}

// executionError is an error of an execution as one of package share.
func executionError(st *status.Status) error {
	switch st.Code() {
	case codes.FailedPrecondition:
		return share.ErrInputs
	case codes.DeadlineExceeded:
		return errors.New("it takes too long there")
	}
	return statusError(st)
}
