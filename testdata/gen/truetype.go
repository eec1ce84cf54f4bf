package main

import (
	"encoding/binary"
	"slices"
)

// The design of the TrueType font: a pixel of a letter is a square of pixelUnits,
// eight of them make an em. All seven rows stand on the baseline.
const (
	pixelUnits = 128
	emUnits    = 8 * pixelUnits
	ascent     = 7 * pixelUnits
	descent    = pixelUnits
	lineGap    = pixelUnits
)

// fontGlyph is a letter of the TrueType font.
type fontGlyph struct {
	codes   []rune // what it is shown for, none for the sign of what is missing
	outline [][]fontPoint
}

// fontGlyphs lists the letters: the sign for what is missing, as a TrueType font
// has it first, the space, and all of glyphOrder. Small letters look like capital
// ones.
func fontGlyphs() []fontGlyph {
	missing := glyph{0x1f, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1f}
	list := []fontGlyph{{outline: contours(missing)}, {codes: []rune{' '}}}
	for i, letter := range glyphOrder {
		codes := []rune{letter}
		if 'A' <= letter && letter <= 'Z' {
			codes = append(codes, letter+'a'-'A')
		}
		list = append(list, fontGlyph{codes, contours(glyphs[i])})
	}
	return list
}

// trueType returns the bitmap font as a TrueType file (the OpenType specification
// 1.9; the numbers below are those of its tables).
func trueType() []byte {
	list := fontGlyphs()
	var glyf, loca, hmtx []byte
	box := fontBox{xMin: emUnits, yMin: emUnits}
	points, deepest := 0, 0
	for _, g := range list {
		loca = be16(loca, len(glyf)/2)
		data, bounds := outlineData(g.outline)
		glyf = append(glyf, data...)
		hmtx = be16(hmtx, glyphAdvance*pixelUnits, bounds.xMin)
		if len(g.outline) == 0 {
			continue
		}
		box = box.with(bounds)
		n := 0
		for _, c := range g.outline {
			n += len(c)
		}
		points, deepest = max(points, n), max(deepest, len(g.outline))
	}
	loca = be16(loca, len(glyf)/2)

	tables := []fontTable{
		{"OS/2", os2Table(list)},
		{"cmap", cmapTable(list)},
		{"glyf", glyf},
		{"head", headTable(box)},
		{"hhea", be16(nil, 1, 0, ascent, -descent, lineGap, glyphAdvance*pixelUnits,
			box.xMin, glyphAdvance*pixelUnits-box.xMax, box.xMax, 1, 0, 0, 0, 0, 0, 0, 0, len(list))},
		{"hmtx", hmtx},
		{"loca", loca},
		{"maxp", be16(nil, 1, 0, len(list), points, deepest, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)},
		{"name", nameTable()},
		{"post", be16(nil, 3, 0, 0, 0, -pixelUnits/2, pixelUnits/2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)},
	}
	return fontFile(tables)
}

// be16 appends numbers of 16 bits, with a sign or without.
func be16(out []byte, numbers ...int) []byte {
	for _, n := range numbers {
		out = binary.BigEndian.AppendUint16(out, uint16(n))
	}
	return out
}

type fontTable struct {
	tag  string
	data []byte
}

// headChecksum is where the table head holds the checksum of the whole file.
const headChecksum = 8

// fontFile puts the tables, which are sorted by their tags, behind their directory
// and completes the checksums.
func fontFile(tables []fontTable) []byte {
	n, steps := 1, 0
	for n*2 <= len(tables) {
		n, steps = n*2, steps+1
	}
	out := be16(nil, 1, 0, len(tables), n*16, steps, len(tables)*16-n*16)
	at, head := len(out)+16*len(tables), 0
	var body []byte
	for _, t := range tables {
		if t.tag == "head" {
			head = at + len(body)
		}
		out = append(out, t.tag...)
		out = binary.BigEndian.AppendUint32(out, fontChecksum(t.data))
		out = binary.BigEndian.AppendUint32(out, uint32(at+len(body)))
		out = binary.BigEndian.AppendUint32(out, uint32(len(t.data)))
		body = append(body, t.data...)
		body = append(body, make([]byte, -len(t.data)&3)...)
	}
	out = append(out, body...)
	binary.BigEndian.PutUint32(out[head+headChecksum:], 0xb1b0afba-fontChecksum(out))
	return out
}

// fontChecksum adds up words of 32 bits, the last filled up with zeros.
func fontChecksum(data []byte) uint32 {
	sum := uint32(0)
	for i, b := range data {
		sum += uint32(b) << (24 - i%4*8)
	}
	return sum
}

func headTable(box fontBox) []byte {
	out := be16(nil, 1, 0, 1, 0, 0, 0) // versions, no checksum yet
	out = binary.BigEndian.AppendUint32(out, 0x5f0f3cf5)
	out = be16(out, 0x000b, emUnits)       // baseline and left side at 0, whole scales
	out = append(out, make([]byte, 16)...) // made at the start of 1904: no clock is read
	return be16(out, box.xMin, box.yMin, box.xMax, box.yMax,
		0, 7, 2, 0, 0) // regular, legible from 7 pixels on, left to right, short loca
}

// cmapTable maps the letters in format 4, one segment for each run of codes whose
// glyphs follow one another.
func cmapTable(list []fontGlyph) []byte {
	type mapping struct{ code, glyph int }
	var all []mapping
	for i, g := range list {
		for _, code := range g.codes {
			all = append(all, mapping{int(code), i})
		}
	}
	slices.SortFunc(all, func(a, b mapping) int { return a.code - b.code })
	var ends, starts, deltas []int
	for i, m := range all {
		if i > 0 && all[i-1].code == m.code-1 && all[i-1].glyph == m.glyph-1 {
			ends[len(ends)-1] = m.code
			continue
		}
		starts, ends, deltas = append(starts, m.code), append(ends, m.code), append(deltas, m.glyph-m.code)
	}
	starts, ends, deltas = append(starts, 0xffff), append(ends, 0xffff), append(deltas, 1) // the format's last

	n, steps := 1, 0
	for n*2 <= len(starts) {
		n, steps = n*2, steps+1
	}
	out := be16(nil, 0, 2)
	for _, encoding := range [][2]int{{0, 3}, {3, 1}} { // Unicode, and Windows' name for it
		out = be16(out, encoding[0], encoding[1], 0, 4+2*8)
	}
	out = be16(out, 4, 16+8*len(starts), 0, 2*len(starts), 2*n, steps, 2*len(starts)-2*n)
	out = be16(be16(out, ends...), 0)
	out = be16(be16(out, starts...), deltas...)
	return append(out, make([]byte, 2*len(starts))...) // no glyphs by list
}

// nameTable names the font in English, for Windows.
func nameTable() []byte {
	names := []struct {
		id   int
		text string
	}{{1, "Pebble"}, {2, "Regular"}, {3, "Pebble Regular 1.0"}, {4, "Pebble Regular"}, {5, "Version 1.0"}, {6, "Pebble-Regular"}}
	out := be16(nil, 0, len(names), 6+12*len(names))
	var text []byte
	for _, n := range names {
		out = be16(out, 3, 1, 0x409, n.id, 2*len(n.text), len(text))
		for _, c := range n.text {
			text = be16(text, int(c))
		}
	}
	return append(out, text...)
}

// os2Table is version 4 of the table OS/2.
func os2Table(list []fontGlyph) []byte {
	first, last := rune(0xffff), rune(0)
	for _, g := range list {
		for _, c := range g.codes {
			first, last = min(first, c), max(last, c)
		}
	}
	const half = emUnits / 2
	out := be16(nil, 4, glyphAdvance*pixelUnits, 400, 5, 0, // regular weight and width, may be embedded
		half, half, 0, 0, half, half, 0, half, // sub- and superscript
		pixelUnits, 3*pixelUnits, 0) // strike-out
	out = append(out, make([]byte, 10)...)  // no PANOSE class
	out = be16(out, 0, 1, 0, 0, 0, 0, 0, 0) // basic Latin
	out = append(out, "PBBL"...)
	out = be16(out, 1<<6, int(first), int(last), ascent, -descent, lineGap, ascent, descent)
	out = be16(out, 0, 1, 0, 0) // code page Latin 1
	return be16(out, ascent, ascent, 0, int(' '), 0)
}
