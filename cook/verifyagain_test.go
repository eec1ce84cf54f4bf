package cook_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/proof/oracle"
)

// cookWith cooks some files with recipes of the test: a file is cooked by the recipe that
// is named like its extension.
func cookWith(t *testing.T, files map[string]string, recipes map[string]func(ctx context.Context, job *recipe.Job) error) *project {
	t.Helper()
	p := newProject(t)
	var rules strings.Builder
	recipesByExt = recipes
	for name := range recipes {
		fmt.Fprintf(&rules, "[[rule]]\nmatch = \"*.%s\"\nrecipe = %q\n", name, name)
		p.run.Recipes = append(p.run.Recipes, recipe.Recipe{Name: name, Version: 1, New: func() recipe.Cooker { return &recipeByExt{} }})
	}
	for name, text := range files {
		p.write(name, text)
	}
	p.write("cook.toml", rules.String())
	p.cookAll()
	return p
}

// A recipeByExt is a recipe without options. It calls the function for the extension of
// its source, because the fields of a recipe can only hold options.
type recipeByExt struct{}

var recipesByExt map[string]func(ctx context.Context, job *recipe.Job) error // of the running test

func (*recipeByExt) Outputs() []string { return []string{"{path}"} }
func (*recipeByExt) Cook(ctx context.Context, j *recipe.Job) error {
	return recipesByExt[strings.TrimPrefix(j.Ext(), ".")](ctx, j)
}

// Recipes whose results depend on more than their inputs are found.
func TestVerifyFindsNondeterministicRecipes(t *testing.T) {
	var calls atomic.Int64
	p := cookWith(t, map[string]string{"a.count": "x", "a.place": "x", "a.good": "x", "a.vars": "x", "a.broken": "x"},
		map[string]func(context.Context, *recipe.Job) error{
			"count": func(_ context.Context, j *recipe.Job) error {
				return j.Write(0, fmt.Appendf(nil, "count %9d", calls.Add(1)))
			},
			"place": func(_ context.Context, j *recipe.Job) error {
				return j.Write(0, fmt.Append(nil, len(j.OutputFile(0))))
			},
			"good": func(_ context.Context, j *recipe.Job) error { return j.Write(0, []byte("good")) },
			"vars": func(_ context.Context, j *recipe.Job) error { return j.Write(0, fmt.Append(nil, j.Vars()["TZ"])) },
			"broken": func(_ context.Context, j *recipe.Job) error {
				if len(j.Vars()) > 0 {
					return errors.New("out of paint\nand of brushes")
				}
				return j.Write(0, nil)
			},
		})
	found, sum := p.verify(oracle.Check{Sample: "all"})
	mustFind(t, found, slices.Repeat([]string{"not reproducible"}, 4)...)
	reported := map[string]string{}
	for _, f := range found {
		reported[f.Path] = f.String()
	}
	for path, want := range map[string]string{
		"a.count":  `a.count: a.count differs from a new cook at offset 14 (0x`,
		"a.place":  `): the recipe "place" depends on the name of its scratch folder`,
		"a.vars":   `at offset 0 (the end, now 0x`,
		"a.broken": "out of paint\n  | and of brushes",
	} {
		if !strings.Contains(reported[path], want) {
			t.Errorf("%q, want %q in it", reported[path], want)
		}
	}
	if !strings.HasSuffix(reported["a.count"], `): the recipe "count" is not deterministic`) {
		t.Errorf("%q", reported["a.count"])
	}
	if sum.Again != 5 {
		t.Error(sum.String())
	}
}

// A different result that another checkout made from the same inputs is found in the
// shared store.
func TestVerifyComparesWithStore(t *testing.T) {
	var calls atomic.Int64
	p := cookWith(t, map[string]string{"a.count": "x", "a.good": "y"}, map[string]func(context.Context, *recipe.Job) error{
		"count": func(_ context.Context, j *recipe.Job) error { return j.Write(0, fmt.Append(nil, calls.Add(1))) },
		"good":  func(_ context.Context, j *recipe.Job) error { return j.Write(0, []byte("good")) },
	})
	found, _ := p.verify(oracle.Check{Sample: "0"})
	mustFind(t, found)
	other := p.run
	other.Out, other.Force = filepath.Join(t.TempDir(), "out"), true
	if _, err := other.Cook(t.Context()); err != nil {
		t.Fatal(err)
	}
	found, _ = p.verify(oracle.Check{Sample: "0"})
	mustFind(t, found, "not reproducible")
	if len(found) == 1 && found[0].Text != `the store has another result of the same inputs: the recipe "count" is not deterministic` {
		t.Error(found[0])
	}
}

// A source that changes while it is cooked again is reported as such, and the recipe is
// not blamed.
func TestVerifyNoticesConcurrentEdit(t *testing.T) {
	armed := atomic.Bool{}
	p := cookWith(t, map[string]string{"a.edit": "one"}, map[string]func(context.Context, *recipe.Job) error{
		"edit": func(_ context.Context, j *recipe.Job) error {
			text, err := j.Source()
			if err == nil && armed.Load() {
				err = os.WriteFile(filepath.Join(j.Assets(), "a.edit"), []byte("two"), 0o666)
			}
			return errors.Join(err, j.Write(0, append(text, "!!"...)))
		},
	})
	armed.Store(true)
	found, _ := p.verify(oracle.Check{})
	mustFind(t, found, "not up to date")
	if len(found) == 1 && !strings.Contains(found[0].Text, "changed while it was being verified") {
		t.Error(found[0])
	}
}

// Verify and Cook exclude each other, and an interrupted Verify leaves no scratch files.
func TestVerifyLocksAndStops(t *testing.T) {
	var during func()
	p := cookWith(t, map[string]string{"a.call": "x", "b.call": "y"}, map[string]func(context.Context, *recipe.Job) error{
		"call": func(ctx context.Context, j *recipe.Job) error {
			if during != nil {
				during()
			}
			return errors.Join(ctx.Err(), j.Write(0, nil))
		},
	})
	var locked *cook.LockedError
	var once sync.Once
	during = func() {
		once.Do(func() {
			if _, err := p.run.Cook(t.Context()); !errors.As(err, &locked) {
				t.Errorf("cook during verify: %v", err)
			}
		})
	}
	found, _ := p.verify(oracle.Check{Sample: "all"})
	mustFind(t, found)

	once = sync.Once{}
	during = func() {
		once.Do(func() {
			if _, err := p.run.Check(t.Context(), oracle.Check{}); !errors.As(err, &locked) {
				t.Errorf("verify during cook: %v", err)
			}
		})
	}
	p.run.Force = true
	p.cookAll()
	p.run.Force = false

	ctx, cancel := context.WithCancel(t.Context())
	during = cancel
	sum, err := p.run.Check(ctx, oracle.Check{Sample: "all", Found: func(f cook.Finding) { t.Error(f) }})
	if !errors.Is(err, context.Canceled) || sum.Again != 0 || sum.Outputs != 2 {
		t.Errorf("%s, error %v", sum.String(), err)
	}
	if _, err := os.Lstat(filepath.Join(p.run.Out, ".cook", "tmp")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("scratch files are left: %v", err)
	}
}

// The same seed draws the same assets, and another seed draws others.
func TestVerifySeed(t *testing.T) {
	var mu sync.Mutex
	cooked := map[string]bool{}
	names := map[string]string{}
	for i := range 40 {
		names[fmt.Sprintf("%d.note", i)] = fmt.Sprint(i)
	}
	p := cookWith(t, names, map[string]func(context.Context, *recipe.Job) error{
		"note": func(_ context.Context, j *recipe.Job) error {
			f, err := j.Open()
			if err != nil {
				return err
			}
			defer f.Close()
			text, err := io.ReadAll(f)
			mu.Lock()
			cooked[string(text)] = true
			mu.Unlock()
			return errors.Join(err, j.Write(0, text))
		},
	})
	drawn := func(seed uint64) []string {
		clear(cooked)
		_, sum := p.verify(oracle.Check{Sample: "25%", Seed: seed})
		if sum.Again != 10 || len(cooked) != 10 || seed != 0 && sum.Seed != seed || sum.Seed == 0 {
			t.Errorf("seed %d: %d cooked, %s", seed, len(cooked), sum.String())
		}
		return slices.Sorted(maps.Keys(cooked))
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

// An error that prevents cooking an asset again is not a difference: it says nothing
// about the recipe.
func TestVerifyErrorIsNotADifference(t *testing.T) {
	for what, tt := range map[string]struct {
		fail   func(p *project, j *recipe.Job) error // when cooked again
		memory int64
		want   string
	}{
		"memory": {memory: 1, want: "the budget is 0 MiB (-mem)"},
		"full disk": {
			fail: func(*project, *recipe.Job) error {
				return &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
			},
			want: "make room and run cook again",
		},
		"scratch folder gone": {
			fail: func(_ *project, j *recipe.Job) error {
				return errors.Join(os.RemoveAll(filepath.Dir(j.OutputFile(0))), errors.New("broken"))
			},
			want: "no such file or directory",
		},
		"output folder gone": {
			fail: func(p *project, j *recipe.Job) error {
				return errors.Join(os.RemoveAll(p.run.Out), errors.New("broken"))
			},
			want: "removed or replaced by another process meanwhile",
		},
	} {
		t.Run(what, func(t *testing.T) {
			var p *project
			again := false
			p = cookWith(t, map[string]string{"a.fine": "a"}, map[string]func(context.Context, *recipe.Job) error{
				"fine": func(_ context.Context, j *recipe.Job) error {
					if again && tt.fail != nil {
						return tt.fail(p, j)
					}
					return j.Write(0, []byte("cooked"))
				},
			})
			again, p.run.Memory = true, tt.memory
			var found []cook.Finding
			_, err := p.run.Check(t.Context(), oracle.Check{
				Sample: "all", Found: func(f cook.Finding) { found = append(found, f) },
			})
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(found) > 0 {
				t.Errorf("error %v, want %q; found %v", err, tt.want, found)
			}
			if what == "output folder gone" {
				if _, err := os.Lstat(p.run.Out); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("the output folder was created again: %v", err)
				}
			}
		})
	}
}
