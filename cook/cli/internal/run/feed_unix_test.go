//go:build linux || darwin

package run

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/leaktest"
	"github.com/assetcook/assetcook/profile/events"
)

const timelineAt = "cook: timeline at "

// dialFeed connects to a feed, and returns when the stream has begun.
func dialFeed(t *testing.T, addr string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	r := bufio.NewReader(conn)
	if _, err := r.Peek(1); err != nil {
		t.Fatal(err)
	}
	return conn, r
}

// cooked reads a stream to its end, and counts the cooks of b.json.
func cooked(r io.Reader) (times int, err error) {
	for e, err := range events.Read(r).All() {
		if err != nil {
			return times, err
		}
		if e.Kind == events.Scope && e.Name == "cook/recipe/json" && e.Detail == "b.json" {
			times++
		}
	}
	return times, nil
}

// TestFeed expects the cook of b.json in the stream of each viewer and in the file of -trace. A
// viewer that disconnects must not affect the other viewers.
func TestFeed(t *testing.T) {
	args, _ := plainProject(t)
	args = append(args, "-q")
	leaktest.Check(t)
	file := filepath.Join(t.TempDir(), "t.events")
	for name, more := range map[string][]string{"alone": nil, "and trace": {"-trace", file}} {
		t.Run(name, func(t *testing.T) {
			var stderr strings.Builder
			viewed := make(chan error, 2)
			run := func(ctx context.Context, p cook.Project, opt cook.CookOptions) (cook.Summary, error) {
				addr, _ := strings.CutPrefix(strings.TrimSpace(stderr.String()), timelineAt)
				for range 2 {
					_, r := dialFeed(t, addr)
					go func() {
						times, err := cooked(r)
						if err == nil && times != 1 {
							err = errors.New("b.json is not in the stream")
						}
						viewed <- err
					}()
				}
				gone, _ := dialFeed(t, addr)
				gone.Close()
				return cook.Cook(ctx, p, opt)
			}
			args := append(append(args, "-a", "-feed", "0"), more...)
			code := cookWith(t.Context(), run, args, &stderr)
			if text := stderr.String(); code != frontend.OK || !strings.HasPrefix(text, timelineAt+"127.0.0.1:") || strings.Count(text, "\n") != 1 {
				t.Errorf("exit %d: %s", code, text)
			}
			for range 2 {
				if err := <-viewed; err != nil {
					t.Error(err)
				}
			}
		})
	}
	recorded, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer recorded.Close()
	if times, err := cooked(recorded); times != 1 || err != nil {
		t.Errorf("in the file b.json is cooked %d times, %v", times, err)
	}
}

// TestFeedWatch connects a viewer to a watching cook. The viewer must see the cook of a changed
// file, and the end of the recording when the watcher is interrupted.
func TestFeedWatch(t *testing.T) {
	args, _ := plainProject(t)
	args = append(args, "-q")
	leaktest.Check(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	stderr, to := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- cookWith(ctx, cook.Cook, append(args, "-watch", "-feed", "0"), to)
		to.Close()
	}()
	lines := bufio.NewScanner(stderr)
	lines.Scan()
	addr, ok := strings.CutPrefix(lines.Text(), timelineAt)
	if !ok {
		t.Fatalf("the first line is %q", lines.Text())
	}
	go io.Copy(io.Discard, stderr)
	_, r := dialFeed(t, addr)
	if err := os.WriteFile(filepath.Join(args[1], "new.json"), []byte("[2]"), 0o666); err != nil {
		t.Fatal(err)
	}
	seen := false
	for e, err := range events.Read(r).All() {
		if err != nil {
			t.Error(err)
		}
		if e.Kind == events.Scope && e.Name == "cook/recipe/json" && e.Detail == "new.json" {
			seen = true
			interrupt()
		}
	}
	if code := <-ended; code != frontend.Interrupted || !seen {
		t.Errorf("exit %d; the change is in the stream: %v", code, seen)
	}
}

// limitBuffers limits the socket buffers of a connection to a slow viewer.
func limitBuffers(_, _ string, conn syscall.RawConn) error {
	var result error
	err := conn.Control(func(fd uintptr) {
		result = errors.Join(
			syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF, 4<<10),
			syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4<<10))
	})
	return errors.Join(err, result)
}

// TestFeedStuckViewer connects a viewer that reads nothing. The recording must continue and end
// without waiting for the viewer.
func TestFeedStuckViewer(t *testing.T) {
	leaktest.Check(t)
	f, err := listenFeed("0")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := f.socket.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := limitBuffers("", "", raw); err != nil {
		t.Fatal(err)
	}
	rec := events.New(f.stream, events.Options{})
	dialer := net.Dialer{Control: limitBuffers}
	stuck, err := dialer.Dial("tcp", f.socket.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer stuck.Close()
	if _, err := io.ReadFull(stuck, make([]byte, len("\x89EVENTS\x01"))); err != nil {
		t.Fatal(err)
	}
	w := rec.Worker("worker")
	for range 4 << 10 {
		w.User(rec.Symbol("data"), make([]byte, 1<<10))
	}
	w.Release()
	if err := rec.Close(); err != nil {
		t.Error(err)
	}
	if err := f.endFeed(time.Millisecond); err != nil {
		t.Error(err)
	}
	got, err := io.ReadAll(stuck)
	if len(got) > 1<<20 {
		t.Errorf("the viewer could take %d bytes, %v", len(got), err)
	}
	if conn, err := net.Dial("tcp", f.socket.Name()); err == nil {
		conn.Close()
		t.Error("the port is still open")
	}
}

func TestFeedCrowd(t *testing.T) {
	leaktest.Check(t)
	f, err := listenFeed("0")
	if err != nil {
		t.Fatal(err)
	}
	rec := events.New(f.stream, events.Options{})
	var last *bufio.Reader
	for range maxViewers {
		_, last = dialFeed(t, f.socket.Name())
	}
	conn, err := net.Dial("tcp", f.socket.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("one viewer too many reads %d bytes, %v", n, err)
	}
	if err := rec.Close(); err != nil {
		t.Error(err)
	}
	if _, err := cooked(last); err != nil {
		t.Error(err)
	}
	if err := f.endFeed(takeRest); err != nil {
		t.Error(err)
	}
}

// TestFeedAcceptFails expects the feed's error to say that no more viewers could connect.
func TestFeedAcceptFails(t *testing.T) {
	f, err := listenFeed("0")
	if err != nil {
		t.Fatal(err)
	}
	f.socket.Close()
	f.serving.Wait()
	if err := f.endFeed(0); err == nil || !strings.Contains(err.Error(), "further viewers could not connect") {
		t.Error(err)
	}
}

// TestFeedAddress expects an error of one line for an unusable address, before anything is cooked.
func TestFeedAddress(t *testing.T) {
	args, out := plainProject(t)
	args = append(args, "-q")
	leaktest.Check(t)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	used, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer used.Close()
	for addr, want := range map[string]string{
		used.Addr().String(): "address already in use",
		"example.com:7070":   "want a port, or host:port",
		"70700":              "want a port, or host:port",
	} {
		file := filepath.Join(filepath.Dir(out), "t.events")
		var stderr strings.Builder
		code := cookWith(t.Context(), cook.Cook, append(args, "-trace", file, "-feed", addr), &stderr)
		if text := stderr.String(); code != frontend.Usage || !strings.HasPrefix(text, "cook: error: feed: listen at "+addr+": "+want) || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: exit %d: %s", addr, code, text)
		}
		for _, name := range []string{out, file} {
			if _, err := os.Lstat(name); err == nil {
				t.Errorf("%s: %s exists", addr, name)
			}
		}
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("temporary files: %v, %v", left, err)
	}
}
