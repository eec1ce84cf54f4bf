package pathname

import (
	"errors"
	"os"
	"path"
	"path/filepath"
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

// TestShowIsOneHonestLine checks that Show returns one line of printable text, and that different
// names have different lines.
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

// FuzzEscape checks that escaped text contains nothing that a terminal interprets, and that
// printable text stays unchanged.
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

func TestBelow(t *testing.T) {
	root, err := filepath.Abs("root")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"": ".", "a": "a", "a/b": "a/b", "a/../b": "b", "..a": "..a", "..": "", "../root2": "", "../root/x": "x", "a/../../b": "",
	} {
		rel, ok := Below(root, filepath.Join(root, filepath.FromSlash(name)))
		if rel != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", name, rel, ok, want)
		}
	}
	if _, ok := Below(root, "relative"); ok {
		t.Error("Below accepts a relative path in an absolute directory")
	}
}

func TestRelative(t *testing.T) {
	for _, tc := range []struct{ folder, file, want string }{
		{".", "a", "a"}, {".", ".", "."}, {"a", ".", ".."}, {"a", "a", "."}, {"a", "a/b", "b"}, {"a", "ab", "../ab"},
		{"a/b", "a/c/d", "../c/d"}, {"a/b", "a", ".."}, {"a/b/c", "d", "../../../d"},
	} {
		if got := Relative(tc.folder, tc.file); got != tc.want || path.Join(tc.folder, got) != tc.file {
			t.Errorf("Relative(%q, %q) = %q, want %q", tc.folder, tc.file, got, tc.want)
		}
	}
}

func TestIsAbsent(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"none", "none/none", "file/none", strings.Repeat("n", 300)} {
		if _, err := os.Lstat(filepath.Join(dir, name)); !IsAbsent(err) {
			t.Errorf("%.20s: %v", name, err)
		}
	}
	for _, err := range []error{nil, os.ErrPermission, errors.New("input/output error")} {
		if IsAbsent(err) {
			t.Errorf("%v", err)
		}
	}
}
