package verify_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/verify"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/jobs"
)

// cookFuncs are the functions of test recipes, by name. A recipe cooks all files whose extension is
// its name.
type cookFuncs map[string]func(ctx context.Context, job *recipe.Job) error

// funcCooker is a recipe without options. It has no fields, because fields would be options.
type funcCooker struct{}

var testFuncs cookFuncs

func (*funcCooker) Outputs() []string { return []string{"{path}"} }
func (*funcCooker) Cook(ctx context.Context, j *recipe.Job) error {
	return testFuncs[strings.TrimPrefix(j.Ext(), ".")](ctx, j)
}

// cookedWith makes a tree with some files, and cooks it with some test recipes.
func cookedWith(t *testing.T, files map[string]string, funcs cookFuncs) *tree {
	t.Helper()
	tr := newTree(t)
	testFuncs = funcs
	var rules strings.Builder
	tr.Recipes = nil
	for name := range funcs {
		fmt.Fprintf(&rules, "[[rule]]\nmatch = \"*.%s\"\nrecipe = %q\n", name, name)
		tr.Recipes = append(tr.Recipes, recipe.Recipe{Name: name, Version: 1, New: func() recipe.Cooker { return &funcCooker{} }})
	}
	for name, text := range files {
		tr.write(t, name, text)
	}
	tr.write(t, "cook.toml", rules.String())
	tr.cook(t)
	return tr
}

// If a recipe reads something that artifacts must not depend on, the finding names the cause.
func TestCauses(t *testing.T) {
	var calls atomic.Int64
	tr := cookedWith(t, map[string]string{"a.count": "x", "a.place": "x", "a.good": "x", "a.vars": "x", "a.broken": "x"}, cookFuncs{
		"count": func(_ context.Context, j *recipe.Job) error {
			return j.Write(0, fmt.Appendf(nil, "count %9d", calls.Add(1)))
		},
		"place": func(_ context.Context, j *recipe.Job) error { return j.Write(0, fmt.Append(nil, len(j.OutputFile(0)))) },
		"good":  func(_ context.Context, j *recipe.Job) error { return j.Write(0, []byte("good")) },
		"vars": func(_ context.Context, j *recipe.Job) error {
			vars, _, _ := jobs.Programs(j)
			return j.Write(0, fmt.Append(nil, vars["TZ"]))
		},
		"broken": func(_ context.Context, j *recipe.Job) error {
			if vars, _, _ := jobs.Programs(j); len(vars) > 0 {
				return errors.New("out of paint\nand of brushes")
			}
			return j.Write(0, nil)
		},
	})
	found, sum := tr.verify(t, "all")
	mustFind(t, found, slices.Repeat([]verify.FindingKind{verify.NotReproducible}, 4)...)
	text := map[string]string{}
	for _, f := range found {
		text[f.Path] = f.Text
		if f.Recipe != strings.TrimPrefix(f.Path, "a.") {
			t.Errorf("%s: recipe %q", f.Path, f.Recipe)
		}
	}
	for path, want := range map[string][2]string{
		"a.count":  {"a.count differs from a new cook at offset 14 (0x", `): the recipe "count" is not deterministic`},
		"a.place":  {"a.place differs from a new cook at offset ", `): the recipe "place" depends on the name of its scratch directory`},
		"a.vars":   {"a.vars differs from a new cook at offset 0 (the end, now 0x", "depends on the time zone (TZ); if the recipe must depend on that, set the variable with env in the rule"},
		"a.broken": {`cannot be cooked again: the recipe "broken" `, ": out of paint\nand of brushes"},
	} {
		if got := text[path]; !strings.HasPrefix(got, want[0]) || !strings.HasSuffix(got, want[1]) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if sum.Again != 5 {
		t.Errorf("%+v", sum)
	}
}

// In TestStoreDisagrees, two checkouts share a store. The other checkout has stored different
// results for the same inputs.
func TestStoreDisagrees(t *testing.T) {
	var calls atomic.Int64
	tr := cookedWith(t, map[string]string{"a.count": "x"}, cookFuncs{
		"count": func(_ context.Context, j *recipe.Job) error { return j.Write(0, fmt.Append(nil, calls.Add(1))) },
	})
	found, _ := tr.verify(t, "0")
	mustFind(t, found)
	other := *tr
	other.Place.Out, other.Mode.Force = filepath.Join(t.TempDir(), "out"), true
	other.cook(t)
	found, _ = tr.verify(t, "0")
	mustFind(t, found, verify.NotReproducible)
	if len(found) == 1 && found[0].Text != `the store has another result of the same inputs: the recipe "count" is not deterministic` {
		t.Errorf("%q", found[0].Text)
	}
}

// If a source changes while it is cooked again, verification does not report the recipe.
func TestChangedMeanwhile(t *testing.T) {
	var edits atomic.Bool
	tr := cookedWith(t, map[string]string{"a.edit": "one"}, cookFuncs{
		"edit": func(_ context.Context, j *recipe.Job) error {
			text, err := j.Source()
			if err == nil && edits.Load() {
				err = os.WriteFile(filepath.Join(j.Assets(), "a.edit"), []byte("two"), 0o666)
			}
			return errors.Join(err, j.Write(0, append(text, "!!"...)))
		},
	})
	edits.Store(true)
	found, _ := tr.verify(t, "all")
	mustFind(t, found, verify.NotUpToDate)
	if len(found) == 1 && found[0].Text != "the source changed while it was being verified; run cook" {
		t.Errorf("%q", found[0].Text)
	}
}

// The lock is held while assets are cooked again, and an interrupted verification leaves no files
// behind.
func TestLockAndInterrupt(t *testing.T) {
	var during func()
	tr := cookedWith(t, map[string]string{"a.call": "x", "b.call": "y"}, cookFuncs{
		"call": func(ctx context.Context, j *recipe.Job) error {
			if during != nil {
				during()
			}
			return errors.Join(ctx.Err(), j.Write(0, nil))
		},
	})
	var once sync.Once
	during = func() {
		once.Do(func() {
			var locked *state.LockedError
			if _, err := session.Open(tr.Options, session.Write); !errors.As(err, &locked) {
				t.Errorf("a cook meanwhile: %v", err)
			}
		})
	}
	found, _ := tr.verify(t, "all")
	mustFind(t, found)

	ctx, cancel := context.WithCancel(t.Context())
	during = cancel
	sum, err := verify.Run(ctx, verify.Options{Pass: tr.Options, Sample: "all", Found: func(f verify.Finding) { t.Error(f) }})
	if !errors.Is(err, context.Canceled) || sum.Again != 0 || sum.Outputs != 2 {
		t.Errorf("%+v, error %v", sum, err)
	}
	if _, err := os.Lstat(tr.output(".cook/tmp")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("scratch files are left: %v", err)
	}
}

// A failure of the machine, such as a full disk, is an error of the verification and not a
// difference.
func TestHindrance(t *testing.T) {
	for what, tt := range map[string]struct {
		hinder func(tr *tree, j *recipe.Job) error // function that runs while the asset is cooked again
		memory int64
		want   string
	}{
		"memory": {memory: 1, want: "the budget is 0 MiB"},
		"full disk": {
			hinder: func(*tree, *recipe.Job) error { return &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC} },
			want:   "free some disk space and run cook again",
		},
		"scratch directory gone": {
			hinder: func(_ *tree, j *recipe.Job) error {
				return errors.Join(os.RemoveAll(filepath.Dir(j.OutputFile(0))), errors.New("it does not work"))
			},
			want: "no such file or directory",
		},
		"output directory gone": {
			hinder: func(tr *tree, j *recipe.Job) error {
				return errors.Join(os.RemoveAll(tr.Place.Out), errors.New("it does not work"))
			},
			want: "another process removed or replaced the directory",
		},
	} {
		t.Run(what, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.HasSuffix(what, "directory gone") {
				t.Skip("Windows removes no directory with open files")
			}
			var tr *tree
			again := false
			tr = cookedWith(t, map[string]string{"a.fine": "a"}, cookFuncs{
				"fine": func(_ context.Context, j *recipe.Job) error {
					if again && tt.hinder != nil {
						return tt.hinder(tr, j)
					}
					return j.Write(0, []byte("cooked"))
				},
			})
			again, tr.Limits.Memory = true, tt.memory
			_, err := verify.Run(t.Context(), verify.Options{Pass: tr.Options, Sample: "all", Found: func(f verify.Finding) { t.Error(f) }})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if what != "output directory gone" {
				return
			}
			if _, err := os.Lstat(tr.Place.Out); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the output directory was made again: %v", err)
			}
		})
	}
}

func TestSeed(t *testing.T) {
	var mu sync.Mutex
	cooked := map[string]bool{}
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("%d.note", i)] = fmt.Sprint(i)
	}
	tr := cookedWith(t, files, cookFuncs{"note": func(_ context.Context, j *recipe.Job) error {
		text, err := j.Source()
		mu.Lock()
		cooked[string(text)] = true
		mu.Unlock()
		return errors.Join(err, j.Write(0, text))
	}})
	drawn := func(seed uint64) []string {
		clear(cooked)
		sum, err := verify.Run(t.Context(), verify.Options{Pass: tr.Options, Sample: "25%", Seed: seed})
		if err != nil || sum.Again != 10 || len(cooked) != 10 || seed != 0 && sum.Seed != seed || sum.Seed == 0 {
			t.Errorf("seed %d: %d cooked, %+v, %v", seed, len(cooked), sum, err)
		}
		var names []string
		for name := range cooked {
			names = append(names, name)
		}
		slices.Sort(names)
		return names
	}
	one := drawn(1)
	if two := drawn(1); !slices.Equal(one, two) {
		t.Errorf("the same seed drew %q and %q", one, two)
	}
	if two := drawn(2); slices.Equal(one, two) {
		t.Errorf("two seeds drew %q", one)
	}
	drawn(0)
}

func TestLockLost(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows removes no lock that is open")
	}
	tr := cooked(t)
	tr.write(t, "new.txt", "new")
	_, err := verify.Run(t.Context(), verify.Options{Pass: tr.Options, Sample: "0", Found: func(verify.Finding) {
		must(t, os.Remove(tr.output(".cook/lock")))
	}})
	if !errors.Is(err, state.ErrLostLock) {
		t.Errorf("error %v", err)
	}
}
