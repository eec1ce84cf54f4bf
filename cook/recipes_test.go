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
	"sync/atomic"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// A testRecipe has functions that the recipe "test" calls. A nil estimate means 1 byte.
type testRecipe struct {
	cook     func(ctx context.Context, job *recipe.Job) error
	estimate func() (int64, error)
}

// testOptions is an empty options struct. Its methods call the functions in currentRecipe, because
// the fields of an options struct must be options.
type testOptions struct{}

var (
	recipeMu      sync.Mutex // held by the test that uses currentRecipe
	currentRecipe testRecipe
)

func (*testOptions) Outputs() []string { return []string{"{path}"} }
func (*testOptions) Cook(ctx context.Context, job *recipe.Job) error {
	return currentRecipe.cook(ctx, job)
}
func estimateTest([]byte, int64) (int64, error) {
	if currentRecipe.estimate == nil {
		return 1, nil
	}
	return currentRecipe.estimate()
}

func testRecipes() []recipe.Recipe {
	return []recipe.Recipe{{Name: "test", Version: 1, New: func() recipe.Cooker { return &testOptions{} },
		Traits: func(recipe.Cooker) recipe.Traits { return recipe.Traits{Estimate: estimateTest} }}}
}

// cookWithRecipe cooks files with the recipe "test". It uses only Workers, Memory and Observer of
// run.
func cookWithRecipe(t *testing.T, files map[string]string, r testRecipe, run oracle.Run) (summary string, rec *recorder, out string) {
	t.Helper()
	recipeMu.Lock()
	defer recipeMu.Unlock()
	currentRecipe = r
	p := newProject(t)
	for name, text := range files {
		p.write(name, text)
	}
	p.write("cook.toml", "[[rule]]\nmatch = \"*\"\nrecipe = \"test\"")
	rec = &recorder{}
	p.run.Workers, p.run.Memory = run.Workers, run.Memory
	p.run.Recipes, p.run.Observer, p.run.EveryAsset = testRecipes(), rec, true
	if run.Observer != nil {
		p.run.Observer = cook.Observers{rec, run.Observer}
	}
	s := p.cook()
	return s.String(), rec, p.run.Out
}

// TestEstimateOfChangedSource changes a source while its estimate fails. The error must say that
// the source changed.
func TestEstimateOfChangedSource(t *testing.T) {
	recipeMu.Lock()
	defer recipeMu.Unlock()
	p, rec := newProject(t), &recorder{}
	p.write("a.txt", "old")
	p.write("cook.toml", "[[rule]]\nmatch = \"*\"\nrecipe = \"test\"")
	p.run.Recipes, p.run.Observer, p.run.EveryAsset = testRecipes(), rec, true
	currentRecipe = testRecipe{estimate: func() (int64, error) {
		p.write("a.txt", "longer")
		return 0, errors.New("cut short")
	}}
	p.cook()
	if got := rec.failure("a.txt"); !strings.Contains(got, "changed while it was being cooked") || !strings.Contains(got, "cut short") {
		t.Errorf("failure %q", got)
	}
	currentRecipe.estimate = func() (int64, error) { return 0, errors.New("cut short") }
	p.cook()
	if got := rec.failed[len(rec.failed)-1]; got != "a.txt: cut short" {
		t.Errorf("failure %q of a source that did not change", got)
	}
}

func TestMisbehavingRecipes(t *testing.T) {
	for name, tc := range map[string]struct {
		cook func(ctx context.Context, job *recipe.Job) error
		want string
	}{
		"panics":            {func(context.Context, *recipe.Job) error { panic("out of range") }, "the recipe panicked: out of range; this is a bug in the recipe"},
		"writes nothing":    {func(context.Context, *recipe.Job) error { return nil }, "recipe test did not write output a.txt"},
		"makes a directory": {func(_ context.Context, j *recipe.Job) error { return os.Mkdir(j.OutputFile(0), 0o777) }, "did not make output a.txt a regular file"},
		"links":             {func(_ context.Context, j *recipe.Job) error { return os.Symlink("/etc/passwd", j.OutputFile(0)) }, "did not make output a.txt a regular file"},
		"reads outside":     {func(_ context.Context, j *recipe.Job) error { _, err := j.Read("../../secret"); return err }, `dependency "../../secret": the path is outside the asset tree`},
		"reads a directory": {func(_ context.Context, j *recipe.Job) error { _, err := j.Read("sub"); return err }, "is a directory, not a regular file"},
		"fails half way": {func(_ context.Context, j *recipe.Job) error {
			return errors.Join(j.Write(0, []byte("half")), errors.New("no more"))
		}, "no more"},
		"writes twice":  {func(_ context.Context, j *recipe.Job) error { return errors.Join(j.Write(0, nil), j.Write(0, nil)) }, "output a.txt: file exists"},
		"uses the path": {func(_ context.Context, j *recipe.Job) error { return j.Write(0, []byte(j.Path())) }, "the recipe panicked: recipe test: Job.Path without Recipe.UsesPath; this is a bug in the recipe"},
		"edits the source": {func(_ context.Context, j *recipe.Job) error {
			return errors.Join(j.Write(0, nil), os.WriteFile(filepath.Join(j.Assets(), "a.txt"), []byte("x"), 0o666))
		}, "the file changed while it was being cooked; run cook again"},
	} {
		t.Run(name, func(t *testing.T) {
			line, w, out := cookWithRecipe(t, map[string]string{"a.txt": "one", "sub/b.txt": "two"}, testRecipe{cook: func(ctx context.Context, j *recipe.Job) error {
				if text, err := j.Source(); err != nil || string(text) != "one" {
					return errors.Join(err, j.Write(0, text))
				}
				return tc.cook(ctx, j)
			}}, oracle.Run{})
			if !strings.Contains(w.failure("a.txt"), tc.want) || len(w.failed) != 1 {
				t.Errorf("failures %q, want %q", w.failed, tc.want)
			}
			if !strings.Contains(line, " 1 cooked, 1 failed") {
				t.Error(line)
			}
			if _, err := os.Lstat(filepath.Join(out, "a.txt")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a.txt is in the output directory: %v", err)
			}
			if left, err := os.ReadDir(filepath.Join(out, ".cook", "tmp")); err == nil {
				t.Errorf("scratch files are left: %v", left)
			}
		})
	}
}

// TestMemoryBudget expects that the estimates of running recipes never exceed the budget. An asset
// that alone exceeds it must be refused.
func TestMemoryBudget(t *testing.T) {
	const budget, each = 10, 4
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("%d.txt", i)] = fmt.Sprint(i)
	}
	var mu sync.Mutex
	now, most := 0, 0
	line, _, _ := cookWithRecipe(t, files, testRecipe{
		estimate: func() (int64, error) { return each, nil },
		cook: func(_ context.Context, j *recipe.Job) error {
			mu.Lock()
			now += each
			most = max(most, now)
			mu.Unlock()
			for range 1000 { // give other cooks within the budget time to start
				runtime.Gosched()
			}
			err := j.Write(0, nil)
			mu.Lock()
			now -= each
			mu.Unlock()
			return err
		},
	}, oracle.Run{Workers: 8, Memory: budget})
	if most > budget {
		t.Errorf("%d bytes at once, the budget is %d", most, budget)
	}
	if !strings.Contains(line, " 40 cooked in ") {
		t.Error(line)
	}

	_, w, _ := cookWithRecipe(t, map[string]string{"a.txt": "x"}, testRecipe{estimate: func() (int64, error) { return budget + 1, nil }}, oracle.Run{Memory: budget})
	if want := "cooking needs about 1 MiB of memory, but the budget is 0 MiB; raise the budget"; w.failure("a.txt") != want {
		t.Errorf("failures %q, want %q", w.failed, want)
	}
}

// TestEqualFilesAreCookedOnce cooks many equal files with several workers, and expects a single
// cook.
func TestEqualFilesAreCookedOnce(t *testing.T) {
	files := map[string]string{}
	for i := range 30 {
		files[fmt.Sprintf("%d.txt", i)] = "the same"
	}
	line, _, _ := cookWithRecipe(t, files, testRecipe{cook: func(_ context.Context, j *recipe.Job) error { return j.Write(0, []byte("out")) }}, oracle.Run{Workers: 8})
	if !strings.Contains(line, " 29 restored, 1 cooked in ") {
		t.Error(line)
	}
}

// TestEstimateFromWholeSource expects a second call of Estimate after ErrShortHead.
func TestEstimateFromWholeSource(t *testing.T) {
	asked := 0
	text := strings.Repeat("x", 2*recipe.HeadSize)
	_, w, _ := cookWithRecipe(t, map[string]string{"a.txt": text}, testRecipe{
		estimate: func() (int64, error) {
			if asked++; asked == 1 {
				return 0, recipe.ErrShortHead
			}
			return 0, errors.New("got all of it")
		},
	}, oracle.Run{})
	if w.failure("a.txt") != "got all of it" || asked != 2 {
		t.Errorf("asked %d times, failures %q", asked, w.failed)
	}
}

// TestUnusableStore expects everything to be cooked, with one note, if the store is not writable.
func TestUnusableStore(t *testing.T) {
	p := newProject(t)
	p.writeFile("file", "")
	p.write("a.txt", "")
	rec := &recorder{}
	p.run.Cache, p.run.Observer, p.run.EveryAsset = p.path("file/store"), rec, true
	s := p.cook()
	if s.Cooked.Assets != 1 || len(rec.notes) != 1 || !strings.Contains(rec.notes[0], "results of this run are not stored") {
		t.Errorf("%s, notes %q", s.String(), rec.notes)
	}
}

// pieces is the number of calls that Job.Each makes in these tests. It is large enough for other
// goroutines to take part.
const pieces = 10_000

// meeting returns a function for Job.Each, and a function that returns the maximum number of
// concurrent calls so far. Each call waits briefly, unless the maximum has already reached the
// argument together.
func meeting(together int64) (piece func(int) error, most func() int64) {
	var now, peak atomic.Int64
	piece = func(int) error {
		defer now.Add(-1)
		n := now.Add(1)
		for p := peak.Load(); n > p && !peak.CompareAndSwap(p, n); p = peak.Load() {
		}
		for range 1000 {
			if peak.Load() >= together {
				break
			}
			runtime.Gosched()
		}
		return nil
	}
	return piece, peak.Load
}

// TestPiecesOfOneAsset expects Job.Each to use as many goroutines as there are workers.
func TestPiecesOfOneAsset(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		piece, most := meeting(int64(workers))
		line, _, _ := cookWithRecipe(t, map[string]string{"a.txt": "x"}, testRecipe{cook: func(ctx context.Context, j *recipe.Job) error {
			return errors.Join(j.Each(ctx, pieces, piece), j.Write(0, nil))
		}}, oracle.Run{Workers: workers})
		if most() != int64(workers) || !strings.Contains(line, " 1 cooked in ") {
			t.Errorf("%d workers: %d pieces at once, %s", workers, most(), line)
		}
	}
}

// TestPiecesOfManyAssets expects that recipes and their helper goroutines never outnumber the
// workers.
func TestPiecesOfManyAssets(t *testing.T) {
	files := map[string]string{}
	for i := range 30 {
		files[fmt.Sprintf("%d.txt", i)] = fmt.Sprint(i)
	}
	const workers = 3
	piece, most := meeting(workers)
	line, _, _ := cookWithRecipe(t, files, testRecipe{cook: func(ctx context.Context, j *recipe.Job) error {
		return errors.Join(j.Each(ctx, pieces, piece), j.Write(0, nil))
	}}, oracle.Run{Workers: workers})
	if most() != workers || !strings.Contains(line, " 30 cooked in ") {
		t.Errorf("%d pieces at once, %s", most(), line)
	}
}

// TestWaitingWorkersLendTheirCores expects workers that wait for memory, or for an equal asset, to
// lend their cores to other workers.
func TestWaitingWorkersLendTheirCores(t *testing.T) {
	const budget = 10
	for name, files := range map[string]map[string]string{
		"memory": {"a.txt": "1", "b.txt": "2"},
		"equal":  {"a.txt": "1", "b.txt": "1"},
	} {
		piece, most := meeting(2)
		started, both := 0, make(chan struct{})
		var second atomic.Bool
		line, _, _ := cookWithRecipe(t, files, testRecipe{
			estimate: func() (int64, error) { return budget, nil },
			cook: func(ctx context.Context, j *recipe.Job) error {
				<-both
				var err error
				if !second.Swap(true) {
					err = j.Each(ctx, pieces, piece)
				}
				return errors.Join(err, j.Write(0, nil))
			},
		}, oracle.Run{Workers: 2, Memory: budget, Observer: hooks{event: func(e cook.Event) {
			if e.Outcome == cook.Started {
				if started++; started == 2 {
					close(both)
				}
			}
		}}})
		if most() != 2 || strings.Contains(line, "failed") {
			t.Errorf("%s: %d pieces at once, %s", name, most(), line)
		}
	}
}

// TestPanicOfPiece expects that a panic in another goroutine of Job.Each fails only its own asset.
func TestPanicOfPiece(t *testing.T) {
	piece, _ := meeting(4)
	line, w, _ := cookWithRecipe(t, map[string]string{"a.txt": "bad", "b.txt": "good"}, testRecipe{cook: func(ctx context.Context, j *recipe.Job) error {
		data, err := j.Source()
		if err != nil {
			return err
		}
		if string(data) == "bad" {
			err = j.Each(ctx, pieces, func(i int) error {
				piece(i)
				panic("oops")
			})
		}
		return errors.Join(err, j.Write(0, nil))
	}}, oracle.Run{Workers: 4})
	if w.failure("a.txt") != "the recipe panicked: oops; this is a bug in the recipe" || !strings.Contains(line, " 1 cooked, 1 failed") {
		t.Errorf("%q, %s", w.failed, line)
	}
}
