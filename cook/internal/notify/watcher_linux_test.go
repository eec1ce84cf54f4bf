package notify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/internal/leaktest"
)

func start(t testing.TB) *Watcher {
	t.Helper()
	w, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func add(t testing.TB, w *Watcher, folders ...string) {
	t.Helper()
	for _, f := range folders {
		if err := w.Add(f); err != nil {
			t.Fatal(err)
		}
	}
}

func sync1(t testing.TB, w *Watcher) Changes {
	t.Helper()
	c, err := w.Sync(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// must ends the test at the first error.
func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, name, text string) {
	t.Helper()
	must(t, os.WriteFile(name, []byte(text), 0o666))
}

func TestSyncReturnsEveryChangeBefore(t *testing.T) {
	for _, test := range []struct {
		name      string
		do        func(t *testing.T, at func(string) string)
		folders   []string
		unwatched []string
	}{
		{"nothing", func(*testing.T, func(string) string) {}, nil, nil},
		{"only read", func(t *testing.T, at func(string) string) {
			_, err := os.ReadFile(at("a/f"))
			_, err2 := os.ReadDir(at("a"))
			must(t, err, err2)
		}, nil, nil},
		{"create", func(t *testing.T, at func(string) string) { write(t, at("a/new"), "") }, []string{"a"}, nil},
		{"strange name", func(t *testing.T, at func(string) string) { write(t, at("a/\xff\n"), "") }, []string{"a"}, nil},
		{"write", func(t *testing.T, at func(string) string) { write(t, at("a/x/f"), "other") }, []string{"a/x"}, nil},
		{"append", func(t *testing.T, at func(string) string) {
			f, err := os.OpenFile(at("a/f"), os.O_APPEND|os.O_WRONLY, 0)
			must(t, err)
			_, err = f.WriteString("more")
			must(t, err, f.Close())
		}, []string{"a"}, nil},
		{"truncate", func(t *testing.T, at func(string) string) { must(t, os.Truncate(at("a/f"), 1)) }, []string{"a"}, nil},
		{"chmod", func(t *testing.T, at func(string) string) { must(t, os.Chmod(at("a/f"), 0o600)) }, []string{"a"}, nil},
		{"times", func(t *testing.T, at func(string) string) {
			must(t, os.Chtimes(at("a/f"), time.Unix(1, 0), time.Unix(1, 0)))
		}, []string{"a"}, nil},
		{"chmod of a directory", func(t *testing.T, at func(string) string) { must(t, os.Chmod(at("a/x"), 0o700)) }, []string{"a", "a/x"}, nil},
		{"remove", func(t *testing.T, at func(string) string) { must(t, os.Remove(at("b/f"))) }, []string{"b"}, nil},
		{"hard link", func(t *testing.T, at func(string) string) { must(t, os.Link(at("out/f"), at("a/h"))) }, []string{"a"}, nil},
		{"rename within", func(t *testing.T, at func(string) string) { must(t, os.Rename(at("a/f"), at("a/g"))) }, []string{"a"}, nil},
		{"rename across", func(t *testing.T, at func(string) string) { must(t, os.Rename(at("a/f"), at("b/g"))) }, []string{"a", "b"}, nil},
		{"rename in", func(t *testing.T, at func(string) string) { must(t, os.Rename(at("out/f"), at("b/f"))) }, []string{"b"}, nil},
		{"rename out", func(t *testing.T, at func(string) string) { must(t, os.Rename(at("b/f"), at("out/f"))) }, []string{"b"}, nil},
		{"new directory", func(t *testing.T, at func(string) string) { must(t, os.MkdirAll(at("b/n/m"), 0o777)) }, []string{"b"}, nil},
		{"directory in", func(t *testing.T, at func(string) string) { must(t, os.Rename(at("out"), at("b/out"))) }, []string{".", "b"}, nil},
		{"directory removed", func(t *testing.T, at func(string) string) { must(t, os.RemoveAll(at("a"))) },
			[]string{".", "a", "a/x"}, []string{"a", "a/x"}},
		{"directory renamed", func(t *testing.T, at func(string) string) { must(t, os.Rename(at("a"), at("b/a"))) },
			[]string{".", "a", "a/x", "b"}, []string{"a", "a/x"}},
		{"directory swapped", func(t *testing.T, at func(string) string) {
			must(t, unix.Renameat2(unix.AT_FDCWD, at("a/x"), unix.AT_FDCWD, at("b"), unix.RENAME_EXCHANGE))
		}, []string{".", "a", "a/x", "b"}, []string{"a/x", "b"}},
		{"directory replaced", func(t *testing.T, at func(string) string) {
			must(t, os.Rename(at("b"), at("out/b")), os.Mkdir(at("b"), 0o777))
		}, []string{".", "b"}, []string{"b"}},
		{"end of a mapping", func(t *testing.T, at func(string) string) { writeMapped(t, at("a/f")) }, []string{"a"}, nil},
		{"unwatched", func(t *testing.T, at func(string) string) { write(t, at("out/f"), "other") }, nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			leaktest.Check(t)
			dir := t.TempDir()
			at := func(name string) string { return filepath.Join(dir, name) }
			must(t, os.MkdirAll(at("a/x"), 0o777), os.Mkdir(at("b"), 0o777), os.Mkdir(at("out"), 0o777))
			for _, f := range []string{"a/f", "a/x/f", "b/f", "out/f"} {
				write(t, at(f), "text")
			}
			all := func(names []string) (paths []string) {
				for _, name := range names {
					paths = append(paths, at(name))
				}
				return paths
			}
			w := start(t)
			add(t, w, all([]string{".", "a", "a/x", "b"})...)
			test.do(t, at)
			want := Changes{Folders: all(test.folders), Unwatched: all(test.unwatched)}
			if diff := cmp.Diff(want, sync1(t, w)); diff != "" {
				t.Error(diff)
			}
			if again := sync1(t, w); len(again.Folders) > 0 || again.Lost {
				t.Errorf("reported again: %v", again)
			}
			must(t, w.Close())
		})
	}
}

// writeMapped writes through a mapping, so that only the end of the mapping causes an event.
func writeMapped(t *testing.T, name string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	must(t, err)
	m, err := unix.Mmap(int(f.Fd()), 0, 1, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	must(t, err, f.Close())
	m[0]++
	must(t, unix.Munmap(m))
}

// An open mapping causes no event, as the package comment says.
func TestWriteToOpenMappingCausesNoEvent(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "f"), "text")
	f, err := os.OpenFile(filepath.Join(dir, "f"), os.O_RDWR, 0)
	must(t, err)
	m, err := unix.Mmap(int(f.Fd()), 0, 1, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	must(t, err, f.Close())
	w := start(t)
	add(t, w, dir)
	m[0]++
	if c := sync1(t, w); len(c.Folders) > 0 {
		t.Errorf("the write is reported: %v", c)
	}
	must(t, unix.Munmap(m))
	if c := sync1(t, w); len(c.Folders) != 1 {
		t.Errorf("the end of the mapping is not reported: %v", c)
	}
}

// A write through one of several hard links is reported only for the directory of that link, as the
// package comment says.
func TestHardLinkIsReportedForTheUsedNameOnly(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	must(t, os.Mkdir(a, 0o777), os.Mkdir(b, 0o777))
	write(t, a+"/f", "text")
	must(t, os.Link(a+"/f", b+"/f"))
	w := start(t)
	add(t, w, a, b)
	write(t, b+"/f", "other")
	if diff := cmp.Diff(Changes{Folders: []string{b}}, sync1(t, w)); diff != "" {
		t.Error(diff)
	}
}

func TestAddReportsUnusableDirectories(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "f"), "")
	w := start(t)
	for _, test := range []struct {
		folder string
		want   error
		text   string
	}{
		{filepath.Join(dir, "none"), fs.ErrNotExist, "none"},
		{filepath.Join(dir, "f"), fs.ErrNotExist, "not a directory"},
		{filepath.Join(dir, "f", "g"), fs.ErrNotExist, "not a directory"},
		{"relative", nil, "must be absolute and clean"},
		{dir + "/", nil, "must be absolute and clean"},
		{dir + "/\x00", unix.EINVAL, "invalid"},
		{dir + "/" + strings.Repeat("n", 256), unix.ENAMETOOLONG, "too long"},
	} {
		err := w.Add(test.folder)
		if err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%q: %v", test.folder, err)
		}
	}
	if len(w.folders.byPath) > 0 {
		t.Errorf("still known: %v", w.folders.byPath)
	}
}

// An error about too many watches names the limit. The test does not reach the limit, which would
// disturb other programs.
func TestErrorNamesTheLimit(t *testing.T) {
	for _, test := range []struct {
		err, system error
		text        string
	}{
		{openError(unix.EMFILE), unix.EMFILE, "fs.inotify.max_user_instances"},
		{addError(unix.ENOSPC), unix.ENOSPC, "fs.inotify.max_user_watches"},
	} {
		if !errors.Is(test.err, ErrLimit) || !errors.Is(test.err, test.system) || !strings.Contains(test.err.Error(), test.text) {
			t.Error(test.err)
		}
	}
	for _, err := range []error{openError(unix.ENOMEM), addError(unix.EACCES), addError(unix.ENOENT)} {
		if errors.Is(err, ErrLimit) || err == nil {
			t.Error(err)
		}
	}
}

// The test removes a watched link without an event, and adds it again. Add must fail, and the
// directory and its subdirectories must become unwatched.
func TestFailedAddEndsTheDirectory(t *testing.T) {
	w, dir := start(t), t.TempDir()
	target, l := filepath.Join(dir, "target"), filepath.Join(dir, "l")
	must(t, os.MkdirAll(filepath.Join(target, "x"), 0o777), os.Symlink("target", l))
	add(t, w, l, filepath.Join(l, "x"))
	must(t, os.Remove(l)) // no event, because the directory that contains the link is not watched
	if c := sync1(t, w); len(c.Folders) > 0 {
		t.Errorf("%v", c)
	}
	if err := w.Add(l); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	must(t, w.Wait(t.Context(), Patience{}))
	both := []string{l, filepath.Join(l, "x")}
	if diff := cmp.Diff(Changes{Folders: both, Unwatched: both}, sync1(t, w)); diff != "" {
		t.Error(diff)
	}
}

// A directory and a link to it are both reported. If one of the two is no longer watched, the other
// one still is.
func TestBothPathsOfADirectoryAreReported(t *testing.T) {
	dir := t.TempDir()
	a, l := filepath.Join(dir, "a"), filepath.Join(dir, "l")
	must(t, os.Mkdir(a, 0o777), os.Symlink("a", l))
	w := start(t)
	add(t, w, dir, a, l)
	write(t, a+"/f", "1")
	if diff := cmp.Diff(Changes{Folders: []string{a, l}}, sync1(t, w)); diff != "" {
		t.Error(diff)
	}
	must(t, os.Symlink("a", l+"2"), os.Rename(l+"2", l))
	if diff := cmp.Diff(Changes{Folders: []string{dir, l}, Unwatched: []string{l}}, sync1(t, w)); diff != "" {
		t.Error(diff)
	}
	write(t, a+"/f", "2")
	if diff := cmp.Diff(Changes{Folders: []string{a}}, sync1(t, w)); diff != "" {
		t.Error(diff)
	}
}

// While other goroutines write, each finished write is reported by the next Sync, or by an earlier
// Sync that ended after the write began.
func TestWriteIsReportedDespiteManyWriters(t *testing.T) {
	leaktest.Check(t)
	const writers, rounds = 8, 100
	w, dir := start(t), t.TempDir()
	folders := make([]string, writers)
	for i := range folders {
		folders[i] = filepath.Join(dir, strconv.Itoa(i))
		must(t, os.Mkdir(folders[i], 0o777), w.Add(folders[i]))
	}
	type written struct {
		folder string
		after  int64 // number of finished Syncs when the write began
	}
	var all sync.WaitGroup
	var syncs atomic.Int64
	wrote := make(chan written)
	for _, f := range folders {
		all.Go(func() {
			for n := range rounds {
				after := syncs.Load()
				if err := os.WriteFile(filepath.Join(f, strconv.Itoa(n%3)), nil, 0o666); err != nil {
					t.Error(err)
				}
				wrote <- written{f, after}
			}
		})
	}
	go func() { all.Wait(); close(wrote) }()
	reported := map[string]int64{} // number of the Sync call that must report, from 1
	for one := range wrote {
		c := sync1(t, w)
		for _, f := range c.Folders {
			reported[f] = syncs.Load() + 1
		}
		syncs.Add(1)
		if c.Lost || reported[one.folder] <= one.after {
			t.Errorf("%s, written after %d calls, was last reported by call %d; lost: %t",
				one.folder, one.after, reported[one.folder], c.Lost)
		}
	}
	must(t, w.Close())
}

func TestOverflowIsReportedAsLoss(t *testing.T) {
	leaktest.Check(t)
	w, dir := start(t), t.TempDir()
	f := filepath.Join(dir, "f")
	add(t, w, dir)
	w.mu.Lock()
	fill(t, dir, queueCapacity(t)+2)
	w.mu.Unlock()
	if diff := cmp.Diff(Changes{Lost: true}, sync1(t, w)); diff != "" {
		t.Error(diff)
	}
	write(t, f, "not watched any more")
	if diff := cmp.Diff(Changes{}, sync1(t, w)); diff != "" {
		t.Error(diff)
	}
	add(t, w, dir)
	write(t, f, "watched again")
	if diff := cmp.Diff(Changes{Folders: []string{dir}}, sync1(t, w)); diff != "" {
		t.Error(diff)
	}
	must(t, w.Close())
}

// After events were lost, Add and Wait work before the Sync that reports the loss.
func TestAddAndWaitWorkAfterLoss(t *testing.T) {
	w, dir := start(t), t.TempDir()
	add(t, w, dir)
	w.mu.Lock()
	w.note(event{watch: noWatch, kind: overflowed})
	w.mu.Unlock()
	add(t, w, dir)
	must(t, w.Wait(t.Context(), Patience{}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if c, err := w.Sync(ctx); !errors.Is(err, context.Canceled) || c.Lost {
		t.Errorf("%v, %v", c, err)
	}
	if c := sync1(t, w); !c.Lost {
		t.Error("forgotten")
	}
	if c := sync1(t, w); c.Lost {
		t.Error("reported twice")
	}
}

func TestBrokenQueueIsReportedAsLoss(t *testing.T) {
	leaktest.Check(t)
	w, dir := start(t), t.TempDir()
	add(t, w, dir)
	must(t, w.queue.file.Close())
	if c := sync1(t, w); !c.Lost {
		t.Errorf("%v", c)
	}
	add(t, w, dir)
	write(t, filepath.Join(dir, "f"), "")
	if diff := cmp.Diff(Changes{Folders: []string{dir}}, sync1(t, w)); diff != "" {
		t.Error(diff)
	}
	must(t, w.Close())
}

// The system queues an event for every ended watch. These events must not overflow the queue.
func TestReleasingWatchesDoesNotOverflowTheQueue(t *testing.T) {
	w, dir := start(t), t.TempDir()
	top := filepath.Join(dir, "top")
	must(t, os.Mkdir(top, 0o777))
	add(t, w, dir, top)
	const n = 600
	for i := range n {
		f := filepath.Join(top, strconv.Itoa(i))
		must(t, os.Mkdir(f, 0o777), w.Add(f))
	}
	sync1(t, w)
	w.mu.Lock()
	fill(t, dir, queueCapacity(t)-n/2)
	w.folders.end(top)
	c, ids := w.folders.takeChanges()
	w.releaseAll(ids)
	w.mu.Unlock()
	if len(c.Unwatched) != n+1 || len(ids) != n+1 {
		t.Errorf("%d directories ended, %d watches", len(c.Unwatched), len(ids))
	}
	if diff := cmp.Diff(Changes{Folders: []string{dir}}, sync1(t, w)); diff != "" {
		t.Error(diff)
	}
}

// queueCapacity returns the capacity of the system's queue, in events.
func queueCapacity(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	must(t, err)
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	must(t, err)
	return n
}

// fill causes about n events in a directory.
func fill(t *testing.T, dir string, n int) {
	t.Helper()
	f, g := filepath.Join(dir, "f"), filepath.Join(dir, "g")
	write(t, f, "")
	write(t, g, "")
	for range n / 2 { // equal successive events would be merged
		must(t, os.Chmod(f, 0o600), os.Chmod(g, 0o600))
	}
}

// No parent of the topmost directory is watched, so only its own watch can report the removal.
func TestRemovedTopDirectoryIsUnwatched(t *testing.T) {
	for name, do := range map[string]func(dir string) error{
		"renamed": func(dir string) error { return os.Rename(dir, dir+"2") },
		"removed": os.RemoveAll,
	} {
		t.Run(name, func(t *testing.T) {
			w, top := start(t), filepath.Join(t.TempDir(), "top")
			x := filepath.Join(top, "x")
			must(t, os.MkdirAll(x, 0o777))
			add(t, w, top, x)
			must(t, do(top))
			want := Changes{Folders: []string{top, x}, Unwatched: []string{top, x}}
			if diff := cmp.Diff(want, sync1(t, w)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestClosedWatcherReturnsErrors(t *testing.T) {
	leaktest.Check(t)
	w, dir := start(t), t.TempDir()
	add(t, w, dir)
	waited := make(chan error)
	go func() { waited <- w.Wait(context.Background(), Patience{time.Hour, time.Hour, time.Hour}) }()
	must(t, w.Close(), w.Close())
	_, err := w.Sync(t.Context())
	for what, err := range map[string]error{"Sync": err, "Add": w.Add(dir), "Wait": <-waited} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestWaitForFiles(t *testing.T) {
	w, dir := start(t), t.TempDir()
	add(t, w, dir)
	go os.WriteFile(filepath.Join(dir, "f"), nil, 0o666)
	must(t, w.Wait(t.Context(), Patience{Most: time.Hour}))
	if c := sync1(t, w); len(c.Folders) != 1 {
		t.Errorf("%v", c)
	}
}

func BenchmarkSync(b *testing.B) {
	const n = 10_000
	w, dir := start(b), b.TempDir()
	folders := make([]string, n)
	for i := range folders {
		folders[i] = filepath.Join(dir, strconv.Itoa(i))
		must(b, os.Mkdir(folders[i], 0o777), w.Add(folders[i]))
	}
	for _, touched := range []int{0, 1, 1000} {
		b.Run(fmt.Sprintf("folders=%d/touched=%d", n, touched), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				for _, f := range folders[:touched] {
					must(b, os.Chtimes(f, time.Unix(1, 0), time.Unix(1, 0)))
				}
				b.StartTimer()
				if c := sync1(b, w); len(c.Folders) != touched || c.Lost {
					b.Fatalf("%d directories, lost: %t", len(c.Folders), c.Lost)
				}
			}
		})
	}
	b.Run(fmt.Sprintf("folders=%d/moved=1", n), func(b *testing.B) {
		for b.Loop() {
			must(b, os.Rename(folders[0], folders[0]+"x"))
			if c := sync1(b, w); len(c.Unwatched) != 1 {
				b.Fatalf("%v", c)
			}
			must(b, os.Rename(folders[0]+"x", folders[0]), w.Add(folders[0]))
		}
	})
}
