//go:build linux || darwin

package socket

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func listenAt(t *testing.T, addr string) *os.File {
	t.Helper()
	l, err := ListenTCP(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// connected returns both ends of a connection.
func connected(t *testing.T, l *os.File) (client net.Conn, server *os.File) {
	t.Helper()
	client, err := net.Dial("tcp", l.Name())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	if server, err = Accept(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return client, server
}

func TestListenTCP(t *testing.T) {
	for addr, host := range map[string]string{"0": "127.0.0.1:", "[::1]:0": "[::1]:", "0.0.0.0:0": "0.0.0.0:"} {
		l, err := ListenTCP(addr)
		if errors.Is(err, unix.EAFNOSUPPORT) || errors.Is(err, unix.EADDRNOTAVAIL) {
			t.Logf("%s: %v", addr, err) // the system may lack IPv6
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if !strings.HasPrefix(l.Name(), host) || strings.HasSuffix(l.Name(), ":0") {
			t.Errorf("%s: listens at %s", addr, l.Name())
		}
		client, server := connected(t, l)
		if _, err := server.WriteString("hello"); err != nil {
			t.Error(err)
		}
		server.Close()
		if got, err := io.ReadAll(client); string(got) != "hello" || err != nil {
			t.Errorf("%s: %q, %v", addr, got, err)
		}
	}
}

// TestPortInUseIsAnError expects an error for a port in use. A port whose last connection was
// closed at this end may be used again at once.
func TestPortInUseIsAnError(t *testing.T) {
	l := listenAt(t, "0")
	if second, err := ListenTCP(l.Name()); second != nil || !errors.Is(err, unix.EADDRINUSE) || !strings.Contains(err.Error(), l.Name()) {
		t.Errorf("a second listener: %v, %v", second, err)
	}
	client, server := connected(t, l)
	server.Close()
	if _, err := io.ReadAll(client); err != nil {
		t.Error(err)
	}
	client.Close()
	l.Close()
	again := listenAt(t, l.Name())
	if again.Name() != l.Name() {
		t.Errorf("listens at %s, not %s", again.Name(), l.Name())
	}
}

// TestSocketsAreNonblockingAndNotInherited checks the flags of sockets. Nonblocking sockets can be
// closed during a call. Programs that the command starts must not inherit sockets. Data must be
// sent without delay.
func TestSocketsAreNonblockingAndNotInherited(t *testing.T) {
	l := listenAt(t, "0")
	_, server := connected(t, l)
	for name, f := range map[string]*os.File{"listener": l, "server": server} {
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
			if on, err := unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NODELAY); err != nil || on == 0 {
				t.Errorf("%s: TCP_NODELAY is %d, %v", name, on, err)
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestClosingEndsAcceptAndReads(t *testing.T) {
	l := listenAt(t, "0")
	_, server := connected(t, l)
	ended := make(chan error)
	go func() {
		_, err := Accept(t.Context(), l)
		ended <- err
	}()
	go func() {
		_, err := server.Read(make([]byte, 1))
		ended <- err
	}()
	if err := errors.Join(l.Close(), server.Close()); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := <-ended; !errors.Is(err, fs.ErrClosed) {
			t.Errorf("while closing: %v", err)
		}
	}
	if _, err := Accept(t.Context(), l); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
