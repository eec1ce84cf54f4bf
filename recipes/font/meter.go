package font

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A meter is the file that the library reads. It consists of a header, which lists the tables that
// outlines need, and the font file. The meter charges for each read.
//
// The bytes that the library reads, some of them many times, determine all its allocations and
// work. Without the meter, a few hundred bytes of nested glyphs or subroutines could exhaust any
// memory. The header adds two tables. The library requires a post table, but does not use it. With
// an old OS/2 table, the library would read two glyphs on opening.
type meter struct {
	ctx    context.Context
	header []byte
	file   []byte
	left   int // remaining number of bytes that the library may read
	points int // remaining number of points of TrueType outlines that the library may read
	glyphs bool
	err    error // the reason for refusing reads
}

const (
	// perRead is the cost of a read in addition to its bytes.
	perRead = 16
	// openingReads is the read limit for opening a font, in addition to the file size.
	openingReads = 64 << 10
	// glyphReads is the read limit per glyph. Real fonts need a few KiB.
	glyphReads = 256 << 10
	// glyphPoints is the limit of points per glyph. Real fonts need a few hundred.
	glyphPoints = 1 << 15
)

var (
	errCostly    = errors.New("the font takes too long to read, so it may be damaged; export it again")
	errFormat    = errors.New("the file is not a TrueType or OpenType font; convert it to .ttf or .otf")
	errDirectory = errors.New("the file ends within its table directory; copy or export the font again")
	errWebFont   = errors.New("the file is a compressed web font; convert it to .ttf or .otf")
)

// newGlyphMeter returns a meter for the font whose table directory is at the given offset.
func newGlyphMeter(ctx context.Context, file []byte, directory int64) (*meter, error) {
	tables, outlines, err := readFontTables(file, directory)
	if err != nil {
		return nil, err
	}
	// Tables are sorted by name, so "post" is last.
	keep := tables[:0:0]
	for _, t := range tables {
		switch t.name {
		case "CBLC", "CFF ", "cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp":
			keep = append(keep, t)
		}
	}
	const os2Size, postSize = 96, 32
	n := len(keep) + 2
	size := 12 + 16*n
	header := make([]byte, size, size+os2Size+postSize)
	binary.BigEndian.PutUint32(header, outlines)
	binary.BigEndian.PutUint16(header[4:], uint16(n))
	os2, post := make([]byte, os2Size), make([]byte, postSize)
	binary.BigEndian.PutUint16(os2, 2)
	binary.BigEndian.PutUint32(post, 0x30000) // version 3 has no glyph names
	shift := size + os2Size + postSize        // offset of the font file in the data that the library reads
	entries := []fontTable{
		{"OS/2", int64(size - shift), os2Size}, {"post", int64(size - shift + os2Size), postSize},
	}
	entries = append(entries, keep...)
	slices.SortFunc(entries, func(a, b fontTable) int { return strings.Compare(a.name, b.name) })
	for i, t := range entries {
		e := header[12+16*i:]
		copy(e, t.name)
		binary.BigEndian.PutUint32(e[8:], uint32(t.offset+int64(shift)))
		binary.BigEndian.PutUint32(e[12:], uint32(t.size))
	}
	header = append(append(header, os2...), post...)
	return &meter{ctx: ctx, header: header, file: file, left: len(file) + openingReads}, nil
}

// nextGlyph resets the limits for reading one glyph.
func (m *meter) nextGlyph() { m.glyphs, m.left, m.points = true, glyphReads, glyphPoints }

// ReadAt implements io.ReaderAt.
func (m *meter) ReadAt(p []byte, offset int64) (int, error) {
	if err := m.ctx.Err(); err != nil {
		m.err = err
		return 0, err
	}
	m.left -= perRead + len(p)
	if m.left < 0 {
		m.err = errCostly
		return 0, m.err
	}
	n := 0
	if offset < int64(len(m.header)) {
		n = copy(p, m.header[offset:])
		offset += int64(n)
	}
	if at := offset - int64(len(m.header)); n < len(p) && at <= int64(len(m.file)) {
		n += copy(p[n:], m.file[at:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, m.chargePoints(p)
}

// chargePoints charges for the points of a simple TrueType glyph, because two bytes can encode
// 256 points. The library must read a glyph with a single call.
func (m *meter) chargePoints(p []byte) error {
	if !m.glyphs || len(p) < 12 {
		return nil
	}
	contours := int(int16(binary.BigEndian.Uint16(p)))
	if last := 10 + 2*(contours-1); contours > 0 && last+2 <= len(p) {
		m.points -= 1 + int(binary.BigEndian.Uint16(p[last:]))
	}
	if m.points < 0 {
		m.err = errCostly
	}
	return m.err
}

// A fontTable is the location of a table in the file.
type fontTable struct {
	name         string
	offset, size int64
}

// readFontTables reads the table directory of a font, and sorts the tables by name. It also returns
// the first word of the font, which identifies the kind of outlines.
func readFontTables(file []byte, at int64) ([]fontTable, uint32, error) {
	head := file[min(at, int64(len(file))):]
	if err := checkSingleFont(head); err != nil && (at == 0 || len(head) > 0) {
		return nil, 0, err
	}
	if len(head) < 12 || len(head) < 12+16*int(binary.BigEndian.Uint16(head[4:])) {
		return nil, 0, errDirectory
	}
	kind, n := binary.BigEndian.Uint32(head), int(binary.BigEndian.Uint16(head[4:]))
	tables := make([]fontTable, 0, n)
	for i := range n {
		e := head[12+16*i:]
		t := fontTable{string(e[:4]), int64(binary.BigEndian.Uint32(e[8:])), int64(binary.BigEndian.Uint32(e[12:]))}
		if t.offset+t.size > int64(len(file)) {
			return nil, 0, fmt.Errorf("table %q extends past the end of the file; copy or export the font again", t.name)
		}
		tables = append(tables, t)
	}
	slices.SortStableFunc(tables, func(a, b fontTable) int { return strings.Compare(a.name, b.name) })
	tables = slices.CompactFunc(tables, func(a, b fontTable) bool { return a.name == b.name })
	return tables, kind, nil
}

// First words of font files.
const (
	kindTrueType   = "\x00\x01\x00\x00"
	kindApple      = "true"
	kindPostScript = "OTTO"
	kindCollection = "ttcf"
)

// checkSingleFont returns an error unless a file that starts with head is a single font.
func checkSingleFont(head []byte) error {
	if len(head) < 4 {
		return errFormat
	}
	switch string(head[:4]) {
	case kindTrueType, kindApple, kindPostScript:
		return nil
	case "wOFF", "wOF2":
		return errWebFont
	}
	return errFormat
}

// faceDirectory returns the offset of a face's table directory.
func faceDirectory(file []byte, face int) (int64, error) {
	if len(file) < 12 || string(file[:4]) != kindCollection {
		if face > 0 {
			return 0, fmt.Errorf("face: want 0, have %d, because the file has one font", face)
		}
		return 0, nil
	}
	n := binary.BigEndian.Uint32(file[8:])
	if int64(face) >= int64(n) {
		return 0, fmt.Errorf("face: want less than %d, the number of fonts in the collection; have %d", n, face)
	}
	if 12+4*face+4 > len(file) {
		return 0, errors.New("the file ends within its list of fonts; copy or export it again")
	}
	return int64(binary.BigEndian.Uint32(file[12+4*face:])), nil
}
