package watch

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/pass"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/recipe"
)

// awaitCooked waits for a round that cooked something.
func (w *tree) awaitCooked(rounds <-chan Round) {
	w.t.Helper()
	for end := time.After(late); ; {
		select {
		case r := <-rounds:
			if r.Err == nil && r.Done.Stats.Outcomes.Cooked.Assets > 0 {
				return
			}
		case <-end:
			w.t.Fatalf("nothing was cooked for %v", late)
		}
	}
}

// A slow recipe reports that it has begun, waits until it may go on, and then copies its source. It
// uses variables, because all fields of a recipe are options.
type slow struct{}

var slowBegun, slowLeave = make(chan struct{}), make(chan struct{})

func (s *slow) Outputs() []string { return []string{"{name}"} }

func (s *slow) Cook(ctx context.Context, job *recipe.Job) error {
	select {
	case slowBegun <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-slowLeave:
	case <-ctx.Done():
		return ctx.Err()
	}
	data, err := job.Source()
	if err != nil {
		return err
	}
	return job.Write(0, data)
}

// A cook sends a request to a watcher and disconnects before the answer. The watcher must still
// cook the change that it found because of the request: a write without an event, through a link
// outside the tree.
func TestWatcherWorksOnWithoutClient(t *testing.T) {
	w := newTree(t, map[string]string{"cook.toml": "[[rule]]\nmatch = \"*.slow\"\nrecipe = \"slow\"\n"})
	w.opt.Recipes = []recipe.Recipe{{Name: "slow", Version: 1, New: func() recipe.Cooker { return new(slow) }}}
	outside := filepath.Join(w.dir, "outside")
	w.must(os.WriteFile(outside, []byte("first"), 0o666))
	w.must(os.Link(outside, w.asset("a.slow")))
	rounds := w.watch()
	<-slowBegun
	slowLeave <- struct{}{}
	w.awaitCooked(rounds)
	w.settle() // the watcher now knows the link

	w.must(os.WriteFile(outside, []byte("second"), 0o666))
	ctx, goAway := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		s, err := session.Open(w.opt, session.Ask)
		if err != nil {
			t.Error(err)
			return
		}
		defer s.Close()
		Ask(ctx, s)
	}()
	select {
	case <-slowBegun:
	case <-time.After(late):
		t.Fatalf("no round for the client within %v", late)
	}
	goAway()
	<-gone
	select {
	case slowLeave <- struct{}{}:
	case <-slowBegun:
		t.Fatal("the round was begun again")
	}
	w.awaitCooked(rounds)
	w.cooked("a.slow", "second")
}

// An asset directory that disappears and comes back is cooked soon.
func TestWatcherWaitsForRoot(t *testing.T) {
	w := newTree(t, map[string]string{"a.txt": "0"})
	rounds := w.watch()
	w.awaitCooked(rounds)
	w.must(os.RemoveAll(w.asset("")))
	for r := range rounds { // the watcher has noticed the removal
		if r.Err != nil {
			break
		}
	}
	w.must(os.Mkdir(w.asset(""), 0o777))
	w.write("a.txt", "1")
	w.awaitCooked(rounds)
	w.cooked("a.txt", "1")
}

// An every is an observer that also requests the events of up-to-date actions.
type every struct {
	t    *testing.T
	idle chan string
}

func (every) Stage(string)               {}
func (every) Planned(int, time.Duration) {}
func (every) Reading(_, _ int, _ int64)  {}
func (every) Step(_, _, _ string)        {}
func (e every) Note(text string)         { e.t.Error(text) }
func (e every) Event(v execute.Event) {
	if v.Outcome == execute.UpToDate {
		e.idle <- v.Path
	}
}

// A watcher reports no events for the many actions that need no work, even if its observer wants
// them.
func TestWatcherReportsSomeActions(t *testing.T) {
	w := newTree(t, map[string]string{"a.txt": "a", "b.txt": "b"})
	observer := every{t, make(chan string, 1000)}
	w.opt.Observer = observer
	rounds := w.watch()
	w.awaitCooked(rounds)
	// The file is replaced atomically. If a round found it half written, the next round would
	// examine the whole tree.
	w.write("../a.new", "A")
	w.must(os.Rename(w.asset("../a.new"), w.asset("a.txt")))
	w.awaitCooked(rounds)
	for range len(observer.idle) {
		t.Errorf("event for %s", <-observer.idle)
	}
}

// A frowning recipe copies its source with a warning.
type frowning struct{}

func (*frowning) Outputs() []string { return []string{"{name}"} }

func (*frowning) Cook(_ context.Context, job *recipe.Job) error {
	data, err := job.Source()
	if err != nil {
		return err
	}
	job.Warn("not nice")
	return job.Write(0, data)
}

// A watcher in strict mode fails sources that had only warnings in an earlier cook.
func TestStrictWatcherAfterWarnings(t *testing.T) {
	w := newTree(t, map[string]string{"a.txt": "a", "cook.toml": "[[rule]]\nmatch = \"*.txt\"\nrecipe = \"frowning\"\n"})
	w.opt.Recipes = []recipe.Recipe{{Name: "frowning", Version: 1, New: func() recipe.Cooker { return new(frowning) }}}
	s, err := session.Open(w.opt, session.Write)
	w.must(err)
	done, err := pass.Run(t.Context(), s, nil)
	s.Close()
	if err != nil || done.Stats.Outcomes.Cooked.Assets != 1 || done.Stats.Warnings != 1 {
		t.Fatalf("%+v, %v", done.Stats, err)
	}
	w.opt.Mode.Strict = true
	if n := w.await(w.watch()); n.Outcomes.Failed.Assets != 1 {
		t.Errorf("%+v", n)
	}
}

// Another cook records a new hard link to a file before the watcher sees the link. In the index,
// the file then looks unchanged. The watcher must still watch the link.
func TestWatcherAfterAnotherCook(t *testing.T) {
	w := newTree(t, map[string]string{"y/b.json": "[1]", "z/c.json": "[2]"})
	m := newWatcher(w.opt, nil) // the test calls the methods of this watcher itself
	socket, err := m.listenOnSocket()
	w.must(err)
	defer socket.Close()
	w.must(m.firstRound(t.Context()))
	defer m.watched.endWatch()

	w.must(os.Link(w.asset("y/b.json"), w.asset("z/a.json")))
	s, err := session.Open(w.opt, session.Write)
	w.must(err)
	_, err = pass.Run(t.Context(), s, nil)
	s.Close()
	w.must(err)
	m.catchUpWithRun(t.Context())
	w.write("z/a.json", "[3]")
	w.must(os.Remove(w.asset("z/a.json")))
	m.catchUpWithRun(t.Context())
	w.cooked("y/b.json", "[3]")
}
