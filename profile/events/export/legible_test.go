package export

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestLegible(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{"", ""},
		{"textures/wall.png", "textures/wall.png"},
		{`a "b" \c`, `a "b" \c`},
		{"größe 木 😀", "größe 木 😀"},
		{"a\nb\tc", `a\nb\tc`},
		{"nul\x00", `nul\x00`},
		{"\xff\xfe/x", `\xff\xfe/x`},
		{"cut \xe6\x9c", `cut \xe6\x9c`},
		{"\ufffd", "\ufffd"},
		{"a\u2028b", `a\u2028b`},
		{"\x7f\x1b[31m", `\x7f\x1b[31m`},
	} {
		if got := legible(c.raw); got != c.want {
			t.Errorf("legible(%q) = %q, want %q", c.raw, got, c.want)
		}
	}
}

func TestLegibleIsPrintable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := string(rapid.SliceOf(rapid.Byte()).Draw(t, "raw"))
		got := legible(raw)
		if !utf8.ValidString(got) || strings.IndexFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
			t.Fatalf("legible(%q) = %q", raw, got)
		}
		if again := legible(got); again != got {
			t.Fatalf("a legible name became %q", again)
		}
	})
}
