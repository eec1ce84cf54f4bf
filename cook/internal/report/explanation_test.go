package report

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook"
)

func id(digit string) string { return strings.Repeat(digit, 64) }

func TestWriteExplanation(t *testing.T) {
	for _, tc := range []struct {
		name string
		cook.Explanation
		want string
	}{
		{"new", cook.Explanation{
			Path: "a\n.txt", Err: errors.New("no recipe"), Reasons: []cook.Reason{{Kind: "new"}},
			Inputs: []cook.Input{{Path: "a\n.txt", Now: id("a")}},
		}, `"a\n.txt"
  now:      fails: no recipe
    because new
  last:     never cooked
  inputs:
    aaaaaaaaaaaa "a\n.txt"
`},
		{"all", cook.Explanation{
			Path: "models/a.gltf", Target: "pc", Runs: true,
			Reasons: []cook.Reason{{Kind: "option changed", Subject: "level", Old: "1", New: "2"}},
			Makes:   []string{"2 meshes"}, Warnings: []string{"no normals"},
			Options: []cook.Option{{Key: "recipe", Value: "mesh version 3", From: "built-in"}, {Key: "level", Value: "2", From: "cook.toml:3"}},
			Rules:   []string{"cook.toml:2 match *.gltf"},
			Inputs: []cook.Input{
				{Path: "models/a.gltf", Now: id("b"), Was: id("c")}, {Path: "same", Now: id("d"), Was: id("d")},
				{Path: "gone", Was: id("e")}, {Path: "came", Now: id("f"), Was: "absent"}, {Path: "still", Was: "absent"},
				{Path: "presence", Now: id("1")}, {Path: "secret", Was: id("2"), Err: true},
				{Path: "/bin/tool", Now: id("3"), Program: true},
			},
			Last: &cook.LastTime{
				Outcome: cook.Unchanged, At: time.Unix(1e9, 0), CookTime: 1516 * time.Millisecond, Reasons: []string{"new", "forced"},
				Outputs: []cook.Output{{Path: "a.mesh", Blob: id("4"), Size: 2048, State: "edited"}},
				Origin:  &cook.Origin{Server: "grpcs://c/main", Run: "r1", Host: "a\x1b[2J\nb", Key: id("5"), At: time.Unix(1e9-60, 0)},
			},
		}, `models/a.gltf [pc]
  now:      has work to do
    because option level changed: 1 -> 2
  last:     unchanged on 2001-09-09 01:46:40 UTC, cooking took 1.52s
    because new
    because forced
    from grpcs://c/main, cooked by run r1 on host "a\x1b[2J\nb" in 1.52s (2001-09-09 01:45:40 UTC), signed by key 5555555555555555
  output:   444444444444 a.mesh (2.0 KiB, edited)
  makes:    2 meshes
  warning:  no normals
  recipe:   mesh version 3 (built-in)
    level = 2 (cook.toml:3)
  rule:     cook.toml:2 match *.gltf
  inputs:
    bbbbbbbbbbbb models/a.gltf (was cccccccccccc)
    dddddddddddd same
    absent       gone (was eeeeeeeeeeee)
    ffffffffffff came (was absent)
    absent       still
    111111111111 presence
    unreadable   secret (was 222222222222)
    333333333333 /bin/tool (program)
`},
	} {
		var b strings.Builder
		if err := WriteExplanation(&b, &tc.Explanation, false); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tc.want, b.String()); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
	}
}

// TestExplainedDefaults checks that options with default values are counted, and printed only with
// verbose.
func TestExplainedDefaults(t *testing.T) {
	e := cook.Explanation{Path: "a", Options: []cook.Option{{Key: "recipe", Value: "image"}, {Key: "srgb", Value: "false", From: "cook.toml:2"}, {Key: "zstd", Value: "1", From: "default"}}}
	for _, verbose := range []bool{false, true} {
		var b strings.Builder
		WriteExplanation(&b, &e, verbose)
		if got := b.String(); strings.Contains(got, "zstd = 1 (default)") != verbose || strings.Contains(got, "and 1 option by default") == verbose || !strings.Contains(got, "srgb = false") {
			t.Errorf("verbose %t:\n%s", verbose, got)
		}
	}
}

func TestHostileExplanation(t *testing.T) {
	var b strings.Builder
	WriteExplanation(&b, &cook.Explanation{
		Path: hostile, Reasons: []cook.Reason{{Kind: "new", Subject: hostile}}, Err: errors.New(hostile),
		Makes: []string{hostile}, Warnings: []string{hostile}, Inputs: []cook.Input{{Path: hostile}},
	}, true)
	if i := strings.IndexFunc(b.String(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("a terminal would obey %q", b.String()[i:min(i+20, b.Len())])
	}
	if strings.Contains(b.String(), "\ncook: 5 assets") {
		t.Errorf("a text poses as the last line:\n%s", b.String())
	}
}
