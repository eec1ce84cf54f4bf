package cook_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// resources are the goroutines, file descriptors and memory mappings of this process.
type resources struct {
	goroutines int
	files      map[string]int
}

func held(t *testing.T) resources {
	t.Helper()
	h := resources{goroutines: runtime.NumGoroutine(), files: map[string]int{}}
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range list {
		// The directory /proc/self/fd lists its own descriptor, which is closed by now.
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

// more lists the resources that are in now but not in h. It returns "" if there are none.
func (h resources) more(now resources) string {
	var lines []string
	if now.goroutines > h.goroutines {
		stacks := make([]byte, 1<<20)
		lines = append(lines, fmt.Sprintf("%d goroutines, %d before\n%s", now.goroutines, h.goroutines, stacks[:runtime.Stack(stacks, true)]))
	}
	for to, n := range now.files {
		if n > h.files[to] && !strings.HasPrefix(to, "anon_inode:[event") { // the Go runtime opens eventfd and eventpoll
			lines = append(lines, fmt.Sprintf("%d open: %s, %d before", n, to, h.files[to]))
		}
	}
	return strings.Join(lines, "\n")
}

// stopGC stops the garbage collector, which would close leaked files, until collect is called.
func stopGC() (collect func()) {
	percent := debug.SetGCPercent(-1)
	return func() { debug.SetGCPercent(percent) }
}

// checkLeaks fails the test if the process holds more resources than before. It waits for
// goroutines that are about to exit.
func checkLeaks(t *testing.T, what string, before resources) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for before.more(held(t)) != "" && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	if more := before.more(held(t)); more != "" {
		t.Fatalf("%s leaves behind: %s", what, more)
	}
}

// An interrupter is an observer that cancels a context at call n.
type interrupter struct {
	cancel context.CancelFunc
	mu     sync.Mutex
	n      int
	late   int // number of assets started after the cancellation
}

func (i *interrupter) count() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.n--; i.n == 0 {
		i.cancel()
	}
}

func (i *interrupter) disarm() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.n = 0
}

func (i *interrupter) Stage(string)               { i.count() }
func (i *interrupter) Planned(int, time.Duration) { i.count() }
func (i *interrupter) Step(_, _, _ string)        {}
func (i *interrupter) Reading(_, _ int, _ int64)  {}
func (i *interrupter) Note(string)                { i.count() }
func (i *interrupter) Event(e cook.Event) {
	i.mu.Lock()
	if e.Outcome == cook.Started && i.n <= 0 {
		i.late++
	}
	i.mu.Unlock()
	i.count()
}

// interruptEach calls do repeatedly. It cancels the context at the first call of the observer, then
// at the second, and so on, until do is not interrupted.
func interruptEach(t *testing.T, what string, do func(ctx context.Context, in *interrupter) error) {
	t.Helper()
	for n := 1; ; n++ {
		collect := stopGC()
		before := held(t)
		ctx, cancel := context.WithCancel(t.Context())
		in := &interrupter{cancel: cancel, n: n}
		err := do(ctx, in)
		ended := ctx.Err() != nil
		if ended && in.late > 2 { // two workers may already have taken an asset
			t.Errorf("%s, interrupted at %d: %d assets were started after that", what, n, in.late)
		}
		cancel()
		checkLeaks(t, fmt.Sprintf("%s, interrupted at %d", what, n), before)
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
			t.Errorf("%s, interrupted at %d: error %v, want %v", what, n, err, context.Canceled)
		}
	}
}

func fewAssets(t *testing.T) *project {
	t.Helper()
	p := sampleProject(t)
	for _, dir := range []string{"tex", "ui", "same", "data"} {
		p.must(os.RemoveAll(p.asset(dir)))
	}
	return p
}

// checkOutputs fails the test if an output matches the file of the same name in none of the given
// trees.
func checkOutputs(t *testing.T, what string, out string, want ...oracle.Tree) {
	t.Helper()
	for name, text := range readTree(t, out) {
		found := name == "manifest.json"
		for _, tree := range want {
			found = found || tree[name] == text
		}
		if !found {
			t.Errorf("%s: %s has neither its old nor its new content", what, name)
		}
	}
}

// TestInterruptedAnywhere interrupts a cook at each call of its observer. The cook must return the
// context's error, without leaks or partial outputs, and the next cook must complete the outputs.
func TestInterruptedAnywhere(t *testing.T) {
	p := fewAssets(t)
	opt := p.run
	rules := "\n[[rule]]\nmatch = \"sound/*\"\ncommand = [\"sh\", \"-c\", 'cat \"$1\" > \"$2\"', \"sh\", \"{in}\", \"{out}\"]\noutputs = [\"{name}\"]\n"
	text, err := os.ReadFile(p.asset("cook.toml"))
	p.must(err)
	p.write("cook.toml", string(text)+rules)
	want := fromScratch(t, opt)
	interruptEach(t, "first cook", func(ctx context.Context, in *interrupter) error {
		for _, dir := range []string{opt.Out, opt.Cache} {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
		cut := opt
		cut.Observer = in
		_, err := cut.Cook(ctx)
		checkOutputs(t, "first cook", opt.Out, want)
		return err
	})
	before, edits := want, 0
	interruptEach(t, "cook after an edit", func(ctx context.Context, in *interrupter) error {
		if _, err := opt.Cook(context.Background()); err != nil {
			t.Fatal(err)
		}
		if d := before.Diff(readTree(t, opt.Out)); d != "" {
			t.Fatalf("after an interrupt: %s", d)
		}
		edits++
		for _, name := range []string{"plain.txt", "notes/readme.txt", fmt.Sprintf("new%d.txt", edits)} {
			p.write(name, fmt.Sprintf("edit %d", edits))
		}
		os.Remove(p.asset(fmt.Sprintf("new%d.txt", edits-1)))
		want := fromScratch(t, opt)
		cut := opt
		cut.Observer = in
		_, err := cut.Cook(ctx)
		checkOutputs(t, "cook after an edit", opt.Out, before, want)
		before = want
		return err
	})
}

// TestNoLeaks expects that Cook, Why, Trim, Watch and Clean leak neither goroutines nor files,
// whether they succeed or fail.
func TestNoLeaks(t *testing.T) {
	p := sampleProject(t)
	opt := p.run
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	broken := opt
	broken.Config = p.path("none.toml")
	p.writeFile("file", "")
	file := p.path("file")
	for _, tc := range []struct {
		what string
		do   func() error
		good bool
	}{
		{"cook", func() error { _, err := opt.Cook(t.Context()); return err }, true},
		{"cook without work", func() error { _, err := opt.Cook(t.Context()); return err }, true},
		{"cook without rules", func() error { _, err := broken.Cook(t.Context()); return err }, false},
		{"cook into a file", func() error { o := opt; o.Out = file; _, err := o.Cook(t.Context()); return err }, false},
		{"cook of a missing directory", func() error { o := opt; o.Dir += "2"; _, err := o.Cook(t.Context()); return err }, false},
		{"canceled cook", func() error { _, err := opt.Cook(ended); return err }, false},
		{"why", func() error { _, err := opt.Why(t.Context(), "plain.txt"); return err }, true},
		{"why of a missing asset", func() error { _, err := opt.Why(t.Context(), "none"); return err }, false},
		{"canceled why", func() error { _, err := opt.Why(ended, "plain.txt"); return err }, false},
		{"trim", func() error { o := opt; o.CacheSize = 1; _, err := o.Trim(t.Context()); return err }, true},
		{"canceled trim", func() error { _, err := opt.Trim(ended); return err }, false},
		{"trim of a missing store", func() error { o := opt; o.Cache += "2"; _, err := o.Trim(t.Context()); return err }, false},
		{"canceled watch", func() error { return opt.Watch(ended, nil) }, false},
		{"watch without rules", func() error { return broken.Watch(t.Context(), nil) }, false},
		{"clean", func() error { _, err := opt.Clean(t.Context()); return err }, true},
		{"clean into a file", func() error { o := opt; o.Out = file; _, err := o.Clean(t.Context()); return err }, false},
	} {
		collect := stopGC()
		before := held(t)
		for range 3 {
			if err := tc.do(); (err == nil) != tc.good {
				t.Errorf("%s: %v", tc.what, err)
			}
		}
		checkLeaks(t, tc.what, before)
		collect()
	}
}

func TestWatcherInterruptedAnywhere(t *testing.T) {
	opt := fewAssets(t).run
	interruptEach(t, "watch", func(ctx context.Context, in *interrupter) error {
		if err := os.RemoveAll(opt.Out); err != nil {
			t.Fatal(err)
		}
		over := errors.New("first round done")
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		cut := opt
		cut.Observer = in
		err := cut.Watch(ctx, func(cook.Round) {
			in.count()
			in.disarm()
			cancel(over)
		})
		if context.Cause(ctx) == over && errors.Is(err, context.Canceled) {
			return nil
		}
		return err
	})
	want := fromScratch(t, opt)
	if _, err := opt.Cook(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d := want.Diff(readTree(t, opt.Out)); d != "" {
		t.Error(d)
	}
}

// TestWatcherLosesItsLock removes the lock of a watcher during a round. The watcher must soon take
// the lock again and complete the round.
func TestWatcherLosesItsLock(t *testing.T) {
	p := fewAssets(t)
	opt := p.run
	if _, err := opt.Cook(t.Context()); err != nil {
		t.Fatal(err)
	}
	b := newBlocker()
	watched := opt
	watched.Observer = b
	ctx, stop := context.WithCancel(t.Context())
	rounds := make(chan cook.Round, 100)
	over := make(chan error)
	go func() { over <- watched.Watch(ctx, func(r cook.Round) { rounds <- r }) }()
	<-rounds
	p.write("plain.txt", "edited")
	<-b.reached
	p.must(os.Remove(p.path("cooked/.cook/lock")))
	close(b.resume)
	select {
	case r := <-rounds:
		if r.Err != nil {
			t.Error(r.Err)
		}
	case <-time.After(30 * time.Second): // less than the interval of the watcher's full checks, which is one minute
		t.Error("the watcher did not try again")
	}
	stop()
	<-over
	if d := fromScratch(t, opt).Diff(readTree(t, opt.Out)); d != "" {
		t.Error(d)
	}
}
