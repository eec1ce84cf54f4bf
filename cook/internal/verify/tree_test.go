package verify_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/pass"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/verify"
	"github.com/assetcook/assetcook/recipes/builtin"
)

// A tree is an asset directory that has been cooked.
type tree struct {
	session.Options
	observer *observer
}

// sources are cooked by built-in recipes.
var sources = map[string]string{
	"a.txt": "alpha", "b.json": "[1, 2]", "sub/c.txt": "gamma", "sub/d.bin": strings.Repeat("delta", 1000),
	"cook.toml": "[[rule]]\nmatch = \"*.bin\"\nrecipe = \"zstd\"\n",
}

const assets = 4

// newTree makes a tree without sources.
func newTree(t *testing.T) *tree {
	t.Helper()
	dir := t.TempDir()
	tr := &tree{observer: &observer{t: t}}
	tr.Place = session.Place{Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "out"), Cache: filepath.Join(dir, "store")}
	tr.Recipes, tr.Observer = builtin.All(), tr.observer
	return tr
}

// cooked makes a tree and cooks it.
func cooked(t *testing.T) *tree {
	t.Helper()
	tr := newTree(t)
	for name, text := range sources {
		tr.write(t, name, text)
	}
	tr.cook(t)
	return tr
}

func (tr *tree) asset(name string) string {
	return filepath.Join(tr.Place.Dir, filepath.FromSlash(name))
}

func (tr *tree) output(name string) string {
	return filepath.Join(tr.Place.Out, filepath.FromSlash(name))
}

func (tr *tree) write(t *testing.T, name, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(tr.asset(name)), 0o777))
	must(t, os.WriteFile(tr.asset(name), []byte(text), 0o666))
}

// cook brings the output directory of the tree up to date.
func (tr *tree) cook(t *testing.T) pass.Done {
	t.Helper()
	s, err := session.Open(tr.Options, session.Write)
	must(t, err)
	defer s.Close()
	done, err := pass.Run(t.Context(), s, nil)
	must(t, err)
	if n := done.Stats.Outcomes.Failed.Assets + done.Stats.Errors; n > 0 {
		t.Fatalf("%d failures", n)
	}
	return done
}

// verify returns the findings and totals.
func (tr *tree) verify(t *testing.T, sample string) (found []verify.Finding, sum verify.Sum) {
	t.Helper()
	tr.observer.begin()
	sum, err := verify.Run(t.Context(), verify.Options{
		Pass: tr.Options, Sample: sample, Found: func(f verify.Finding) { found = append(found, f) },
	})
	must(t, err)
	differences := 0
	for _, f := range found {
		if !f.Warning {
			differences++
		}
	}
	if sum.Differences != differences {
		t.Errorf("%d differences, %d reported", sum.Differences, differences)
	}
	return found, sum
}

// mustFind fails unless the findings have exactly the given kinds.
func mustFind(t *testing.T, found []verify.Finding, want ...verify.FindingKind) {
	t.Helper()
	var kinds []verify.FindingKind
	for _, f := range found {
		kinds = append(kinds, f.Kind)
	}
	slices.Sort(kinds)
	slices.Sort(want)
	if !slices.Equal(kinds, want) {
		t.Errorf("found %q, want %q: %+v", kinds, want, found)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// flip inverts a bit in a file and restores the file's times.
func flip(t *testing.T, name string) {
	t.Helper()
	info, err := os.Stat(name)
	must(t, err)
	data, err := os.ReadFile(name)
	must(t, err)
	data[len(data)/2] ^= 1
	must(t, os.WriteFile(name, data, 0o666))
	must(t, os.Chtimes(name, info.ModTime(), info.ModTime()))
}

// An observer counts its calls while a tree is verified.
type observer struct {
	t        *testing.T
	stages   []string
	planned  int
	started  int
	cooked   int
	read, of int
	notes    []string
	bytes    int64
	atWork   atomic.Bool
	overlaps atomic.Bool
}

func (o *observer) begin() {
	o.stages, o.planned, o.started, o.cooked, o.read, o.of, o.notes = nil, 0, 0, 0, 0, 0, nil
}

func (o *observer) Stage(name string) {
	o.stages = append(o.stages, name)
	if name == "read" {
		o.read, o.of, o.bytes = 0, 0, 0
	}
}

func (o *observer) Planned(actions int, _ time.Duration) { o.planned = actions }
func (o *observer) Reading(files, of int, bytes int64) {
	if files <= o.read || files > of || bytes < o.bytes {
		o.t.Errorf("read %d of %d files, %d bytes, after %d files, %d bytes", files, of, bytes, o.read, o.bytes)
	}
	o.read, o.of, o.bytes = files, of, bytes
}

func (o *observer) Step(_, _, _ string) {}
func (o *observer) Note(text string)    { o.notes = append(o.notes, text) }

func (o *observer) Event(e execute.Event) {
	if !o.atWork.CompareAndSwap(false, true) {
		o.overlaps.Store(true)
	}
	defer o.atWork.Store(false)
	switch {
	case e.Recipe == "" && (e.Outcome == execute.Started || e.Outcome == execute.Cooked):
		o.t.Errorf("no recipe in %+v", e)
	case e.Err != nil:
		o.t.Logf("%s: %v", e.Path, e.Err)
	case e.Outcome == execute.Started:
		o.started++
	case e.Outcome == execute.Cooked:
		o.cooked++
	}
}

// files returns the contents and times of all files below the output directory.
func (tr *tree) files(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(tr.Place.Out, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "lock" {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		all[name] = info.ModTime().String() + string(data)
		return err
	}))
	return all
}
