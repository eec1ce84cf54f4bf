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

// A Listener is a socket at which questions can be asked.
type Listener struct {
	socket *os.File
	path   string
	file   fs.FileInfo // of the socket we made
	user   int         // that may ask
	close  func() error
}

// Listen makes the socket in dir, an existing folder. A socket that a killed
// process left is replaced; if a process answers there the error wraps
// [fs.ErrExist]. That two do not begin at once is for the caller to see to, with
// a lock. On systems that do not identify the process at the other end the error wraps
// [errors.ErrUnsupported].
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
	// Serve turns away a process of another user that connects before this.
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

// removeStale removes a socket at which no process listens.
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

// Close ends listening and removes the socket, if it is still ours. When any
// call of Close has returned, that is done.
func (l *Listener) Close() error { return l.close() }

func (l *Listener) endListening() error {
	err := l.socket.Close()
	if now, statErr := os.Lstat(l.path); statErr == nil && os.SameFile(now, l.file) {
		err = errors.Join(err, os.Remove(l.path))
	}
	return err
}
