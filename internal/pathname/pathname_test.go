package pathname

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestShowQuotesUnfaithfulNames(t *testing.T) {
	separator := `"a\\b"`
	if runtime.GOOS == "windows" {
		separator = `a\b`
	}
	for name, want := range map[string]string{
		"textures/wood.png": "textures/wood.png",
		"größe 大.png":       "größe 大.png",
		`say "hi"`:          `say "hi"`,
		`a\b`:               separator,
		"line\nbreak":       `"line\nbreak"`,
		"esc\x1b[31m":       `"esc\x1b[31m"`,
		"\xff":              `"\xff"`,
		"gnp.\u202etxt":     `"gnp.\u202etxt"`,
		"":                  "",
	} {
		if got := Show(name); got != want {
			t.Errorf("Show(%q) = %s, want %s", name, got, want)
		}
	}
}

func TestShowShortensLongNames(t *testing.T) {
	for name, want := range map[string]string{
		strings.Repeat("a", longest):               strings.Repeat("a", longest),
		strings.Repeat("folder/", 600) + "end.png": strings.Repeat("folder/", 17) + "f…/" + strings.Repeat("folder/", 16) + "end.png (4207 bytes)",
		strings.Repeat("大", 100):                   strings.Repeat("大", 40) + "…" + strings.Repeat("大", 40) + " (300 bytes)",
		"x" + strings.Repeat("大", 100):             "x" + strings.Repeat("大", 39) + "…" + strings.Repeat("大", 40) + " (301 bytes)",
		strings.Repeat("\xbf", 300):                `"` + strings.Repeat(`\xbf`, 117) + `"…"` + strings.Repeat(`\xbf`, 117) + `" (300 bytes)`,
	} {
		if got := Show(name); got != want {
			t.Errorf("Show(%.40q...) = %s, want %s", name, got, want)
		}
	}
}

// For every name, Show returns one line of printable text that identifies the name exactly.
func TestShowIsOneHonestLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := string(rapid.SliceOfN(rapid.Byte(), 0, longest).Draw(t, "name"))
		shown := Show(name)
		if strings.IndexFunc(shown, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
			t.Fatalf("Show(%q) = %q does not print", name, shown)
		}
		if back, err := strconv.Unquote(shown); shown != name && (err != nil || back != name) {
			t.Fatalf("Show(%q) = %s means %q", name, shown, back)
		}
	})
}

func TestEscapedTextIsHarmless(t *testing.T) {
	for text, want := range map[string]string{
		"open größe: no": "open größe: no",
		"two\n\tlines":   "two\n\tlines",
		"esc\x1b[31m\r":  `esc\x1b[31m\r`,
		"a\xffb\ufffd":   "a\\xffb\ufffd",
		"gnp.\u202etxt":  `gnp.\u202etxt`,
		`it's "so" \n`:   `it's "so" \n`,
	} {
		if got := Escape(text); got != want {
			t.Errorf("Escape(%q) = %q, want %q", text, got, want)
		}
	}
}

// Terminals interpret nothing in escaped text, and printable text stays unchanged.
func FuzzEscape(f *testing.F) {
	for _, text := range []string{"", "open größe: no\n", "esc\x1b[31m\r\u009b", "a\xffb\ufffd", "gnp.\u202etxt", `it's "so" \n`, "\U000e0001\xf0\x9f"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		obeyed := func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }
		escaped := Escape(text)
		if strings.IndexFunc(escaped, obeyed) >= 0 {
			t.Errorf("Escape(%q) = %q", text, escaped)
		}
		if utf8.ValidString(text) && strings.IndexFunc(text, obeyed) < 0 && escaped != text {
			t.Errorf("Escape(%q) = %q", text, escaped)
		}
	})
}

func TestSplitScale(t *testing.T) {
	for _, tc := range []struct {
		stem, base string
		scale      float64
	}{
		{"hero@2x", "hero", 2}, {"hero@0.5x", "hero", 0.5}, {"a@b@3x", "a@b", 3}, {"wall.n@1.5x", "wall.n", 1.5},
		{"hero", "hero", 0}, {"hero@x", "hero@x", 0}, {"hero@2", "hero@2", 0}, {"hero@2X", "hero@2X", 0}, {"@2x", "@2x", 0},
		{"..@2x", "..@2x", 0}, {"hero@0x", "hero@0x", 0}, {"hero@1e3x", "hero@1e3x", 0}, {"hero@1.2.3x", "hero@1.2.3x", 0},
		{"hero@.x", "hero@.x", 0}, {"hero@+2x", "hero@+2x", 0}, {"hero@2x@", "hero@2x@", 0}, {"hero@000000000002x", "hero@000000000002x", 0}, {"", "", 0},
	} {
		if base, scale := SplitScale(tc.stem); base != tc.base || scale != tc.scale {
			t.Errorf("%q: %q, %v; want %q, %v", tc.stem, base, scale, tc.base, tc.scale)
		}
	}
}
