package cook_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/run"
)

// warner copies, and warns if there is no file with the name of the source and ".see"
// behind it.
type warner struct{}

var warnerCalls int // of Cook; there is one source

func (*warner) Outputs() []string { return []string{"{path}"} }

func (*warner) Cook(_ context.Context, job *recipe.Job) error {
	warnerCalls++
	text, err := job.Source()
	if err != nil {
		return err
	}
	there, err := job.Exists(string(text) + ".see")
	if !there {
		job.Warn("no picture of %s", text)
	}
	return errors.Join(err, job.Write(0, text))
}

// told collects warnings and failures.
type told struct{ warned, failed []string }

func (w *told) Stage(string)               {}
func (w *told) Planned(int, time.Duration) {}
func (w *told) Note(string)                {}
func (w *told) EveryAsset() bool           { return false }
func (w *told) Event(e run.Event) {
	switch e.Outcome {
	case run.Warned:
		w.warned = append(w.warned, e.Path+": "+e.Warning)
	case run.Failed:
		w.failed = append(w.failed, e.Path+": "+e.Err.Error())
	}
}

// What a recipe warns of is said when the source is cooked and when the result comes
// back from the store, and is a failure of each strict run until it is put right. A file
// of which only the presence counts makes work when it comes or goes, not when it is
// edited.
func TestWarnings(t *testing.T) {
	for _, cheap := range []bool{false, true} {
		for _, stored := range []bool{true, false} {
			testWarnings(t, cheap, stored)
		}
	}
}

func testWarnings(t *testing.T, cheap, stored bool) {
	dir := t.TempDir()
	assets := filepath.Join(dir, "assets")
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(assets, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(assets, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(name string) {
		t.Helper()
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
	write("a.txt", "tree")
	write("cook.toml", "[[rule]]\nmatch = \"*.txt\"\nrecipe = \"warner\"")
	step := func(name string, strict bool, warned, failed []string, cooked int) {
		t.Helper()
		if !stored {
			remove(filepath.Join(dir, "store"))
		}
		w := &told{}
		warnerCalls = 0
		s, err := cook.Cook(t.Context(), cook.Options{
			Dir: assets, Cache: filepath.Join(dir, "store"), Strict: strict, Observer: w,
			Recipes: []recipe.Recipe{{Name: "warner", Version: 1, Cheap: cheap, New: func() recipe.Cooker { return &warner{} }}},
		})
		if err != nil {
			t.Fatal(err)
		}
		name = name + map[bool]string{true: ", cheap", false: ""}[cheap] + map[bool]string{false: ", without a store", true: ""}[stored]
		if d := cmp.Diff(warned, w.warned); d != "" {
			t.Errorf("%s: warned %s", name, d)
		}
		if d := cmp.Diff(failed, w.failed); d != "" {
			t.Errorf("%s: failed %s", name, d)
		}
		if stored && !cheap && warnerCalls != cooked {
			t.Errorf("%s: cooked %d times, want %d: %s", name, warnerCalls, cooked, s.Line())
		}
		if s.Warnings != len(warned) {
			t.Errorf("%s: %d warnings counted, want %d", name, s.Warnings, len(warned))
		}
	}
	line := []string{"a.txt: no picture of tree"}
	step("at first", false, line, nil, 1)
	step("again", false, nil, nil, 0)
	step("strict", true, nil, line, 0)
	if text, err := os.ReadFile(filepath.Join(dir, "cooked", "a.txt")); err != nil || string(text) != "tree" {
		t.Errorf("the strict run took the output: %q, %v", text, err)
	}
	step("strict again", true, nil, line, 0)
	step("not strict any more", false, line, nil, 0)
	remove(filepath.Join(dir, "cooked"))
	step("into an empty folder", false, line, nil, 0)
	if err := os.Mkdir(filepath.Join(assets, "b"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(assets, "a.txt"), filepath.Join(assets, "b", "a.txt")); err != nil {
		t.Fatal(err)
	}
	line[0] = "b/" + line[0]
	step("moved", false, line, nil, 0)
	write("b/tree.see", "a picture")
	step("with a picture", false, nil, nil, 1)
	step("strict with a picture", true, nil, nil, 0)
	write("b/tree.see", "another picture")
	step("the picture was edited", true, nil, nil, 0)
	remove(filepath.Join(assets, "b", "tree.see"))
	step("the picture is gone", false, line, nil, 0)
	write("b/tree.see", "a picture")
	step("the picture is back", true, nil, nil, 0)
	remove(filepath.Join(assets, "b", "tree.see"))
	step("strict without it", true, nil, line, 0)
}
