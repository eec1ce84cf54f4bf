package cook_test

import (
	"context"
	"io"
	"os"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// A looker is a recipe that copies its source and reads its previous output.
type looker struct {
	Option int `toml:"option" doc:"does nothing"`
}

var (
	looked      string // last output that a looker read, or "none"
	beforeLooks = func() {}
)

func (*looker) Outputs() []string { return []string{"{path}"} }

func (*looker) Cook(_ context.Context, job *recipe.Job) error {
	beforeLooks()
	looked = "none"
	if f := job.Previous(0); f != nil {
		defer f.Close()
		data, err := io.ReadAll(f)
		if err != nil {
			return err
		}
		looked = string(data)
	}
	data, err := job.Source()
	if err != nil {
		return err
	}
	return job.Write(0, data)
}

// TestPrevious expects a recipe to get its previous outputs only if they are unchanged and the
// options are the same. Forced runs and Verify must provide none.
func TestPrevious(t *testing.T) {
	p := newProject(t)
	p.run.Recipes = []recipe.Recipe{{Name: "looker", Version: 1, New: func() recipe.Cooker { return &looker{} }}}
	rules := "[[rule]]\nmatch = \"*.txt\"\nrecipe = \"looker\"\n"
	step := func(name, want string) {
		t.Helper()
		looked = "not cooked"
		p.cook()
		if looked != want {
			t.Errorf("%s: saw %q, want %q", name, looked, want)
		}
		p.tick()
	}
	p.write("cook.toml", rules)
	p.write("a.txt", "one")
	step("at first", "none")
	p.write("a.txt", "two")
	step("after an edit", "one")
	p.write("cook.toml", rules+"option = 1\n")
	step("with another option", "none")
	p.run.Force = true
	step("forced", "none")
	p.run.Force = false
	p.write("a.txt", "three")
	step("as before", "two")
	p.must(os.WriteFile(p.path("cooked/a.txt"), []byte("THREE"), 0o666))
	p.write("a.txt", "four")
	step("after the output was edited", "none")
	beforeLooks = func() { p.must(os.WriteFile(p.path("cooked/a.txt"), []byte("FOUR"), 0o666)) }
	p.write("a.txt", "five")
	step("damaged when it is looked at", "none")
	beforeLooks = func() {}

	looked = "not cooked"
	if found, _ := p.verify(oracle.Check{Sample: "all"}); len(found) > 0 || looked != "none" {
		t.Errorf("verify saw %q and found %v", looked, found)
	}
}
