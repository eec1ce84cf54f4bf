package font

import (
	"bufio"
	"context"
	"io"
)

// writeAtlasGen writes the JSON of msdf-atlas-gen. Lengths are in em, and y grows upward from the
// base line, and in the atlas from its bottom.
//
// Source: Chlumský, msdf-atlas-gen, "JSON" output.
func (s *subject) writeAtlasGen(ctx context.Context, w io.Writer, pairs []pair) error {
	m := metricsWriter{out: bufio.NewWriter(w), em: s.face.unitsPerEm}
	m.text(`{"atlas":{"type":"`).text(s.o.Field).text(`","distanceRange":`).whole(s.o.Range)
	m.text(`,"distanceRangeMiddle":0,"size":`).whole(s.o.Size)
	m.text(`,"width":`).whole(s.atlas.w).text(`,"height":`).whole(s.atlas.h)
	m.text(`,"yOrigin":"bottom"},"metrics":{"emSize":1,"lineHeight":`).units(s.face.ascender - s.face.descender + s.face.lineGap)
	m.text(`,"ascender":`).units(s.face.ascender).text(`,"descender":`).units(s.face.descender)
	m.text(`,"underlineY":`).units(s.face.underline).text(`,"underlineThickness":`).units(s.face.underlineWidth)
	m.text(`},"glyphs":[`)
	bounds := func(left, bottom, right, top, divisor int) {
		m.text(`{"left":`).number(left, divisor).text(`,"bottom":`).number(bottom, divisor)
		m.text(`,"right":`).number(right, divisor).text(`,"top":`).number(top, divisor).text(`}`)
	}
	for i, c := range s.chars {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.comma(i)
		g := s.glyphs[c.glyph]
		m.text(`{"unicode":`).whole(int(c.r)).text(`,"advance":`).units(g.advance)
		if b := g.box; b.w > 0 {
			m.text(`,"planeBounds":`)
			bounds(b.left, -b.top-b.h, b.left+b.w, -b.top, s.o.Size)
			m.text(`,"atlasBounds":`)
			bounds(b.x, s.atlas.h-b.y-b.h, b.x+b.w, s.atlas.h-b.y, 1)
		}
		m.text(`}`)
	}
	m.text(`],"kerning":[`)
	for i, p := range pairs {
		if i%(1<<12) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		m.comma(i)
		m.text(`{"unicode1":`).whole(int(p.first)).text(`,"unicode2":`).whole(int(p.second))
		m.text(`,"advance":`).units(int(p.units)).text(`}`)
	}
	m.text("]}\n")
	return m.out.Flush()
}
