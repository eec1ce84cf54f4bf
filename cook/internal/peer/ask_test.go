//go:build linux || darwin

package peer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/internal/leaktest"
)

// serveIn serves requests in dir until end is called. end returns the error of Serve.
func serveIn(t testing.TB, dir string, handle Handler) (end func() error) {
	t.Helper()
	l, err := Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	return serveWith(t, l, handle)
}

func serveWith(t testing.TB, l *Listener, handle Handler) (end func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- l.Serve(ctx, handle) }()
	end = sync.OnceValue(func() error { cancel(); return <-served })
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	return end
}

// shortDir returns an empty directory with a short path, because t.TempDir may be too long.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "w")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestAsk(t *testing.T) {
	leaktest.Check(t)
	dir := shortDir(t)
	end := serveIn(t, dir, upper)
	for _, q := range []string{"", "question", strings.Repeat("x", MaxPayload)} {
		got, err := Ask(t.Context(), dir, []byte(q))
		if err != nil || string(got) != strings.ToUpper(q) {
			t.Errorf("%d bytes: %d, %v", len(q), len(got), err)
		}
	}
	if _, err := Ask(t.Context(), dir, make([]byte, MaxPayload+1)); err == nil || !strings.Contains(err.Error(), "the limit is") {
		t.Errorf("too long a question: %v", err)
	}
	info, err := os.Lstat(filepath.Join(dir, socketName))
	if err != nil || info.Mode() != fs.ModeSocket|0o600 {
		t.Errorf("socket has mode %v, %v", info.Mode(), err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left in the directory: %v, %v", entries, err)
	}
}

func TestAskManyAtOnce(t *testing.T) {
	dir := shortDir(t)
	const n = 20
	var here sync.WaitGroup
	here.Add(n)
	serveIn(t, dir, func(ctx context.Context, q []byte) []byte {
		here.Done()
		here.Wait() // returns only once all requests are being handled at the same time
		return upper(ctx, q)
	})
	var clients sync.WaitGroup
	for i := range n {
		clients.Go(func() {
			q := []byte{'a' + byte(i)}
			if got, err := Ask(t.Context(), dir, q); err != nil || !bytes.Equal(got, bytes.ToUpper(q)) {
				t.Errorf("%q: %q, %v", q, got, err)
			}
		})
	}
	clients.Wait()
}

// stale leaves a socket in the directory, as a killed process does.
func stale(t *testing.T, dir string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, socketName), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAskWithoutListener(t *testing.T) {
	for name, prepare := range map[string]func(dir string) string{
		"no socket":           func(dir string) string { return dir },
		"no directory":        func(dir string) string { return filepath.Join(dir, "none") },
		"no directory, long":  func(dir string) string { return filepath.Join(dir, strings.Repeat("n", 200), "none") },
		"stale socket":        func(dir string) string { stale(t, dir); return dir },
		"file as a directory": func(dir string) string { name := filepath.Join(dir, "f"); plant(t, name); return name },
		"file as a socket":    func(dir string) string { plant(t, filepath.Join(dir, socketName)); return dir },
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := Ask(t.Context(), prepare(shortDir(t)), nil); !errors.Is(err, ErrNoListener) && !tooLong(err) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func plant(t *testing.T, name string) {
	t.Helper()
	if err := os.WriteFile(name, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
}

// tooLong reports whether an error means that this system cannot handle the long path.
func tooLong(err error) bool {
	return err != nil && maxAddress < 107 && strings.Contains(err.Error(), "choose an output directory with a shorter path")
}

func TestListenOverStale(t *testing.T) {
	dir := shortDir(t)
	stale(t, dir)
	serveIn(t, dir, upper)
	if got, err := Ask(t.Context(), dir, []byte("q")); string(got) != "Q" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestListenTwice(t *testing.T) {
	dir := shortDir(t)
	serveIn(t, dir, upper)
	if _, err := Listen(dir); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
	if got, err := Ask(t.Context(), dir, []byte("q")); string(got) != "Q" {
		t.Errorf("the first one is disturbed: %q, %v", got, err)
	}
}

func TestListenErrors(t *testing.T) {
	dir := shortDir(t)
	if _, err := Listen(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	file := filepath.Join(dir, socketName)
	plant(t, file)
	if _, err := Listen(dir); err == nil || !strings.Contains(err.Error(), "not a socket") {
		t.Errorf("%v", err)
	}
	if text, err := os.ReadFile(file); string(text) != "text" {
		t.Errorf("the file in the way: %q, %v", text, err)
	}
}

// TestSilent asks a stopped process. It still listens, because the system accepts connections for
// it.
func TestSilent(t *testing.T) {
	dir := shortDir(t)
	if pid, ok := Listens(t.Context(), dir); pid != 0 || ok {
		t.Errorf("without a socket: %d, %t", pid, ok)
	}
	l, err := net.Listen("unix", filepath.Join(dir, socketName))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if pid, ok := Listens(t.Context(), dir); pid != os.Getpid() || !ok {
		t.Errorf("process %d, %t", pid, ok)
	}
	var silent *SilentError
	if _, err := Ask(t.Context(), dir, []byte("q")); !errors.As(err, &silent) || silent.PID != os.Getpid() {
		t.Error(err)
	}
}

// TestCloseLeavesOthers replaces the listener's socket, and expects Close to leave the new socket.
func TestCloseLeavesOthers(t *testing.T) {
	dir := shortDir(t)
	l, err := Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, socketName)
	if err := os.Rename(path, path+"2"); err != nil { // the renamed socket keeps its inode, so the next socket gets a different one
		t.Fatal(err)
	}
	stale(t, dir)
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Error(err)
	}
}

func TestLongPath(t *testing.T) {
	dir := filepath.Join(shortDir(t), strings.Repeat("long", 30), "\xff name")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		dir = filepath.Dir(dir) // some systems do not accept every byte in a name
	}
	l, err := Listen(dir)
	if tooLong(err) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	end := serveWith(t, l, upper)
	if got, err := Ask(t.Context(), dir, []byte("q")); string(got) != "Q" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Listen(dir); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left in the directory: %v, %v", entries, err)
	}
}

func TestLongAddress(t *testing.T) {
	err := longAddress("/" + strings.Repeat("n", 199))
	if !strings.Contains(err.Error(), "200 bytes") {
		t.Error(err)
	}
}

// TestAddressWithAt uses a name that begins with @. On Linux, such an address would mean a socket
// without a file.
func TestAddressWithAt(t *testing.T) {
	t.Chdir(shortDir(t))
	if err := os.Mkdir("@", 0o777); err != nil {
		t.Fatal(err)
	}
	serveIn(t, "@", upper)
	if _, err := os.Lstat(filepath.Join("@", socketName)); err != nil {
		t.Error(err)
	}
	if got, err := Ask(t.Context(), "@", []byte("q")); string(got) != "Q" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestCheckUser(t *testing.T) {
	for _, test := range []struct {
		peer, our int
		ok        bool
	}{{0, 0, true}, {1000, 1000, true}, {0, 1000, false}, {1000, 0, false}, {-1, 0, false}, {65534, 1000, false}} {
		if err := checkUser(test.peer, test.our); (err == nil) != test.ok || err != nil && !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%d asks %d: %v", test.peer, test.our, err)
		}
	}
}

// TestOtherUser expects both sides to refuse a process of another user. One side claims another
// user ID, because the test has only one user.
func TestOtherUser(t *testing.T) {
	dir := shortDir(t)
	l, err := Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	l.user++
	serveWith(t, l, func(context.Context, []byte) []byte {
		t.Error("a question was heard")
		return nil
	})
	if got, err := Ask(t.Context(), dir, nil); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("server: %q, %v", got, err)
	}
	if got, err := askListener(t.Context(), dir, nil, os.Geteuid()+1); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("client: %q, %v", got, err)
	}
}

// TestServerDies ends the server after it has read a request, before or during its answer.
func TestServerDies(t *testing.T) {
	for name, part := range map[string]string{"before": "", "in the head": "\x02\x05", "in the body": "\x02\x05\x00\x00\x00ab"} {
		t.Run(name, func(t *testing.T) {
			dir := shortDir(t)
			l, err := net.Listen("unix", filepath.Join(dir, socketName))
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				receiveFrame(conn)
				io.WriteString(conn, part)
				conn.Close()
			}()
			if got, err := Ask(t.Context(), dir, []byte("q")); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// TestAskOtherVersion asks a process with another version of the protocol, and expects an error.
func TestAskOtherVersion(t *testing.T) {
	dir := shortDir(t)
	l, err := net.Listen("unix", filepath.Join(dir, socketName))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		receiveFrame(conn)
		io.WriteString(conn, "\x03\x00\x00\x00\x00")
		conn.Close()
	}()
	if got, err := Ask(t.Context(), dir, nil); !errors.Is(err, errVersion) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestAskCancelled cancels a request, and expects the context of the handler to end.
func TestAskCancelled(t *testing.T) {
	leaktest.Check(t)
	dir := shortDir(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	left := make(chan struct{})
	serveIn(t, dir, func(ctx context.Context, _ []byte) []byte {
		cancel(interrupted)
		<-ctx.Done()
		close(left)
		return nil
	})
	if got, err := Ask(ctx, dir, nil); !errors.Is(err, interrupted) {
		t.Errorf("%q, %v", got, err)
	}
	<-left
	if got, err := Ask(ctx, dir, nil); !errors.Is(err, interrupted) {
		t.Errorf("asked when it had ended: %q, %v", got, err)
	}
}

// TestHostileClients expects that hostile clients do not delay other clients.
func TestHostileClients(t *testing.T) {
	leaktest.Check(t)
	dir := shortDir(t)
	end := serveIn(t, dir, upper)
	for i := range 100 {
		conn, err := net.Dial("unix", filepath.Join(dir, socketName))
		if err != nil {
			t.Fatal(err)
		}
		switch i % 4 {
		case 0:
			defer conn.Close()
		case 1:
			conn.Close()
		case 2:
			conn.Write(bytes.Repeat([]byte("garbage"), 1000))
			defer conn.Close()
		case 3: // a frame that claims a large size
			conn.Write([]byte("\x02\xff\xff\x0f\x00"))
			defer conn.Close()
		}
	}
	if got, err := Ask(t.Context(), dir, []byte("q")); string(got) != "Q" {
		t.Errorf("%q, %v", got, err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestMoreClientsWait expects clients beyond the limit to wait for a free slot.
func TestMoreClientsWait(t *testing.T) {
	dir := shortDir(t)
	serveIn(t, dir, upper)
	var conns []net.Conn
	for range maxClients + 10 {
		conn, err := net.Dial("unix", filepath.Join(dir, socketName))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conns = append(conns, conn)
	}
	last := conns[len(conns)-1]
	if err := sendFrame(last, []byte("q")); err != nil {
		t.Fatal(err)
	}
	for _, conn := range conns[:20] {
		conn.Close()
	}
	if got, err := awaitAnswer(last); string(got) != "Q" {
		t.Errorf("%q, %v", got, err)
	}
}

func BenchmarkAsk(b *testing.B) {
	dir := shortDir(b)
	serveIn(b, dir, upper)
	question := bytes.Repeat([]byte("q"), 100)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Ask(b.Context(), dir, question); err != nil {
			b.Fatal(err)
		}
	}
}
