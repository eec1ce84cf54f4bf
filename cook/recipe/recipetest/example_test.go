package recipetest_test

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
)

// Double is a recipe that writes its source several times, by default twice.
type Double struct {
	Times int `toml:"times" min:"1" doc:"how often the source is written"`
}

// Outputs returns the name template of the file that Cook writes.
func (d *Double) Outputs() []string { return []string{"{path}"} }

// Cook reads the source and writes the output.
func (d *Double) Cook(ctx context.Context, job *recipe.Job) error {
	text, err := job.Source()
	if err != nil {
		return err
	}
	var all []byte
	for range d.Times {
		all = append(all, text...)
	}
	return job.Write(0, all)
}

var double = recipe.Recipe{Name: "double", Version: 1, New: func() recipe.Cooker { return &Double{Times: 2} }}

// This is the test of a recipe. In the recipe's package, the function would be called TestDouble.
func Example() {
	_ = func(t *testing.T) {
		recipetest.Check(t, double, map[string]any{"times": int64(3)})
		tree := fstest.MapFS{"a.txt": {Data: []byte("ab")}}
		res := recipetest.Cook(t, double, &Double{Times: 3}, tree, "", "a.txt")
		if res.Err != nil || string(res.Outputs[0]) != "ababab" {
			t.Error(res.Outputs, res.Err)
		}
	}
}

func TestExampleIsRight(t *testing.T) {
	recipetest.Check(t, double, map[string]any{"times": int64(3)})
	res := recipetest.Cook(t, double, &Double{Times: 3}, fstest.MapFS{"a.txt": {Data: []byte("ab")}}, "", "a.txt")
	if res.Err != nil || string(res.Outputs[0]) != "ababab" {
		t.Error(res.Outputs, res.Err)
	}
}
