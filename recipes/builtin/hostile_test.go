package builtin

import (
	"strings"
	"testing"
	"unicode"
)

// No document makes an error as long as itself.
func TestErrorsStayShort(t *testing.T) {
	long := strings.Repeat("a/", 50_000)
	digits := strings.Repeat("1", 100_000)
	for _, document := range []string{
		`{"asset": {"version": "2.0"}, "scene": ` + digits + `}`,
		`{"asset": {"version": "` + long + `"}}`,
		`{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 1, "uri": "` + long + `x"}]}`,
		`{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 1, "uri": "` + long[:5000] + `x"}]}`,
		`{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 1, "uri": "../` + strings.Repeat("../", 9_000) + `x"}]}`,
		`{"asset": {"version": "2.0"}, "meshes": [{"primitives": [{"attributes": {"` + long + `": ""}}]}]}`,
		`{"asset": {"version": "2.0"}, "meshes": [{"primitives": [{"attributes": {"` + long + `": 7}}]}]}`,
		`{"` + long + `": 1, "` + long + `": 2}`,
	} {
		res := cookGLTF(t, document)
		if res.Err == nil {
			t.Errorf("%.80s: accepted", document)
		} else if n := len(res.Err.Error()); n > 1000 {
			t.Errorf("%.80s: error of %d bytes: %.200s", document, n, res.Err)
		}
	}
}

func TestLongPrerequisite(t *testing.T) {
	for _, tc := range []struct {
		name string
		size int
		ok   bool
	}{{"longest", maxPrerequisite, true}, {"too long", maxPrerequisite + 1, false}} {
		names, err := parseDepfile([]byte("out: " + strings.Repeat("a", tc.size) + "\n"))
		if ok := err == nil && len(names) == 1; ok != tc.ok {
			t.Errorf("%s: error %v", tc.name, err)
		}
	}
}

// What a program prints is shown so that a terminal obeys nothing of it,
// however it comes in, and within bounds.
func FuzzTail(f *testing.F) {
	for _, text := range []string{"", "plain\n", "\x1b[31mred\x1b[0m\r\nnext\r", "\xff\xfe\u202e\u009b", strings.Repeat("line\n", 100), strings.Repeat("\x1b", 1000)} {
		f.Add([]byte(text), 3)
	}
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		whole, parts := new(tail), new(tail)
		whole.Write(text)
		at = min(max(at, 0), len(text))
		parts.Write(text[:at])
		parts.Write(text[at:])
		shown := whole.lastLines()
		if got := parts.lastLines(); got != shown {
			t.Errorf("in two parts %q, at once %q", got, shown)
		}
		if i := strings.IndexFunc(shown, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("a terminal would obey %q", shown[i:])
		}
		if lines := strings.Count(shown, "\n"); lines > tailLines+1 || len(shown) > (tailLines+1)*(6*tailWidth+10) {
			t.Errorf("%d lines, %d bytes", lines, len(shown))
		}
	})
}
