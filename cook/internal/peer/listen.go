// Package peer lets a process ask another process that works on the same directory: a cook asks the
// watcher of its output directory.
//
// [Listen] and [Listener.Serve] answer questions at a Unix socket in the directory, [Ask] asks.
// Questions and answers are bytes to this package. Both sides check that the other side belongs to
// the same user. While the answer takes time, the listener sends beats, which distinguish a working
// process from a stopped one.
package peer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// A Listener accepts questions at a socket.
type Listener struct {
	socket *os.File
	path   string
	file   fs.FileInfo // of its own socket
	user   int         // who may ask
	close  func() error
}

// Listen makes the socket in the directory dir. It replaces the socket of a killed process. If a
// process answers there, the error wraps [fs.ErrExist]. The caller needs a lock, so that no two
// processes begin at once. If the system does not identify the process at the other end, the error
// wraps [errors.ErrUnsupported].
func Listen(dir string) (*Listener, error) {
	l, err := listen(dir)
	if err != nil {
		return nil, fmt.Errorf("listen in %s: %w", dir, err)
	}
	return l, nil
}

func listen(dir string) (*Listener, error) {
	if !identifiesPeers {
		return nil, errors.ErrUnsupported
	}
	path, err := filepath.Abs(filepath.Join(dir, socketName))
	if err != nil {
		return nil, err
	}
	name, release, err := address(dir)
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
	// Serve rejects a process of another user that connects before this.
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
		return fmt.Errorf("%s is in the way and not a socket: remove it", path)
	}
	conn, err := dial(context.Background(), dir)
	switch {
	case err == nil:
		conn.Close()
		return fmt.Errorf("%w: another process listens at %s", fs.ErrExist, path)
	case errors.Is(err, ErrNoListener):
		return os.Remove(path)
	}
	return err
}

// Close stops listening and removes the socket, if it is still the listener's own. Once any call
// of Close has returned, that is done.
func (l *Listener) Close() error { return l.close() }

func (l *Listener) endListening() error {
	err := l.socket.Close()
	if now, statErr := os.Lstat(l.path); statErr == nil && os.SameFile(now, l.file) {
		err = errors.Join(err, os.Remove(l.path))
	}
	return err
}
