package font

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
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

// writeBMFont writes AngelCode's BMFont, as XML or JSON, with the element "distanceField" of
// msdf-bmfont-xml. Lengths are in pixels of the atlas, and y grows downward from the top of a
// line. Readers of the XML expect integers, so advances and kerning are rounded there. There is
// no text form, because PixiJS ignores "distanceField" in it.
//
// Source: A. Jönsson, "Bitmap Font Generator: File format".
func (s *subject) writeBMFont(ctx context.Context, w io.Writer, name, page string, pairs []pair) error {
	base := int(math.Ceil(s.pixels(s.face.ascender)))
	line := int(math.Ceil(s.pixels(s.face.ascender - s.face.descender + s.face.lineGap)))
	face := name[:max(strings.LastIndexByte(name, '.'), 0)]
	b := bmWriter{m: metricsWriter{out: bufio.NewWriter(w)}, json: s.o.Data == "bmfont-json"}
	b.start()
	b.element("info").string("face", face).whole("size", s.o.Size).whole("bold", 0).whole("italic", 0).
		whole("unicode", 1).whole("stretchH", 100).whole("smooth", 1).whole("aa", 1).
		list("padding", 0, 0, 0, 0).list("spacing", s.o.Padding, s.o.Padding).end()
	b.element("common").whole("lineHeight", line).whole("base", base).whole("scaleW", s.atlas.w).
		whole("scaleH", s.atlas.h).whole("pages", 1).whole("packed", 0).end()
	b.page(page)
	b.element("distanceField").string("fieldType", s.o.Field).whole("distanceRange", s.o.Range).end()
	b.startList("chars", len(s.chars))
	for i, c := range s.chars {
		if err := ctx.Err(); err != nil {
			return err
		}
		g := s.glyphs[c.glyph]
		top := 0
		if g.box.w > 0 {
			top = base + g.box.top
		}
		b.item("char", i).whole("id", int(c.r)).whole("index", int(g.index)).
			whole("x", g.box.x).whole("y", g.box.y).whole("width", g.box.w).whole("height", g.box.h).
			whole("xoffset", g.box.left).whole("yoffset", top).pixels("xadvance", s.pixels(g.advance)).
			whole("page", 0).whole("chnl", 15).end()
	}
	b.endList("chars")
	b.startList("kernings", len(pairs))
	for i, p := range pairs {
		if i%(1<<12) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		b.item("kerning", i).whole("first", int(p.first)).whole("second", int(p.second)).pixels("amount", s.pixels(int(p.units))).end()
	}
	b.endList("kernings")
	return b.finish()
}

func (s *subject) pixels(units int) float64 { return s.face.pixels(int64(units), s.o.Size) }

// A bmWriter writes the elements of a BMFont file: XML with attributes, or JSON objects.
type bmWriter struct {
	m       metricsWriter
	json    bool
	written bool // an element was written
	keyed   bool // an attribute of the element was written
}

func (b *bmWriter) start() {
	if b.json {
		b.m.text("{\n")
	} else {
		b.m.text(`<?xml version="1.0" encoding="UTF-8"?>` + "\n<font>\n")
	}
}

func (b *bmWriter) finish() error {
	if b.json {
		b.m.text("\n}\n")
	} else {
		b.m.text("</font>\n")
	}
	return b.m.out.Flush()
}

// member begins a member of the outermost JSON object.
func (b *bmWriter) member(name, bracket string) {
	if b.written {
		b.m.text(",\n")
	}
	b.written = true
	b.m.text(`"`).text(name).text(`":`).text(bracket)
}

// element begins a top-level element.
func (b *bmWriter) element(name string) *bmWriter {
	b.keyed = false
	if b.json {
		b.member(name, "{")
	} else {
		b.m.text("<").text(name)
	}
	return b
}

// item begins the i-th element of a list.
func (b *bmWriter) item(name string, i int) *bmWriter {
	b.keyed = false
	if b.json {
		b.m.comma(i)
		b.m.text("{")
	} else {
		b.m.text("<").text(name)
	}
	return b
}

// end ends an element.
func (b *bmWriter) end() {
	if b.json {
		b.m.text("}")
	} else {
		b.m.text("/>\n")
	}
}

func (b *bmWriter) startList(name string, n int) {
	if b.json {
		b.member(name, "[")
	} else {
		b.m.text("<").text(name).text(` count="`).whole(n).text("\">\n")
	}
}

func (b *bmWriter) endList(name string) {
	if b.json {
		b.m.text("]")
	} else {
		b.m.text("</").text(name).text(">\n")
	}
}

// page names the file of the atlas.
func (b *bmWriter) page(file string) {
	if b.json {
		b.member("pages", "[")
		b.m.text(quoted(file)).text("]")
		return
	}
	b.m.text("<pages>\n")
	b.element("page").whole("id", 0).string("file", file).end()
	b.m.text("</pages>\n")
}

// attribute writes an attribute with its value in JSON and in XML.
func (b *bmWriter) attribute(key, inJSON, inXML string) *bmWriter {
	if !b.json {
		b.m.text(" ").text(key).text(`="`).text(inXML).text(`"`)
		return b
	}
	if b.keyed {
		b.m.text(",")
	}
	b.keyed = true
	b.m.text(`"`).text(key).text(`":`).text(inJSON)
	return b
}

func (b *bmWriter) string(key, value string) *bmWriter {
	return b.attribute(key, quoted(value), escaped(value))
}

func (b *bmWriter) whole(key string, n int) *bmWriter {
	return b.attribute(key, strconv.Itoa(n), strconv.Itoa(n))
}

func (b *bmWriter) pixels(key string, v float64) *bmWriter {
	return b.attribute(key, strconv.FormatFloat(v, 'f', -1, 64), strconv.Itoa(int(math.Floor(v+0.5))))
}

func (b *bmWriter) list(key string, values ...int) *bmWriter {
	var texts []string
	for _, v := range values {
		texts = append(texts, strconv.Itoa(v))
	}
	list := strings.Join(texts, ",")
	return b.attribute(key, "["+list+"]", list)
}

func quoted(s string) string {
	text, _ := json.Marshal(s) // never fails for a string
	return string(text)
}

// escaped returns the result of EscapeText in package encoding/xml, whose import would slow every
// start of the program.
func escaped(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xfffe || r == 0xffff {
			return utf8.RuneError // a character that XML forbids
		}
		return r
	}, s)
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}
