package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/internal/recipeset"
)

// describe returns a method in one line: recipe, options, outputs and rules.
func describe(m *Method, path string) string {
	var b strings.Builder
	b.WriteString(m.Recipe.Name)
	for _, f := range recipeset.Fields(m.Cooker) {
		fmt.Fprintf(&b, " %s=%s", f.Key, f.Value)
	}
	b.WriteString(" ->")
	for _, o := range m.Outputs {
		b.WriteString(" " + o.Name(path))
	}
	b.WriteString(" |")
	for _, r := range m.Rules {
		b.WriteString(" " + r.String())
	}
	return b.String()
}

func TestLaterRuleOverridesEarlierRule(t *testing.T) {
	for _, tc := range []struct {
		name, file, path, want string
	}{
		{"built-in image", ``, "a/Wall.PNG",
			"image max_size=0 quality=5 srgb=true -> a/Wall.PNG | built-in"},
		{"built-in json", ``, "a.Json", "json indent=false -> a.Json | built-in"},
		{"built-in mesh", ``, "m/a.gltf", "mesh -> m/a.gltf m/a.gltf.bin | built-in"},
		{"built-in copy", ``, "m/a.ogg", "copy -> m/a.ogg | built-in"},
		{"only a dot in front", ``, ".png", "copy -> .png | built-in"},
		{"no extension", ``, "png", "copy -> png | built-in"},
		{"dot at the end", ``, "x.", "copy -> x. | built-in"},
		{"extension in a directory", ``, "x.png/readme", "copy -> x.png/readme | built-in"},
		{"any bytes", ``, "\xff/\xc3.png", "image max_size=0 quality=5 srgb=true -> \xff/\xc3.png | built-in"},

		{"option only", `
			[[rule]]
			match = "*_n.png"
			srgb = false`, "x/wall_n.png",
			"image max_size=0 quality=5 srgb=false -> x/wall_n.png | built-in cook.toml:2"},
		{"last wins per key", `
			[[rule]]
			match = "**/*.png"
			srgb = false
			quality = 2
			[[rule]]
			match = "ui/**"
			quality = 8
			max_size = 64`, "ui/a.png",
			"image max_size=64 quality=8 srgb=false -> ui/a.png | built-in cook.toml:2 cook.toml:6"},
		{"overruled rule has no say", `
			[[rule]]
			match = "*.png"
			quality = 2
			[[rule]]
			match = "*.png"
			quality = 8`, "a.png",
			"image max_size=0 quality=8 srgb=true -> a.png | built-in cook.toml:5"},
		{"recipe replaces the built-in one", `
			[[rule]]
			match = "*.png"
			recipe = "zstd"
			level = 9`, "a.png",
			"zstd level=9 quality=\"\" -> a.png.zst | cook.toml:2"},
		{"options for another recipe are dropped", `
			[[rule]]
			match = "*.png"
			recipe = "image"
			quality = 2
			output = "images/{path}"
			[[rule]]
			match = "raw/*"
			recipe = "zstd"`, "raw/a.png",
			"zstd level=3 quality=\"\" -> raw/a.png.zst | cook.toml:7"},
		{"options for the same recipe stay", `
			[[rule]]
			match = "*.png"
			recipe = "image"
			quality = 2
			output = "images/{path}"
			[[rule]]
			match = "raw/*"
			recipe = "image"
			srgb = false`, "raw/a.png",
			"image max_size=0 quality=2 srgb=false -> images/raw/a.png | cook.toml:2 cook.toml:7"},
		{"outputs without recipe stay", `
			[[rule]]
			match = "*"
			output = "all/{path}"
			[[rule]]
			match = "*.png"
			recipe = "zstd"`, "b/a.png",
			"zstd level=3 quality=\"\" -> all/b/a.png | cook.toml:2 cook.toml:5"},
		{"value that another recipe can take: image", `
			[[rule]]
			match = "*"
			quality = "high"`, "a.png",
			"image max_size=0 quality=5 srgb=true -> a.png | built-in"},
		{"value that another recipe can take: zstd", `
			[[rule]]
			match = "*"
			quality = "high"
			[[rule]]
			match = "*"
			recipe = "zstd"`, "a.png",
			"zstd level=3 quality=\"high\" -> a.png.zst | cook.toml:2 cook.toml:5"},
		{"value that does not fit keeps the earlier one", `
			[[rule]]
			match = "*"
			quality = 2
			[[rule]]
			match = "*"
			quality = "high"`, "a.png",
			"image max_size=0 quality=2 srgb=true -> a.png | built-in cook.toml:2"},
		{"command means its recipe", `
			[[rule]]
			match = "shaders/**/*.frag"
			command = ["glslc", "{in}", "-o", "{out}"]
			outputs = ["{stem}.spv"]
			[rule.env]
			LANG = "C"`, "shaders/x/y/a.frag",
			`command command=["glslc", "{in}", "-o", "{out}"] env={"LANG" = "C"} -> shaders/x/y/a.spv | cook.toml:2`},
		{"list of patterns", `
			[[rule]]
			match = ["ui/**", "!*_keep.*", "ui/x_keep.png"]
			recipe = "copy"`, "ui/x_keep.png", "copy -> ui/x_keep.png | cook.toml:2"},
		{"taken away", `
			[[rule]]
			match = ["ui/**", "!*_keep.*"]
			recipe = "copy"`, "ui/y_keep.png", "image max_size=0 quality=5 srgb=true -> ui/y_keep.png | built-in"},
		{"outputs one for one", `
			[[rule]]
			match = "*.gltf"
			recipe = "mesh"
			outputs = ["{stem}.model", "{stem}.bin"]`, "m/kart.gltf",
			"mesh -> m/kart.model m/kart.bin | cook.toml:2"},
		{"inline tables", `rule = [
			{match = "*.png", quality = 3},
			{match = "*.png", srgb = false}]`, "a.png",
			"image max_size=0 quality=3 srgb=false -> a.png | built-in cook.toml:2 cook.toml:3"},
		{"byte order mark and CRLF", "\xef\xbb\xbf[[rule]]\r\nmatch = '*.png'\r\nquality = 3\r\n", "a.png",
			"image max_size=0 quality=3 srgb=true -> a.png | built-in cook.toml:1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := method(t, compile(t, tc.file), tc.path, "")
			if got := describe(m, tc.path); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestRulesOfDeeperDirectoryOverride(t *testing.T) {
	s := compileFiles(t,
		// The order of the files does not matter, because their depth determines the order of the
		// rules.
		File{Name: "ui/hud/cook.toml", Dir: "ui/hud", Data: []byte("[[rule]]\nmatch = '/*.png'\nquality = 3\n[target.pc.image]\nmax_size = 30")},
		File{Name: "cook.toml", Dir: ".", Data: []byte("[[rule]]\nmatch = '*.png'\nquality = 1\nsrgb = false\n[target.pc.image]\nmax_size = 10\nquality = 7")},
		File{Name: "ui/cook.toml", Dir: "ui", Data: []byte("[[rule]]\nmatch = '*.png'\nquality = 2\n[target.pc.image]\nmax_size = 20\n[target.web]")},
		File{Name: "odd/cook.toml", Dir: "odd\xff", Data: []byte("[[rule]]\nmatch = 'a.png'\nquality = 4")},
	)
	for _, tc := range []struct{ path, target, want string }{
		{"a.png", "", "quality=1 max_size=0 cook.toml:1"},
		{"ui.png", "", "quality=1 max_size=0 cook.toml:1"},
		{"uix/a.png", "", "quality=1 max_size=0 cook.toml:1"},
		{"ui/a.png", "", "quality=2 max_size=0 ui/cook.toml:1"},
		{"ui/hud/a.png", "", "quality=3 max_size=0 ui/hud/cook.toml:1"},
		{"ui/hud/x/a.png", "", "quality=2 max_size=0 ui/cook.toml:1"},
		{"odd\xff/a.png", "", "quality=4 max_size=0 odd/cook.toml:1"},
		{"odd\xfe/a.png", "", "quality=1 max_size=0 cook.toml:1"},
		{"a.png", "pc", "quality=7 max_size=10 cook.toml:5"},
		{"ui/a.png", "pc", "quality=7 max_size=20 ui/cook.toml:4"},
		{"ui/hud/a.png", "pc", "quality=7 max_size=30 ui/hud/cook.toml:4"},
		{"ui/hud/a.png", "web", "quality=3 max_size=0 ui/hud/cook.toml:1"},
	} {
		m := method(t, s, tc.path, tc.target)
		c := m.Cooker.(*fakeImage)
		got := fmt.Sprintf("quality=%d max_size=%d %v", c.Quality, c.MaxSize, m.Rules[len(m.Rules)-1])
		if got != tc.want {
			t.Errorf("Method(%q, %q): got %s, want %s", tc.path, tc.target, got, tc.want)
		}
		if m.Target != tc.target {
			t.Errorf("Method(%q, %q).Target = %q", tc.path, tc.target, m.Target)
		}
	}
	if d := cmp.Diff([]string{"pc", "web"}, s.Targets()); d != "" {
		t.Error(d)
	}
	for name, want := range map[string]bool{"pc": true, "web": true, "": true, "mobile": false} {
		if got := s.HasTarget(name); got != want {
			t.Errorf("HasTarget(%q) = %v", name, got)
		}
	}
}

func TestTargetTableIsForItsRecipeOnly(t *testing.T) {
	s := compile(t, "[target.pc.zstd]\nlevel = 9\n[target.pc.image]\nquality = 2")
	m := method(t, s, "a.png", "pc")
	if got, want := describe(m, "a.png"), "image max_size=0 quality=2 srgb=true -> a.png | built-in cook.toml:3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := m.Rules[1].Match, "[target.pc.image]"; got != want {
		t.Errorf("Match = %s, want %s", got, want)
	}
}

func TestEachOptionNamesItsPlace(t *testing.T) {
	s := compile(t, `
[[rule]]
match = ["*.png", "*.tga"]
recipe = "image"
  quality = 2

[[rule]]
match = "ui/**"
quality = 3
output = "{path}.bin"

[target.pc]
image = { srgb = false }
`)
	m := method(t, s, "ui/a.png", "pc")
	if d := cmp.Diff(Origin{"cook.toml", 4, 1, "*.png, *.tga"}, m.Chosen()); d != "" {
		t.Error(d)
	}
	want := []Option{
		{recipeset.Field{Key: "max_size", Value: "0"}, Origin{File: "default"}},
		{recipeset.Field{Key: "quality", Value: "3"}, Origin{"cook.toml", 9, 1, "ui/**"}},
		{recipeset.Field{Key: "srgb", Value: "false"}, Origin{"cook.toml", 13, 11, "[target.pc.image]"}},
	}
	if d := cmp.Diff(want, m.Options); d != "" {
		t.Error(d)
	}
	m = method(t, s, "a.json", "")
	if d := cmp.Diff(Origin{File: "built-in", Match: "*.json"}, m.Chosen()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Option{{recipeset.Field{Key: "indent", Value: "false"}, Origin{File: "default"}}}, m.Options); d != "" {
		t.Error(d)
	}
}

func TestFewRecipesCompile(t *testing.T) {
	s, err := Compile(nil, recipes(t, copyFake))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := describe(method(t, s, "a.png", ""), "a.png"), "copy -> a.png | built-in"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// If there is no recipe called command, the key command is like any other key.
	_, err = Compile([]File{{Name: "c", Data: []byte("[[rule]]\nmatch = '*'\ncommand = ['x']")}}, recipes(t, copyFake))
	if want := `c:3:1: unknown key "command"; no recipe has such an option`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestRuleAppliesToItsTargetsOnly also checks that targets of rules must be declared.
func TestRuleAppliesToItsTargetsOnly(t *testing.T) {
	const declared = "[target.pc]\n[target.mobile.image]\nquality = 2\n"
	s := compile(t, declared+`
[[rule]]
match = "*.png"
target = "mobile"
recipe = "zstd"
[[rule]]
match = "b.png"
target = ["pc", "mobile"]
recipe = "copy"
`)
	for _, tc := range []struct{ path, target, want string }{
		{"a.png", "", "image"},
		{"a.png", "pc", "image"},
		{"a.png", "mobile", "zstd"},
		{"b.png", "", "image"},
		{"b.png", "pc", "copy"},
		{"b.png", "mobile", "copy"},
	} {
		if got := method(t, s, tc.path, tc.target).Recipe.Name; got != tc.want {
			t.Errorf("%s for %q: %s, want %s", tc.path, tc.target, got, tc.want)
		}
	}
	for _, tc := range []struct{ line, want string }{
		{`target = "moble"`, `cook.toml:6:10: target: no table [target.moble] declares "moble"; did you mean "mobile"?`},
		{`target = ["pc", ""]`, `cook.toml:6:17: target: want a name or a list of names`},
		{`target = []`, `cook.toml:6:10: target: want at least one name`},
		{`target = 3`, `cook.toml:6:10: target: want a name or a list of names`},
		{`target = "all"`, `cook.toml:6:10: target: "all" is not allowed; a rule without a target is for all targets`},
	} {
		_, err := Compile([]File{{Name: "cook.toml", Data: []byte(declared + "[[rule]]\nmatch = '*.png'\n" + tc.line)}}, recipes(t))
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s: %v\nwant %s", tc.line, err, tc.want)
		}
	}
	if _, err := Compile([]File{{Name: "cook.toml", Data: []byte("[target.all]")}}, recipes(t)); err == nil {
		t.Error("a target may have the name all")
	}
	s = compile(t, declared+"[[rule]]\nmatch = 'none'\ntarget = 'mobile'\n")
	s.Method("a.png", "pc")
	none := func(string) string { return "" }
	if errs := s.Useless(slices.Values([]string{"a.png"}), none); len(errs) > 0 {
		t.Errorf("a rule of another target is reported as useless: %v", errs)
	}
	s.Method("a.png", "mobile")
	if errs := s.Useless(slices.Values([]string{"a.png"}), none); len(errs) != 1 {
		t.Errorf("a rule that matches nothing is not reported: %v", errs)
	}
}

// TestProjectTableIsFoundInEveryNotation also checks that files without the table are ignored, even
// if they are invalid.
func TestProjectTableIsFoundInEveryNotation(t *testing.T) {
	for _, text := range []string{
		"[project]\nout = 'o'", "project = {out = 'o'}", "project.out = 'o'", "\"project\".out = 'o'", "[ 'project' ]\n'out' = 'o'", "\xef\xbb\xbf  [\"project\"]\nout = 'o'", "x = 1\n\t[project]\nout = 'o'",
	} {
		if p, err := ReadProject("cook.toml", []byte(text)); err != nil || p == nil || p.Out != "o" {
			t.Errorf("%q: %+v, %v", text, p, err)
		}
	}
	for _, text := range []string{"", "# the project\n[[rule]\n", "[[rule]]\nmatch = 'project'", "a project = 3"} {
		if p, err := ReadProject("cook.toml", []byte(text)); err != nil || p != nil {
			t.Errorf("%q: %+v, %v", text, p, err)
		}
	}
	if _, err := ReadProject("cook.toml", []byte("[project]\nout = ")); err == nil {
		t.Error("an invalid project is accepted")
	}
}
