package watch

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// byHand returns a watcher of a tree after its first round. The watcher does no work in the
// background.
func (w *tree) byHand() *watcher {
	w.t.Helper()
	m := newWatcher(w.opt, nil)
	socket, err := m.listenOnSocket()
	w.must(err)
	w.t.Cleanup(func() { socket.Close() })
	w.must(m.firstRound(w.t.Context()))
	w.t.Cleanup(func() { m.watched.endWatch() })
	return m
}

func TestMemoryGivenBack(t *testing.T) {
	forced := func() uint32 {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.NumForcedGC
	}
	w := newTree(t, map[string]string{"a.txt": "a", "b.txt": "b"})
	begun := forced()
	m := w.byHand()
	rested := forced()
	if rested == begun {
		t.Error("nothing was given back after the first round")
	}
	w.write("a.txt", "A")
	m.catchUpWithRun(t.Context())
	w.cooked("a.txt", "A")
	if n := forced() - rested; n > 0 {
		t.Errorf("%d collections were forced by an edit", n)
	}
	m.pending.all = true
	m.catchUpWithRun(t.Context())
	if forced() == rested {
		t.Error("nothing was given back after a look at everything")
	}
}

// The longer a full scan takes, the less often an idle watcher makes one. An edit does not delay
// the next scan.
func TestWatcherPace(t *testing.T) {
	w := newTree(t, map[string]string{"a.txt": "a"})
	now := time.Now().Add(time.Hour)
	w.opt.Time.Now = func() time.Time { return now }
	w.opt.Limits.Workers = 2
	m := w.byHand()
	m.places.local = true // independent of the file system that the tests use
	if d := m.untilDue(); d != time.Minute {
		t.Errorf("the next look is due in %v", d)
	}
	m.pace.took = time.Second
	w.write("a.txt", "A")
	now = now.Add(30 * time.Second)
	m.catchUpWithRun(t.Context())
	w.cooked("a.txt", "A")
	m.places.local = true
	if d := m.untilDue(); d != 370*time.Second {
		t.Errorf("after an edit the next look is due in %v", d)
	}
	for name, hidden := range map[string]func(){
		"others may write":    func() { m.places.local = false },
		"unwatched directory": func() { m.places.local, m.watched.blind = true, true },
	} {
		hidden()
		if d := m.untilDue(); d != 30*time.Second {
			t.Errorf("%s: the next look is due in %v", name, d)
		}
	}
	now = now.Add(time.Minute)
	if !m.waitForChanges(t.Context(), editorPatience) {
		t.Error("a look that is due did not end the wait")
	}
	m.pending.all = true
	m.catchUpWithRun(t.Context())
	if m.pace.last != now || m.pace.took != 0 {
		t.Errorf("after the look: %+v", m.pace)
	}
}

// If files are saved while a round works, the next round examines only their directories. The round
// itself replaces outputs and the manifest, but that does not cause a full scan.
func TestSavesInQuickSuccession(t *testing.T) {
	files := map[string]string{"a.txt": "a", "sub/b.txt": "b"}
	w := newTree(t, files)
	m := w.byHand()
	for i := range 3 {
		for name := range files {
			w.write(name, fmt.Sprint(i, name))
			if !m.lookForChanges(t.Context()) || m.pending.all || m.pending.rest {
				t.Fatalf("save %d of %s: to look at: %+v", i, name, m.pending)
			}
			w.must(m.cookChanges(t.Context()))
			w.cooked(name, fmt.Sprint(i, name))
		}
	}
}

// After a round that listed the whole tree, the next round examines all directories. The test uses
// named targets, and then all declared targets.
func TestRoundAfterFullScanLooksEverywhere(t *testing.T) {
	for _, targets := range [][]string{{"pc", "mobile"}, {"all"}} {
		w := newTree(t, map[string]string{"a.txt": "a", "cook.toml": "[target.pc.json]\nminify = true\n[target.mobile.json]\nminify = false\n"})
		w.opt.Scope.Targets = targets
		m := newWatcher(w.opt, nil)
		socket, err := m.listenOnSocket()
		w.must(err)
		w.must(m.cookChanges(t.Context())) // no event is needed, because the first round examines everything
		socket.Close()
		if !m.learned.everywhere || !m.pending.all {
			t.Errorf("%v: everywhere %v, pending %v", targets, m.learned.everywhere, m.pending.all)
		}
	}
}
