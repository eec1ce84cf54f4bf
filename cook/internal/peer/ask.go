package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// ErrNoListener says that no process listens in the folder.
var ErrNoListener = errors.New("no process listens")

// A SilentError says that a process listens but gave no sign of life in time: it
// is stopped, or starved.
type SilentError struct{ PID int } // 0 if the system does not say

func (e *SilentError) Error() string {
	return fmt.Sprintf("%s does not answer", Process(e.PID))
}

// Process names a process in messages.
func Process(pid int) string {
	if pid == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d", pid)
}

// silence is how long Ask waits for a sign of life; one is sent every beat.
const (
	silence = time.Second
	beat    = silence / 4
)

// dialTimeout is ample: the system connects at once, unless too many others
// want to.
const dialTimeout = 100 * time.Millisecond

// Ask puts a question to the process that serves in dir and waits for the answer
// until ctx ends, for as long as that process shows that it is alive. If no process
// listens, or on a system where none can, the error wraps ErrNoListener and comes at
// once; if the process gives no sign of life for a second, it wraps a *SilentError;
// if it ends before it has answered, [io.ErrUnexpectedEOF]; if it belongs to another
// user, [fs.ErrPermission].
func Ask(ctx context.Context, dir string, question []byte) (answer []byte, err error) {
	answer, err = ask(ctx, dir, question, os.Geteuid())
	if err != nil {
		return nil, &fs.PathError{Op: "ask in", Path: dir, Err: err}
	}
	return answer, nil
}

// Listens returns the ID of the process that listens in dir, 0 if the system does
// not say, and whether there is one. It asks that process nothing, so one that is
// stopped counts as well.
func Listens(ctx context.Context, dir string) (pid int, ok bool) {
	if !identifiesPeers {
		return 0, false
	}
	conn, err := dial(ctx, dir)
	if err != nil {
		return 0, false
	}
	defer conn.Close()
	p, err := peerOf(conn)
	return p.pid, err == nil && checkUser(p.user, os.Geteuid()) == nil
}

// A peer is the process at the other end of a connection.
type peer struct{ user, pid int }

// ask asks as a user.
func ask(ctx context.Context, dir string, question []byte, user int) (answer []byte, err error) {
	if !identifiesPeers {
		return nil, &absence{errors.ErrUnsupported}
	}
	conn, err := dial(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	p, err := peerOf(conn)
	if err == nil {
		err = checkUser(p.user, user)
	}
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if err = conn.SetWriteDeadline(time.Now().Add(silence)); err == nil {
		err = writeFrame(conn, question)
	}
	if err == nil {
		answer, err = await(conn)
	}
	switch {
	case err == nil:
		return answer, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &SilentError{p.pid}
	case errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		err = io.ErrUnexpectedEOF
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("no answer before the other side ended: %w", err)
	}
	return nil, err
}

// await reads beats, and then the answer.
func await(conn stream) ([]byte, error) {
	for {
		if err := conn.SetReadDeadline(time.Now().Add(silence)); err != nil {
			return nil, err
		}
		answer, err := readFrame(conn)
		if !errors.Is(err, errBeat) {
			return answer, err
		}
	}
}

func dial(ctx context.Context, dir string) (*os.File, error) {
	name, release, err := address(dir)
	if err != nil {
		return nil, noListener(err)
	}
	defer release()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	conn, err := connect(ctx, name, filepath.Join(dir, socketName))
	if err != nil {
		return nil, noListener(err)
	}
	return conn, nil
}

// noListener turns the signs that no process listens into ErrNoListener. What a killed
// process left refuses connections; some systems say what is not a socket.
func noListener(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) ||
		errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOTSOCK) {
		return &absence{err}
	}
	return err
}

// An absence is ErrNoListener and its sign. Most callers of Ask get it and do not print
// it: it is formatted only then.
type absence struct{ sign error }

func (e *absence) Error() string   { return ErrNoListener.Error() + ": " + e.sign.Error() }
func (e *absence) Unwrap() []error { return []error{ErrNoListener, e.sign} }
