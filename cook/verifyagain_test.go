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
	"github.com/assetcook/assetcook/cook/report"
)

// cookWith cooks some files with recipes of the test's, each those of the extension
// of its name.
func cookWith(t *testing.T, files map[string]string, recipes map[string]func(ctx context.Context, job *recipe.Job) error) *verifiable {
	t.Helper()
	dir := t.TempDir()
	v := &verifiable{out: filepath.Join(dir, "out")}
	v.Options = cook.Options{Dir: filepath.Join(dir, "assets"), Out: v.out, Cache: filepath.Join(dir, "store")}
	var rules strings.Builder
	doings = recipes
	for name := range recipes {
		fmt.Fprintf(&rules, "[[rule]]\nmatch = \"*.%s\"\nrecipe = %q\n", name, name)
		v.Recipes = append(v.Recipes, recipe.Recipe{Name: name, Version: 1, New: func() recipe.Cooker { return &doing{} }})
	}
	if err := os.Mkdir(v.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		v.write(t, name, text)
	}
	v.write(t, "cook.toml", rules.String())
	v.cook(t)
	return v
}

// doing is a recipe's lack of options; what it does hangs on the extension.
type doing struct{}

var doings map[string]func(ctx context.Context, job *recipe.Job) error // of the test that runs

func (*doing) Outputs() []string { return []string{"{path}"} }
func (*doing) Cook(ctx context.Context, j *recipe.Job) error {
	return doings[strings.TrimPrefix(j.Ext(), ".")](ctx, j)
}

// Recipes in process that depend on what they must not depend on.
func TestVerifyFindsOddRecipes(t *testing.T) {
	var calls atomic.Int64
	v := cookWith(t, map[string]string{"a.count": "x", "a.place": "x", "a.good": "x", "a.vars": "x", "a.broken": "x"},
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
	found, sum := v.verify(t, cook.VerifyOptions{Sample: "all"})
	mustFind(t, found, slices.Repeat([]report.FindingKind{report.NotReproducible}, 4)...)
	told := map[string]string{}
	for _, f := range found {
		told[f.Path] = f.String()
	}
	for path, want := range map[string]string{
		"a.count":  `a.count: a.count differs from a new cook at offset 14 (0x`,
		"a.place":  `): the recipe "place" depends on the name of its scratch folder`,
		"a.vars":   `at offset 0 (the end, now 0x`,
		"a.broken": "out of paint\n  | and of brushes",
	} {
		if !strings.Contains(told[path], want) {
			t.Errorf("%q, want %q in it", told[path], want)
		}
	}
	if !strings.HasSuffix(told["a.count"], `): the recipe "count" is not deterministic`) {
		t.Errorf("%q", told["a.count"])
	}
	if sum.Again != 5 {
		t.Error(sum.Line())
	}
}

// What another checkout made of the same inputs is in the store they share.
func TestVerifyAsksTheStore(t *testing.T) {
	var calls atomic.Int64
	v := cookWith(t, map[string]string{"a.count": "x", "a.good": "y"}, map[string]func(context.Context, *recipe.Job) error{
		"count": func(_ context.Context, j *recipe.Job) error { return j.Write(0, fmt.Append(nil, calls.Add(1))) },
		"good":  func(_ context.Context, j *recipe.Job) error { return j.Write(0, []byte("good")) },
	})
	found, _ := v.verify(t, cook.VerifyOptions{Sample: "0"})
	mustFind(t, found)
	other := v.Options
	other.Out, other.Force = filepath.Join(t.TempDir(), "out"), true
	if _, err := cook.Cook(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	found, _ = v.verify(t, cook.VerifyOptions{Sample: "0"})
	mustFind(t, found, report.NotReproducible)
	if len(found) == 1 && found[0].Text != `the store has another result of the same inputs: the recipe "count" is not deterministic` {
		t.Error(found[0])
	}
}

// The asset that changes while it is cooked again is not what is to blame.
func TestVerifyNoticesChangesMeanwhile(t *testing.T) {
	armed := atomic.Bool{}
	v := cookWith(t, map[string]string{"a.edit": "one"}, map[string]func(context.Context, *recipe.Job) error{
		"edit": func(_ context.Context, j *recipe.Job) error {
			text, err := j.Source()
			if err == nil && armed.Load() {
				err = os.WriteFile(filepath.Join(j.Assets(), "a.edit"), []byte("two"), 0o666)
			}
			return errors.Join(err, j.Write(0, append(text, "!!"...)))
		},
	})
	armed.Store(true)
	found, _ := v.verify(t, cook.VerifyOptions{})
	mustFind(t, found, report.NotUpToDate)
	if len(found) == 1 && !strings.Contains(found[0].Text, "changed while it was being verified") {
		t.Error(found[0])
	}
}

// Verify and Cook exclude each other, and an interrupt leaves nothing behind.
func TestVerifyLocksAndStops(t *testing.T) {
	var during func()
	v := cookWith(t, map[string]string{"a.call": "x", "b.call": "y"}, map[string]func(context.Context, *recipe.Job) error{
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
			if _, err := cook.Cook(t.Context(), v.Options); !errors.As(err, &locked) {
				t.Errorf("a cook while it verifies: %v", err)
			}
		})
	}
	found, _ := v.verify(t, cook.VerifyOptions{Sample: "all"})
	mustFind(t, found)

	once = sync.Once{}
	during = func() {
		once.Do(func() {
			if _, err := cook.Verify(t.Context(), v.Options, cook.VerifyOptions{}); !errors.As(err, &locked) {
				t.Errorf("verifying while it cooks: %v", err)
			}
		})
	}
	v.Force = true
	v.cook(t)
	v.Force = false

	ctx, cancel := context.WithCancel(t.Context())
	during = cancel
	sum, err := cook.Verify(ctx, v.Options, cook.VerifyOptions{Sample: "all", Found: func(f report.Finding) { t.Error(f) }})
	if !errors.Is(err, context.Canceled) || sum.Again != 0 || sum.Outputs != 2 {
		t.Errorf("%s, error %v", sum.Line(), err)
	}
	if _, err := os.Lstat(filepath.Join(v.out, ".cook", "tmp")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("scratch files are left: %v", err)
	}
}

// The same seed draws the same assets, another one others.
func TestVerifySeed(t *testing.T) {
	var mu sync.Mutex
	cooked := map[string]bool{}
	names := map[string]string{}
	for i := range 40 {
		names[fmt.Sprintf("%d.note", i)] = fmt.Sprint(i)
	}
	v := cookWith(t, names, map[string]func(context.Context, *recipe.Job) error{
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
		_, sum := v.verify(t, cook.VerifyOptions{Sample: "25%", Seed: seed})
		if sum.Again != 10 || len(cooked) != 10 || seed != 0 && sum.Seed != seed || sum.Seed == 0 {
			t.Errorf("seed %d: %d cooked, %s", seed, len(cooked), sum.Line())
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

// What keeps an asset from being cooked again is no difference: it says nothing of
// the recipe.
func TestHindranceIsNoDifference(t *testing.T) {
	for what, tt := range map[string]struct {
		hinder func(v *verifiable, j *recipe.Job) error // while it is cooked again
		memory int64
		want   string
	}{
		"memory": {memory: 1, want: "the budget is 0 MiB (-mem)"},
		"full disk": {
			hinder: func(*verifiable, *recipe.Job) error {
				return &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
			},
			want: "make room and run cook again",
		},
		"scratch folder gone": {
			hinder: func(_ *verifiable, j *recipe.Job) error {
				return errors.Join(os.RemoveAll(filepath.Dir(j.OutputFile(0))), errors.New("it does not work"))
			},
			want: "no such file or directory",
		},
		"output folder gone": {
			hinder: func(v *verifiable, j *recipe.Job) error {
				return errors.Join(os.RemoveAll(v.out), errors.New("it does not work"))
			},
			want: "removed or replaced by another process meanwhile",
		},
	} {
		t.Run(what, func(t *testing.T) {
			var v *verifiable
			again := false
			v = cookWith(t, map[string]string{"a.fine": "a"}, map[string]func(context.Context, *recipe.Job) error{
				"fine": func(_ context.Context, j *recipe.Job) error {
					if again && tt.hinder != nil {
						return tt.hinder(v, j)
					}
					return j.Write(0, []byte("cooked"))
				},
			})
			again, v.Memory = true, tt.memory
			var found []report.Finding
			_, err := cook.Verify(t.Context(), v.Options, cook.VerifyOptions{
				Sample: "all", Found: func(f report.Finding) { found = append(found, f) },
			})
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(found) > 0 {
				t.Errorf("error %v, want %q; found %v", err, tt.want, found)
			}
			if what == "output folder gone" {
				if _, err := os.Lstat(v.out); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("the output folder was made again: %v", err)
				}
			}
		})
	}
}
