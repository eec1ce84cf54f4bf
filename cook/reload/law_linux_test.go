package reload

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/leaktest"
	"github.com/assetcook/assetcook/recipes/builtin"
)

type tree struct {
	t       *testing.T
	project cook.Project
}

func newTree(t *testing.T) *tree {
	t.Helper()
	dir := t.TempDir()
	w := &tree{t, cook.Project{
		Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "out"), Cache: filepath.Join(dir, "store"),
		Recipes: builtin.All(),
	}}
	w.write("fixed.txt", "fixed")
	return w
}

func (w *tree) asset(name string) string { return filepath.Join(w.project.Dir, name) }

func (w *tree) write(name, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.asset(name)), 0o777); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.asset(name), []byte(text), 0o666); err != nil {
		w.t.Fatal(err)
	}
}

// replace writes an asset atomically, so that the watcher never sees a partial file.
func (w *tree) replace(name, text string) {
	w.t.Helper()
	tmp := w.project.Dir + ".tmp"
	if err := errors.Join(os.WriteFile(tmp, []byte(text), 0o666), os.Rename(tmp, w.asset(name))); err != nil {
		w.t.Fatal(err)
	}
}

// watch starts a watcher, and returns after its first round.
func (w *tree) watch() (stop func()) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	first, ended := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(ended)
		err := cook.Watch(ctx, w.project, cook.WatchOptions{Round: func(cook.Round) {
			select {
			case first <- struct{}{}:
			default:
			}
		}})
		if !errors.Is(err, context.Canceled) {
			w.t.Errorf("watch: %v", err)
		}
	}()
	select {
	case <-first:
	case <-ended:
		w.t.Fatal("the watcher ended")
	}
	stop = sync.OnceFunc(func() { cancel(); <-ended })
	w.t.Cleanup(stop)
	return stop
}

// cook cooks all changed assets. It uses the watcher if one is running.
func (w *tree) cook(opt cook.CookOptions) {
	w.t.Helper()
	if _, err := cook.Cook(w.t.Context(), w.project, opt); err != nil {
		w.t.Fatal(err)
	}
}

// A subscriber applies batches to its own list of artifacts.
type subscriber struct {
	mu     sync.Mutex
	list   map[string]hashing.Digest
	more   chan struct{} // closed after the next batch has been applied
	faults []error
}

// subscribe returns a subscriber of the output directory, and stops it when the test ends. The
// subscriber calls slow before each batch.
func (w *tree) subscribe(slow func()) *subscriber {
	w.t.Helper()
	s := &subscriber{list: listed(w.t, w.project.Out), more: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	batches := Follow(ctx, w.project.Out)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for batch, err := range batches {
			slow()
			s.apply(w.project.Out, batch, err)
		}
	}()
	w.t.Cleanup(func() { cancel(); <-ended })
	return s
}

func (s *subscriber) apply(out string, b Batch, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.faults = append(s.faults, err)
	}
	for _, c := range b.Changes {
		if c.Removed {
			delete(s.list, c.Path)
		} else {
			s.list[c.Path] = c.Blob
		}
		if c.Cause.Source == "" {
			s.faults = append(s.faults, fmt.Errorf("no cause: %+v", c))
		}
	}
	close(s.more)
	s.more = make(chan struct{})
}

// reaches waits until the subscriber's list equals the manifest. It fails the test if the manifest
// does not match the output directory.
func (s *subscriber) reaches(t *testing.T, out string) {
	t.Helper()
	want := listed(t, out)
	late := time.After(30 * time.Second)
	for {
		s.mu.Lock()
		diff, more, faults := cmp.Diff(want, s.list), s.more, s.faults
		s.mu.Unlock()
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		if diff == "" {
			break
		}
		select {
		case <-more:
		case <-late:
			t.Fatalf("the manifest (-), what was told (+):\n%s", diff)
		}
	}
	if diff := cmp.Diff(want, onDisk(t, out)); diff != "" {
		t.Fatalf("the manifest (-), the directory (+):\n%s", diff)
	}
}

// listed returns the artifacts in the manifest of an output directory.
func listed(t *testing.T, out string) map[string]hashing.Digest {
	t.Helper()
	f := followManifest(out)
	if f.fault != nil {
		t.Fatal(f.fault)
	}
	all := map[string]hashing.Digest{}
	for path, a := range f.listed {
		all[path] = a.blob
	}
	return all
}

// onDisk returns the artifacts in an output directory.
func onDisk(t *testing.T, out string) map[string]hashing.Digest {
	t.Helper()
	all := map[string]hashing.Digest{}
	err := filepath.WalkDir(out, func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(out, name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (rel == manifest.StateDir || rel == manifest.PartsDir):
			return fs.SkipDir
		case d.IsDir() || rel == manifest.Name || rel == "CACHEDIR.TAG" || rel == ".gitignore":
			return nil
		}
		data, err := os.ReadFile(name)
		all[filepath.ToSlash(rel)] = hashing.DigestOf(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestSubscriberEqualsOutputFolder makes random edits, cooked by various processes. A subscriber
// that applies all batches must have the contents of the output directory.
func TestSubscriberEqualsOutputFolder(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { playFollowed(t, seed) })
	}
}

func playFollowed(t *testing.T, seed uint64) {
	leaktest.Check(t)
	w := newTree(t)
	r := rand.New(rand.NewPCG(seed, 1))
	stop := w.watch()
	fast := w.subscribe(func() {})
	gate := make(chan struct{}, 1000)
	slow := w.subscribe(func() { <-gate })
	t.Cleanup(func() { close(gate) })
	var log []string
	for range 16 {
		for range 1 + r.IntN(4) {
			log = append(log, w.edit(r))
		}
		switch r.IntN(9) {
		case 0:
			stop()
			log = append(log, "no watcher")
			if r.IntN(2) == 0 {
				w.cook(cook.CookOptions{})
			}
		case 1:
			stop()
			stop = w.watch()
			log = append(log, "another watcher")
		case 2:
			w.cook(cook.CookOptions{Patterns: []string{"a/**"}})
			log = append(log, "beside")
		case 3:
			gate <- struct{}{}
		}
		w.cook(cook.CookOptions{})
		t.Log(strings.Join(log, "\n"))
		log = nil
		fast.reaches(t, w.project.Out)
	}
	for range 500 {
		gate <- struct{}{}
	}
	slow.reaches(t, w.project.Out)
	stop()
}

// TestBatches expects one batch, with causes, for each saved or removed asset.
func TestBatches(t *testing.T) {
	leaktest.Check(t)
	w := newTree(t)
	w.write("a/1.txt", "one")
	stop := w.watch()
	defer stop()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	next, end := iter.Pull2(Follow(ctx, w.project.Out))
	defer end()
	var last hashing.Digest
	number := 0
	get := func() Batch {
		t.Helper()
		for {
			b, err, ok := next()
			number++
			if err != nil || !ok || len(b.Changes) != 1 || b.Number != number {
				t.Fatalf("%+v, %v, %t", b, err, ok)
			}
			if again := b.Changes[0].Blob == last; !again {
				last = b.Changes[0].Blob
				return b
			}
		}
	}
	for n, text := range []string{"two", "three"} {
		// A change may be found by comparison, and then be reported again by the watcher.
		w.replace("a/1.txt", text)
		b := get()
		c := b.Changes[0]
		if c.Path != "a/1.txt" || c.Blob != hashing.DigestOf([]byte(text)) || c.Removed || c.Cause.Source != "a/1.txt" {
			t.Errorf("%+v", b)
		}
		if n == 1 && (!strings.HasPrefix(c.Cause.Reason, "content changed") || time.Since(c.Cause.Saved).Abs() > time.Hour) {
			t.Errorf("cause %+v", c.Cause)
		}
		if data, err := os.ReadFile(filepath.Join(w.project.Out, c.Path)); string(data) != text {
			t.Errorf("in place when it is told: %q, %v", data, err)
		}
	}
	if err := os.Remove(w.asset("a/1.txt")); err != nil {
		t.Fatal(err)
	}
	if c := get().Changes[0]; !c.Removed || c.Path != "a/1.txt" || c.Cause.Source != "a/1.txt" || !c.Blob.IsZero() {
		t.Errorf("%+v", c)
	}
	cancel()
	if b, err, ok := next(); ok {
		t.Errorf("after the end: %+v, %v", b, err)
	}
}

func damageManifest(t *testing.T, out string) {
	t.Helper()
	name := filepath.Join(out, manifest.Name)
	if err := errors.Join(os.WriteFile(name+".tmp", []byte("{"), 0o666), os.Rename(name+".tmp", name)); err != nil {
		t.Fatal(err)
	}
}

// TestDamagedManifest expects one error for an unreadable manifest. Changes must follow when the
// manifest is readable again.
func TestDamagedManifest(t *testing.T) {
	leaktest.Check(t)
	w := newTree(t)
	w.cook(cook.CookOptions{})
	damageManifest(t, w.project.Out)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	next, end := iter.Pull2(Follow(ctx, w.project.Out))
	defer end()
	if b, err, ok := next(); err == nil || !ok || !strings.Contains(err.Error(), manifest.Name) {
		t.Fatalf("%+v, %v, %t", b, err, ok)
	}
	w.cook(cook.CookOptions{})
	if b, err, ok := next(); err != nil || !ok || len(b.Changes) != 1 || b.Changes[0].Path != "fixed.txt" {
		t.Errorf("%+v, %v, %t", b, err, ok)
	}
}

// edit makes a random edit. A removal or rename does nothing if the chosen file does not exist.
func (w *tree) edit(r *rand.Rand) string {
	name := func() string { return fmt.Sprintf("%c/%d.txt", 'a'+rune(r.IntN(3)), r.IntN(3)) }
	a, b := name(), name()
	what := r.IntN(7)
	switch what {
	case 0, 1, 2:
		w.write(a, fmt.Sprint("text ", r.IntN(1000)))
	case 3, 6:
		os.Remove(w.asset(a))
	case 4:
		os.Rename(w.asset(a), w.asset(b))
	case 5:
		os.Rename(filepath.Dir(w.asset(a)), filepath.Dir(w.asset(b)))
	}
	return fmt.Sprintln(what, a, b)
}
