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

// writeAtlasGen writes the JSON of msdf-atlas-gen. Lengths are in em. The y axis points up, from
// the baseline in glyphs and from the bottom in the atlas.
//
// Source: Chlumský, msdf-atlas-gen, "JSON" output.
func (s *subject) writeAtlasGen(ctx context.Context, w io.Writer, pairs []pair) error {
	m := metricsWriter{out: bufio.NewWriter(w), em: s.face.unitsPerEm}
	m.writeText(`{"atlas":{"type":"`).writeText(s.o.Field).writeText(`","distanceRange":`).writeInteger(s.o.Range)
	m.writeText(`,"distanceRangeMiddle":0,"size":`).writeInteger(s.o.Size)
	m.writeText(`,"width":`).writeInteger(s.atlas.w).writeText(`,"height":`).writeInteger(s.atlas.h)
	m.writeText(`,"yOrigin":"bottom"},"metrics":{"emSize":1,"lineHeight":`).units(s.face.ascender - s.face.descender + s.face.lineGap)
	m.writeText(`,"ascender":`).units(s.face.ascender).writeText(`,"descender":`).units(s.face.descender)
	m.writeText(`,"underlineY":`).units(s.face.underline).writeText(`,"underlineThickness":`).units(s.face.underlineWidth)
	m.writeText(`},"glyphs":[`)
	bounds := func(left, bottom, right, top, divisor int) {
		m.writeText(`{"left":`).writeNumber(left, divisor).writeText(`,"bottom":`).writeNumber(bottom, divisor)
		m.writeText(`,"right":`).writeNumber(right, divisor).writeText(`,"top":`).writeNumber(top, divisor).writeText(`}`)
	}
	for i, c := range s.chars {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.comma(i)
		g := s.glyphs[c.glyph]
		m.writeText(`{"unicode":`).writeInteger(int(c.r)).writeText(`,"advance":`).units(g.advance)
		if b := g.box; b.w > 0 {
			m.writeText(`,"planeBounds":`)
			bounds(b.left, -b.top-b.h, b.left+b.w, -b.top, s.o.Size)
			m.writeText(`,"atlasBounds":`)
			bounds(b.x, s.atlas.h-b.y-b.h, b.x+b.w, s.atlas.h-b.y, 1)
		}
		m.writeText(`}`)
	}
	m.writeText(`],"kerning":[`)
	for i, p := range pairs {
		if i%(1<<12) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		m.comma(i)
		m.writeText(`{"unicode1":`).writeInteger(int(p.first)).writeText(`,"unicode2":`).writeInteger(int(p.second))
		m.writeText(`,"advance":`).units(int(p.units)).writeText(`}`)
	}
	m.writeText("]}\n")
	return m.out.Flush()
}

// writeMetrics writes the metrics. The arguments name and page are the file names of the font and
// of its atlas.
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
	m.writeText(`{"atlas":{"type":"`).writeText(s.o.Field).writeText(`","width":`).writeInteger(s.atlas.w).writeText(`,"height":`).writeInteger(s.atlas.h)
	m.writeText(`,"size":`).writeInteger(s.o.Size).writeText(`,"range":`).writeInteger(s.o.Range)
	m.writeText(`},"metrics":{"units_per_em":`).writeInteger(s.face.unitsPerEm)
	m.writeText(`,"ascender":`).units(s.face.ascender).writeText(`,"descender":`).units(s.face.descender)
	m.writeText(`,"line_gap":`).units(s.face.lineGap).writeText(`},"glyphs":[`)
	for i, c := range s.chars {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.comma(i)
		g := s.glyphs[c.glyph]
		m.writeText(`{"rune":`).writeInteger(int(c.r)).writeText(`,"advance":`).units(g.advance)
		if b := g.box; b.w > 0 {
			m.writeText(`,"plane":[`)
			for k, v := range []int{b.left, -b.top - b.h, b.left + b.w, -b.top} {
				m.comma(k)
				m.writeNumber(v, s.o.Size)
			}
			m.writeText(`],"atlas":[`).writeInteger(b.x).writeText(`,`).writeInteger(b.y + b.h)
			m.writeText(`,`).writeInteger(b.x + b.w).writeText(`,`).writeInteger(b.y).writeText(`]`)
		}
		m.writeText(`}`)
	}
	m.writeText(`],"kerning":[`)
	for i, p := range pairs {
		if i%(1<<12) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		m.comma(i)
		m.writeText(`[`).writeInteger(int(p.first)).writeText(`,`).writeInteger(int(p.second)).writeText(`,`).units(int(p.units)).writeText(`]`)
	}
	m.writeText("]}\n")
	return m.out.Flush()
}

// A metricsWriter writes JSON. Flushing its buffer returns the first write error.
type metricsWriter struct {
	out     *bufio.Writer
	em      int
	scratch []byte
}

func (m *metricsWriter) writeText(s string) *metricsWriter {
	m.out.WriteString(s)
	return m
}

func (m *metricsWriter) comma(i int) {
	if i > 0 {
		m.out.WriteByte(',')
	}
}

func (m *metricsWriter) writeInteger(n int) *metricsWriter {
	m.scratch = strconv.AppendInt(m.scratch[:0], int64(n), 10)
	m.out.Write(m.scratch)
	return m
}

// writeNumber writes n/d with the fewest digits that identify the float.
func (m *metricsWriter) writeNumber(n, d int) *metricsWriter {
	m.scratch = strconv.AppendFloat(m.scratch[:0], float64(n)/float64(d), 'f', -1, 64)
	m.out.Write(m.scratch)
	return m
}

// units converts a length from font units to em and writes it.
func (m *metricsWriter) units(n int) *metricsWriter { return m.writeNumber(n, m.em) }

// writeBMFont writes AngelCode's BMFont, as XML or JSON, with the element "distanceField" of
// msdf-bmfont-xml. Lengths are in pixels of the atlas, and the y axis points down from the top of a
// line. XML readers expect integers, so advances and kerning are rounded in XML. There is no text
// form, because PixiJS ignores "distanceField" in it.
//
// Source: A. Jönsson, "Bitmap Font Generator: File format".
func (s *subject) writeBMFont(ctx context.Context, w io.Writer, name, page string, pairs []pair) error {
	base := int(math.Ceil(s.glyphPixels(s.face.ascender)))
	line := int(math.Ceil(s.glyphPixels(s.face.ascender - s.face.descender + s.face.lineGap)))
	face := name[:max(strings.LastIndexByte(name, '.'), 0)]
	b := bmWriter{m: metricsWriter{out: bufio.NewWriter(w)}, json: s.o.Data == "bmfont-json"}
	b.startFile()
	b.beginElement("info").stringAttribute("face", face).wholeAttribute("size", s.o.Size).wholeAttribute("bold", 0).wholeAttribute("italic", 0).
		wholeAttribute("unicode", 1).wholeAttribute("stretchH", 100).wholeAttribute("smooth", 1).wholeAttribute("aa", 1).
		beginList("padding", 0, 0, 0, 0).beginList("spacing", s.o.Padding, s.o.Padding).endElement()
	b.beginElement("common").wholeAttribute("lineHeight", line).wholeAttribute("base", base).wholeAttribute("scaleW", s.atlas.w).
		wholeAttribute("scaleH", s.atlas.h).wholeAttribute("pages", 1).wholeAttribute("packed", 0).endElement()
	b.page(page)
	b.beginElement("distanceField").stringAttribute("fieldType", s.o.Field).wholeAttribute("distanceRange", s.o.Range).endElement()
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
		b.beginItem("char", i).wholeAttribute("id", int(c.r)).wholeAttribute("index", int(g.index)).
			wholeAttribute("x", g.box.x).wholeAttribute("y", g.box.y).wholeAttribute("width", g.box.w).wholeAttribute("height", g.box.h).
			wholeAttribute("xoffset", g.box.left).wholeAttribute("yoffset", top).pixelsAttribute("xadvance", s.glyphPixels(g.advance)).
			wholeAttribute("page", 0).wholeAttribute("chnl", 15).endElement()
	}
	b.endList("chars")
	b.startList("kernings", len(pairs))
	for i, p := range pairs {
		if i%(1<<12) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		b.beginItem("kerning", i).wholeAttribute("first", int(p.first)).wholeAttribute("second", int(p.second)).pixelsAttribute("amount", s.glyphPixels(int(p.units))).endElement()
	}
	b.endList("kernings")
	return b.finishFile()
}

func (s *subject) glyphPixels(units int) float64 { return s.face.unitsToPixels(int64(units), s.o.Size) }

// A bmWriter writes the elements of a BMFont file: XML with attributes, or JSON objects.
type bmWriter struct {
	m       metricsWriter
	json    bool
	written bool // whether an element has been written
	keyed   bool // whether an attribute of the current element has been written
}

func (b *bmWriter) startFile() {
	if b.json {
		b.m.writeText("{\n")
	} else {
		b.m.writeText(`<?xml version="1.0" encoding="UTF-8"?>` + "\n<font>\n")
	}
}

func (b *bmWriter) finishFile() error {
	if b.json {
		b.m.writeText("\n}\n")
	} else {
		b.m.writeText("</font>\n")
	}
	return b.m.out.Flush()
}

// beginMember starts a member of the outermost JSON object.
func (b *bmWriter) beginMember(name, bracket string) {
	if b.written {
		b.m.writeText(",\n")
	}
	b.written = true
	b.m.writeText(`"`).writeText(name).writeText(`":`).writeText(bracket)
}

// beginElement starts a top-level element.
func (b *bmWriter) beginElement(name string) *bmWriter {
	b.keyed = false
	if b.json {
		b.beginMember(name, "{")
	} else {
		b.m.writeText("<").writeText(name)
	}
	return b
}

// beginItem starts the i-th element of a list.
func (b *bmWriter) beginItem(name string, i int) *bmWriter {
	b.keyed = false
	if b.json {
		b.m.comma(i)
		b.m.writeText("{")
	} else {
		b.m.writeText("<").writeText(name)
	}
	return b
}

// endElement ends an element.
func (b *bmWriter) endElement() {
	if b.json {
		b.m.writeText("}")
	} else {
		b.m.writeText("/>\n")
	}
}

func (b *bmWriter) startList(name string, n int) {
	if b.json {
		b.beginMember(name, "[")
	} else {
		b.m.writeText("<").writeText(name).writeText(` count="`).writeInteger(n).writeText("\">\n")
	}
}

func (b *bmWriter) endList(name string) {
	if b.json {
		b.m.writeText("]")
	} else {
		b.m.writeText("</").writeText(name).writeText(">\n")
	}
}

// page writes the file name of the atlas.
func (b *bmWriter) page(file string) {
	if b.json {
		b.beginMember("pages", "[")
		b.m.writeText(quotedRune(file)).writeText("]")
		return
	}
	b.m.writeText("<pages>\n")
	b.beginElement("page").wholeAttribute("id", 0).stringAttribute("file", file).endElement()
	b.m.writeText("</pages>\n")
}

// writeAttribute writes an attribute. Its value has different forms in JSON and XML.
func (b *bmWriter) writeAttribute(key, inJSON, inXML string) *bmWriter {
	if !b.json {
		b.m.writeText(" ").writeText(key).writeText(`="`).writeText(inXML).writeText(`"`)
		return b
	}
	if b.keyed {
		b.m.writeText(",")
	}
	b.keyed = true
	b.m.writeText(`"`).writeText(key).writeText(`":`).writeText(inJSON)
	return b
}

func (b *bmWriter) stringAttribute(key, value string) *bmWriter {
	return b.writeAttribute(key, quotedRune(value), escaped(value))
}

func (b *bmWriter) wholeAttribute(key string, n int) *bmWriter {
	return b.writeAttribute(key, strconv.Itoa(n), strconv.Itoa(n))
}

func (b *bmWriter) pixelsAttribute(key string, v float64) *bmWriter {
	return b.writeAttribute(key, strconv.FormatFloat(v, 'f', -1, 64), strconv.Itoa(int(math.Floor(v+0.5))))
}

func (b *bmWriter) beginList(key string, values ...int) *bmWriter {
	var texts []string
	for _, v := range values {
		texts = append(texts, strconv.Itoa(v))
	}
	list := strings.Join(texts, ",")
	return b.writeAttribute(key, "["+list+"]", list)
}

func quotedRune(s string) string {
	text, _ := json.Marshal(s) // marshaling a string cannot fail
	return string(text)
}

// escaped returns the result of EscapeText in encoding/xml. Importing that package would slow down
// every start of the program.
func escaped(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xfffe || r == 0xffff {
			return utf8.RuneError // XML forbids this character
		}
		return r
	}, s)
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}
