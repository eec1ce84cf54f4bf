package rules

import (
	"slices"
	"strings"
	"testing"
)

// TestSettingThatNoRecipeAcceptsIsReported checks that the report has the position, the recipe and
// the accepted values. Settings that one of the recipes accepts must not be reported.
func TestSettingThatNoRecipeAcceptsIsReported(t *testing.T) {
	sources := []string{"a.png", "b.zst.txt", "data/x.json", "data/y.png", "m.mesh"}
	for _, tc := range []struct{ file, want string }{
		{"[[rule]]\nmatch = '*.png'\nlevel = 3", `cook.toml:3:1: recipe "image", which cooks the files of this rule, such as a.png, has no option "level"; "zstd" takes it`},
		{"[[rule]]\nmatch = '*.png'\nquality = 'high'", `cook.toml:3:11: quality: want a whole number from 1 to 9, have "high": recipe "image" cooks the files of this rule, such as a.png; "zstd" takes it`},
		{"[[rule]]\nmatch = 'data/*'\nlevel = 3", `cook.toml:3:1: none of the recipes that cook the files of this rule has an option "level": json, image; "zstd" takes it`},
		{"[[rule]]\nmatch = 'data/*'\nindent = true\nsrgb = false", ""},
		{"[[rule]]\nmatch = '*.png'\nrecipe = 'zstd'\nlevel = 3", ""},
		{"[[rule]]\nmatch = '*.png'\nlevel = 3\n[[rule]]\nmatch = 'a.png'\nrecipe = 'zstd'", ""},
		{"[[rule]]\nmatch = 'none'\nlevel = 3", ""},
		{"[[rule]]\nmatch = '*.png'\nlevel = 3\nindent = true", "cook.toml:3:1: recipe \"image\", which cooks the files of this rule, such as a.png, has no option \"level\"; \"zstd\" takes it\n" +
			`cook.toml:4:1: recipe "image", which cooks the files of this rule, such as a.png, has no option "indent"; "json" takes it`},
	} {
		s := compile(t, tc.file)
		for _, source := range sources {
			s.Method(source, "")
		}
		got := ""
		if errs := s.Dropped(); len(errs) > 0 {
			got = errs.Error()
		}
		if got != tc.want {
			t.Errorf("%q:\ngot  %s\nwant %s", tc.file, got, tc.want)
		}
	}
}

// TestRuleWithoutEffectIsReported checks that the report suggests the intended pattern.
func TestRuleWithoutEffectIsReported(t *testing.T) {
	sources := []string{"sounds/a.wav", "textures/Wood.png", "textures/stone.png", "textures/ui/button.png"}
	for _, tc := range []struct{ dir, match, want string }{
		{"", "'textures/*'", ""},
		{"", "'*.txt'", ""},
		{"", "'raw/*_b.{psd,xcf}'", "; *.psd is left out unless a .cookignore has !*.psd"},
		{"", "'*.pgn'", `; did you mean "*.png"?`},
		{"", "'texture/*.png'", `; did you mean "textures/*.png"?`},
		{"", "'textures/stoen.png'", `; did you mean "textures/stone.png"?`},
		{"", "'Textures/*.png'", `; the case of letters differs: textures/Wood.png`},
		{"", "'wood.png'", `; the case of letters differs: textures/Wood.png`},
		{"", `'textures\*.png'`, `; paths have slashes: did you mean "textures/*.png"?`},
		{"", `'textures\\*.png'`, `; paths have slashes: did you mean "textures/*.png"?`},
		{"", `'^.*\.png$'`, `; patterns are not regular expressions: did you mean "*.png"?`},
		{"", `'.*\.(png|wav)'`, `; patterns are not regular expressions: did you mean "*.{png,wav}"?`},
		{"", "'assets/textures/*.png'", `; patterns begin at the asset directory: did you mean "/textures/*.png"?`},
		{"textures", "'textures/*.png'", `; patterns begin at the directory of their file: did you mean "*.png"?`},
		{"textures", "'/textures/ui/*'", `; patterns begin at the directory of their file: did you mean "ui/*"?`},
		{"textures", "'uj/*.png'", `; did you mean "ui/*.png"?`},
	} {
		s, err := Compile([]File{{Name: "cook.toml", Dir: tc.dir, Data: []byte("[[rule]]\nmatch = " + tc.match)}}, recipes(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, source := range sources {
			s.Method(source, "")
		}
		got := s.Useless(slices.Values(sources), leftOut)
		matches := tc.match[1 : len(tc.match)-1]
		switch want := "cook.toml:2:9: no source matches " + matches + tc.want; {
		case tc.match == "'textures/*'" && tc.dir == "":
			if len(got) > 0 {
				t.Errorf("%s: %v", tc.match, got)
			}
		case len(got) != 1 || got[0].Error() != want:
			t.Errorf("%s in %q:\ngot  %v\nwant %s", tc.match, tc.dir, got, want)
		}
	}
}

// leftOut returns the pattern that excludes a name. It excludes names that end in .psd.
func leftOut(name string) string {
	if strings.HasSuffix(name, ".psd") {
		return "*.psd"
	}
	return ""
}

func TestOverriddenRuleIsReported(t *testing.T) {
	s := compile(t, "[[rule]]\nmatch = '*.png'\nrecipe = 'image'\nsrgb = true\n[[rule]]\nmatch = '*.png'\nrecipe = 'copy'\n")
	s.Method("a.png", "")
	if got, want := s.Useless(slices.Values([]string{"a.png"}), leftOut).Error(), `cook.toml:3:1: this rule has no effect: rules with precedence choose recipe "copy" for all files that it matches, such as a.png`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if errs := s.Dropped(); len(errs) > 0 {
		t.Error(errs)
	}
}
