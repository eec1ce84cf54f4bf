package recipeset

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/recipe"
)

type sample struct {
	Flag    bool              `toml:"flag" doc:"a switch"`
	Level   int               `toml:"level" min:"1" max:"9"`
	Scale   float64           `toml:"scale" min:"0"`
	Mode    string            `toml:"mode" enum:"fast,best"`
	Title   string            `toml:"title"`
	Levels  string            `toml:"levels" enum:"auto,true,false"`
	Args    []string          `toml:"args"`
	Sizes   []float64         `toml:"sizes" min:"0" max:"8"`
	Env     map[string]string `toml:"env"`
	Timeout time.Duration     `toml:"timeout" min:"1s" unkeyed:"a limit on time changes no byte"`
}

func (*sample) Outputs() []string                       { return []string{"{path}"} }
func (*sample) Cook(context.Context, *recipe.Job) error { return nil }

func newSample() recipe.Cooker {
	return &sample{Level: 3, Mode: "fast", Scale: 1, Timeout: time.Minute}
}

func TestSetOption(t *testing.T) {
	for _, tc := range []struct {
		key   string
		value any
		want  string // expected canonical text or error
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
		{"levels", "auto", `"auto"`},
		{"levels", true, "true"},
		{"levels", false, "false"},
		{"levels", "true", `levels: want "auto" or true or false, have "true"`},
		{"mode", true, `mode: want "fast" or "best", have true`},
		{"title", true, "title: want a string, have true"},
		{"title", "true", `"true"`},
		{"title", "a\nb", `"a\nb"`},
		{"args", []any{"x", "y, z"}, `["x", "y, z"]`},
		{"args", []any{"x", int64(1)}, `args: want a list of strings, have ["x", 1]`},
		{"sizes", []any{int64(1), 0.5, 2.0}, "[1, 0.5, 2]"},
		{"sizes", []any{}, "[]"},
		{"sizes", []any{int64(9)}, "sizes: want a list of numbers from 0 to 8, have [9]"},
		{"sizes", []any{"1"}, `sizes: want a list of numbers from 0 to 8, have ["1"]`},
		{"sizes", int64(1), "sizes: want a list of numbers from 0 to 8, have 1"},
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
	want := []string{"args", "env", "flag", "level", "levels", "mode", "scale", "sizes", "title"}
	if d := cmp.Diff(want, keys); d != "" {
		t.Error(d)
	}
}

// TestCanonicalTextIsInjective checks that different lists of arguments have different canonical
// texts.
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

func (*hidden) Outputs() []string                       { return nil }
func (*hidden) Cook(context.Context, *recipe.Job) error { return nil }

type untagged struct{ A int }

func (*untagged) Outputs() []string                       { return nil }
func (*untagged) Cook(context.Context, *recipe.Job) error { return nil }

type odd struct {
	A chan int `toml:"a"`
}

func (*odd) Outputs() []string                       { return nil }
func (*odd) Cook(context.Context, *recipe.Job) error { return nil }

type reservedKey struct {
	A string `toml:"match"`
}

func (*reservedKey) Outputs() []string                       { return nil }
func (*reservedKey) Cook(context.Context, *recipe.Job) error { return nil }

func cooking(fresh func() recipe.Cooker, extensions ...string) recipe.Recipe {
	return recipe.Recipe{Name: "x", Version: 1, New: fresh, Extensions: extensions}
}

func hinting(key string, value any) recipe.Recipe {
	r := cooking(newSample, ".a")
	r.Hints, r.Hinted = []recipe.Hint{{Key: key, Value: value}}, func(string) int { return -1 }
	return r
}

func knowing(formats ...recipe.Format) recipe.Recipe {
	return recipe.Recipe{Name: "x", Version: 1, New: newSample, Formats: formats}
}

func TestExtensionsOfASet(t *testing.T) {
	named := func(name string, extensions ...string) recipe.Recipe {
		r := cooking(newSample, extensions...)
		r.Name = name
		return r
	}
	for _, tc := range []struct {
		recipes []recipe.Recipe
		want    string
	}{
		{[]recipe.Recipe{named("a", ".x", ".y"), named("b", ".z"), named("c")}, ""},
		{[]recipe.Recipe{named("b", ".y"), named("a", ".x", ".y")}, `recipes "a" and "b" both have the extension .y; remove it from one, or give both the same name for the later one to replace the earlier`},
		{[]recipe.Recipe{named("a", ".x"), named("a", ".x")}, ""},
		{[]recipe.Recipe{named("a", ".x"), named("b", ".x"), named("a", ".y")}, ""}, // the replaced recipe does not claim its extension
		{[]recipe.Recipe{named("a", ".y"), named("b", ".x"), named("a", ".x")}, `recipes "a" and "b" both`},
	} {
		s, err := New(tc.recipes...)
		if (err == nil) != (tc.want == "") || err != nil && (s != nil || !strings.HasPrefix(err.Error(), tc.want)) {
			t.Errorf("%v, want %q", err, tc.want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, tc := range []struct {
		r    recipe.Recipe
		want string
	}{
		{recipe.Recipe{Name: "", Version: 1, New: newSample}, "no name"},
		{recipe.Recipe{Name: "Big", Version: 1, New: newSample}, "a-z"},
		{recipe.Recipe{Name: "x", New: newSample}, "version"},
		{recipe.Recipe{Name: "x", Version: 1}, "New function is nil"},
		{recipe.Recipe{Name: "x", Version: 1, New: func() recipe.Cooker { return &hidden{secret: 1} }}, "not exported"},
		{recipe.Recipe{Name: "x", Version: 1, New: func() recipe.Cooker { return &untagged{} }}, "toml tag"},
		{recipe.Recipe{Name: "x", Version: 1, New: func() recipe.Cooker { return &odd{} }}, "cannot have the type"},
		{recipe.Recipe{Name: "x", Version: 1, New: func() recipe.Cooker { return &reservedKey{} }}, "reserved for rules"},
		{cooking(newSample, "png"), `extension "png": want a dot`},
		{cooking(newSample, "."), `extension ".": want a dot and one or more`},
		{cooking(newSample, ".PNG"), `extension ".PNG": want`},
		{cooking(newSample, ".tar.gz"), `extension ".tar.gz": want`},
		{cooking(newSample, ".{a,b}"), `extension ".{a,b}": want`},
		{cooking(newSample, ".abcdefghijklmnop"), "at most 16 bytes"},
		{cooking(newSample, ".a", ".b", ".a"), "extension .a is listed twice"},
		{hinting("level", 1), "hint level: want a whole number from 1 to 9, have 1 (of type int)"}, // the value must be an int64
		{hinting("level", int64(10)), "hint level: want a whole number"},
		{hinting("nothing", int64(1)), "hint nothing: no such option"},
		{recipe.Recipe{Name: "x", Version: 1, New: newSample, Extensions: []string{".a"}, Hints: []recipe.Hint{{Key: "level", Value: int64(1)}}}, "hints need the function Hinted"},
		{recipe.Recipe{Name: "x", Version: 1, New: newSample, Extensions: []string{".a"}, Hinted: func(string) int { return -1 }}, "hints need the function Hinted"},
		{knowing(recipe.Format{Extensions: []string{".a"}, Magic: []string{"a"}}), `format "": no name`},
		{knowing(recipe.Format{Name: "an A", Magic: []string{"a"}}), `format "an A": no extensions`},
		{knowing(recipe.Format{Name: "an A", Extensions: []string{".a"}}), "a format without magic numbers must set Loose"},
		{knowing(recipe.Format{Name: "an A", Extensions: []string{".a"}, Magic: []string{"a", "..."}}), "a magic number matches every file"},
		{knowing(recipe.Format{Name: "an A", Extensions: []string{"a"}, Magic: []string{"a"}}), `format "an A": extension "a": want a dot`},
		{recipe.Recipe{Name: "x", Version: 1, New: newSample, Hints: []recipe.Hint{{Key: "level", Value: int64(1)}}}, "hints have no effect without Extensions"},
	} {
		if _, err := New(tc.r); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: error %v, want %q", tc.r, err, tc.want)
		}
	}
	s, err := New(recipe.Recipe{Name: "x", Version: 1, New: newSample}, recipe.Recipe{Name: "a", Version: 1, New: newSample}, recipe.Recipe{Name: "x", Version: 2, New: newSample})
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

func TestSetOptionKeepsOldValueOnError(t *testing.T) {
	c := newSample().(*sample)
	var wrong *recipe.OptionError
	if err := SetOption(c, "level", int64(77)); !errors.As(err, &wrong) || c.Level != 3 {
		t.Errorf("error %v, level %d; want an OptionError and 3", err, c.Level)
	}
}
