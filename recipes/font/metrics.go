package font

import (
	"bufio"
	"context"
	"io"
	"strconv"
)

// writeMetrics writes the metrics of the font file name, whose atlas is the file page.
func (s *subject) writeMetrics(ctx context.Context, w io.Writer, name, page string, pairs []pair) error {
	switch s.o.Data {
	case "msdf-atlas-gen":
		return s.writeAtlasGen(ctx, w, pairs)
	case "bmfont", "bmfont-json":
		return s.writeBMFont(ctx, w, name, page, pairs)
	}
	return s.writeOwnMetrics(ctx, w, pairs)
}

// writeOwnMetrics writes the JSON object that the package comment describes.
func (s *subject) writeOwnMetrics(ctx context.Context, w io.Writer, pairs []pair) error {
	m := metricsWriter{out: bufio.NewWriter(w), em: s.face.unitsPerEm}
	m.text(`{"atlas":{"type":"`).text(s.o.Field).text(`","width":`).whole(s.atlas.w).text(`,"height":`).whole(s.atlas.h)
	m.text(`,"size":`).whole(s.o.Size).text(`,"range":`).whole(s.o.Range)
	m.text(`},"metrics":{"units_per_em":`).whole(s.face.unitsPerEm)
	m.text(`,"ascender":`).units(s.face.ascender).text(`,"descender":`).units(s.face.descender)
	m.text(`,"line_gap":`).units(s.face.lineGap).text(`},"glyphs":[`)
	for i, c := range s.chars {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.comma(i)
		g := s.glyphs[c.glyph]
		m.text(`{"rune":`).whole(int(c.r)).text(`,"advance":`).units(g.advance)
		if b := g.box; b.w > 0 {
			m.text(`,"plane":[`)
			for k, v := range []int{b.left, -b.top - b.h, b.left + b.w, -b.top} {
				m.comma(k)
				m.number(v, s.o.Size)
			}
			m.text(`],"atlas":[`).whole(b.x).text(`,`).whole(b.y + b.h)
			m.text(`,`).whole(b.x + b.w).text(`,`).whole(b.y).text(`]`)
		}
		m.text(`}`)
	}
	m.text(`],"kerning":[`)
	for i, p := range pairs {
		if i%(1<<12) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		m.comma(i)
		m.text(`[`).whole(int(p.first)).text(`,`).whole(int(p.second)).text(`,`).units(int(p.units)).text(`]`)
	}
	m.text("]}\n")
	return m.out.Flush()
}

// A metricsWriter writes JSON. Flush returns its errors.
type metricsWriter struct {
	out     *bufio.Writer
	em      int
	scratch []byte
}

func (m *metricsWriter) text(s string) *metricsWriter {
	m.out.WriteString(s)
	return m
}

func (m *metricsWriter) comma(i int) {
	if i > 0 {
		m.out.WriteByte(',')
	}
}

func (m *metricsWriter) whole(n int) *metricsWriter {
	m.scratch = strconv.AppendInt(m.scratch[:0], int64(n), 10)
	m.out.Write(m.scratch)
	return m
}

// number writes n/d with the fewest digits that identify the float.
func (m *metricsWriter) number(n, d int) *metricsWriter {
	m.scratch = strconv.AppendFloat(m.scratch[:0], float64(n)/float64(d), 'f', -1, 64)
	m.out.Write(m.scratch)
	return m
}

// units writes font units in em.
func (m *metricsWriter) units(n int) *metricsWriter { return m.number(n, m.em) }
