package watch

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

// ErrNobody says that no one listens in the folder.
var ErrNobody = errors.New("nobody listens")

// dialTimeout is ample: the system connects at once, unless too many others
// want to.
const dialTimeout = 100 * time.Millisecond

// Ask puts a question to whoever serves in dir and waits for the answer until
// ctx ends. If no one listens, or on a system where no one can, the error wraps
// ErrNobody and comes at once. If the other side ends before it has answered,
// it wraps [io.ErrUnexpectedEOF]; if it belongs to another user,
// [fs.ErrPermission].
func Ask(ctx context.Context, dir string, question []byte) (answer []byte, err error) {
	answer, err = ask(ctx, dir, question, os.Geteuid())
	if err != nil {
		return nil, &fs.PathError{Op: "ask in", Path: dir, Err: err}
	}
	return answer, nil
}

// ask asks as a user.
func ask(ctx context.Context, dir string, question []byte, user int) (answer []byte, err error) {
	if !tellsPeers {
		return nil, &absence{errors.ErrUnsupported}
	}
	conn, err := dial(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	peer, err := peerUser(conn)
	if err == nil {
		err = checkUser(peer, user)
	}
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if err = writeFrame(conn, question); err == nil {
		answer, err = readFrame(conn)
	}
	switch {
	case err == nil:
		return answer, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		err = io.ErrUnexpectedEOF
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("no answer before the other side ended: %w", err)
	}
	return nil, err
}

func dial(ctx context.Context, dir string) (*os.File, error) {
	name, release, err := address(dir)
	if err != nil {
		return nil, nobody(err)
	}
	defer release()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	conn, err := connect(ctx, name, filepath.Join(dir, socketName))
	if err != nil {
		return nil, nobody(err)
	}
	return conn, nil
}

// nobody turns the ways in which no one listens into ErrNobody. What a killed
// process left refuses connections; some systems say what is not a socket.
func nobody(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) ||
		errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOTSOCK) {
		return &absence{err}
	}
	return err
}

// An absence is ErrNobody and what tells it. Most who ask meet it and do not
// print it: it is put into words only then.
type absence struct{ sign error }

func (e *absence) Error() string   { return ErrNobody.Error() + ": " + e.sign.Error() }
func (e *absence) Unwrap() []error { return []error{ErrNobody, e.sign} }
