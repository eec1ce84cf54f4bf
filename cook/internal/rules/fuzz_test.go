package rules

import (
	"errors"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

func FuzzCompile(f *testing.F) {
	for _, file := range []string{
		"", fifty(), "\xef\xbb\xbf# nothing\r\n",
		"[[rule]]\nmatch = ['a/**', '!*.{b,c}']\ncommand = ['x', '{in}']\noutputs = ['{stem}.spv']\n[rule.env]\nA = 'b'\n[target.pc.image]\nquality = 2",
		"rule = [{match = '*', recipe = 'zstd', level = 9}]\ntarget.a-b.zstd.level = 3\n",
		"[[rule]]\nmatch = '''\n**/[a-z]?\\\\*'''\noutput = \"{dir}/{{{name}}}\\u00e9{ext}_\"\n",
		"[[a.b]]\n[a.b.c]\nd = [[], [{e = [1979-05-27T07:32:00Z, -inf, 0x1F]}]]\n[[a.b]]\n",
		"[rule]\n[[rule]]\nx = [", "a.b.c = {d.e = {}}\na.b.f = 1", "[target]\n'' = 1\n", "[[rule]]\nmatch = '{{,a},{[}]}}'\n",
	} {
		f.Add([]byte(file), "textures/v1/a_hd.png")
	}
	set := recipes(f)
	f.Fuzz(func(t *testing.T, data []byte, path string) {
		s, err := Compile([]File{{Name: "c", Data: data}, {Name: "d", Dir: "textures", Data: data}}, set)
		if err != nil {
			checkErrors(t, data, err)
			return
		}
		var values map[string]any
		if err := toml.Unmarshal([]byte(strings.TrimPrefix(string(data), "\xef\xbb\xbf")), &values); err != nil {
			t.Fatalf("invalid TOML compiles: %v", err)
		}
		for _, target := range append([]string{""}, s.Targets()...) {
			m, err := s.Method(path, target)
			if again, sameErr := s.Method(path, target); again != m || sameErr != err {
				t.Fatalf("Method(%q, %q) returns two different methods", path, target)
			}
			if (m == nil) == (err == nil) {
				t.Fatalf("Method(%q, %q) = %v, %v", path, target, m, err)
			}
			if m == nil {
				continue
			}
			if len(m.Outputs) == 0 || len(m.Rules) == 0 || m.Chosen().File == "" {
				t.Fatalf("Method(%q, %q) = %+v", path, target, m)
			}
			for _, o := range m.Outputs {
				if clean(path) {
					checkInside(t, o, path)
				}
				o.Name(path)
			}
		}
	})
}

// checkErrors checks that the position of every error is inside its file.
func checkErrors(t *testing.T, data []byte, err error) {
	t.Helper()
	var list Errors
	if !errors.As(err, &list) || len(list) == 0 {
		t.Fatalf("error %T: %v", err, err)
	}
	lines := strings.Split(strings.TrimPrefix(string(data), "\xef\xbb\xbf"), "\n")
	for i, e := range list {
		if e.Line < 1 || e.Line > len(lines) || e.Column < 1 || e.Column > len(lines[e.Line-1])+1 {
			t.Errorf("%v has a position outside the file", e)
		}
		if e.File == "" || e.Msg == "" {
			t.Errorf("%#v has no message", e)
		}
		if i > 0 && list[i-1].File == e.File && list[i-1].Line > e.Line {
			t.Errorf("%v is sorted after %v", e, list[i-1])
		}
	}
}

func clean(p string) bool {
	for element := range strings.SplitSeq(p, "/") {
		if element == "" || element == "." || element == ".." {
			return false
		}
	}
	return true
}

func FuzzParseTemplate(f *testing.F) {
	for _, text := range []string{"{path}", "{stem}.spv", "{dir}/x", "{{{name}}}", "a/{dir}{ext}b/{stem}", "con{ext}", "../x", "C:\\x"} {
		f.Add(text, "a/..b")
	}
	f.Fuzz(func(t *testing.T, text, source string) {
		tmpl, err := ParseTemplate(text)
		if err != nil || !clean(source) {
			return
		}
		checkInside(t, tmpl, source)
	})
}
