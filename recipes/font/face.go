package font

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/internal/font/distancefield"
	"github.com/assetcook/assetcook/internal/font/kerning"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// A face is an open font. Lengths are in font units.
type face struct {
	font   *sfnt.Font
	meter  *meter
	buffer sfnt.Buffer
	gpos   []byte // the tables GPOS and kern, for kerning
	kern   []byte
	lost   []string // features of the font that an atlas cannot hold

	unitsPerEm                   int
	ascender, descender, lineGap int
	underline, underlineWidth    int // position of the line's middle, upward from the baseline, and its width
}

const lostColors = "the colors of glyphs; only outlines are drawn"

// openFace opens a font in the file, which must not change while the face is in use.
func openFace(ctx context.Context, file []byte, index int) (*face, error) {
	at, err := faceDirectory(file, index)
	if err != nil {
		return nil, err
	}
	tables, _, err := readFontTables(file, at)
	if err != nil {
		return nil, err
	}
	f := &face{}
	for _, t := range tables {
		switch data := file[t.offset:][:t.size]; t.name {
		case "GPOS":
			f.gpos = data
		case "kern":
			f.kern = data
		case "COLR", "CBDT", "sbix", "SVG ":
			if !slices.Contains(f.lost, lostColors) {
				f.lost = append(f.lost, lostColors)
			}
		case "fvar":
			f.lost = append(f.lost, "the variations of a variable font; only the default instance is drawn")
		case "post":
			if len(data) >= 12 {
				f.underline, f.underlineWidth = int(int16(binary.BigEndian.Uint16(data[8:]))), int(int16(binary.BigEndian.Uint16(data[10:])))
			}
		}
	}
	if f.meter, err = newGlyphMeter(ctx, file, at); err != nil {
		return nil, err
	}
	if err := f.callLibrary(func() error { return f.openGlyph() }); err != nil {
		return nil, fmt.Errorf("open the font: %w", err)
	}
	return f, nil
}

func (f *face) openGlyph() error {
	var err error
	if f.font, err = sfnt.ParseReaderAt(f.meter); err != nil {
		return err
	}
	// These limits are from the OpenType specification, table head.
	f.unitsPerEm = int(f.font.UnitsPerEm())
	if f.unitsPerEm < 16 || f.unitsPerEm > 16384 {
		return fmt.Errorf("the font has %d units per em, want 16 to 16384; export the font again", f.unitsPerEm)
	}
	m, err := f.font.Metrics(&f.buffer, f.em(), xfont.HintingNone)
	f.ascender, f.descender = int(m.Ascent), -int(m.Descent)
	f.lineGap = int(m.Height - m.Ascent - m.Descent)
	return err
}

// em is the pixel size that makes the library return coordinates in font units.
func (f *face) em() fixed.Int26_6 { return fixed.Int26_6(f.unitsPerEm) }

// callLibrary calls the library and converts a panic to an error. If the meter stopped the library,
// it returns the meter's error.
func (f *face) callLibrary(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the font is damaged (%v); export it again", p)
		}
		if f.meter.err != nil {
			err = f.meter.err
		}
	}()
	return call()
}

// glyphOf returns the glyph of a rune, or 0.
func (f *face) glyphOf(r rune) (glyph uint16, err error) {
	f.meter.nextGlyph()
	err = f.callLibrary(func() error {
		x, err := f.font.GlyphIndex(&f.buffer, r)
		if int(x) >= f.font.NumGlyphs() {
			x = 0
		}
		glyph = uint16(x)
		return err
	})
	return glyph, err
}

// glyphAdvance returns a glyph's advance width.
func (f *face) glyphAdvance(glyph uint16) (units int, err error) {
	f.meter.nextGlyph()
	err = f.callLibrary(func() error {
		a, err := f.font.GlyphAdvance(&f.buffer, sfnt.GlyphIndex(glyph), f.em(), xfont.HintingNone)
		units = int(a)
		return err
	})
	return units, err
}

// glyphOutline returns the outline of a glyph at the given pixels per em, relative to the pen.
func (f *face) glyphOutline(glyph uint16, size int) (*distancefield.Path, error) {
	f.meter.nextGlyph()
	path := new(distancefield.Path)
	err := f.callLibrary(func() error {
		segments, err := f.font.LoadGlyph(&f.buffer, sfnt.GlyphIndex(glyph), f.em(), nil)
		if errors.Is(err, sfnt.ErrColoredGlyph) {
			return errors.New("the glyphs are images, which have no outlines; choose another font")
		}
		for _, s := range segments {
			f.addSegment(path, s, size)
		}
		return err
	})
	return path, err
}

func (f *face) addSegment(path *distancefield.Path, s sfnt.Segment, size int) {
	point := func(p fixed.Point26_6) distancefield.Point {
		return distancefield.Point{X: f.unitsToPixels(int64(p.X), size), Y: f.unitsToPixels(int64(p.Y), size)}
	}
	switch s.Op {
	case sfnt.SegmentOpMoveTo:
		path.MoveTo(point(s.Args[0]))
	case sfnt.SegmentOpLineTo:
		path.LineTo(point(s.Args[0]))
	case sfnt.SegmentOpQuadTo:
		path.QuadTo(point(s.Args[0]), point(s.Args[1]))
	case sfnt.SegmentOpCubeTo:
		path.CubeTo(point(s.Args[0]), point(s.Args[1]), point(s.Args[2]))
	}
}

// unitsToPixels converts font units to pixels with a single rounding.
func (f *face) unitsToPixels(units int64, size int) float64 {
	return float64(units*int64(size)) / float64(f.unitsPerEm)
}

// A pair is a kerning pair. units is how far the second rune moves to the right after the first, in
// font units.
type pair struct {
	first, second rune
	units         int16
}

// maxPairs limits the number of kerning pairs. The tables of glyph classes of a small font can
// expand to very many pairs.
const maxPairs = 1 << 18

// kerningPairs returns the sorted kerning pairs of the chosen runes.
func (s *subject) kerningPairs(ctx context.Context) ([]pair, error) {
	if !s.o.Kerning {
		return nil, nil
	}
	indices := make([]uint16, len(s.glyphs))
	runes := map[uint16][]rune{}
	for i, g := range s.glyphs {
		indices[i] = g.index
	}
	for _, c := range s.chars {
		index := s.glyphs[c.glyph].index
		runes[index] = append(runes[index], c.r)
	}
	tooMany := fmt.Errorf("the font has more than %d kerning pairs for %d characters; name fewer characters, or set kerning = false", maxPairs, len(s.chars))
	found, err := kerning.Pairs(ctx, s.face.gpos, s.face.kern, indices, maxPairs)
	if errors.Is(err, kerning.ErrPairs) {
		return nil, tooMany
	}
	if err != nil {
		return nil, err
	}
	var list []pair
	for _, c := range s.chars {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		start, index := len(list), s.glyphs[c.glyph].index
		from, _ := slices.BinarySearchFunc(found, index, func(p kerning.Pair, i uint16) int { return cmp.Compare(p.First, i) })
		for _, p := range found[from:] {
			if p.First != index {
				break
			}
			for _, second := range runes[p.Second] {
				list = append(list, pair{c.r, second, p.Units})
			}
		}
		if len(list) > maxPairs {
			return nil, tooMany
		}
		slices.SortFunc(list[start:], func(a, b pair) int { return cmp.Compare(a.second, b.second) })
	}
	return list, nil
}
