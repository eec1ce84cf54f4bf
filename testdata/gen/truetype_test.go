package main

import (
	"encoding/binary"
	"image"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"pgregory.net/rapid"
)

func parseFont(t *testing.T) *sfnt.Font {
	t.Helper()
	f, err := sfnt.Parse(generate(t)["fonts/pebble.ttf"])
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestTrueTypeLetters draws every letter so small that a pixel of the bitmap is a
// pixel of the picture: the two have to be the same.
func TestTrueTypeLetters(t *testing.T) {
	face, err := opentype.NewFace(parseFont(t), &opentype.FaceOptions{Size: 8, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		t.Fatal(err)
	}
	letters := map[rune]glyph{' ': {}}
	for i, letter := range glyphOrder {
		letters[letter] = glyphs[i]
		if 'A' <= letter && letter <= 'Z' {
			letters[letter+'a'-'A'] = glyphs[i]
		}
	}
	for letter, g := range letters {
		box, mask, at, advance, ok := face.Glyph(fixed.P(0, 7), letter)
		if !ok || advance != fixed.I(glyphAdvance) {
			t.Errorf("%q: has a glyph: %v, %v wide; want 6 pixels", letter, ok, advance)
			continue
		}
		var got glyph
		for y := range 7 {
			for x := range 5 {
				p := image.Pt(x, y)
				if !p.In(box) {
					continue
				}
				switch _, _, _, a := mask.At(at.X+x-box.Min.X, at.Y+y-box.Min.Y).RGBA(); a {
				case 0xffff:
					got[y] |= 1 << (4 - x)
				case 0:
				default:
					t.Errorf("%q: pixel %v is covered by %#x of 0xffff", letter, p, a)
				}
			}
		}
		if got != g {
			t.Errorf("%q is %02x, want %02x", letter, got, g)
		}
	}
}

func TestTrueTypeTables(t *testing.T) {
	f, buf := parseFont(t), &sfnt.Buffer{}
	if n, want := f.NumGlyphs(), len(glyphOrder)+2; n != want {
		t.Errorf("%d glyphs, want %d: the letters, the space and what is missing", n, want)
	}
	if name, err := f.Name(buf, sfnt.NameIDFull); name != "Pebble Regular" || err != nil {
		t.Errorf("called %q, %v", name, err)
	}
	for _, letter := range "%äｗ\uffff" {
		if i, err := f.GlyphIndex(buf, letter); i != 0 || err != nil {
			t.Errorf("%q is glyph %d, %v; want 0, as of all that is missing", letter, i, err)
		}
	}
	m, err := f.Metrics(buf, fixed.I(8), font.HintingNone)
	want := font.Metrics{Height: fixed.I(9), Ascent: fixed.I(7), Descent: fixed.I(1), CapHeight: fixed.I(7), XHeight: fixed.I(7), CaretSlope: image.Pt(0, 1)}
	if m != want || err != nil {
		t.Errorf("metrics %+v, %v; want %+v", m, err, want)
	}
}

// TestTrueTypeChecksums adds up what the directory promises; the Go reader does not.
func TestTrueTypeChecksums(t *testing.T) {
	be := binary.BigEndian
	data := generate(t)["fonts/pebble.ttf"]
	sum := func(b []byte) (s uint32) {
		for ; len(b) > 0; b = b[4:] {
			s += be.Uint32(b)
		}
		return s
	}
	if got := sum(data); got != 0xb1b0afba {
		t.Errorf("the whole file adds up to %08x", got)
	}
	last := ""
	for i := range int(be.Uint16(data[4:])) {
		entry := data[12+16*i:][:16]
		tag, at, size := string(entry[:4]), be.Uint32(entry[8:]), be.Uint32(entry[12:])
		if tag <= last || at%4 != 0 {
			t.Errorf("table %s at %d behind %s", tag, at, last)
		}
		last = tag
		got := sum(data[at : (at+size+3)&^3])
		if tag == "head" { // counted as if it did not hold the sum of the file
			got -= be.Uint32(data[at+headChecksum:])
		}
		if got != be.Uint32(entry[4:]) {
			t.Errorf("table %s adds up to %08x, the directory says %08x", tag, got, be.Uint32(entry[4:]))
		}
	}
}

// TestContours holds for any bitmap: every pixel is wound round once if it is
// filled and not at all if not, and lines turn at each of their points.
func TestContours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var g glyph
		for y := range g {
			g[y] = rapid.Uint8Range(0, 31).Draw(t, "row")
		}
		lines := contours(g)
		for y := range 7 {
			for x := range 5 {
				middle := fontPoint{x*pixelUnits + pixelUnits/2, (7-y)*pixelUnits - pixelUnits/2}
				if got, want := windings(lines, middle), int(g[y]>>(4-x)&1); got != want {
					t.Fatalf("%02x: pixel %d,%d is wound round %d times, want %d", g, x, y, got, want)
				}
			}
		}
		for _, line := range lines {
			for i, p := range line {
				a, b := line[(i+len(line)-1)%len(line)], line[(i+1)%len(line)]
				if (a.x == p.x) == (p.x == b.x) || (a.y == p.y) == (p.y == b.y) {
					t.Fatalf("%02x: no turn at %v between %v and %v", g, p, a, b)
				}
			}
		}
	})
}

// TestContourLines compares whole lines: where they start, which way they go, and
// what belongs together.
func TestContourLines(t *testing.T) {
	const u = pixelUnits
	for _, tc := range []struct {
		name string
		g    glyph
		want [][]fontPoint
	}{
		{"nothing", glyph{}, nil},
		{"a pixel", glyph{0x10}, [][]fontPoint{{{0, 7 * u}, {u, 7 * u}, {u, 6 * u}, {0, 6 * u}}}},
		{"pixels that meet at a corner", glyph{0, 0x02, 0x01}, [][]fontPoint{
			{{3 * u, 6 * u}, {4 * u, 6 * u}, {4 * u, 5 * u}, {3 * u, 5 * u}},
			{{4 * u, 5 * u}, {5 * u, 5 * u}, {5 * u, 4 * u}, {4 * u, 4 * u}},
		}},
		{"a ring", glyph{0x1c, 0x14, 0x1c}, [][]fontPoint{
			{{0, 7 * u}, {3 * u, 7 * u}, {3 * u, 4 * u}, {0, 4 * u}},
			{{u, 6 * u}, {u, 5 * u}, {2 * u, 5 * u}, {2 * u, 6 * u}},
		}},
	} {
		if diff := cmp.Diff(tc.want, contours(tc.g), cmp.AllowUnexported(fontPoint{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// windings counts how often lines go round a point clockwise: the edges that pass
// it to the left going up, less those going down.
func windings(lines [][]fontPoint, at fontPoint) int {
	n := 0
	for _, line := range lines {
		for i, p := range line {
			q := line[(i+1)%len(line)]
			if p.x != q.x || p.x > at.x {
				continue
			}
			switch {
			case p.y < at.y && q.y > at.y:
				n++
			case p.y > at.y && q.y < at.y:
				n--
			}
		}
	}
	return n
}
