package recipetest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe"
)

type heard struct {
	testing.TB
	lines []string
}

func (*heard) Helper()                          {}
func (h *heard) Error(args ...any)              { h.lines = append(h.lines, fmt.Sprint(args...)) }
func (h *heard) Errorf(format string, a ...any) { h.lines = append(h.lines, fmt.Sprintf(format, a...)) }

type plain struct {
	Level int    `toml:"level" doc:"a level"`
	Title string `toml:"title" doc:"a title" unkeyed:"is only printed"`
}

func (*plain) Outputs() []string                       { return []string{"{path}"} }
func (*plain) Cook(context.Context, *recipe.Job) error { return nil }

type silent struct {
	A int `toml:"a"`
}

func (*silent) Outputs() []string                       { return nil }
func (*silent) Cook(context.Context, *recipe.Job) error { return nil }

func TestCheck(t *testing.T) {
	values := map[string]any{"level": int64(1), "title": "a", "a": int64(1)}
	for _, tc := range []struct {
		name  string
		r     recipe.Recipe
		other map[string]any
		want  []string
	}{
		{"plain", recipe.Recipe{Name: "x", Version: 1, New: func() recipe.Cooker { return &plain{} }}, values, nil},
		{"no value", recipe.Recipe{Name: "x", Version: 1, New: func() recipe.Cooker { return &plain{} }}, map[string]any{"title": "a"}, []string{"x: no other value given for option level"}},
		{"same value", recipe.Recipe{Name: "x", Version: 1, New: func() recipe.Cooker { return &plain{Level: 1} }}, values, []string{"x: option level: changes the fingerprint: false, excused: false"}},
		{"no set", recipe.Recipe{Name: "x", Version: 1}, nil, []string{`recipe "x": the New function is nil`}},
		{"no doc", recipe.Recipe{Name: "x", Version: 1, New: func() recipe.Cooker { return &silent{} }}, values, []string{"x: option a has no doc for cook help"}},
	} {
		h := &heard{TB: t}
		Check(h, tc.r, tc.other)
		if !slices.Equal(h.lines, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, h.lines, tc.want)
		}
	}
}
