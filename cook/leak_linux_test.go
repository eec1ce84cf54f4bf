package cook_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cooktest"
	"github.com/assetcook/assetcook/cook/run"
)

// held is what a process holds: goroutines, and descriptors and mappings by what
// they lead to.
type held struct {
	goroutines int
	files      map[string]int
}

func whatIsHeld(t *testing.T) held {
	t.Helper()
	h := held{goroutines: runtime.NumGoroutine(), files: map[string]int{}}
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range list {
		// The descriptor that has just listed them is gone.
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil {
			h.files[to]++
		}
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		if at := strings.IndexByte(line, '/'); at >= 0 {
			h.files["map of "+strings.TrimSpace(line[at:])]++
		}
	}
	return h
}

// more says what is held beyond h, or "".
func (h held) more(now held) string {
	var lines []string
	if now.goroutines > h.goroutines {
		stacks := make([]byte, 1<<20)
		lines = append(lines, fmt.Sprintf("%d goroutines, %d before\n%s", now.goroutines, h.goroutines, stacks[:runtime.Stack(stacks, true)]))
	}
	for to, n := range now.files {
		if n > h.files[to] && !strings.HasPrefix(to, "anon_inode:[event") { // the runtime's
			lines = append(lines, fmt.Sprintf("%d open: %s, %d before", n, to, h.files[to]))
		}
	}
	return strings.Join(lines, "\n")
}

// keepGarbage keeps files that were forgotten from being closed by the garbage
// collector until the returned function is called.
func keepGarbage() (collect func()) {
	percent := debug.SetGCPercent(-1)
	return func() { debug.SetGCPercent(percent) }
}

// noLeak fails the test if something is held that was not before. A goroutine that
// has done its work may still be on its way out.
func noLeak(t *testing.T, what string, before held) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for before.more(whatIsHeld(t)) != "" && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	if more := before.more(whatIsHeld(t)); more != "" {
		t.Fatalf("%s leaves behind: %s", what, more)
	}
}

// A fuse is an observer that ends a context at the n-th thing that it is told.
type fuse struct {
	cancel context.CancelFunc
	mu     sync.Mutex
	n      int
	late   int // assets that were begun after that
}

func (f *fuse) burn() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n--; f.n == 0 {
		f.cancel()
	}
}

// wet makes the fuse burn no more.
func (f *fuse) wet() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n = 0
}

func (f *fuse) Stage(string)               { f.burn() }
func (f *fuse) Planned(int, time.Duration) { f.burn() }
func (f *fuse) Note(string)                { f.burn() }
func (f *fuse) EveryAsset() bool           { return false }

// untilFuse calls do with a context that ends at the n-th thing that is told, for
// n = 1, 2, ... until nothing that do tells is left. do reports whether it was
// done to the end.
func untilFuse(t *testing.T, what string, do func(ctx context.Context, f *fuse) error) {
	t.Helper()
	for n := 1; ; n++ {
		collect := keepGarbage()
		before := whatIsHeld(t)
		ctx, cancel := context.WithCancel(t.Context())
		f := &fuse{cancel: cancel, n: n}
		err := do(ctx, f)
		ended := ctx.Err() != nil
		if ended && f.late > 2 { // one for each worker may have been on its way
			t.Errorf("%s, ended at %d: %d assets were begun after that", what, n, f.late)
		}
		cancel()
		noLeak(t, fmt.Sprintf("%s, ended at %d", what, n), before)
		collect()
		if !ended {
			if err != nil {
				t.Errorf("%s, not interrupted: %v", what, err)
			}
			if n < 5 {
				t.Errorf("%s was interrupted %d times only", what, n-1)
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s, ended at %d: error %v, want %v", what, n, err, context.Canceled)
		}
	}
}

func (f *fuse) Event(e run.Event) {
	f.mu.Lock()
	if e.Started && f.n <= 0 {
		f.late++
	}
	f.mu.Unlock()
	f.burn()
}

// fewAssets is a part of the sample.
func fewAssets(t *testing.T) cook.Options {
	t.Helper()
	opt := sampleOptions(t)
	for _, dir := range []string{"tex", "ui", "same", "data"} {
		if err := os.RemoveAll(filepath.Join(opt.Dir, dir)); err != nil {
			t.Fatal(err)
		}
	}
	return opt
}

// whole proves that no output is there that a cook from scratch would not make, or
// make otherwise.
func whole(t *testing.T, what string, out string, want ...cooktest.Tree) {
	t.Helper()
	for name, text := range readTree(t, out) {
		found := name == "manifest.json"
		for _, tree := range want {
			found = found || tree[name] == text
		}
		if !found {
			t.Errorf("%s: %s is neither as before nor as it should be", what, name)
		}
	}
}

// A cook that is interrupted, whenever that is, ends with the context's error,
// leaves nothing behind, neither goroutines nor files, and nothing half done; and
// the next one makes everything right.
func TestInterruptedAnywhere(t *testing.T) {
	opt := fewAssets(t)
	rules := "\n[[rule]]\nmatch = \"sound/*\"\ncommand = [\"sh\", \"-c\", 'cat \"$1\" > \"$2\"', \"sh\", \"{in}\", \"{out}\"]\noutputs = [\"{name}\"]\n"
	toml := filepath.Join(opt.Dir, "cook.toml")
	text, err := os.ReadFile(toml)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(toml, append(text, rules...), 0o666); err != nil {
		t.Fatal(err)
	}
	none := scratchTree(t, opt)
	untilFuse(t, "first cook", func(ctx context.Context, f *fuse) error {
		for _, dir := range []string{opt.Out, opt.Cache} {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
		cut := opt
		cut.Observer = f
		_, err := cook.Cook(ctx, cut)
		whole(t, "first cook", opt.Out, none)
		return err
	})
	before, edits := none, 0
	untilFuse(t, "cook after an edit", func(ctx context.Context, f *fuse) error {
		if _, err := cook.Cook(context.Background(), opt); err != nil {
			t.Fatal(err)
		}
		if d := before.Diff(readTree(t, opt.Out)); d != "" {
			t.Fatalf("after an interrupt: %s", d)
		}
		edits++
		for _, name := range []string{"plain.txt", "notes/readme.txt", fmt.Sprintf("new%d.txt", edits)} {
			if err := os.WriteFile(filepath.Join(opt.Dir, name), fmt.Appendf(nil, "edit %d", edits), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		os.Remove(filepath.Join(opt.Dir, fmt.Sprintf("new%d.txt", edits-1)))
		want := scratchTree(t, opt)
		cut := opt
		cut.Observer = f
		_, err := cook.Cook(ctx, cut)
		whole(t, "cook after an edit", opt.Out, before, want)
		before = want
		return err
	})
}

// Nothing is left behind by the others either, whether they succeed or fail.
func TestNothingIsLeftBehind(t *testing.T) {
	opt := sampleOptions(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	broken := opt
	broken.Config = filepath.Join(t.TempDir(), "none.toml")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		what string
		do   func() error
		good bool
	}{
		{"cook", func() error { _, err := cook.Cook(t.Context(), opt); return err }, true},
		{"cook without work", func() error { _, err := cook.Cook(t.Context(), opt); return err }, true},
		{"cook without rules", func() error { _, err := cook.Cook(t.Context(), broken); return err }, false},
		{"cook into a file", func() error { o := opt; o.Out = file; _, err := cook.Cook(t.Context(), o); return err }, false},
		{"cook of nothing", func() error { o := opt; o.Dir += "2"; _, err := cook.Cook(t.Context(), o); return err }, false},
		{"cook that is over before it begins", func() error { _, err := cook.Cook(ended, opt); return err }, false},
		{"why", func() error { _, err := cook.Why(t.Context(), opt, "plain.txt"); return err }, true},
		{"why of nothing", func() error { _, err := cook.Why(t.Context(), opt, "none"); return err }, false},
		{"why that is over", func() error { _, err := cook.Why(ended, opt, "plain.txt"); return err }, false},
		{"trim", func() error { o := opt; o.CacheSize = 1; _, err := cook.Trim(t.Context(), o); return err }, true},
		{"trim that is over", func() error { _, err := cook.Trim(ended, opt); return err }, false},
		{"trim of nothing", func() error { o := opt; o.Cache += "2"; _, err := cook.Trim(t.Context(), o); return err }, false},
		{"watch that is over", func() error { return cook.Watch(ended, opt, nil) }, false},
		{"watch without rules", func() error { return cook.Watch(t.Context(), broken, nil) }, false},
		{"clean", func() error { _, err := cook.Clean(t.Context(), opt); return err }, true},
		{"clean into a file", func() error { o := opt; o.Out = file; _, err := cook.Clean(t.Context(), o); return err }, false},
	} {
		collect := keepGarbage()
		before := whatIsHeld(t)
		for range 3 {
			if err := tc.do(); (err == nil) != tc.good {
				t.Errorf("%s: %v", tc.what, err)
			}
		}
		noLeak(t, tc.what, before)
		collect()
	}
}

// A watcher that is interrupted, whenever that is, leaves nothing behind.
func TestWatcherInterruptedAnywhere(t *testing.T) {
	opt := fewAssets(t)
	untilFuse(t, "watch", func(ctx context.Context, f *fuse) error {
		if err := os.RemoveAll(opt.Out); err != nil {
			t.Fatal(err)
		}
		over := errors.New("all was told")
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		cut := opt
		cut.Observer = f
		err := cook.Watch(ctx, cut, func(cook.Round) {
			f.burn()
			f.wet()
			cancel(over)
		})
		if context.Cause(ctx) == over && errors.Is(err, context.Canceled) {
			return nil
		}
		return err
	})
	want := scratchTree(t, opt)
	if _, err := cook.Cook(t.Context(), opt); err != nil {
		t.Fatal(err)
	}
	if d := want.Diff(readTree(t, opt.Out)); d != "" {
		t.Error(d)
	}
}

// A watcher from which the lock is taken away tries again soon, and makes all
// right.
func TestWatcherLosesItsLock(t *testing.T) {
	opt := fewAssets(t)
	if _, err := cook.Cook(t.Context(), opt); err != nil {
		t.Fatal(err)
	}
	h := &halt{at: make(chan bool), on: make(chan bool)}
	watched := opt
	watched.Observer = h
	ctx, stop := context.WithCancel(t.Context())
	rounds := make(chan cook.Round, 100)
	over := make(chan error)
	go func() { over <- cook.Watch(ctx, watched, func(r cook.Round) { rounds <- r }) }()
	<-rounds
	plain := filepath.Join(opt.Dir, "plain.txt")
	if err := os.WriteFile(plain, []byte("edited"), 0o666); err != nil {
		t.Fatal(err)
	}
	<-h.at
	if err := os.Remove(filepath.Join(opt.Out, ".cook/lock")); err != nil {
		t.Fatal(err)
	}
	close(h.on)
	select {
	case r := <-rounds:
		if r.Err != nil {
			t.Error(r.Err)
		}
	case <-time.After(30 * time.Second): // it looks at everything once a minute anyway
		t.Error("the watcher does not try again")
	}
	stop()
	<-over
	if d := scratchTree(t, opt).Diff(readTree(t, opt.Out)); d != "" {
		t.Error(d)
	}
}
