package cook_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/run"
)

// odd is a recipe that does what the test wants.
type odd struct {
	do   func(ctx context.Context, job *recipe.Job) error
	need func() (int64, error)
}

// oddOptions has no options; what it does hangs on a package of the test's.
type oddOptions struct{}

var (
	oddMu sync.Mutex
	oddly odd
)

func (*oddOptions) Outputs() []string { return []string{"{path}"} }
func (*oddOptions) Cook(ctx context.Context, job *recipe.Job) error {
	return oddly.do(ctx, job)
}
func (*oddOptions) Estimate([]byte, int64) (int64, error) {
	if oddly.need == nil {
		return 1, nil
	}
	return oddly.need()
}

// watcher collects a run's events. It is told by one goroutine at a time, so
// it needs no lock of its own: the race detector says if that is not so.
type watcher struct {
	failed map[string]string
	notes  []string
	events int
}

func (w *watcher) Stage(string)               {}
func (w *watcher) Planned(int, time.Duration) {}
func (w *watcher) Note(text string)           { w.notes = append(w.notes, text) }
func (w *watcher) EveryAsset() bool           { return true }
func (w *watcher) Event(e run.Event) {
	w.events++
	if e.Outcome == run.Failed {
		w.failed[e.Path] = e.Err.Error()
	}
}

// cookOddly cooks files, all of them with the odd recipe.
func cookOddly(t *testing.T, files map[string]string, o odd, opt cook.Options) (summary string, w *watcher, out string) {
	t.Helper()
	oddMu.Lock()
	defer oddMu.Unlock()
	oddly = o
	dir := t.TempDir()
	opt.Dir = filepath.Join(dir, "assets")
	opt.Cache = filepath.Join(dir, "store")
	for name, text := range files {
		name = filepath.Join(opt.Dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(opt.Dir, "cook.toml"), []byte("[[rule]]\nmatch = \"*\"\nrecipe = \"odd\""), 0o666); err != nil {
		t.Fatal(err)
	}
	opt.Recipes = []recipe.Recipe{{Name: "odd", Version: 1, New: func() recipe.Cooker { return &oddOptions{} }}}
	w = &watcher{failed: map[string]string{}}
	opt.Observer = w
	s, err := cook.Cook(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return s.Line(), w, filepath.Join(dir, "cooked")
}

func TestRecipesThatMisbehave(t *testing.T) {
	for name, tc := range map[string]struct {
		do   func(ctx context.Context, job *recipe.Job) error
		want string
	}{
		"panics":         {func(context.Context, *recipe.Job) error { panic("out of paint") }, "recipe panicked: out of paint"},
		"writes nothing": {func(context.Context, *recipe.Job) error { return nil }, "recipe odd wrote nothing to output a.txt"},
		"makes a folder": {func(_ context.Context, j *recipe.Job) error { return os.Mkdir(j.OutputFile(0), 0o777) }, "made no regular file of output a.txt"},
		"links":          {func(_ context.Context, j *recipe.Job) error { return os.Symlink("/etc/passwd", j.OutputFile(0)) }, "made no regular file of output a.txt"},
		"reads outside":  {func(_ context.Context, j *recipe.Job) error { _, err := j.Read("../../secret"); return err }, `dependency "../../secret": outside the asset tree`},
		"reads a folder": {func(_ context.Context, j *recipe.Job) error { _, err := j.Read("sub"); return err }, "is a folder, not a regular file"},
		"fails half way": {func(_ context.Context, j *recipe.Job) error {
			return errors.Join(j.Write(0, []byte("half")), errors.New("no more"))
		}, "no more"},
		"writes twice":  {func(_ context.Context, j *recipe.Job) error { return errors.Join(j.Write(0, nil), j.Write(0, nil)) }, "output a.txt: file exists"},
		"uses the path": {func(_ context.Context, j *recipe.Job) error { return j.Write(0, []byte(j.Path())) }, "recipe panicked: recipe odd: Job.Path without Recipe.UsesPath"},
		"edits the source": {func(_ context.Context, j *recipe.Job) error {
			return errors.Join(j.Write(0, nil), os.WriteFile(filepath.Join(j.Assets(), "a.txt"), []byte("x"), 0o666))
		}, "changed while it was being cooked; run cook again"},
	} {
		t.Run(name, func(t *testing.T) {
			line, w, out := cookOddly(t, map[string]string{"a.txt": "one", "sub/b.txt": "two"}, odd{do: func(ctx context.Context, j *recipe.Job) error {
				if text, err := j.Source(); err != nil || string(text) != "one" {
					return errors.Join(err, j.Write(0, text))
				}
				return tc.do(ctx, j)
			}}, cook.Options{})
			if !strings.Contains(w.failed["a.txt"], tc.want) || len(w.failed) != 1 {
				t.Errorf("failures %q, want %q", w.failed, tc.want)
			}
			if !strings.Contains(line, " 1 cooked, 1 failed") {
				t.Error(line)
			}
			if _, err := os.Lstat(filepath.Join(out, "a.txt")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a.txt is in the output folder: %v", err)
			}
			if left, err := os.ReadDir(filepath.Join(out, ".cook", "tmp")); err == nil {
				t.Errorf("scratch files were left: %v", left)
			}
		})
	}
}

// What runs at once never needs more than the budget; what alone needs more is
// refused.
func TestMemoryBudget(t *testing.T) {
	const budget, each = 10, 4
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("%d.txt", i)] = fmt.Sprint(i)
	}
	var mu sync.Mutex
	now, most := 0, 0
	line, _, _ := cookOddly(t, files, odd{
		need: func() (int64, error) { return each, nil },
		do: func(_ context.Context, j *recipe.Job) error {
			mu.Lock()
			now += each
			most = max(most, now)
			mu.Unlock()
			for range 1000 { // let everybody in who may come in
				runtime.Gosched()
			}
			err := j.Write(0, nil)
			mu.Lock()
			now -= each
			mu.Unlock()
			return err
		},
	}, cook.Options{Workers: 8, Memory: budget})
	if most > budget {
		t.Errorf("%d bytes at once, the budget is %d", most, budget)
	}
	if !strings.Contains(line, " 40 cooked, 0 failed") {
		t.Error(line)
	}

	_, w, _ := cookOddly(t, map[string]string{"a.txt": "x"}, odd{need: func() (int64, error) { return budget + 1, nil }}, cook.Options{Memory: budget})
	if want := "needs about 1 MiB of memory; the budget is 0 MiB (-mem)"; w.failed["a.txt"] != want {
		t.Errorf("failures %q, want %q", w.failed, want)
	}
}

// Many equal files are cooked once, whatever the number of workers.
func TestEqualFilesAreCookedOnce(t *testing.T) {
	files := map[string]string{}
	for i := range 30 {
		files[fmt.Sprintf("%d.txt", i)] = "the same"
	}
	line, _, _ := cookOddly(t, files, odd{do: func(_ context.Context, j *recipe.Job) error { return j.Write(0, []byte("out")) }}, cook.Options{Workers: 8})
	if !strings.Contains(line, " 29 restored, 1 cooked, 0 failed") {
		t.Error(line)
	}
}

// A recipe that asks for all of a source is shown it.
func TestEstimateOfTheWhole(t *testing.T) {
	asked := 0
	text := strings.Repeat("x", 2*recipe.HeadSize)
	_, w, _ := cookOddly(t, map[string]string{"a.txt": text}, odd{
		need: func() (int64, error) {
			if asked++; asked == 1 {
				return 0, recipe.ErrShortHead
			}
			return 0, errors.New("seen all of it")
		},
	}, cook.Options{})
	if w.failed["a.txt"] != "seen all of it" || asked != 2 {
		t.Errorf("asked %d times, failures %q", asked, w.failed)
	}
}

// Without a store that can be written everything is cooked, with one note.
func TestStoreThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	assets := filepath.Join(dir, "assets")
	if err := os.Mkdir(assets, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(assets, "a.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	w := &watcher{failed: map[string]string{}}
	s, err := cook.Cook(t.Context(), cook.Options{Dir: assets, Cache: filepath.Join(dir, "file", "store"), Observer: w})
	if err != nil || s.Cooked.Assets != 1 || len(w.notes) != 1 || !strings.Contains(w.notes[0], "results are not kept for later") {
		t.Errorf("%s, error %v, notes %q", s.Line(), err, w.notes)
	}
}
