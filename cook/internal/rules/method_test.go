package rules

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe"
)

func TestEqualChoicesShareOneMethod(t *testing.T) {
	s := compile(t, `
[[rule]]
match = "*"
quality = 2
[[rule]]
match = "ui/**"
quality = 3
[[rule]]
match = "*.tga"
level = 3       # not for images
[[rule]]
match = "raw/*"
recipe = "copy"
[target.pc]
[target.web.json]
indent = true
`)
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"a.png", "a.png", true},
		{"a.png", "x/y/b.JPG", true},
		{"a.png", "a.tga", true}, // the third rule has no effect
		{"a.png", "ui/a.png", false},
		{"ui/a.png", "ui/x/b.tga", true},
		{"raw/a.png", "raw/a.json", true}, // the built-in table has no effect
		{"raw/a.png", "a.txt", false},     // different rules choose the recipe
		{"a.png", "a.json", false},
		{"a.png@pc", "a.png@web", false},
		{"a.png@pc", "b.png@pc", true},
		{"a.png@pc", "a.png", false},
		{"a.json@web", "a.json@pc", false},
	} {
		find := func(what string) *Method {
			path, target, _ := strings.Cut(what, "@")
			return method(t, s, path, target)
		}
		if got := find(tc.a) == find(tc.b); got != tc.want {
			t.Errorf("%s and %s share a method: %v", tc.a, tc.b, got)
		}
	}
}

func TestMethodErrorNamesTheRule(t *testing.T) {
	for _, tc := range []struct{ name, file, path, target, want string }{
		{"check blames the rule that set the option", `
			[[rule]]
			match = "*.png"
			quality = 9
			[[rule]]
			match = "*.png"
			srgb = false`, "a.png", "",
			`cook.toml:4:4: recipe "image": quality: want at most 8 without max_size, have 9`},
		{"check blames the target", "[target.pc.image]\nquality = 9", "a.png", "pc",
			`cook.toml:2:1: recipe "image": quality: want at most 8 without max_size, have 9`},
		{"check blames the place that chose the recipe", "[[rule]]\nmatch = '*'\nrecipe = 'command'\noutput = 'a'", "a.png", "",
			`cook.toml:3:1: recipe "command": command: want a program and its arguments`},
		{"number of outputs known only with the source", "[[rule]]\nmatch = '*'\noutput = 'a'", "a.gltf", "",
			`cook.toml:3:1: outputs: want 2 for recipe "mesh", have 1`},
		{"outputs in another order", "[[rule]]\nmatch = '*'\noutputs = ['x/{stem}.bin', '{path}']", "a.gltf", "",
			`cook.toml:3:1: outputs: want the order of recipe "mesh": {path}, {path}.bin`},
		{"outputs given for other sources only", "[[rule]]\nmatch = '*'\ncommand = ['x']\n[[rule]]\nmatch = '*.png'\noutput = 'a'", "a.tga", "",
			`cook.toml:3:1: recipe "command" needs outputs = [...]`},
		{"unknown target", "[target.mobile]\n[target.pc]", "a.png", "mobil", `unknown target "mobil"; did you mean "mobile"?`},
		{"unknown target without a similar name", "[target.mobile]\n[target.pc]", "a.png", "web", `unknown target "web"; have mobile, pc`},
		{"no targets", "", "a.png", "web", `unknown target "web"; none is declared`},
	} {
		s := compile(t, tc.file)
		m, err := s.Method(tc.path, tc.target)
		if m != nil || err == nil || err.Error() != tc.want {
			t.Errorf("%s:\ngot  %v, %v\nwant %s", tc.name, m, err, tc.want)
			continue
		}
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %T is not an *Error", tc.name, err)
		}
		if !s.HasTarget(tc.target) {
			continue
		}
		if _, again := s.Method(tc.path, tc.target); again != err {
			t.Errorf("%s: a second call returns another error", tc.name)
		}
	}
}

// torn is a recipe with an invalid template. Its Check returns an error about the recipe as a
// whole.
type torn struct {
	Broken bool `toml:"broken"`
}

func (*torn) Outputs() []string                       { return []string{"../{path}"} }
func (*torn) Cook(context.Context, *recipe.Job) error { return nil }
func (o *torn) check() error {
	if o.Broken {
		return errors.New("out of order")
	}
	return nil
}

func TestBadRecipeIsReported(t *testing.T) {
	set := recipes(t, fake("copy", func() recipe.Cooker { return &torn{} }))
	s, err := Compile([]File{{Name: "c", Data: []byte("[[rule]]\nmatch = '*.b'\nbroken = true\n[[rule]]\nmatch='*.c'\nrecipe = 'copy'")}}, set)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"a":   `recipe "copy": template "../{path}": the template has the element ".."; write the names of the directories`,
		"a.b": `recipe "copy": out of order`,
		"a.c": `c:6:1: recipe "copy": template "../{path}": the template has the element ".."; write the names of the directories`,
	} {
		if _, err := s.Method(path, ""); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}

// fifty returns a configuration with one target and 50 rules of every kind.
func fifty() string {
	var b strings.Builder
	for i := range 10 {
		fmt.Fprintf(&b, "[[rule]]\nmatch = 'textures/%d/**/*_n.png'\nquality = %d\n", i, i%8+1)
		fmt.Fprintf(&b, "[[rule]]\nmatch = '*.x%d'\nrecipe = 'zstd'\n", i)
		fmt.Fprintf(&b, "[[rule]]\nmatch = ['ui/%d/**', '!*.{tga,bmp}']\nsrgb = false\n", i)
		fmt.Fprintf(&b, "[[rule]]\nmatch = 'name%d.png'\nmax_size = %d\n", i, i)
		fmt.Fprintf(&b, "[[rule]]\nmatch = '**/v[0-%d]*/?*_hd.*'\nmax_size = %d\n", i, i)
	}
	b.WriteString("[target.pc.image]\nmax_size = 77\n")
	return b.String()
}

var fiftyPaths = []string{
	"textures/3/wood/wall_n.png", "ui/7/hud/button.png", "levels/v3/far/tree_hd.tga", "name4.png",
	"music/theme.ogg", "data.X5", "raw/v1x/\xff_hd.png", "a/b/c/d/e/f/g/h.JSON",
}

func TestConcurrentCallsShareOneMethod(t *testing.T) {
	s := compile(t, fifty())
	const workers = 8
	found := make([][]*Method, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range fiftyPaths {
				for _, target := range []string{"", "pc"} {
					m, _ := s.Method(fiftyPaths[(i+w)%len(fiftyPaths)], target)
					found[w] = append(found[w], m)
				}
			}
		})
	}
	wg.Wait()
	for w := range workers {
		for i, m := range found[w] {
			if want := method(t, s, fiftyPaths[(i/2+w)%len(fiftyPaths)], []string{"", "pc"}[i%2]); m != want {
				t.Errorf("worker %d, path %d: another method", w, i)
			}
		}
	}
}

func TestSeenMethodAllocatesNothing(t *testing.T) {
	// All rules match, so the selection is as large as possible.
	for name, file := range map[string]string{
		"fifty": fifty(),
		"many":  strings.Repeat("[[rule]]\nmatch = ['**/v*/{a,b,?}_hd.*', '*']\nquality = 3\n", 1000) + "[target.pc]",
	} {
		s := compile(t, file)
		for _, path := range fiftyPaths {
			for _, target := range []string{"", "pc"} {
				want := method(t, s, path, target)
				allocs := testing.AllocsPerRun(5, func() {
					if m, _ := s.Method(path, target); m != want {
						t.Errorf("%s: another method", path)
					}
				})
				if allocs != 0 {
					t.Errorf("%s: Method(%q, %q) allocates %v times", name, path, target, allocs)
				}
			}
		}
	}
}

func BenchmarkMethod(b *testing.B) {
	s := compile(b, fifty())
	for i := 0; b.Loop(); i++ {
		if _, err := s.Method(fiftyPaths[i%len(fiftyPaths)], "pc"); err != nil {
			b.Fatal(err)
		}
	}
}
