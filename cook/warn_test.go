package cook_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/recipe"
)

// A warner is a recipe that copies its source. If the source contains NAME, the recipe warns unless
// the file NAME.see exists.
type warner struct{}

var warnerCalls int

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

// TestWarnings expects a warning when a source is cooked and when it is restored, and an error in
// strict runs. The asset must be cooked again when a file whose existence was checked appears or
// disappears, but not when the file is edited.
func TestWarnings(t *testing.T) {
	for _, cheap := range []bool{false, true} {
		for _, stored := range []bool{true, false} {
			testWarnings(t, cheap, stored)
		}
	}
}

func testWarnings(t *testing.T, cheap, stored bool) {
	p := newProject(t)
	p.run.Recipes = []recipe.Recipe{{Name: "warner", Version: 1, Cheap: cheap, New: func() recipe.Cooker { return &warner{} }}}
	p.write("a.txt", "tree")
	p.write("cook.toml", "[[rule]]\nmatch = \"*.txt\"\nrecipe = \"warner\"")
	step := func(name string, strict bool, warned, failed []string, cooked int) {
		t.Helper()
		if !stored {
			p.must(os.RemoveAll(p.run.Cache))
		}
		w := &recorder{}
		warnerCalls = 0
		p.run.Strict, p.run.Observer = strict, w
		s := p.cook()
		name = name + map[bool]string{true: ", cheap", false: ""}[cheap] + map[bool]string{false: ", without a store", true: ""}[stored]
		if d := cmp.Diff(warned, w.warned); d != "" {
			t.Errorf("%s: warned %s", name, d)
		}
		if d := cmp.Diff(failed, w.failed); d != "" {
			t.Errorf("%s: failed %s", name, d)
		}
		if stored && !cheap && warnerCalls != cooked {
			t.Errorf("%s: cooked %d times, want %d: %s", name, warnerCalls, cooked, s.String())
		}
		if s.Warnings != len(warned) {
			t.Errorf("%s: %d warnings counted, want %d", name, s.Warnings, len(warned))
		}
	}
	line := []string{"a.txt: no picture of tree"}
	step("at first", false, line, nil, 1)
	step("again", false, nil, nil, 0)
	step("strict", true, nil, line, 0)
	if text, err := os.ReadFile(p.path("cooked/a.txt")); err != nil || string(text) != "tree" {
		t.Errorf("the strict run removed the output: %q, %v", text, err)
	}
	step("strict again", true, nil, line, 0)
	step("not strict any more", false, line, nil, 0)
	p.must(os.RemoveAll(p.run.Out))
	step("into an empty directory", false, line, nil, 0)
	p.must(os.Mkdir(p.asset("b"), 0o777))
	p.must(os.Rename(p.asset("a.txt"), p.asset("b/a.txt")))
	line[0] = "b/" + line[0]
	step("moved", false, line, nil, 0)
	p.write("b/tree.see", "a picture")
	step("with a picture", false, nil, nil, 1)
	step("strict with a picture", true, nil, nil, 0)
	p.write("b/tree.see", "another picture")
	step("the picture was edited", true, nil, nil, 0)
	p.must(os.Remove(p.asset("b/tree.see")))
	step("the picture is gone", false, line, nil, 0)
	p.write("b/tree.see", "a picture")
	step("the picture is back", true, nil, nil, 0)
	p.must(os.Remove(p.asset("b/tree.see")))
	step("strict without it", true, nil, line, 0)
}
