package remotetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"github.com/zeebo/blake3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// A Farm executes actions on this machine.
type Farm struct {
	// Executes makes the server execute actions.
	Executes bool
	// Env is added to the environment that an action sets for its program.
	Env []string
	// Result may inspect and change the result of each action. It may be nil.
	Result func(*repb.ActionResult)

	executions executions
}

// FarmWorker is the name of the machine that a Farm reports.
const FarmWorker = "machine-7"

// executions holds all executions by name. An execution continues even if no client waits for it.
type executions struct {
	mu     sync.Mutex
	ctx    context.Context
	cancel context.CancelFunc
	at     map[string]*executing
	work   sync.WaitGroup
	files  string // directory of large inputs, which are named by their hashes
}

type executing struct {
	done chan struct{} // closed when the response is set
	repb.ExecuteResponse
}

func (e *executions) stopAll() {
	e.mu.Lock()
	if e.cancel != nil {
		e.cancel()
	}
	e.mu.Unlock()
	e.work.Wait()
	if e.files != "" {
		os.RemoveAll(e.files)
	}
}

type execution struct {
	repb.UnimplementedExecutionServer
	s *Server
}

func (e execution) Execute(r *repb.ExecuteRequest, stream repb.Execution_ExecuteServer) error {
	hash := r.GetActionDigest().GetHash()
	all := &e.s.Farm.executions
	all.mu.Lock()
	if all.at == nil {
		all.at = map[string]*executing{}
		all.ctx, all.cancel = context.WithCancel(context.Background())
	}
	name := "operations/" + strconv.Itoa(len(all.at))
	x := &executing{done: make(chan struct{})}
	all.at[name] = x
	all.work.Go(func() {
		defer close(x.done)
		result, err := e.s.executeHere(all.ctx, r, hash)
		x.Result, x.Status = result, status.Convert(err).Proto()
	})
	all.mu.Unlock()
	if err := stream.Send(&longrunningpb.Operation{Name: name}); err != nil {
		return err
	}
	if e.s.cutsStream("execution of " + hash) {
		return status.Error(codes.Unavailable, "cut")
	}
	return sendWhenDone(name, x, stream)
}

func (e execution) WaitExecution(r *repb.WaitExecutionRequest, stream repb.Execution_WaitExecutionServer) error {
	all := &e.s.Farm.executions
	all.mu.Lock()
	x, ok := all.at[r.Name]
	all.mu.Unlock()
	if !ok {
		return status.Error(codes.NotFound, "there is no such execution")
	}
	return sendWhenDone(r.Name, x, stream)
}

func sendWhenDone(name string, x *executing, stream grpc.ServerStreamingServer[longrunningpb.Operation]) error {
	select {
	case <-x.done:
	case <-stream.Context().Done():
		return stream.Context().Err()
	}
	response, err := anypb.New(&x.ExecuteResponse)
	if err != nil {
		return err
	}
	return stream.Send(&longrunningpb.Operation{Name: name, Done: true, Result: &longrunningpb.Operation_Response{Response: response}})
}

// executeHere executes an action in its own directory.
func (s *Server) executeHere(ctx context.Context, r *repb.ExecuteRequest, hash string) (*repb.ActionResult, error) {
	if known, ok := s.findResult(hash); ok && !r.SkipCacheLookup {
		return known, nil
	}
	action, command := &repb.Action{}, &repb.Command{}
	err := s.decodeBlob(r.ActionDigest, action)
	if err == nil {
		err = s.decodeBlob(action.CommandDigest, command)
	}
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "execute")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := s.materialize(action.InputRootDigest, dir); err != nil {
		return nil, err
	}
	for _, file := range command.OutputPaths {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o777); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, action.GetTimeout().AsDuration())
	defer cancel()
	cmd := exec.CommandContext(ctx, command.Arguments[0], command.Arguments[1:]...)
	cmd.Dir = dir
	cmd.Env = s.Farm.Env
	for _, v := range command.EnvironmentVariables {
		cmd.Env = append(cmd.Env, v.Name+"="+v.Value)
	}
	result := &repb.ActionResult{ExecutionMetadata: &repb.ExecutedActionMetadata{Worker: FarmWorker}}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); errors.As(err, &exit) {
		result.ExitCode = int32(exit.ExitCode())
	} else if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	if ctx.Err() != nil {
		return nil, status.Error(codes.DeadlineExceeded, "the execution took too long")
	}
	result.StderrRaw = stderr.Bytes()
	for _, file := range command.OutputPaths {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		d := digestBy(r.DigestFunction, data)
		if err := s.acceptBlob(r.DigestFunction, d, data); err != nil {
			return nil, err
		}
		result.OutputFiles = append(result.OutputFiles, &repb.OutputFile{Path: file, Digest: d})
	}
	if s.Farm.Result != nil {
		s.Farm.Result(result)
	}
	if result.ExitCode == 0 && !action.DoNotCache {
		s.contents.mu.Lock()
		s.contents.results[hash] = proto.Clone(result).(*repb.ActionResult)
		s.contents.mu.Unlock()
	}
	return result, nil
}

func digestBy(f repb.DigestFunction_Value, data []byte) *repb.Digest {
	sum := sha256.Sum256(data)
	if f == repb.DigestFunction_BLAKE3 {
		sum = blake3.Sum256(data)
	}
	return &repb.Digest{Hash: hex.EncodeToString(sum[:]), SizeBytes: int64(len(data))}
}

// decodeBlob decodes a message that is stored as a blob.
func (s *Server) decodeBlob(d *repb.Digest, m proto.Message) error {
	data, ok := s.findBlob(d.GetHash())
	if !ok {
		return status.Errorf(codes.FailedPrecondition, "blob %s is missing", d.GetHash())
	}
	return proto.Unmarshal(data, m)
}

// materialize creates a directory from its Directory messages.
func (s *Server) materialize(d *repb.Digest, dir string) error {
	listing := &repb.Directory{}
	if err := s.decodeBlob(d, listing); err != nil {
		return err
	}
	for _, f := range listing.Files {
		data, ok := s.findBlob(f.GetDigest().GetHash())
		if !ok {
			return status.Errorf(codes.FailedPrecondition, "input %s is missing", f.Name)
		}
		mode := os.FileMode(0o444)
		if f.IsExecutable {
			mode = 0o555
		}
		if err := s.Farm.executions.makeInput(filepath.Join(dir, f.Name), f.GetDigest().GetHash(), data, mode); err != nil {
			return err
		}
	}
	for _, below := range listing.Directories {
		name := filepath.Join(dir, below.Name)
		if err := os.Mkdir(name, 0o777); err != nil {
			return err
		}
		if err := s.materialize(below.Digest, name); err != nil {
			return err
		}
	}
	return nil
}

// makeInput creates an input file. It stores a large input only once, and makes links to it.
func (e *executions) makeInput(name, hash string, data []byte, mode os.FileMode) error {
	const large = 1 << 20
	if len(data) < large {
		return writeFile(name, data, mode)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.files == "" {
		dir, err := os.MkdirTemp("", "execute")
		if err != nil {
			return err
		}
		e.files = dir
	}
	once := filepath.Join(e.files, fmt.Sprintf("%s-%o", hash, mode))
	if _, err := os.Lstat(once); err != nil {
		if err := writeFile(once, data, mode); err != nil {
			return err
		}
	}
	return os.Link(once, name)
}

// writeFile writes a file. It prevents the start of processes meanwhile, because a child process
// would inherit the open file. The system refuses to execute a file that is open for writing.
func writeFile(name string, data []byte, mode os.FileMode) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, bytes.NewReader(data))
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("input: %w", err)
	}
	return nil
}
