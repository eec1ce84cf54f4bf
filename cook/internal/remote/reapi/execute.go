package reapi

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"connectrpc.com/connect"

	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Execute implements share.Executor. If the connection breaks, it waits for the same execution
// on another one.
func (s *server) Execute(ctx context.Context, action share.Digest, anew bool) (*messages.ActionResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	name := "" // of the execution, once the server has sent it
	for cuts := 0; ; cuts++ {
		stream, err := s.follow(ctx, name, action, anew)
		for err == nil && stream.Receive() {
			op := stream.Msg()
			if name = op.Name; op.Done {
				return outcome(op)
			}
		}
		if err == nil {
			err = stream.Err()
		}
		st := messages.Status{Code: int32(connect.CodeUnavailable), Message: "the answer ended without a result"}
		if err != nil {
			st = statusOf(err)
		}
		lost := connect.Code(st.Code) == connect.CodeNotFound // the server does not know it any more
		if !lost && connect.Code(st.Code) != connect.CodeUnavailable || cuts == resumes || ctx.Err() != nil {
			return nil, executionError(st)
		}
		if lost {
			name = ""
		}
	}
}

// follow returns the updates of the named execution, or of a new one if name is "".
func (s *server) follow(ctx context.Context, name string, action share.Digest, anew bool) (*connect.ServerStreamForClient[messages.Operation], error) {
	if name != "" {
		return s.calls.waitExecution.CallServerStream(ctx, connect.NewRequest(&messages.WaitExecutionRequest{Name: name}))
	}
	return s.calls.execute.CallServerStream(ctx, connect.NewRequest(&messages.ExecuteRequest{
		InstanceName: s.instance, ActionDigest: action, SkipCacheLookup: anew, DigestFunction: s.function,
	}))
}

// outcome returns the result of a finished execution.
func outcome(op *messages.Operation) (*messages.ActionResult, error) {
	if op.Error.Code != 0 {
		return nil, executionError(op.Error)
	}
	r := &messages.ExecuteResponse{}
	if !strings.HasSuffix(op.Response.TypeURL, "/build.bazel.remote.execution.v2.ExecuteResponse") {
		return nil, fmt.Errorf("the server's answer is a message of another type: %s", pathname.Show(op.Response.TypeURL))
	}
	if err := messages.Unmarshal(op.Response.Value, r); err != nil {
		return nil, fmt.Errorf("the server's answer: %w", err)
	}
	if r.Status.Code != 0 {
		return nil, executionError(r.Status)
	}
	return &r.Result, nil
}

// executionError converts the status of an execution to an error of package share.
func executionError(st messages.Status) error {
	switch connect.Code(st.Code) {
	case connect.CodeFailedPrecondition:
		return share.ErrInputs
	case connect.CodeDeadlineExceeded:
		return errors.New("it exceeds the time limit of the server")
	}
	return statusError(st)
}
