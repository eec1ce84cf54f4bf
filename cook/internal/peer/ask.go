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

// ErrNoListener is the error for a directory without a listening process.
var ErrNoListener = errors.New("no cook process listens at the socket")

// A SilentError reports that the listening process sent no heartbeat in time. It may be stopped, or
// get no processor time.
type SilentError struct{ PID int } // process ID of the listener; 0 if unknown

func (e *SilentError) Error() string {
	return fmt.Sprintf("%s does not answer", Process(e.PID))
}

// Process returns the name of a process for messages.
func Process(pid int) string {
	if pid == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d", pid)
}

// silence is the longest wait for a heartbeat. The listener sends one every beat.
const (
	silence = time.Second
	beat    = silence / 4
)

// dialTimeout is generous, because the system connects immediately unless too many clients wait.
const dialTimeout = 100 * time.Millisecond

// Ask sends a request to the process that listens in dir. It waits for the answer until ctx ends,
// as long as the process sends heartbeats. The error wraps
//
//   - ErrNoListener, at once, if no process listens, or if the system has no such sockets
//   - a *SilentError if the process sends no heartbeat for a second
//   - [io.ErrUnexpectedEOF] if the process ends before its answer
//   - [fs.ErrPermission] if the process belongs to another user
func Ask(ctx context.Context, dir string, question []byte) (answer []byte, err error) {
	answer, err = askListener(ctx, dir, question, os.Geteuid())
	if err != nil {
		return nil, &fs.PathError{Op: "ask in", Path: dir, Err: err}
	}
	return answer, nil
}

// Listens reports whether a process listens in dir, and returns its ID, 0 if unknown. It does not
// send a request, so a stopped process counts as listening too.
func Listens(ctx context.Context, dir string) (pid int, ok bool) {
	if !identifiesPeers {
		return 0, false
	}
	conn, err := dialListener(ctx, dir)
	if err != nil {
		return 0, false
	}
	defer conn.Close()
	p, err := peerOf(conn)
	return p.pid, err == nil && checkUser(p.user, os.Geteuid()) == nil
}

// A peer is the process at the other end of a connection.
type peer struct{ user, pid int }

// askListener is like Ask, but the process must belong to the given user.
func askListener(ctx context.Context, dir string, question []byte, user int) (answer []byte, err error) {
	if !identifiesPeers {
		return nil, &absence{errors.ErrUnsupported}
	}
	conn, err := dialListener(ctx, dir)
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
		err = sendFrame(conn, question)
	}
	if err == nil {
		answer, err = awaitAnswer(conn)
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
		err = fmt.Errorf("the other process ended before it answered: %w", err)
	}
	return nil, err
}

// awaitAnswer reads the bytes that show that the peer is alive, until the answer comes.
func awaitAnswer(conn stream) ([]byte, error) {
	for {
		if err := conn.SetReadDeadline(time.Now().Add(silence)); err != nil {
			return nil, err
		}
		answer, err := receiveFrame(conn)
		if !errors.Is(err, errBeat) {
			return answer, err
		}
	}
}

func dialListener(ctx context.Context, dir string) (*os.File, error) {
	name, release, err := socketAddress(dir)
	if err != nil {
		return nil, noListener(err)
	}
	defer release()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	conn, err := connectTo(ctx, name, filepath.Join(dir, socketName))
	if err != nil {
		return nil, noListener(err)
	}
	return conn, nil
}

// noListener turns an error that means "no process listens" into ErrNoListener. The socket of a
// killed process refuses connections. For a file that is not a socket, some systems report another
// error.
func noListener(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) ||
		errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOTSOCK) {
		return &absence{err}
	}
	return err
}

// An absence is an ErrNoListener that also wraps the cause. Error formats the text only on demand,
// because most callers of Ask never print it.
type absence struct{ sign error }

func (e *absence) Error() string   { return ErrNoListener.Error() + ": " + e.sign.Error() }
func (e *absence) Unwrap() []error { return []error{ErrNoListener, e.sign} }
