// Package peer lets a process send requests to another process that works on the same directory: a
// cook asks the watcher of its output directory.
//
// [Listen] and [Listener.Serve] answer requests at a Unix socket in the directory, and [Ask] sends
// a request. This package does not interpret the bytes of requests and answers. Both sides check
// that the other side belongs to the same user. Until the answer is ready, the listener sends
// heartbeats, which distinguish a working process from a stopped one.
package peer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/assetcook/assetcook/internal/socket"
)

// A Listener accepts requests at a socket.
type Listener struct {
	socket *os.File
	path   string
	file   fs.FileInfo // file info of the listener's socket
	user   int         // the user who may send requests
	close  func() error
}

// Listen creates the socket in the directory dir. It replaces the socket of a killed process. If
// another process already listens there, the error wraps [fs.ErrExist]. The caller must hold a
// lock, so that two processes do not call Listen at the same time. If the system does not identify
// the process at the other end, the error wraps [errors.ErrUnsupported].
func Listen(dir string) (*Listener, error) {
	l, err := listenIn(dir)
	if err != nil {
		return nil, fmt.Errorf("listen in %s: %w", dir, err)
	}
	return l, nil
}

func listenIn(dir string) (*Listener, error) {
	if !identifiesPeers {
		return nil, errors.ErrUnsupported
	}
	path, err := filepath.Abs(filepath.Join(dir, socketName))
	if err != nil {
		return nil, err
	}
	name, release, err := socketAddress(dir)
	if err != nil {
		return nil, err
	}
	defer release()
	socket, err := bind(name, path)
	if errors.Is(err, syscall.EADDRINUSE) {
		if err = removeStale(dir, path); err == nil {
			socket, err = bind(name, path)
		}
	}
	if err != nil {
		return nil, err
	}
	l := &Listener{socket: socket, path: path, user: os.Geteuid()}
	// A process of another user may connect before this call; Serve rejects it.
	if err = os.Chmod(path, 0o600); err == nil {
		l.file, err = os.Lstat(path)
	}
	if err != nil {
		socket.Close()
		return nil, err
	}
	l.close = sync.OnceValue(l.endListening)
	return l, nil
}

// removeStale removes a socket without a listening process.
func removeStale(dir, path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s is not a socket, but a socket needs this path; remove the file", path)
	}
	conn, err := dialListener(context.Background(), dir)
	switch {
	case err == nil:
		conn.Close()
		return fmt.Errorf("%w: another process listens at %s", fs.ErrExist, path)
	case errors.Is(err, ErrNoListener):
		return os.Remove(path)
	}
	return err
}

// Close stops listening and removes the socket, unless another process has replaced it. Concurrent
// calls return only after the socket is removed.
func (l *Listener) Close() error { return l.close() }

func (l *Listener) endListening() error {
	err := l.socket.Close()
	if now, statErr := os.Lstat(l.path); statErr == nil && os.SameFile(now, l.file) {
		err = errors.Join(err, os.Remove(l.path))
	}
	return err
}

// patience limits the time that a client may take to send its request, or to receive its answer.
const patience = 5 * time.Second

// maxClients limits the number of open connections. Further clients wait.
const maxClients = 256

// A Handler answers a request. Its context ends when the context of Serve ends, and when the client
// hangs up or closes its side for writing. If the answer is longer than [MaxPayload] bytes, Serve
// hangs up instead of sending it.
type Handler func(ctx context.Context, question []byte) (answer []byte)

// Serve answers requests until ctx ends. It then closes the listener, waits for the last answers,
// and returns nil. It serves several clients at once, but handles the requests of one client one
// after another. It disconnects clients of other users, clients that send invalid requests, and
// clients that take more than 5 seconds to send a request.
func (l *Listener) Serve(ctx context.Context, handle Handler) error {
	defer l.Close()
	var clients sync.WaitGroup
	defer clients.Wait()
	inner, cancel := context.WithCancel(ctx)
	defer cancel() // this disconnects the clients if accepting fails
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	slots := make(chan struct{}, maxClients)
	for {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		conn, err := socket.Accept(ctx, l.socket)
		if ctx.Err() != nil {
			if err == nil {
				conn.Close()
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("serve at %s: %w", l.path, err)
		}
		clients.Go(func() {
			defer func() { <-slots }()
			defer conn.Close()
			p, err := peerOf(conn)
			if err != nil || checkUser(p.user, l.user) != nil {
				return
			}
			answerClient(inner, conn, handle)
		})
	}
}

// A stream is one end of a connection. Close ends its reads and writes.
type stream interface {
	io.ReadWriteCloser
	SetReadDeadline(time.Time) error
}

// answerClient answers the requests of one client.
func answerClient(ctx context.Context, conn stream, handle Handler) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for {
		question, err := readQuestion(ctx, conn, r)
		if err != nil {
			if errors.Is(err, errVersion) {
				_ = sendAnswer(conn, nil) // the empty answer tells the client the version
			}
			return
		}
		answer, ok := attend(ctx, conn, r, handle, question)
		if !ok || sendAnswer(conn, answer) != nil || ctx.Err() != nil {
			return
		}
	}
}

// readQuestion reads a request. It closes conn if that takes longer than patience, or if ctx ends.
func readQuestion(ctx context.Context, conn stream, r *bufio.Reader) ([]byte, error) {
	late := time.AfterFunc(patience, func() { conn.Close() })
	defer late.Stop()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	return receiveFrame(r)
}

// sendAnswer writes an answer. If that takes longer than patience, it closes conn.
func sendAnswer(conn stream, answer []byte) error {
	late := time.AfterFunc(patience, func() { conn.Close() })
	defer late.Stop()
	return sendFrame(conn, answer)
}

// attend calls handle. If the client hangs up, it cancels the context of handle and returns false.
func attend(ctx context.Context, conn stream, r *bufio.Reader, handle Handler, question []byte) (answer []byte, ok bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	there := make(chan bool, 1)
	go func() {
		// Peek waits for the next request without consuming it.
		_, err := r.Peek(1)
		if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			there <- true
			return
		}
		cancel()
		there <- false
	}()
	answer = beating(conn, func() []byte { return handle(ctx, question) })
	_ = conn.SetReadDeadline(time.Unix(1, 0)) // deadline in the past, which ends the Peek
	ok = <-there
	_ = conn.SetReadDeadline(time.Time{})
	return answer, ok
}

// beating calls think and returns its result. It sends heartbeats to the client meanwhile.
func beating(conn stream, think func() []byte) []byte {
	thought := make(chan struct{})
	var beats sync.WaitGroup
	beats.Go(func() {
		ticker := time.NewTicker(beat)
		defer ticker.Stop()
		for {
			select {
			case <-thought:
				return
			case <-ticker.C:
			}
			late := time.AfterFunc(patience, func() { conn.Close() })
			err := writeBeat(conn)
			late.Stop()
			if err != nil {
				return // the client has hung up, or does not read, so it would not read the answer either
			}
		}
	})
	answer := think()
	close(thought)
	beats.Wait()
	return answer
}
