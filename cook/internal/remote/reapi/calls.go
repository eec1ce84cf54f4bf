package reapi

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/internal/pathname"
)

// maxMessage limits the size of a message from the server.
const maxMessage = 64 << 20

// A call is a method of the server.
type call[Request, Answer any] = *connect.Client[Request, Answer]

// calls are the methods of a server that cook uses.
type calls struct {
	getCapabilities    call[messages.GetCapabilitiesRequest, messages.ServerCapabilities]
	getActionResult    call[messages.GetActionResultRequest, messages.ActionResult]
	updateActionResult call[messages.UpdateActionResultRequest, messages.ActionResult]
	findMissingBlobs   call[messages.FindMissingBlobsRequest, messages.FindMissingBlobsResponse]
	batchReadBlobs     call[messages.BatchReadBlobsRequest, messages.BatchReadBlobsResponse]
	batchUpdateBlobs   call[messages.BatchUpdateBlobsRequest, messages.BatchUpdateBlobsResponse]
	execute            call[messages.ExecuteRequest, messages.Operation]
	waitExecution      call[messages.WaitExecutionRequest, messages.Operation]
	read               call[messages.ReadRequest, messages.ReadResponse]
	write              call[messages.WriteRequest, messages.WriteResponse]
	queryWriteStatus   call[messages.QueryWriteStatusRequest, messages.QueryWriteStatusResponse]
}

// newCalls returns the methods of the server at a URL.
func newCalls(over connect.HTTPClient, base string) (c calls) {
	const api, bytestream = "/build.bazel.remote.execution.v2.", "/google.bytestream.ByteStream/"
	bindMethod(&c.getCapabilities, over, base+api+"Capabilities/GetCapabilities")
	bindMethod(&c.getActionResult, over, base+api+"ActionCache/GetActionResult")
	bindMethod(&c.updateActionResult, over, base+api+"ActionCache/UpdateActionResult")
	bindMethod(&c.findMissingBlobs, over, base+api+"ContentAddressableStorage/FindMissingBlobs")
	bindMethod(&c.batchReadBlobs, over, base+api+"ContentAddressableStorage/BatchReadBlobs")
	bindMethod(&c.batchUpdateBlobs, over, base+api+"ContentAddressableStorage/BatchUpdateBlobs")
	bindMethod(&c.execute, over, base+api+"Execution/Execute")
	bindMethod(&c.waitExecution, over, base+api+"Execution/WaitExecution")
	bindMethod(&c.read, over, base+bytestream+"Read")
	bindMethod(&c.write, over, base+bytestream+"Write")
	bindMethod(&c.queryWriteStatus, over, base+bytestream+"QueryWriteStatus")
	return c
}

// bindMethod sets a call to the method at a URL.
func bindMethod[Request, Answer any](c *call[Request, Answer], over connect.HTTPClient, url string) {
	*c = connect.NewClient[Request, Answer](over, url, connect.WithGRPC(), connect.WithCodec(codec{}),
		connect.WithAcceptCompression("gzip", nil, nil), connect.WithReadMaxBytes(maxMessage))
}

// A codec encodes messages in place of connect's codec, which requires generated messages.
type codec struct{}

func (codec) Name() string { return "proto" }

func (codec) Marshal(m any) ([]byte, error) { return messages.Marshal(m), nil }

func (codec) Unmarshal(data []byte, m any) error {
	if details, ok := m.(proto.Message); ok { // connect decodes the details of errors as its own message type
		return proto.Unmarshal(data, details)
	}
	return messages.Unmarshal(data, m)
}

// callServer makes a call with a single answer.
func callServer[Request, Answer any](ctx context.Context, c call[Request, Answer], request *Request) (*Answer, error) {
	answer, err := c.CallUnary(ctx, connect.NewRequest(request))
	if err != nil {
		return nil, errorOfCall(err)
	}
	return answer.Msg, nil
}

// statusOf returns the status of a failed call, from the server or from this machine.
func statusOf(err error) messages.Status {
	code, why := connect.CodeOf(err), err.Error()
	var failed *connect.Error
	if errors.As(err, &failed) {
		why = failed.Message()
	}
	if !connect.IsWireError(err) {
		switch code {
		case connect.CodeUnknown, connect.CodeInternal: // a broken connection, or a server without gRPC
			code = connect.CodeUnavailable
		case connect.CodeInvalidArgument, connect.CodeResourceExhausted: // an invalid or too long answer
			code = connect.CodeInternal
		}
	}
	if code == 0 { // an error cannot have the code of success
		code = connect.CodeUnknown
	}
	return messages.Status{Code: int32(code), Message: why}
}

// errorOfCall converts the error of a call to an error of package share.
func errorOfCall(err error) error {
	if err == nil {
		return nil
	}
	return statusError(statusOf(err))
}

// statusError converts a status to an error of package share. It returns nil for success.
func statusError(st messages.Status) error {
	kind := share.ErrUnavailable
	switch connect.Code(st.Code) {
	case 0:
		return nil
	case connect.CodeNotFound:
		return share.ErrMissing
	case connect.CodeUnauthenticated, connect.CodePermissionDenied:
		kind = share.ErrRefused
	case connect.CodeResourceExhausted:
		kind = share.ErrFull
	case connect.CodeInternal, connect.CodeUnknown, connect.CodeDataLoss:
		kind = share.ErrInternal
	case connect.CodeInvalidArgument, connect.CodeUnimplemented, connect.CodeFailedPrecondition, connect.CodeOutOfRange:
		return &callError{st}
	}
	return fmt.Errorf("%w: %s", kind, pathname.Show(st.Message))
}

// A callError reports that the server rejected a call as invalid.
type callError struct{ messages.Status }

func (e *callError) Error() string { return pathname.Show(e.Message) }

func isUnimplemented(err error) bool {
	var wrong *callError
	return errors.As(err, &wrong) && connect.Code(wrong.Code) == connect.CodeUnimplemented
}

// Execute implements share.Executor. After a broken connection, it waits for the same execution on
// another connection.
func (s *server) Execute(ctx context.Context, action share.Digest, anew bool) (*messages.ActionResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	name := "" // name of the execution, once the server has sent it
	for cuts := 0; ; cuts++ {
		stream, err := s.followExecution(ctx, name, action, anew)
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
		lost := connect.Code(st.Code) == connect.CodeNotFound // the server does not know the execution any more
		if !lost && connect.Code(st.Code) != connect.CodeUnavailable || cuts == resumes || ctx.Err() != nil {
			return nil, executionError(st)
		}
		if lost {
			name = ""
		}
	}
}

// followExecution returns the updates of the named execution, or of a new one if name is "".
func (s *server) followExecution(ctx context.Context, name string, action share.Digest, anew bool) (*connect.ServerStreamForClient[messages.Operation], error) {
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
		return errors.New("cooking exceeds the time limit of the server")
	}
	return statusError(st)
}
