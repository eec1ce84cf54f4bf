package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
)

const intro = "1\n00:00:01,500 --> 00:00:04,000\nLong ago,\nin a valley\n\n2\n00:01:00,000 --> 01:00:02,250\n- Run!\n"

func TestRecipeKeepsTheRules(t *testing.T) {
	recipetest.Check(t, subtitles, map[string]any{"shift": int64(40), "flatten": true})
}

func TestSubtitlesBecomeJSON(t *testing.T) {
	for _, tc := range []struct {
		name, source string
		options      Subtitles
		want, err    string
		warned       []string
	}{
		{"plain", intro, Subtitles{}, `[{"from":1500,"to":4000,"text":"Long ago,\nin a valley"},{"from":60000,"to":3602250,"text":"- Run!"}]` + "\n", "", nil},
		{"Windows", "\ufeff" + strings.ReplaceAll(intro, "\n", "\r\n"), Subtitles{Shift: -500, Flatten: true},
			`[{"from":1000,"to":3500,"text":"Long ago, in a valley"},{"from":59500,"to":3601750,"text":"- Run!"}]` + "\n", "", nil},
		{"unsorted", "1\n00:00:02,000 --> 00:00:03,000\na\n\n2\n00:00:01,000 --> 00:00:02,000\nb", Subtitles{},
			`[{"from":2000,"to":3000,"text":"a"},{"from":1000,"to":2000,"text":"b"}]` + "\n", "", []string{"1 subtitles begin before the one above them"}},
		{"no times", "1\n00:00:02.000 --> 00:00:03.000\na", Subtitles{}, "", `subtitle 1: "00:00:02.000 --> 00:00:03.000": want times such as 00:00:01,500 --> 00:00:04,000`, nil},
		{"no text", "1\n00:00:02,000 --> 00:00:03,000", Subtitles{}, "", "subtitle 1: want a number, a line of times, and text", nil},
	} {
		res := recipetest.Cook(t, subtitles, &tc.options, fstest.MapFS{"intro.srt": {Data: []byte(tc.source)}}, "", "intro.srt")
		switch {
		case tc.err != "" && (res.Err == nil || res.Err.Error() != tc.err):
			t.Errorf("%s: error %v, want %s", tc.name, res.Err, tc.err)
		case tc.err == "" && (res.Err != nil || string(res.Outputs[0]) != tc.want || !slices.Equal(res.Warned, tc.warned)):
			t.Errorf("%s: %s, %q, %v", tc.name, res.Outputs[0], res.Warned, res.Err)
		}
	}
}

func TestExplanationHasTheEnd(t *testing.T) {
	lines, warnings := recipetest.Explain(t, subtitles, &Subtitles{}, fstest.MapFS{"intro.srt": {Data: []byte(intro)}}, "intro.srt")
	if want := []string{"2 subtitles until 3602.2 s"}; !slices.Equal(lines, want) || len(warnings) > 0 {
		t.Errorf("%q, %q", lines, warnings)
	}
}

// TestBuild expects a second build to have nothing to do. A damaged source must be reported as a
// failure with its cause.
func TestBuild(t *testing.T) {
	dir := t.TempDir()
	project := cook.Project{Dir: filepath.Join(dir, "assets"), Cache: filepath.Join(dir, "store"), Recipes: []recipe.Recipe{subtitles}}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(project.Dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(project.Dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("intro.srt", intro)
	for _, want := range []string{"1 cooked, 0 up to date\n", "0 cooked, 1 up to date\n"} {
		var out bytes.Buffer
		if err := build(t.Context(), project, &out); err != nil || out.String() != want {
			t.Errorf("%q, %v, want %q", out.String(), err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "cooked/intro.json")); err != nil {
		t.Error(err)
	}
	write("outro.srt", "1\nlate\nwords")
	var out bytes.Buffer
	err := build(t.Context(), project, &out)
	if err == nil || err.Error() != "failures: 1" || !strings.HasPrefix(out.String(), `outro.srt: failed: subtitle 1: "late": want times`) {
		t.Errorf("%q, %v", out.String(), err)
	}
}
