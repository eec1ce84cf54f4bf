package watch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/notify"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/stats"
	"github.com/assetcook/assetcook/internal/leaktest"
	"github.com/assetcook/assetcook/recipes/builtin"
)

// late is a time limit for rounds that are due. It is far above the time that such a round takes,
// and far below the minute between a watcher's full scans.
const late = 25 * time.Second

// A tree is a directory of assets with an output directory beside it.
type tree struct {
	t   *testing.T
	dir string
	opt session.Options
}

func newTree(t *testing.T, files map[string]string) *tree {
	t.Helper()
	dir := t.TempDir()
	w := &tree{t: t, dir: dir, opt: session.Options{
		Place:   session.Place{Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "cooked"), Cache: filepath.Join(dir, "store")},
		Recipes: builtin.All(),
		Time:    session.Time{Now: func() time.Time { return time.Now().Add(time.Minute) }}, // one minute ahead, so that stamps are trusted at once
	}}
	for name, text := range files {
		w.must(os.MkdirAll(filepath.Dir(w.asset(name)), 0o777))
		w.write(name, text)
	}
	return w
}

func (w *tree) asset(name string) string { return filepath.Join(w.dir, "assets", name) }

func (w *tree) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *tree) write(name, text string) {
	w.t.Helper()
	w.must(os.WriteFile(w.asset(name), []byte(text), 0o666))
}

// cooked checks the content of an output.
func (w *tree) cooked(name, want string) {
	w.t.Helper()
	if got, err := os.ReadFile(filepath.Join(w.dir, "cooked", name)); err != nil || string(got) != want {
		w.t.Errorf("%s holds %q (%v), want %q", name, got, err, want)
	}
}

// watch starts a watcher and returns its rounds.
func (w *tree) watch() <-chan Round { return w.watchWith(editorPatience) }

// watchWith is like watch, with another patience.
func (w *tree) watchWith(patience notify.Patience) <-chan Round {
	w.t.Helper()
	ctx, stop := context.WithCancel(w.t.Context())
	rounds, ended := make(chan Round, 100), make(chan struct{})
	go func() {
		defer close(ended)
		if err := newWatcher(w.opt, func(r Round) { rounds <- r }).runWatcher(ctx, patience); !errors.Is(err, context.Canceled) {
			w.t.Errorf("watch: %v", err)
		}
	}()
	w.t.Cleanup(func() {
		stop()
		<-ended
	})
	return rounds
}

// await returns the next round that the watcher reports.
func (w *tree) await(rounds <-chan Round) stats.Stats {
	w.t.Helper()
	select {
	case r := <-rounds:
		w.must(r.Err)
		if r.Folders == 0 {
			w.t.Fatal("nothing is watched")
		}
		return r.Done.Stats
	case <-time.After(late):
		w.t.Fatalf("no round for %v", late)
	}
	return stats.Stats{}
}

// ask sends the watcher the request of a cook.
func (w *tree) ask() *stats.Stats {
	w.t.Helper()
	s, err := session.Open(w.opt, session.Ask)
	w.must(err)
	defer s.Close()
	known, beside := Ask(w.t.Context(), s)
	// On a busy machine, a watcher may fail to send a heartbeat in time.
	for deadline := time.Now().Add(late); !beside || !Alive(w.t.Context(), s); known, beside = Ask(w.t.Context(), s) {
		if time.Now().After(deadline) {
			w.t.Fatal("the watcher does not answer")
		}
	}
	if process, ok := Beside(w.t.Context(), s); !ok || process == "" {
		w.t.Errorf("beside %q, %t", process, ok)
	}
	return known
}

// settle sends requests until the watcher has an answer. The watcher has an answer when it knows
// all directories.
func (w *tree) settle() stats.Stats {
	w.t.Helper()
	for deadline := time.Now().Add(late); time.Now().Before(deadline); {
		if known := w.ask(); known != nil {
			return *known
		}
	}
	w.t.Fatalf("no answer for %v", late)
	return stats.Stats{}
}

func TestWatcherCooksWhatChanges(t *testing.T) {
	leaktest.Check(t)
	w := newTree(t, map[string]string{"a.json": "{}", "sub/b.json": "[1]", "sub/c.txt": "c"})
	rounds := w.watch()
	if n := w.await(rounds); n.Found.Assets != 3 || n.Outcomes.Cooked.Assets != 3 {
		t.Fatalf("first round: %+v", n)
	}
	if n := w.settle(); n.Found.Assets != 3 || n.Outcomes.ByStamp.Assets != 3 || n.Looked != (stats.Looked{}) {
		t.Errorf("answer: %+v", n)
	}
	w.write("sub/b.json", "[2]")
	if n := w.await(rounds); n.Found.Assets != 3 || n.Outcomes.Cooked.Assets != 1 {
		t.Errorf("second round: %+v", n)
	}
	w.cooked("sub/b.json", "[2]")
	w.write("new.txt", "new")
	if n := w.settle(); n.Found.Assets != 4 {
		t.Errorf("answer after a new file: %+v", n)
	}
	w.cooked("new.txt", "new")
}

// A watcher notices when files appear and vanish that match the pattern of a program's listing,
// even if they are not assets.
func TestWatcherSeesListings(t *testing.T) {
	w := newTree(t, map[string]string{
		"a.up": "a", "lib/.cookignore": "*\n", "lib/1.part": "1", "cook.toml": `[[rule]]
match = "*.up"
command = ["sh", "-c", 'cat "$0" lib/*.part > "$1"', "{in}", "{out}"]
outputs = ["{path}"]
reads = ["/lib/*.part"]
`})
	w.await(w.watch())
	w.cooked("a.up", "a1")
	w.write("lib/2.part", "2")
	w.settle()
	w.cooked("a.up", "a12")
	w.write("lib/other", "2")
	if n := w.settle(); n.Outcomes.Cooked.Assets != 0 {
		t.Errorf("another file: %+v", n)
	}
	w.must(os.Remove(filepath.Join(w.opt.Place.Dir, "lib/1.part")))
	w.settle()
	w.cooked("a.up", "a2")
}

// After an edit of the rules, the watcher watches the programs that the rules name. It notices if
// such a name leads to another program.
func TestWatcherLearnsOfProgramsInEditedRules(t *testing.T) {
	w := newTree(t, map[string]string{"a.up": "a", "b.txt": "b", "cook.toml": "[[rule]]\nmatch = \"*.up\"\nrecipe = \"copy\"\n"})
	first, second := filepath.Join(w.dir, "first"), filepath.Join(w.dir, "second")
	t.Setenv("PATH", first+":"+second+":"+os.Getenv("PATH"))
	program := func(dir, text string) {
		t.Helper()
		name := filepath.Join(dir, "upper")
		w.must(os.MkdirAll(dir, 0o777))
		w.must(os.WriteFile(name+"~", []byte("#!/bin/sh\nprintf "+text+" >\"$1\"\n"), 0o777))
		w.must(os.Rename(name+"~", name))
	}
	program(second, "one")
	w.await(w.watch())
	w.settle()
	w.write("cook.toml", "[[rule]]\nmatch = \"*.up\"\ncommand = [\"upper\", \"{out}\"]\noutputs = [\"{path}\"]\n")
	w.settle()
	w.cooked("a.up", "one")
	program(second, "two")
	w.settle()
	w.cooked("a.up", "two")
	program(first, "three")
	w.settle()
	w.cooked("a.up", "three")
}

func TestSecondWatcher(t *testing.T) {
	w := newTree(t, map[string]string{"a.txt": "a"})
	w.await(w.watch())
	var locked *state.LockedError
	if err := Run(t.Context(), w.opt, nil); !errors.As(err, &locked) || locked.Process() != "another watching cook" {
		t.Errorf("%v", err)
	}
}

func TestPatterns(t *testing.T) {
	w := newTree(t, map[string]string{"a.txt": "a"})
	w.opt.Scope.Patterns = []string{"a.txt"}
	var wrong *session.ConfigError
	if err := Run(t.Context(), w.opt, nil); !errors.As(err, &wrong) {
		t.Errorf("%v", err)
	}
}

// If a session needs more than a result, Ask reports only that a watcher is running.
func TestAskWithOtherOptions(t *testing.T) {
	w := newTree(t, map[string]string{"a.txt": "a"})
	w.await(w.watch())
	w.settle()
	for name, with := range map[string]func(o *session.Options){
		"force":         func(o *session.Options) { o.Mode.Force = true },
		"ignore stamps": func(o *session.Options) { o.Mode.IgnoreStamps = true },
		"strict":        func(o *session.Options) { o.Mode.Strict = true },
		"full scan":     func(o *session.Options) { o.Mode.FullScan = true },
		"patterns":      func(o *session.Options) { o.Scope.Patterns = []string{"a.txt"} },
		"target":        func(o *session.Options) { o.Scope.Targets = []string{"", "other"} },
	} {
		opt := w.opt
		with(&opt)
		s, err := session.Open(opt, session.Ask)
		w.must(err)
		if known, beside := Ask(t.Context(), s); known != nil || !beside {
			t.Errorf("%s: %+v, beside %t", name, known, beside)
		}
		s.Close()
	}
}

// A file gets a second hard link in a directory with links, which each round lists. A write through
// the second link causes no event for the first.
func TestSecondNameBesideLinks(t *testing.T) {
	link := func(w *tree) { w.must(os.Link(w.asset("y/b.json"), w.asset("x/a.json"))) }
	for _, test := range []struct {
		name   string
		give   func(w *tree)
		atOnce bool // set if the write happens before the watcher handles the link
	}{
		{"new", link, false},
		{"new and written", link, true},
		{"replaced and written", func(w *tree) {
			other := filepath.Join(w.dir, "other")
			w.must(os.Link(w.asset("y/b.json"), other))
			w.must(os.Rename(other, w.asset("x/a.json")))
		}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{"x/c.json": "[0]", "y/b.json": "[1]"}
			if test.name == "replaced and written" {
				files["x/a.json"] = "[2]" // equal to the later write, so the file still has the same content afterwards
			}
			w := newTree(t, files)
			w.must(os.Symlink("c.json", w.asset("x/link.json")))
			w.await(w.watch())
			w.settle()
			test.give(w)
			if !test.atOnce {
				w.settle()
			}
			w.write("x/a.json", "[2]")
			w.settle()
			w.cooked("x/a.json", "[2]")
			w.cooked("y/b.json", "[2]")
		})
	}
}

// A dependency may be a second hard link to an asset, and not be an asset itself. The watcher
// learns about this link too.
func TestSecondNameOfDependency(t *testing.T) {
	const rule = "[[rule]]\nmatch = \"*.gltf\"\nrecipe = \"gltf\"\n"
	needs := func(file string) string {
		return `{"asset":{"version":"2.0"},"buffers":[{"uri":"../no/` + file + `","byteLength":8}]}`
	}
	for _, name := range []string{"new.bin", "known.bin"} {
		t.Run(name, func(t *testing.T) {
			w := newTree(t, map[string]string{"cook.toml": rule, ".cookignore": "/no/\n",
				"no/known.bin": "12345678", "x/a.gltf": needs("known.bin"), "y/b.json": "[234567]"})
			w.await(w.watch())
			w.settle()
			other := filepath.Join(w.dir, "other")
			w.must(os.Link(w.asset("y/b.json"), other))
			w.must(os.Rename(other, w.asset("no/"+name)))
			w.write("x/a.gltf", needs(name))
			w.settle()
			w.write("no/"+name, "[876543]")
			w.settle()
			w.cooked("y/b.json", "[876543]")
		})
	}
}

// A file gets another hard link, is written through it, and the link is removed before the watcher
// examines the directory.
func TestNameThatVanishes(t *testing.T) {
	for name, at := range map[string]string{"file": "l.txt", "in a directory": "new/l.txt", "in a directory that stays": "stays/l.txt"} {
		t.Run(name, func(t *testing.T) {
			w := newTree(t, map[string]string{"x/b.txt": "first", "y/c.txt": "c"})
			w.await(w.watch())
			w.settle()
			dir := filepath.Dir(w.asset(at))
			w.must(os.MkdirAll(dir, 0o777))
			w.must(os.Link(w.asset("x/b.txt"), w.asset(at)))
			w.write(at, "other")
			w.must(os.Remove(w.asset(at)))
			switch filepath.Base(dir) {
			case "new":
				w.must(os.Remove(dir))
			case "stays":
				w.write("stays/d.txt", "d")
			}
			w.settle()
			w.cooked("x/b.txt", "other")
		})
	}
}

// TestNameThatMovesAway is like TestNameThatVanishes, but the directory with the link is moved away
// before the watcher examines it.
func TestNameThatMovesAway(t *testing.T) {
	w := newTree(t, map[string]string{"x/b.txt": "first", "y/c.txt": "c"})
	w.await(w.watch())
	w.settle()
	w.must(os.Link(w.asset("x/b.txt"), w.asset("y/l.txt")))
	w.write("y/l.txt", "other")
	w.must(os.Rename(w.asset("y"), filepath.Join(w.dir, "away")))
	w.settle()
	w.cooked("x/b.txt", "other")
}

// While an editor renames a source to a backup and writes the new file, the output stays. The round
// begins when the new file is complete.
func TestSlowSaveRemovesNothing(t *testing.T) {
	leaktest.Check(t)
	if p := editorPatience; p.Open < 150*time.Millisecond || p.Most <= p.Open {
		t.Errorf("patience of %+v", p)
	}
	w := newTree(t, map[string]string{"a.json": "[1]", "b.json": "{}"})
	rounds := w.watchWith(notify.Patience{Settled: editorPatience.Settled, Open: time.Hour, Most: time.Hour})
	w.await(rounds)
	w.settle()
	w.must(os.Rename(w.asset("a.json"), w.asset("a.json~")))
	w.write("b.json", "[2]") // a.json is still missing, so the wait continues
	w.write("a.json", "[3]")
	w.must(os.Remove(w.asset("a.json~")))
	if n := w.await(rounds); n.Outcomes.Cooked.Assets != 2 || n.Removed.Assets != 0 {
		t.Errorf("round: %+v", n)
	}
	w.cooked("a.json", "[3]")
}
