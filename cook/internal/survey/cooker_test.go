package survey

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// A many is a recipe with one option of each type that can be parsed from text.
type many struct {
	Yes   bool          `toml:"yes" doc:"yes"`
	Text  string        `toml:"text" doc:"text"`
	Mode  string        `toml:"mode" enum:"auto,true,false" doc:"mode"`
	Count int           `toml:"count" doc:"count"`
	Share float64       `toml:"share" doc:"share"`
	Wait  time.Duration `toml:"wait" doc:"wait"`
	Names []string      `toml:"names" doc:"names"`
}

func (*many) Outputs() []string                       { return []string{"{path}.x"} }
func (*many) Cook(context.Context, *recipe.Job) error { return nil }

// Cooker restores a cooker from its options in the index. It refuses chains and methods of
// another version.
func TestCookerOfMethod(t *testing.T) {
	set, err := recipeset.New(recipe.Recipe{Name: "many", Version: 3, New: func() recipe.Cooker { return &many{Mode: "auto", Count: 1} }})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []*many{
		{Mode: "auto", Count: 1},
		{Yes: true, Text: "a \"b\"\n", Mode: "false", Count: -7, Share: 0.25, Wait: time.Minute, Names: []string{"a, b", "[", ""}},
		{Text: "true", Mode: "true", Share: 3, Names: []string{"x"}},
	} {
		m := &Method{Recipe: "many", Options: map[string]string{"recipe": "many", "recipe version": strconv.Itoa(3)}}
		for _, f := range recipeset.Fields(want) {
			m.Options[f.Key] = f.Value
		}
		r, got, err := m.Cooker(set)
		if err != nil || r.Name != "many" || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
		m.Options["recipe version"] = "2"
		if _, _, err := m.Cooker(set); !errors.Is(err, ErrOtherRecipe) {
			t.Errorf("%v of another version", err)
		}
		m.Options["recipe version"], m.Options["recipe of step 2"] = "3", "other"
		if _, _, err := m.Cooker(set); err == nil {
			t.Error("a chain was taken for its first step")
		}
	}
}
