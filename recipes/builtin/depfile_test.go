package builtin

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestParseDepfile(t *testing.T) {
	for _, tc := range []struct {
		text string
		want []string
	}{
		{"out: a b\n", []string{"a", "b"}},
		{"out: a b", []string{"a", "b"}},
		{"out:\n", nil},
		{"out: a\\\n  b\\\r\n\tc \\\n\n", []string{"a", "b", "c"}},
		{"a.o b.o \\\n c.o: x\n", []string{"x"}},
		{"out: b a b\nx: a c\n", []string{"b", "a", "c"}},
		{"out: a.h\n\na.h:\r\nb.h :\n", []string{"a.h"}},
		{"# by hand: x\nout: a #b c#d\n", []string{"a", "#b", "c#d"}},
		{`out: a\ b c\#d e$$f g$h`, []string{"a b", "c#d", "e$f", "g$h"}},
		{`out: a\\\ b c\\ d`, []string{`a\ b`, `c\\`, "d"}},
		{`C:\out\x.o: C:\in\a.c D:/in/b.c \\server\x.c`, []string{`C:\in\a.c`, "D:/in/b.c", `\\server\x.c`}},
		{`C:\out\: a`, []string{"a"}},
		{`a\:b.o: c\:d`, []string{"c:d"}},
		{"out: a\\\\\nx: b\n", []string{`a\\`, "b"}},
		{"out:a:\\\n b\n", []string{"b"}},
		{"out: \xff\xfe\t\x7f\n", []string{"\xff\xfe", "\x7f"}},
		{`"sp ace.o": "sp ace.h" "C:\in\a b.c" c.h`, []string{"sp ace.h", `C:\in\a b.c`, "c.h"}},
		{"\"a.o\" \"b c.o\" : \"d\"\\\n \"e f\" \\\r\n\"g#$h\"\r\n", []string{"d", "e f", "g#$h"}},
		{`out: "a b" "c`, []string{"a b", `"c`}},
		{`out: "a"b "" c"d e"`, []string{`"a"b`, `""`, `c"d`, `e"`}},
		{"out: a\\", []string{"a"}},
		{"out: a\rb\n", []string{"a\rb"}},
	} {
		got, err := parseDepfile([]byte(tc.text))
		if d := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); err != nil || d != "" {
			t.Errorf("%q: %v\n%s", tc.text, err, d)
		}
	}
}

func TestParseDepfileRefuses(t *testing.T) {
	var many strings.Builder
	many.WriteString("out:")
	for i := range maxPrerequisites + 1 {
		fmt.Fprintf(&many, " %d", i)
	}
	for _, tc := range []struct{ text, want string }{
		{"", "has no rule"},
		{" \n# nothing\n", "has no rule"},
		{"out: a\nout b\n", "line 2: there is no ':' after the targets"},
		{"out\\\n b\\\n c", "line 3: there is no ':' after the targets"},
		{"out :a\n", "line 1: there is no ':' after the targets"},
		{"out:a\n", "line 1: there is no ':' after the targets"},
		{"\n: a\n", "line 2: there is no target before the ':'"},
		{"out: a\n\x00", "line 2: the depfile has a NUL byte"},
		{many.String(), "line 1: the depfile has more than 100000 names"},
		{"out: " + strings.Repeat("a", maxDepfile), "is larger than 16 MiB"},
	} {
		_, err := parseDepfile([]byte(tc.text))
		wantError(t, err, tc.want)
	}
}

// escapeName escapes a name like compilers do.
func escapeName(name string) string {
	var b strings.Builder
	slashes := 0
	for _, c := range []byte(name) {
		switch c {
		case ' ', '\t':
			b.WriteString(strings.Repeat(`\`, slashes+1))
		case '#', ':':
			b.WriteByte('\\')
		case '$':
			b.WriteByte('$')
		}
		if slashes++; c != '\\' {
			slashes = 0
		}
		b.WriteByte(c)
	}
	return b.String()
}

func TestParseDepfileReadsWhatCompilersWrite(t *testing.T) {
	name := rapid.Custom(func(t *rapid.T) string {
		// No name ends in a backslash, which would be an escape. No name ends in a carriage return,
		// which would be part of the line end.
		return rapid.StringOfN(rapid.RuneFrom([]rune(`ab\ 	#$:/é"`)), 0, 8, -1).Draw(t, "name") + "."
	})
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfDistinct(name, rapid.ID).Draw(t, "names")
		target := name.Draw(t, "target")
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		text := escapeName(target) + ":"
		for _, n := range names {
			text += rapid.SampledFrom([]string{" ", "\t", " \\" + end + "  "}).Draw(t, "gap") + escapeName(n)
		}
		got, err := parseDepfile([]byte(text + end))
		if d := cmp.Diff(names, got, cmpopts.EquateEmpty()); err != nil || d != "" {
			t.Fatalf("%q: %v\n%s", text, err, d)
		}
	})
}

func FuzzDepfile(f *testing.F) {
	f.Add([]byte("a.o: b.c \\\n  c\\ d.h $$e \\#f\r\nc\\ d.h:\n"))
	f.Add([]byte(`C:\a\: \\x \: \`))
	f.Add([]byte("#\n:\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		names, err := parseDepfile(text)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		total := 0
		for _, n := range names {
			if n == "" || seen[n] || strings.ContainsAny(n, "\n\x00") {
				t.Fatalf("%q: name %q", text, n)
			}
			seen[n] = true
			total += len(n)
		}
		if total > len(text) {
			t.Fatalf("%q: names of %d bytes", text, total)
		}
	})
}
