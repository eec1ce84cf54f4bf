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

func TestShow(t *testing.T) {
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

func TestShowLong(t *testing.T) {
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

// Whatever the name, what is shown is one line of printable text, and says
// exactly which name it was.
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

func TestEscape(t *testing.T) {
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

// Whatever the text, no terminal obeys any of what is printed, and text that
// prints stays as it is.
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
