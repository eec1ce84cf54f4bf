package session

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/internal/recipeset"
	"github.com/assetcook/assetcook/recipes/builtin"
)

func TestChecksum(t *testing.T) {
	for name, want := range map[string]string{
		"":            "33119477ede5dcd5e9716427681d5860",
		"xxh3":        "33119477ede5dcd5e9716427681d5860",
		"xxh128":      "33119477ede5dcd5e9716427681d5860",
		"xxh64":       "8cb841db40e6ae83",
		"crc32":       "cbf43926",
		"crc32c":      "e3069283",
		"murmur3":     "3c84645edb66cca499f8fac73a1ea105",
		"murmur3-128": "3c84645edb66cca499f8fac73a1ea105",
		"slice8":      "fc891918",
	} {
		f, err := checksum(name)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if got := f.Sum([]byte("123456789")).String(); got != want {
			t.Errorf("%q sums to %s, want %s", name, got, want)
		}
	}
	_, err := checksum("sha256")
	if config := (*ConfigError)(nil); !errors.As(err, &config) ||
		!strings.Contains(err.Error(), `unknown checksum "sha256"; have xxh3, xxh64, crc32, crc32c, murmur3, slice8`) {
		t.Errorf("sha256: %v", err)
	}
}

// Patterns of the command line match as in the cook.toml of the asset directory.
func TestPatternsMeanTheSame(t *testing.T) {
	set, err := recipeset.New(builtin.All()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		patterns string
		yes, no  string
		err      string
	}{
		{"*.png", "a.png x/a.png x/y/a.png", "a.PNG a.png/b", ""},
		{"/*.png", "a.png", "x/a.png", ""},
		{"/a.png", "a.png", "x/a.png", ""},
		{"./a.png", "a.png", "x/a.png", ""},
		{"x/*.png", "x/a.png", "a.png y/x/a.png", ""},
		{"a.png", "a.png x/a.png", "b.png", ""},
		{"ui", "ui/a ui/x/a", "x/ui/a uix/a", ""},
		{"/ui", "ui/a ui/x/a", "x/ui/a uix/a", ""},
		{"ui/", "ui/a ui/x/a", "x/ui/a uix/a", ""},
		{"x/ui", "x/ui/a", "ui/a y/x/ui/a", ""},
		{".", "a x/a", "", ""},
		{"ui !*.png", "ui/a.tga", "ui/a.png", ""},
		{"ui !/ui/*.png", "ui/x/a.png", "ui/a.png", ""},
		{"ui !ui/old !x/ ui/old/keep.png", "ui/a ui/old/keep.png", "ui/old/a", ""},
		{"fx ui", "fx/a ui/a", "a", ""},
		{"a[1].png", "a1.png a[1].png", "a.png", ""},
		{"[a", "", "", `pattern "[a": a [class] or {alternatives} is not closed, or the pattern ends in a backslash`},
		{"a ../b", "", "", `pattern "../b": the pattern has the element "..", which occurs in no path; remove it`},
		{"!a", "", "", `pattern "!a": the pattern excludes files, but no pattern before it includes files; put such a pattern first`},
	} {
		patterns := strings.Fields(tc.patterns)
		scope, err := (Scope{Patterns: patterns}).compileScope()
		chosen, ruleErr := rules.Compile([]rules.File{{Name: "cook.toml", Data: fmt.Appendf(nil, "[[rule]]\nrecipe = 'zstd'\nmatch = ['%s']", strings.Join(patterns, "', '"))}}, set)
		if tc.err != "" {
			var config *ConfigError
			if !errors.As(err, &config) || err.Error() != tc.err || ruleErr == nil || !strings.HasSuffix(ruleErr.Error(), ": match: "+tc.err) {
				t.Errorf("%s: command line %v, rule %v, want %s", tc.patterns, err, ruleErr, tc.err)
			}
			continue
		}
		if err != nil || ruleErr != nil {
			t.Errorf("%s: command line %v, rule %v", tc.patterns, err, ruleErr)
			continue
		}
		for want, paths := range map[bool]string{true: tc.yes, false: tc.no} {
			for p := range strings.FieldsSeq(paths) {
				m, err := chosen.Method(p, "")
				if err != nil {
					t.Fatal(err)
				}
				if line, rule := scope.Has(p), m.Recipe.Name == "zstd"; line != want || rule != want {
					t.Errorf("%s on %s: command line %v, rule %v, want %v", tc.patterns, p, line, rule, want)
				}
			}
		}
		if n := testing.AllocsPerRun(10, func() { scope.Has("ui/x/a.png") }); n != 0 {
			t.Errorf("%s: %v allocations", tc.patterns, n)
		}
	}
}
