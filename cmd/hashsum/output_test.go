package main

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// of returns an entry for the named file with the function's check value as digest.
func of(t testing.TB, fn, name string) entry {
	t.Helper()
	e := entry{fn: lookupFunction(fn), name: name, size: -1}
	if e.fn == nil {
		t.Fatalf("no function %s", fn)
	}
	if err := e.setDigest([]byte(e.fn.Check)); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestLayouts(t *testing.T) {
	const sha = "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"
	for _, c := range []struct {
		layout   layout
		fn, name string
		want     string
	}{
		// Lines that sha256sum 9.1 and xxhsum 0.8.3 wrote for a file with the content "123456789".
		{layout{}, "sha256", "a", sha + "  a"},
		{layout{}, "sha256", " *a", sha + "   *a"},
		{layout{}, "sha256", "new\nline", `\` + sha + `  new\nline`},
		{layout{}, "sha256", `back\slash`, `\` + sha + `  back\\slash`},
		{layout{}, "sha256", "cr\r", `\` + sha + `  cr\r`},
		{layout{}, "sha256", "\xff\x1b", sha + "  \xff\x1b"},
		{layout{}, "xxh32", "a", "937bad67  a"},
		{layout{}, "xxh64", "a", "8cb841db40e6ae83  a"},
		{layout{}, "xxh3", "a", "XXH3_72dcb18b67a17dff  a"},
		{layout{}, "xxh3", `a\`, `\XXH3_72dcb18b67a17dff  a\\`},
		{layout{}, "xxh128", "a", "33119477ede5dcd5e9716427681d5860  a"},
		{layout{zero: true}, "sha256", "new\nline", sha + "  new\nline"},
		{layout{zero: true}, "sha256", `a\`, sha + `  a\`},
		{layout{style: styleTag}, "sha256", "a", "SHA256 (a) = " + sha},
		{layout{style: styleTag}, "sha256", "new\nline", `\SHA256 (new\nline) = ` + sha},
		{layout{style: styleTag, zero: true}, "sha256", "new\nline", "SHA256 (new\nline) = " + sha},
		{layout{style: styleTag}, "xxh3", "a", "XXH3 (a) = 72dcb18b67a17dff"},
		{layout{style: styleTag}, "xxh128", "a", "XXH128 (a) = 33119477ede5dcd5e9716427681d5860"},
		{layout{style: styleTag}, "crc32-bzip2", "a", "CRC32-BZIP2 (a) = fc891918"},
		{layout{style: styleJSON}, "xxh32", `a"\` + "\n\u202e\U000e0001ü", `{"name":"a\"\\\u000a\u202e\udb40\udc01ü","algorithm":"xxh32","digest":"937bad67"}`},
		{layout{style: styleJSON}, "xxh32", "\xff", `{"name":"\ufffd","name_base64":"/w==","algorithm":"xxh32","digest":"937bad67"}`},
	} {
		e := of(t, c.fn, c.name)
		if got := string(c.layout.appendEntry(nil, &e)); got != c.want {
			t.Errorf("%+v of %s, %q:\n%s, want\n%s", c.layout, c.fn, c.name, got, c.want)
		}
	}
	e := of(t, "crc32", "a")
	e.size = 9
	if got, want := string(layout{style: styleJSON}.appendEntry(nil, &e)), `{"name":"a","algorithm":"crc32","digest":"cbf43926","size":9}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// drawEntry returns a random entry. Its name contains characters that are special in at least one
// format.
func drawEntry(t *rapid.T) entry {
	e := entry{fn: &functions[rapid.IntRange(0, len(functions)-1).Draw(t, "function")], size: -1}
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{`\`, "\n", "\r", `\n`, " ", "*", "(", ") = ", "=", "#", "{", "\t", "\x1b", "\u202e", "\U000e0001", "\ufeff", "ü", "\xff", "0a"}),
		rapid.Map(rapid.ByteRange(1, 255), func(b byte) string { return string(b) }),
	)
	e.name = strings.Join(rapid.SliceOfN(piece, 1, 8).Draw(t, "name"), "")
	copy(e.sum(), rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "digest"))
	return e
}

// An entry must be written as one line, and must read back as the same entry, for any name.
func TestWrittenReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawEntry(t)
		l := layout{style(rapid.IntRange(0, 2).Draw(t, "style")), rapid.Bool().Draw(t, "zero")}
		if l.style == styleJSON {
			e.size = rapid.Int64Range(0, 1<<62).Draw(t, "size")
		}
		line := l.appendEntry(nil, &e)
		if strings.IndexByte(string(line), l.lineEnd()) >= 0 {
			t.Fatalf("%q contains its own line end", line)
		}
		got, err := dialect{fn: e.fn, zero: l.zero}.parseLine(line)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if diff := cmp.Diff(e, got, cmp.AllowUnexported(entry{}), cmp.Comparer(func(a, b *function) bool { return a == b })); diff != "" {
			t.Fatalf("%q: %s", line, diff)
		}
		if l.style == styleJSON && strings.IndexFunc(string(line), func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
			t.Fatalf("%q has unprintable characters", line)
		}
	})
}

func TestLinesAllocateNothing(t *testing.T) {
	e := of(t, "sha256", `a name \ to escape`)
	e.size = 1
	buf := make([]byte, 0, 1024)
	for _, s := range []style{stylePlain, styleTag, styleJSON} {
		if n := testing.AllocsPerRun(100, func() { layout{style: s}.appendEntry(buf, &e) }); n != 0 {
			t.Errorf("style %d: %v allocations", s, n)
		}
	}
}
