package peer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/internal/socket"
)

// crowded returns a directory with a socket whose queue is full.
func crowded(t *testing.T) (dir string, listening int) {
	t.Helper()
	dir = shortDir(t)
	listening, err := socket.Open(unix.AF_UNIX)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(listening) })
	address := &unix.SockaddrUnix{Name: filepath.Join(dir, socketName)}
	if err := errors.Join(unix.Bind(listening, address), unix.Listen(listening, 0)); err != nil {
		t.Fatal(err)
	}
	for {
		fd, err := socket.Open(unix.AF_UNIX)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fd) })
		switch err := unix.Connect(fd, address); {
		case errors.Is(err, unix.EAGAIN):
			return dir, listening
		case err != nil:
			t.Fatal(err)
		}
	}
}

func TestCrowd(t *testing.T) {
	dir, listening := crowded(t)
	interrupted := errors.New("interrupted")
	for name, test := range map[string]struct {
		cancelAfter time.Duration // 0 means never
		want        error
		took        time.Duration
	}{
		"to the end":  {0, unix.EAGAIN, dialTimeout},
		"interrupted": {dialTimeout / 3, interrupted, dialTimeout / 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if test.cancelAfter > 0 {
					time.AfterFunc(test.cancelAfter, func() { cancel(interrupted) })
				}
				start := time.Now()
				got, err := Ask(ctx, dir, nil)
				if took := time.Since(start); !errors.Is(err, test.want) || errors.Is(err, ErrNoListener) || took != test.took {
					t.Errorf("%q, %v after %v; want %v after %v", got, err, took, test.want, test.took)
				}
			})
		})
	}
	// The socket is in use, so Listen must not replace it.
	t.Run("listen", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			if _, err := Listen(dir); !errors.Is(err, unix.EAGAIN) {
				t.Error(err)
			}
		})
	})
	t.Run("until there is room", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			time.AfterFunc(dialTimeout/2, func() {
				fd, _, err := unix.Accept4(listening, unix.SOCK_CLOEXEC)
				if err != nil {
					t.Error(err)
				}
				unix.Close(fd)
			})
			conn, err := dialListener(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			conn.Close()
			if took := time.Since(start); took < dialTimeout/2 || took > dialTimeout/2+dialPause {
				t.Errorf("connected after %v", took)
			}
		})
	})
}

// TestDescriptors expects nonblocking descriptors, because closing a blocking descriptor does not
// end the calls that wait for it. Child processes must not inherit the descriptors.
func TestDescriptors(t *testing.T) {
	dir := shortDir(t)
	l, err := Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := dialListener(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := socket.Accept(t.Context(), l.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for name, f := range map[string]*os.File{"listener": l.socket, "client": client, "server": server} {
		raw, err := f.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		err = raw.Control(func(fd uintptr) {
			for what, cmd := range map[int]int{unix.FD_CLOEXEC: unix.F_GETFD, unix.O_NONBLOCK: unix.F_GETFL} {
				if got, err := unix.FcntlInt(fd, cmd, 0); err != nil || got&what == 0 {
					t.Errorf("%s: flags %#x lack %#x, %v", name, got, what, err)
				}
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
}
