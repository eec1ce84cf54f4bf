package kerning

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
)

// words encodes a table of 16-bit numbers.
func words(list ...int) []byte {
	var b []byte
	for _, w := range list {
		b = binary.BigEndian.AppendUint16(b, uint16(w))
	}
	return b
}

func tag(s string) (high, low int) {
	return int(s[0])<<8 | int(s[1]), int(s[2])<<8 | int(s[3])
}

// gposTable builds a GPOS table from subtables. The table has one script, one feature and one
// lookup.
func gposTable(kind int, subtables ...[]byte) []byte {
	kernHigh, kernLow := tag("kern")
	head := words(1, 0, 10, 10+20, 10+20+14)
	scripts := words(1, 0, 0, 8 /* script */, 4, 0 /* language */, 0, 0xffff, 1, 0)
	features := words(1, kernHigh, kernLow, 8 /* feature */, 0, 1, 0)
	lookup := words(kind, 0, len(subtables))
	at := len(lookup) + 2*len(subtables)
	for _, s := range subtables {
		lookup = append(lookup, words(at)...)
		at += len(s)
	}
	for _, s := range subtables {
		lookup = append(lookup, s...)
	}
	return slices.Concat(head, scripts, features, words(1, 4), lookup)
}

// pairSets returns a subtable that kerns glyph 3 by -40 before glyph 5 and by 7 before glyph 9, and
// glyph 4 by 11 before glyph 5.
func pairSets(format1 int) []byte {
	if format1 == 4 {
		return words(1, 14+10+6, 4, 0, 2, 14, 14+10,
			2, 5, -40, 9, 7,
			1, 5, 11,
			1, 2, 3, 4)
	}
	// A value record has x placement, x advance and y advance of the first glyph, and x placement
	// of the second.
	return words(1, 14+22+12, 1|4|8, 1, 2, 14, 14+22,
		2, 5, 99, -40, 98, 97, 9, 99, 7, 98, 97,
		1, 5, 99, 11, 98, 97,
		2, 1, 3, 4, 0)
}

// classPairs returns a subtable of classes. As first glyphs, 3 and 4 are of class 1. As second
// glyphs, 5 to 7 are of class 1, and 9 is of class 2.
func classPairs() []byte {
	return words(2, 16+12, 4, 0, 16+12+8, 16+12+8+10, 2, 3,
		0, 0, 0, 0, -20, 30,
		1, 2, 3, 4,
		1, 3, 2, 1, 1,
		2, 2, 5, 7, 1, 9, 9, 2)
}

func extension(of int, subtable []byte) []byte {
	return slices.Concat(words(1, of, 0, 8), subtable)
}

// kernTable builds a kern table in Microsoft's format from subtables of pairs.
func kernTable(lists ...[]byte) []byte {
	b := words(0, len(lists))
	for _, l := range lists {
		b = append(b, l...)
	}
	return b
}

func kernList(coverage int, pairs ...int) []byte {
	return slices.Concat(words(0, 14+2*len(pairs), coverage, len(pairs)/3, 0, 0, 0), words(pairs...))
}

func appleKern(coverage int, pairs ...int) []byte {
	return slices.Concat(words(1, 0, 0, 1, 0, 16+2*len(pairs), coverage, 0, len(pairs)/3, 0, 0, 0), words(pairs...))
}

func TestTablesGiveTheirPairs(t *testing.T) {
	sets := []Pair{{3, 5, -40}, {3, 9, 7}, {4, 5, 11}}
	classes := []Pair{{3, 5, -20}, {3, 6, -20}, {3, 7, -20}, {3, 9, 30}, {4, 5, -20}, {4, 6, -20}, {4, 7, -20}, {4, 9, 30}}
	for _, tc := range []struct {
		name       string
		gpos, kern []byte
		want       []Pair
	}{
		{"none", nil, nil, nil},
		{"pair sets", gposTable(2, pairSets(4)), nil, sets},
		{"more values", gposTable(2, pairSets(13)), nil, sets},
		{"classes", gposTable(2, classPairs()), nil, classes},
		{"extension", gposTable(9, extension(2, classPairs())), nil, classes},
		{"extension of another kind", gposTable(9, extension(1, classPairs())), nil, nil},
		{"another kind", gposTable(1, classPairs()), nil, nil},
		{"the first counts", gposTable(2, pairSets(4), classPairs()), nil,
			[]Pair{{3, 5, -40}, {3, 6, -20}, {3, 7, -20}, {3, 9, 7}, {4, 5, 11}, {4, 6, -20}, {4, 7, -20}, {4, 9, 30}}},
		{"0 hides what comes later", gposTable(2, words(1, 18, 4, 0, 1, 12, 1, 7, 0, 1, 1, 3), classPairs()), nil,
			slices.DeleteFunc(slices.Clone(classes), func(p Pair) bool { return p == Pair{3, 7, -20} })},
		{"classes hide all", gposTable(2, classPairs(), pairSets(4)), nil, classes},
		{"GPOS before kern", gposTable(2, pairSets(4)), kernTable(kernList(1, 3, 5, 1)), sets},
		{"GPOS without kerning", gposTable(1, pairSets(4)), kernTable(kernList(1, 3, 5, 1)), []Pair{{3, 5, 1}}},
		{"kern", nil, kernTable(kernList(1, 3, 5, 1, 3, 100, 2, 4, 5, 0, 9, 3, -3)), []Pair{{3, 5, 1}, {9, 3, -3}}},
		{"kern, vertical first", nil, kernTable(kernList(0, 3, 5, 8), kernList(1, 3, 5, 1)), []Pair{{3, 5, 1}}},
		{"kern, least distances", nil, kernTable(kernList(3, 3, 5, 8)), nil},
		{"kern, another format", nil, kernTable(kernList(0x201, 3, 5, 8)), nil},
		{"kern of Apple", nil, appleKern(0, 3, 5, 1), []Pair{{3, 5, 1}}},
		{"kern of Apple, vertical", nil, appleKern(0x8000, 3, 5, 1), nil},
	} {
		got, err := Pairs(t.Context(), tc.gpos, tc.kern, []uint16{9, 3, 4, 5, 6, 7, 3}, 100)
		if err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, %v; want %v", tc.name, got, err, tc.want)
		}
	}
}

func TestOnlyWantedGlyphs(t *testing.T) {
	for name, gpos := range map[string][]byte{"sets": gposTable(2, pairSets(4)), "classes": gposTable(2, classPairs()), "kern": nil} {
		got, err := Pairs(t.Context(), gpos, kernTable(kernList(1, 3, 9, 1, 3, 5, 1, 9, 5, 1)), []uint16{5, 3}, 100)
		if err != nil || len(got) != 1 || got[0].First != 3 || got[0].Second != 5 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestHostileTablesEndSoon checks that truncated tables, and tables that exceed the limits, give
// errors.
func TestHostileTablesEndSoon(t *testing.T) {
	glyphs := []uint16{3, 4, 5, 6, 7, 9}
	for _, whole := range [][]byte{gposTable(2, pairSets(13), classPairs()), gposTable(9, extension(2, classPairs()))} {
		for n := 1; n < len(whole); n++ {
			if _, err := Pairs(t.Context(), whole[:n], nil, glyphs, 100); err == nil || !errors.Is(err, errShort) {
				t.Errorf("GPOS cut at %d: %v", n, err)
			}
		}
	}
	kern := kernTable(kernList(1, 3, 5, 1))
	for n := 1; n < len(kern); n++ {
		if _, err := Pairs(t.Context(), nil, kern[:n], glyphs, 100); !errors.Is(err, errShort) {
			t.Errorf("kern cut at %d: %v", n, err)
		}
	}
	many := make([][]byte, maxSubtables+1)
	for i := range many {
		many[i] = words(3, 0, 0, 0)
	}
	many[0] = pairSets(4)
	if _, err := Pairs(t.Context(), gposTable(2, many...), nil, glyphs, 100); err != nil {
		t.Errorf("subtables of a future format: %v", err)
	}
	for i := range many {
		many[i] = words(1, 4, 1, 0, 0)
	}
	uses := make([]int, 4*65535)
	for _, tc := range []struct {
		gpos []byte
		want string
	}{
		{gposTable(2, many...), "more than 1024 kerning subtables"},
		{words(2, 0, 0, 0, 0), "version 2"},
		{slices.Concat(words(1, 0, 10, 0, 0), words(5, 0, 0, 32, 0, 0, 32, 0, 0, 32, 0, 0, 32, 0, 0, 32, 4, 0, 0, 0xffff, 65535), words(uses...)), "uses features more than"},
		{slices.Concat(words(1, 0, 10, 0, 0), words(1, 0, 0, 8, 4, 0, 0, 0xffff, 1, 7)), "feature 7 does not exist; export the font again"},
	} {
		if _, err := Pairs(t.Context(), tc.gpos, nil, glyphs, 100); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v, want %q", err, tc.want)
		}
	}
	if _, err := Pairs(t.Context(), gposTable(2, classPairs()), nil, glyphs, 7); !errors.Is(err, ErrPairs) {
		t.Errorf("limit: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Pairs(ctx, gposTable(2, classPairs()), nil, glyphs, 100); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := Pairs(ctx, nil, kern, glyphs, 100); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// FuzzPairs checks that the pairs of any table are sorted, unique, and only between requested
// glyphs.
func FuzzPairs(f *testing.F) {
	f.Add(gposTable(2, pairSets(4), classPairs()), []byte{})
	f.Add(gposTable(9, extension(2, classPairs())), kernTable(kernList(1, 3, 5, 1)))
	f.Add([]byte{}, appleKern(0, 3, 5, 1))
	f.Fuzz(func(t *testing.T, gpos, kern []byte) {
		glyphs := []uint16{3, 4, 5, 6, 7, 9, 65535}
		pairs, err := Pairs(t.Context(), gpos, kern, glyphs, 1000)
		if err != nil {
			return
		}
		for i, p := range pairs {
			if p.Units == 0 || !slices.Contains(glyphs, p.First) || !slices.Contains(glyphs, p.Second) {
				t.Fatal(p)
			}
			if i > 0 && comparePairs(pairs[i-1], p) >= 0 {
				t.Fatal(pairs)
			}
		}
	})
}
