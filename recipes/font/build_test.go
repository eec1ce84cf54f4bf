package font

import (
	"encoding/binary"
	"maps"
	"slices"
)

// The functions in this file build synthetic fonts, with errors or with features that available
// fonts lack.

func words(list ...int) []byte {
	var b []byte
	for _, w := range list {
		b = binary.BigEndian.AppendUint16(b, uint16(w))
	}
	return b
}

func long(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

// sfntFile builds a font file of the given tables.
func sfntFile(kind string, tables map[string][]byte) []byte {
	names := slices.Sorted(maps.Keys(tables))
	file := slices.Concat([]byte(kind), words(len(names), 0, 0, 0))
	at := 12 + 16*len(names)
	for _, name := range names {
		file = slices.Concat(file, []byte(name), long(0), long(at), long(len(tables[name])))
		at += (len(tables[name]) + 3) / 4 * 4
	}
	for _, name := range names {
		file = append(file, tables[name]...)
		file = append(file, make([]byte, (4-len(tables[name])%4)%4)...)
	}
	return file
}

// commonTables returns the tables that both kinds of fonts need. They have 1000 units per em, and
// glyphs 500 units wide. Glyph 1 is for 'A', glyph 2 for 'B' and so on.
func commonTables(glyphs int) map[string][]byte {
	head := make([]byte, 54)
	copy(head[18:], words(1000))
	copy(head[50:], words(1)) // the table loca has long offsets
	hhea := make([]byte, 36)
	copy(hhea[4:], words(800, -200, 90))
	copy(hhea[34:], words(1))
	return map[string][]byte{
		"head": head, "hhea": hhea,
		"hmtx": slices.Concat(words(500, 0), make([]byte, 2*(glyphs-1))),
		"cmap": slices.Concat(words(0, 1, 3, 10), long(12), words(12, 0), long(28), long(0), long(1), long('A'), long('A'+glyphs-2), long(1)),
	}
}

// trueType builds a TrueType font of glyphs. The first glyph is for missing runes.
func trueType(glyphs [][]byte, more map[string][]byte) []byte {
	tables := commonTables(len(glyphs))
	tables["maxp"] = append(slices.Concat(long(0x10000), words(len(glyphs))), make([]byte, 26)...)
	loca, glyf := long(0), []byte{}
	for _, g := range glyphs {
		glyf = append(glyf, g...)
		loca = append(loca, long(len(glyf))...)
	}
	tables["loca"], tables["glyf"] = loca, glyf
	maps.Copy(tables, more)
	return sfntFile("\x00\x01\x00\x00", tables)
}

// boxGlyph returns a TrueType glyph that consists of boxes. A box is left, bottom, right, top in
// font units.
func boxGlyph(boxes ...[4]int) []byte {
	g := words(len(boxes), 0, 0, 0, 0)
	var flags, xs, ys []byte
	x, y := 0, 0
	for i, b := range boxes {
		g = append(g, words(4*i+3)...)
		for _, p := range [4][2]int{{b[0], b[1]}, {b[0], b[3]}, {b[2], b[3]}, {b[2], b[1]}} {
			const onCurve = 1
			flags = append(flags, onCurve)
			xs, ys = append(xs, words(p[0]-x)...), append(ys, words(p[1]-y)...)
			x, y = p[0], p[1]
		}
	}
	return slices.Concat(g, words(0), flags, xs, ys)
}

// compoundGlyph returns a glyph that consists of other glyphs.
func compoundGlyph(parts ...int) []byte {
	g := words(-1, 0, 0, 0, 0)
	for i, p := range parts {
		const wordsOfPlace, more = 3, 0x20
		flags := wordsOfPlace
		if i < len(parts)-1 {
			flags |= more
		}
		g = append(g, words(flags, p, 100*i, 0)...)
	}
	return g
}

// postScript builds a font of Type 2 charstrings with common subroutines.
func postScript(charstrings, routines [][]byte) []byte {
	tables := commonTables(len(charstrings))
	tables["maxp"] = slices.Concat(long(0x5000), words(len(charstrings)))
	const charStringsOperator, wide = 17, 29
	start := slices.Concat([]byte{1, 0, 4, 4}, index([]byte("A")))
	top := func(at int) []byte {
		return index(slices.Concat([]byte{wide}, long(at), []byte{charStringsOperator}))
	}
	rest := slices.Concat(index(), index(routines...))
	at := len(start) + len(top(0)) + len(rest)
	tables["CFF "] = slices.Concat(start, top(at), rest, index(charstrings...))
	return sfntFile("OTTO", tables)
}

// index encodes a list of byte strings as an INDEX of the Compact Font Format.
func index(list ...[]byte) []byte {
	if len(list) == 0 {
		return words(0)
	}
	b := append(words(len(list)), 4)
	at := 1
	b = append(b, long(at)...)
	for _, s := range list {
		at += len(s)
		b = append(b, long(at)...)
	}
	for _, s := range list {
		b = append(b, s...)
	}
	return b
}

// type2 encodes operands and an operator of a charstring.
func type2(operator byte, operands ...int) []byte {
	var b []byte
	for _, n := range operands {
		b = append(append(b, 28), words(n)...)
	}
	return append(b, operator)
}

const (
	lineOperator  = 5
	curveOperator = 8
	returning     = 11
	endOfGlyph    = 14
	moveOperator  = 21
	callOperator  = 29
)

// roundGlyph returns the charstring of a disc of four cubic curves.
func roundGlyph(x, y, r int) []byte {
	k := r * 5523 / 10000
	return slices.Concat(type2(moveOperator, x+r, y),
		type2(curveOperator, 0, k, k-r, r-k, -k, 0),
		type2(curveOperator, -k, 0, k-r, k-r, 0, -k),
		type2(curveOperator, 0, -k, r-k, k-r, k, 0),
		type2(curveOperator, k, 0, r-k, r-k, 0, k),
		[]byte{endOfGlyph})
}

// collection joins fonts into a font collection.
func collection(fonts ...[]byte) []byte {
	file := slices.Concat([]byte("ttcf"), long(0x10000), long(len(fonts)))
	at := 12 + 4*len(fonts)
	for _, f := range fonts {
		file = append(file, long(at)...)
		at += len(f)
	}
	start := 12 + 4*len(fonts)
	for _, f := range fonts {
		moved := slices.Clone(f)
		for i := range int(binary.BigEndian.Uint16(f[4:])) {
			e := moved[12+16*i+8:]
			binary.BigEndian.PutUint32(e, binary.BigEndian.Uint32(e)+uint32(start))
		}
		file = append(file, moved...)
		start += len(f)
	}
	return file
}
