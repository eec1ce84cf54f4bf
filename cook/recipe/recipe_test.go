package recipe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

type sample struct {
	Flag    bool              `toml:"flag" doc:"a switch"`
	Level   int               `toml:"level" min:"1" max:"9"`
	Scale   float64           `toml:"scale" min:"0"`
	Mode    string            `toml:"mode" enum:"fast,best"`
	Title   string            `toml:"title"`
	Args    []string          `toml:"args"`
	Env     map[string]string `toml:"env"`
	Timeout time.Duration     `toml:"timeout" min:"1s" unkeyed:"a limit on time changes no byte"`
}

func (*sample) Outputs() []string                { return []string{"{path}"} }
func (*sample) Cook(context.Context, *Job) error { return nil }

func newSample() Cooker { return &sample{Level: 3, Mode: "fast", Scale: 1, Timeout: time.Minute} }

func TestSetOption(t *testing.T) {
	for _, tc := range []struct {
		key   string
		value any
		want  string // the field's canonical text, or the error
	}{
		{"flag", true, "true"},
		{"flag", "yes", `flag: want true or false, have "yes"`},
		{"level", int64(9), "9"},
		{"level", int64(10), "level: want a whole number from 1 to 9, have 10"},
		{"level", 2.5, "level: want a whole number from 1 to 9, have 2.5"},
		{"scale", int64(2), "2"},
		{"scale", -0.5, "scale: want a number of at least 0, have -0.5"},
		{"mode", "best", `"best"`},
		{"mode", "worst", `mode: want "fast" or "best", have "worst"`},
		{"title", "a\nb", `"a\nb"`},
		{"args", []any{"x", "y, z"}, `["x", "y, z"]`},
		{"args", []any{"x", int64(1)}, `args: want a list of strings, have ["x", 1]`},
		{"env", map[string]any{"B": "2", "A": "1"}, `{"A" = "1", "B" = "2"}`},
		{"timeout", "0s", `timeout: want a duration such as "30s" of at least 1s, have "0s"`},
		{"nothing", true, "no such option"},
	} {
		c := newSample()
		got := ""
		if err := SetOption(c, tc.key, tc.value); err != nil {
			got = err.Error()
		} else {
			for _, f := range Fields(c) {
				if f.Key == tc.key {
					got = f.Value
				}
			}
		}
		if got != tc.want {
			t.Errorf("%s = %v: got %s, want %s", tc.key, tc.value, got, tc.want)
		}
	}
}

func TestFieldsLeaveOutOnlyTheExcused(t *testing.T) {
	var keys []string
	for _, f := range Fields(newSample()) {
		keys = append(keys, f.Key)
	}
	want := []string{"args", "env", "flag", "level", "mode", "scale", "title"}
	if d := cmp.Diff(want, keys); d != "" {
		t.Error(d)
	}
}

// Two lists of arguments share their canonical text only if they are equal.
func TestCanonicalTextIsInjective(t *testing.T) {
	word := rapid.SliceOf(rapid.StringOf(rapid.RuneFrom([]rune(`a", []\`))))
	rapid.Check(t, func(t *rapid.T) {
		text := func(args []string) string {
			return fmt.Sprint(Fields(&sample{Args: args}))
		}
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if same := cmp.Equal(append([]string{}, a...), append([]string{}, b...)); (text(a) == text(b)) != same {
			t.Fatalf("%q and %q: texts %s and %s", a, b, text(a), text(b))
		}
	})
}

type hidden struct{ secret int }

func (*hidden) Outputs() []string                { return nil }
func (*hidden) Cook(context.Context, *Job) error { return nil }

type untagged struct{ A int }

func (*untagged) Outputs() []string                { return nil }
func (*untagged) Cook(context.Context, *Job) error { return nil }

type odd struct {
	A chan int `toml:"a"`
}

func (*odd) Outputs() []string                { return nil }
func (*odd) Cook(context.Context, *Job) error { return nil }

type reservedKey struct {
	A string `toml:"match"`
}

func (*reservedKey) Outputs() []string                { return nil }
func (*reservedKey) Cook(context.Context, *Job) error { return nil }

func TestNewSetRefuses(t *testing.T) {
	for _, tc := range []struct {
		r    Recipe
		want string
	}{
		{Recipe{Name: "", Version: 1, New: newSample}, "no name"},
		{Recipe{Name: "Big", Version: 1, New: newSample}, "a-z"},
		{Recipe{Name: "x", New: newSample}, "version"},
		{Recipe{Name: "x", Version: 1}, "New function is nil"},
		{Recipe{Name: "x", Version: 1, New: func() Cooker { return &hidden{secret: 1} }}, "not exported"},
		{Recipe{Name: "x", Version: 1, New: func() Cooker { return &untagged{} }}, "toml tag"},
		{Recipe{Name: "x", Version: 1, New: func() Cooker { return &odd{} }}, "cannot be of type"},
		{Recipe{Name: "x", Version: 1, New: func() Cooker { return &reservedKey{} }}, "word of the rules"},
	} {
		if _, err := NewSet(tc.r); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: error %v, want %q", tc.r, err, tc.want)
		}
	}
	s, err := NewSet(Recipe{Name: "x", Version: 1, New: newSample}, Recipe{Name: "a", Version: 1, New: newSample}, Recipe{Name: "x", Version: 2, New: newSample})
	if err != nil {
		t.Fatal(err)
	}
	if r, ok := s.Lookup("x"); !ok || r.Version != 2 {
		t.Errorf("Lookup(x) = %v, %v; want version 2", r.Version, ok)
	}
	if d := cmp.Diff([]string{"a", "x"}, s.Names()); d != "" {
		t.Error(d)
	}
}

func TestResolve(t *testing.T) {
	for _, tc := range []struct{ source, name, want string }{
		{"models/kart.gltf", "kart.bin", "models/kart.bin"},
		{"models/kart.gltf", "../textures/a.png", "textures/a.png"},
		{"models/kart.gltf", "./x/../kart.bin", "models/kart.bin"},
		{"kart.gltf", "kart.bin", "kart.bin"},
		{"models/kart.gltf", "/shared/a.glsl", "shared/a.glsl"},
		{"models/kart.gltf", "/../a", ""},
		{"models/kart.gltf", "../../a", ""},
		{"kart.gltf", "../a", ""},
		{"kart.gltf", "", ""},
		{"kart.gltf", "a\x00b", ""},
		{"models/kart.gltf", "..", ""},
	} {
		got, err := Resolve(tc.source, tc.name)
		if got != tc.want || (err == nil) == (tc.want == "") {
			t.Errorf("Resolve(%q, %q) = %q, %v; want %q", tc.source, tc.name, got, err, tc.want)
		}
	}
}

func TestExt(t *testing.T) {
	for path, want := range map[string]string{
		"a/b.PNG": ".png", "a.tar.gz": ".gz", "a": "", ".bashrc": "", "d.x/a": "", "a.": ".",
	} {
		if got := Ext(path); got != want {
			t.Errorf("Ext(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestPathMustBeDeclared(t *testing.T) {
	defer func() {
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "UsesPath") {
			t.Errorf("recovered %v, want a panic that names UsesPath", r)
		}
	}()
	NewJob(Env{Path: "a.png"}, 0).Path()
}

func TestSetOptionKeepsOldValueOnError(t *testing.T) {
	c := newSample().(*sample)
	var wrong *OptionError
	if err := SetOption(c, "level", int64(77)); !errors.As(err, &wrong) || c.Level != 3 {
		t.Errorf("error %v, level %d; want an OptionError and 3", err, c.Level)
	}
}
