package events

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// A shared is a buffer that the test reads while the recorder writes to it.
type shared struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *shared) bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.b.Bytes())
}

// ticking starts a recorder whose timer the test controls. The function tick triggers the timer,
// and returns when the open scopes are in the stream.
func ticking(to io.Writer) (r *Recorder, tick func()) {
	timer := make(chan time.Time)
	r = start(to, Options{}.orDefault(), timer, func() {})
	return r, func() {
		timer <- time.Time{}
		timer <- time.Time{} // The recorder takes this tick only after it has handled the first one.
	}
}

// stillOpen reads a stream. It returns the names and details of the scopes open at its end.
func stillOpen(t *testing.T, stream []byte) (open []string, err error) {
	t.Helper()
	s := Read(bytes.NewReader(stream))
	told := map[string]bool{}
	for e, e2 := range s.All() {
		if err = e2; err == nil && e.Kind == Open {
			told[fmt.Sprint(e.Worker, e.Name, e.Detail, e.Time)] = true
		}
	}
	for _, e := range s.Open() {
		open = append(open, fmt.Sprintf("%d %s %s", e.Worker, e.Name, e.Detail))
		if !told[fmt.Sprint(e.Worker, e.Name, e.Detail, e.Time)] || e.Kind != Open || e.Time < 0 || e.Dur < 0 {
			t.Errorf("%+v is open and was not read as an event", e)
		}
	}
	return open, err
}

func TestOpenScopesAreWrittenAtEachTick(t *testing.T) {
	var to shared
	r, tick := ticking(&to)
	asset, encode, wall := r.Symbol("asset"), r.Symbol("encode"), r.Symbol("wall.png")
	idle, w := r.Worker("idle"), r.Worker("works")
	check := func(when string, want ...string) {
		t.Helper()
		got, err := stillOpen(t, to.bytes())
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", when, err)
		}
		if !cmp.Equal(got, want) {
			t.Errorf("%s: open are %q, want %q", when, got, want)
		}
	}
	tick()
	check("before anything")
	outer := w.Begin(asset, wall)
	inner := w.Begin(encode, 0)
	check("before the tick")
	tick()
	check("after it", "1 asset wall.png", "1 encode ")
	inner.End()
	w.Flush()
	tick()
	check("after the inner one", "1 asset wall.png")
	outer.End()
	tick() // The end event of the scope is still in the worker's buffer.
	check("after both")
	w.Release()
	idle.Release()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := stillOpen(t, to.bytes()); err != nil || got != nil {
		t.Errorf("in the end: %q, %v", got, err)
	}
	if s := r.Stats(); s.Events != 2 || s.Dropped != 0 {
		t.Errorf("%+v, want 2 events", s)
	}
}

// Open scopes must also be written without a tick, when a worker is flushed and at Close.
func TestOpenAtFlushAndClose(t *testing.T) {
	var stream bytes.Buffer
	r, _ := ticking(&stream)
	w := r.Worker("worker")
	w.Begin(r.Symbol("hangs"), 0)
	w.Instant(0, 0)
	w.Flush()
	late := r.Worker("late")
	late.Begin(r.Symbol("begun late"), 0)
	r.Close()
	s := Read(&stream)
	var told []string
	for e, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == Open {
			told = append(told, e.Name)
		}
	}
	if want := []string{"hangs", "hangs", "begun late"}; !cmp.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	if got := s.Open(); len(got) != 2 || got[0].Name != "hangs" || got[1].Worker != 1 {
		t.Errorf("open are %+v", got)
	}
}

func TestOpenCanBeOff(t *testing.T) {
	var stream bytes.Buffer
	r := New(&stream, Options{Open: -1})
	w := r.Worker("worker")
	w.Begin(1, 0)
	mark := w.Begin(1, 0)
	w.Flush()
	mark.End()
	w.Release()
	r.Close()
	if got, err := stillOpen(t, stream.Bytes()); got != nil || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, events := readAll(t, stream.Bytes()); len(events) != 1 {
		t.Errorf("%d events, want the scope that ended", len(events))
	}
}

// A scope that never ends, or ends out of order, must not stay open after the scope around it has
// ended. The same applies after the worker was released.
func TestUnendedMarksAreForgotten(t *testing.T) {
	var to shared
	r, tick := ticking(&to)
	w := r.Worker("worker")
	outer := w.Begin(r.Symbol("outer"), 0)
	forgotten := w.Begin(r.Symbol("forgotten"), 0)
	w.Begin(r.Symbol("further in"), 0)
	outer.End()
	next := w.Begin(r.Symbol("next"), 0)
	forgotten.End()
	tick()
	if got, _ := stillOpen(t, to.bytes()); !cmp.Equal(got, []string{"0 next "}) {
		t.Errorf("open are %q", got)
	}
	next.End()
	w.Begin(r.Symbol("left behind"), 0)
	w.Release()
	again := r.Worker("worker")
	again.Begin(r.Symbol("after"), 0)
	tick()
	if got, _ := stillOpen(t, to.bytes()); !cmp.Equal(got, []string{"0 after "}) {
		t.Errorf("after Release open are %q", got)
	}
	next.End() // The scope belongs to a released worker.
	again.Release()
	r.Close()
}

func TestScopesDeeperThanVisibleAreRecorded(t *testing.T) {
	var to shared
	r, tick := ticking(&to)
	w := r.Worker("worker")
	var marks []ScopeMark
	const depth = maxOpen + 5
	for i := range depth {
		marks = append(marks, w.Begin(r.Symbol(fmt.Sprint(i)), 0))
	}
	tick()
	if got, _ := stillOpen(t, to.bytes()); len(got) != maxOpen || got[maxOpen-1] != fmt.Sprintf("0 %d ", maxOpen-1) {
		t.Errorf("open are %q", got)
	}
	for i := range depth {
		marks[depth-1-i].End()
	}
	w.Release()
	r.Close()
	_, events := readAll(t, to.bytes())
	for i, e := range events {
		if e.Name != fmt.Sprint(depth-1-i) {
			t.Errorf("event %d is %+v", i, e)
		}
	}
	if got, _ := stillOpen(t, to.bytes()); len(events) != depth || got != nil {
		t.Errorf("%d events, open %q", len(events), got)
	}
}

// Workers begin and end scopes while the recorder reads them. The recorder must see consistent
// states. The name of a scope is its depth and the detail is its worker, so the test can check the
// nesting.
func TestOpenWhileWorking(t *testing.T) {
	var to shared
	r, tick := ticking(&to)
	const workers, depth = 4, 5
	details := make([]Symbol, workers)
	for i := range details {
		details[i] = r.Symbol(fmt.Sprint("worker ", i))
	}
	names := make([]Symbol, depth)
	for i := range names {
		names[i] = r.Symbol(fmt.Sprint("level ", i))
	}
	var work sync.WaitGroup
	done := make(chan struct{})
	for i := range workers {
		w := r.Worker(fmt.Sprint("worker ", i))
		work.Go(func() {
			defer w.Release()
			for {
				select {
				case <-done:
					return
				default:
				}
				var marks [depth]ScopeMark
				for level := range marks {
					marks[level] = w.Begin(names[level], details[i])
				}
				for level := range marks {
					marks[depth-1-level].End()
				}
			}
		})
	}
	for range 10 {
		tick()
	}
	close(done)
	work.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	s, level, seen := Read(bytes.NewReader(to.bytes())), 0, 0
	var last Event
	for e, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != Open {
			continue
		}
		seen++
		if level++; e.Worker != last.Worker || e.Name == "level 0" {
			level = 0
		}
		if e.Name != fmt.Sprint("level ", level) || e.Detail != fmt.Sprint("worker ", e.Worker) || level > 0 && e.Time < last.Time {
			t.Fatalf("%+v comes after %+v", e, last)
		}
		last = e
	}
	if got := s.Open(); len(got) > 0 {
		t.Errorf("in the end %+v are open", got)
	}
	t.Logf("%d seen", seen)
}

// TestOpenInTornStream truncates a stream anywhere, and expects the scopes that were open at the
// last whole block.
func TestOpenInTornStream(t *testing.T) {
	var to shared
	r, tick := ticking(&to)
	w := r.Worker("worker")
	for range 3 {
		w.Begin(r.Symbol("hangs"), 0)
		tick()
	}
	whole := to.bytes()
	r.Close()
	told := 0
	for n := range len(whole) + 1 {
		open, err := stillOpen(t, whole[:n])
		if !errors.Is(err, ErrDamaged) || len(open) < told || len(open) > told+1 {
			t.Fatalf("of %d bytes: %q open after %d, %v", n, open, told, err)
		}
		told = len(open)
	}
	if told != 3 {
		t.Errorf("%d were open, want 3", told)
	}
}

func TestKilledProcessLeavesItsOpenScopes(t *testing.T) {
	const variable = "EVENTS_TEST_HANGS"
	if name := os.Getenv(variable); name != "" {
		file, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		r, tick := ticking(file)
		w := r.Worker("worker")
		w.Begin(r.Symbol("encode"), r.Symbol("wall.png"))
		tick()
		fmt.Println("hangs")
		select {}
	}
	name := filepath.Join(t.TempDir(), "killed.events")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledProcessLeavesItsOpenScopes$")
	cmd.Env = append(os.Environ(), variable+"="+name)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("hangs"))); err != nil {
		t.Error(err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	stream, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := stillOpen(t, stream); !errors.Is(err, ErrDamaged) || !cmp.Equal(got, []string{"0 encode wall.png"}) {
		t.Errorf("open are %q, %v", got, err)
	}
}

// A viewer of server-sent events must get the open scopes, even if it joins later.
func TestViewersLearnOfOpenScopes(t *testing.T) {
	f := NewFeed()
	r, tick := ticking(f)
	w := r.Worker("worker")
	mark := w.Begin(r.Symbol("hangs"), 0)
	tick()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var page bytes.Buffer
	wrote := make(chan struct{}, 100)
	viewed := make(chan error, 1)
	go func() {
		viewed <- f.WriteSSE(ctx, &page, func() error { wrote <- struct{}{}; return nil })
	}()
	<-wrote // Now the viewer has joined.
	tick()
	mark.End()
	w.Release()
	r.Close()
	if err := <-viewed; err != nil {
		t.Fatal(err)
	}
	const want = "event: open\ndata: {\"first\":0,\"count\":1,\"scopes\":[{\"worker\":0,\"name\":2,\"detail\":0,\"time\":"
	if got := page.String(); !strings.Contains(got, want) || !strings.Contains(got, `"count":1,"scopes":[]}`) {
		t.Errorf("got %s", got)
	}
}

// A reader must consider a scope ended when its record, or the record of an enclosing scope,
// arrives. The reader must not wait for the next list of open scopes.
func TestRecordEndsOpenScope(t *testing.T) {
	const a, b, c = 1, 2, 3
	for _, tt := range []struct {
		start, dur int64
		want       []string
	}{
		{300, 50, []string{"0 a ", "0 b "}},         // ends only the innermost scope
		{200, 150, []string{"0 a "}},                // ends the scope around the innermost one
		{100, 300, nil},                             // ends all scopes
		{310, 20, []string{"0 a ", "0 b ", "0 c "}}, // a deeper scope, which ends nothing
		{10, 20, []string{"0 a ", "0 b ", "0 c "}},  // a scope before all open scopes, which ends nothing
		{10, 90, []string{"0 a ", "0 b ", "0 c "}},  // a scope that ended when the outermost open scope began
	} {
		stream := appendTable([]byte(magic), blockNames, 0, []string{"", "a", "b", "c"})
		stream = appendTable(stream, blockRows, 0, []string{"w"})
		tell := teller{marks: []openMark{{100, a, 0}, {200, b, 0}, {300, c, 0}}, ends: []int{3}}
		stream = tell.appendOpen(stream, 0, fastclock.Pair{Tick: 1000, Nanos: 1000}, fastclock.Pair{}, 4)
		buf := &buffer{used: 1}
		buf.slots[0] = slot{first(Scope, c) | uint64(tt.start+tt.dur), withDetail(0, uint64(tt.dur))}
		var enc encoder
		stream = enc.appendRecords(stream, buf, fastclock.Pair{Tick: 2000, Nanos: 2000}, fastclock.Pair{}, 4)
		if got, _ := stillOpen(t, stream); !cmp.Equal(got, tt.want) {
			t.Errorf("after a scope from %d for %d: open are %q, want %q", tt.start, tt.dur, got, tt.want)
		}
	}
}

// There are more rows with open scopes than fit in one block.
func TestOpenOnManyRows(t *testing.T) {
	const rows = 2000
	var names []string
	tell := teller{}
	for i := range rows {
		names = append(names, fmt.Sprint(i))
		for level := range i % 3 * 16 {
			tell.marks = append(tell.marks, openMark{int64(1000 + level), 1, 0})
		}
		tell.ends = append(tell.ends, len(tell.marks))
	}
	stream := appendTable([]byte(magic), blockNames, 0, []string{"", "a"})
	stream = appendTable(stream, blockRows, 0, names)
	stream = tell.appendOpen(stream, 0, fastclock.Pair{Tick: 5000, Nanos: 5000}, fastclock.Pair{}, 2)
	s := Read(bytes.NewReader(appendEnd(stream, 0, 0)))
	for _, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Open(); len(got) != len(tell.marks) {
		t.Errorf("%d are open, want %d", len(got), len(tell.marks))
	}
}
