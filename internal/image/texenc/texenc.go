// Package texenc encodes pixels into the formats of package texture. These are blocks of 4x4
// pixels, or single texels, that a GPU reads directly.
//
// The same pixels and options give the same bytes on every machine. Encoders use integers, or
// floating point where every product is rounded before it is added, so that no compiler fuses the
// two operations.
package texenc

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/internal/image/astc"
	"github.com/assetcook/assetcook/internal/image/bc7"
	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/etc2"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/rdo"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/image/uastc"
)

// Options are the options of an encoder.
type Options struct {
	// Quality determines how similar the texels are to the image, and how long encoding takes. The
	// zero value is Fast.
	Quality Quality
	// SRGB is set if colors are sRGB in images of 8 or 16 bits, and in textures that are not
	// floating point. It only affects conversions between such images and floating point, which is
	// linear light.
	SRGB bool
	// WeighAlpha weights a color's error by its alpha, so that invisible colors may change. It
	// affects only BC7, ASTC, ETC2RGBA and UASTC.
	WeighAlpha bool
	// XXXY is set if red, green and blue are equal, and alpha is as important as gray. It affects
	// only ASTC.
	XXXY bool
	// RDO is the loss of PSNR that is allowed to make blocks more compressible; see bc7.Options. 0
	// allows no loss. It affects only formats for which HasRDO returns true.
	RDO float64
}

// Quality is the amount of work per block.
type Quality = blockfit.Quality

// These are the values of Quality.
const (
	Fast   = blockfit.Fast
	Normal = blockfit.Normal
	Best   = blockfit.Best
)

// Encode returns the texels of m in format f. For RGBA8 and a map of eight bits, the result shares
// the map's memory.
func Encode(ctx context.Context, f texture.Format, m *pixmap.Map, o Options) ([]byte, error) {
	if f == texture.RGBA8 && m.Pix8 != nil {
		return m.Pix8, checkMap(f, m, o)
	}
	e := Encoder{Format: f, Options: o}
	return e.Append(ctx, make([]byte, 0, f.Bytes(m.W, m.H)), m)
}

// An Encoder encodes images, or bands of an image. If a band starts at a multiple of the block's
// side, the bytes of its rows do not depend on the rows above.
type Encoder struct {
	Format  texture.Format
	Options Options
	// Each distributes the pieces of an image to goroutines, which does not affect the bytes. If
	// Each is nil, pieces are encoded one after another.
	Each Each
	pix  []byte // buffer of pixels converted to bytes, for encoders that take bytes
}

// Append appends the texels of m to dst, row by row from the top. m may have any depth. Blocks that
// extend beyond the right and lower edges repeat the last column and row. Channels that the format
// does not store are dropped: formats of one channel take red, formats of two take red and green.
// BC1A treats pixels with an alpha below a half as transparent. Floating point is limited to values
// from 0 to the format's largest value; R32F, R16F and RGBA16F also store negative values.
//
// Append checks ctx every few milliseconds.
func (e *Encoder) Append(ctx context.Context, dst []byte, m *pixmap.Map) ([]byte, error) {
	f := e.Format
	if err := checkMap(f, m, e.Options); err != nil {
		return nil, fmt.Errorf("encode %v: %w", f, err)
	}
	at, size := len(dst), int(f.Bytes(m.W, m.H))
	dst = slices.Grow(dst, size)[:at+size]
	if err := e.encodePieces(ctx, dst[at:], m); err != nil {
		return nil, err
	}
	return dst, nil
}

func checkMap(f texture.Format, m *pixmap.Map, o Options) error {
	if wide, _, _ := f.Block(); wide == 0 {
		return errors.New("the texture format is unknown")
	}
	if m.W < 1 || m.H < 1 || m.W > texture.MaxSide || m.H > texture.MaxSide {
		return fmt.Errorf("size %d x %d is not within 1 to %d", m.W, m.H, texture.MaxSide)
	}
	if n := len(m.Pix8) + len(m.Pix16) + len(m.PixF); int64(n) != 4*int64(m.W)*int64(m.H) {
		return fmt.Errorf("the number of values, %d, does not match %d x %d pixels", n, m.W, m.H)
	}
	if o.Quality > Best {
		return fmt.Errorf("quality %d is unknown", o.Quality)
	}
	return nil
}

// Memory returns an upper bound on the bytes that Append holds at once for a map of the given size
// and depth, excluding dst and the map.
func Memory(f texture.Format, d pixmap.Depth, w, h int, o Options) int64 {
	memory := int64(tables)
	switch {
	case f.IsASTC():
		memory += astcTables + astcEncoder
	case f.IsASTCHDR():
		// A piece is converted to half-precision floats.
		_, high, _ := f.Block()
		memory += astcTables + astcEncoder + 6*max(pieceOfBlocks, int64(w)*int64(high))
	}
	if f == texture.EACR11 || f == texture.EACRG11 {
		memory += 2 * 4 * int64(w) * int64(len(f.Channels())) // memory for a row of blocks
	}
	if TakesBytes(f) && d != pixmap.Bits8 {
		memory += texture.RGBA8.Bytes(w, h) // memory for the pixels converted to bytes
	}
	if HasRDO(f) && o.RDO > 0 {
		wide, high, size := f.Block()
		memory += f.Bytes(w, h)/int64(size)*rdo.BytesPerBlock + rdo.Memory(wide*high)
	}
	return memory
}

// tables is an upper bound on the memory of tables that are computed once and kept.
const tables = 1 << 20

// astcTables is an upper bound on the memory of the ASTC encoder's tables for one block size.
const astcTables = 3 << 20

// astcEncoder is the size of an encoder of ASTC.
const astcEncoder = 104 << 10

// TakesBytes reports whether the encoder of f takes 8-bit pixels; other pixels are converted first.
func TakesBytes(f texture.Format) bool {
	switch f {
	case texture.BC7, texture.ETC2RGB, texture.ETC2RGBA, texture.UASTC:
		return true
	}
	return f.IsASTC()
}

// HasRDO reports whether the encoder of f supports Options.RDO.
func HasRDO(f texture.Format) bool { return f == texture.BC7 || f == texture.UASTC || f.IsASTC() }

// blocksBetweenLooks is the number of blocks encoded between two checks of the context. The slowest
// encoder takes a few milliseconds for these blocks.
const blocksBetweenLooks = 128

func appendTexelBlocks(ctx context.Context, out []byte, f texture.Format, m *pixmap.Map, o Options) ([]byte, error) {
	r := newTexelReader(m, o.SRGB && f.HasSRGB())
	var b block
	for y := 0; y < m.H; y += 4 {
		for x := 0; x < m.W; x += 4 {
			if x/4%blocksBetweenLooks == 0 {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
			}
			r.readTexels(&b, x, y)
			out = b.appendFormat(out, f, o.Quality)
		}
	}
	return out, nil
}

// A block holds 4x4 pixels with values from 0 to 255. It stores channel after channel, each row by
// row.
type block [4][16]float32

func (b *block) appendFormat(out []byte, f texture.Format, q Quality) []byte {
	var half [8]byte
	switch f {
	case texture.BC1, texture.BC1A:
		c := b.opaqueColors(f == texture.BC1A)
		encodeBC1(&half, &c, false, q)
	case texture.BC3:
		encodeBC4(&half, &b[3], q)
		out = append(out, half[:]...)
		c := b.opaqueColors(false)
		encodeBC1(&half, &c, true, q)
	case texture.BC4:
		encodeBC4(&half, &b[0], q)
	case texture.BC5:
		encodeBC4(&half, &b[0], q)
		out = append(out, half[:]...)
		encodeBC4(&half, &b[1], q)
	}
	return append(out, half[:]...)
}

// opaqueColors returns the colors of b. If clear is set, it omits transparent pixels.
func (b *block) opaqueColors(clear bool) (c colorBlock) {
	for i := range 16 {
		if clear && b[3][i] < 127.5 {
			c.clear |= 1 << i
			continue
		}
		c.pix[c.n] = [3]float32{b[0][i], b[1][i], b[2][i]}
		c.at[c.n] = uint8(i)
		c.n++
	}
	return c
}

// Each calls the function do for each number below n, possibly on several goroutines. It returns
// when all calls have returned. recipe.Job.Each is one implementation.
type Each func(ctx context.Context, n int, do func(i int) error) error

// A piece is a unit of work: rows of blocks or texels with about this many pixels. Encoding a piece
// takes some milliseconds for blocks, and less than one for texels.
const (
	pieceOfBlocks = 1 << 12
	pieceOfTexels = 1 << 16
)

// pieceRows returns the number of rows in a piece. With RDO, the whole map is one piece, because
// blocks depend on previous blocks.
func (e *Encoder) pieceRows(w, h int) int {
	if HasRDO(e.Format) && e.Options.RDO > 0 {
		return h
	}
	pixels := pieceOfBlocks
	wide, high, _ := e.Format.Block()
	if wide == 1 {
		pixels, high = pieceOfTexels, 4
	}
	return max(1, pixels/w/high) * high
}

// encodePieces encodes the texels of m piece by piece into dst, which must have exactly their size.
func (e *Encoder) encodePieces(ctx context.Context, dst []byte, m *pixmap.Map) error {
	if TakesBytes(e.Format) && m.Pix8 == nil {
		if need := texture.RGBA8.Bytes(m.W, m.H); int64(cap(e.pix)) < need {
			e.pix = make([]byte, 0, need)
		}
	}
	rows := e.pieceRows(m.W, m.H)
	piece := func(i int) error {
		band := m.Band(i*rows, rows)
		return e.encodePiece(ctx, texelsWithin(dst, e.Format, m, i*rows, band.H), band, i*rows)
	}
	n := (m.H + rows - 1) / rows
	if e.Each != nil && n > 1 {
		return e.Each(ctx, n, piece)
	}
	for i := range n {
		if err := piece(i); err != nil {
			return err
		}
	}
	return nil
}

// texelsWithin returns the part of texels for rows y to y+n of m. The returned slice is empty, and
// its capacity is the size of these rows.
func texelsWithin(texels []byte, f texture.Format, m *pixmap.Map, y, n int) []byte {
	from := f.Bytes(m.W, y)
	return texels[from : from : from+f.Bytes(m.W, n)]
}

// encodePiece appends the texels of m. The first row of m is row y of the whole image.
func (e *Encoder) encodePiece(ctx context.Context, dst []byte, m *pixmap.Map, y int) (err error) {
	f, o := e.Format, e.Options
	pix := m.Pix8
	if TakesBytes(f) && pix == nil {
		if pix, err = appendTexels(ctx, texelsWithin(e.pix[:cap(e.pix)], texture.RGBA8, m, y, m.H), texture.RGBA8, m, o); err != nil {
			return err
		}
	}
	if f.IsASTCHDR() {
		return encodeASTCHDR(ctx, dst[:cap(dst)], f, m, o)
	}
	if f.IsASTC() {
		wide, high, _ := f.Block()
		options := astc.Options{Quality: o.Quality, WeighAlpha: o.WeighAlpha, RDO: o.RDO}
		if o.XXXY {
			options.AlphaWeight = 3
		}
		return astc.Encode(ctx, dst[:cap(dst)], pix, m.W, m.H, astc.Size{W: wide, H: high}, options)
	}
	switch f {
	case texture.BC7:
		return bc7.Encode(ctx, dst[:cap(dst)], pix, m.W, m.H, bc7.Options{Quality: o.Quality, WeighAlpha: o.WeighAlpha, RDO: o.RDO})
	case texture.ETC2RGB:
		return etc2.EncodeRGB(ctx, dst[:cap(dst)], pix, m.W, m.H, blockfit.Options{Quality: o.Quality})
	case texture.ETC2RGBA:
		return etc2.EncodeRGBA(ctx, dst[:cap(dst)], pix, m.W, m.H, blockfit.Options{Quality: o.Quality, WeighAlpha: o.WeighAlpha})
	case texture.EACR11, texture.EACRG11:
		return encodeEAC(ctx, dst[:cap(dst)], f, m, o)
	case texture.UASTC:
		return uastc.Encode(ctx, dst[:cap(dst)], pix, m.W, m.H, uastc.Options{Quality: o.Quality, WeighAlpha: o.WeighAlpha, RDO: o.RDO})
	case texture.BC6H:
		_, err = appendBC6H(ctx, dst, m, o)
	case texture.BC1, texture.BC1A, texture.BC3, texture.BC4, texture.BC5:
		_, err = appendTexelBlocks(ctx, dst, f, m, o)
	default:
		_, err = appendTexels(ctx, dst, f, m, o)
	}
	return err
}

// encodeASTCHDR encodes the colors of a piece as linear light.
func encodeASTCHDR(ctx context.Context, dst []byte, f texture.Format, m *pixmap.Map, o Options) error {
	r := newLinearReader(m, o.SRGB)
	halves := make([]uint16, 0, 3*m.W*m.H)
	for y := range m.H {
		for x := range m.W {
			color := r.halvesAt(x, y)
			halves = append(halves, color[:]...)
		}
	}
	if f == texture.UASTCHDR {
		return astc.EncodeUniversal(ctx, dst, halves, m.W, m.H, o.Quality)
	}
	wide, high, _ := f.Block()
	return astc.EncodeHDR(ctx, dst, halves, m.W, m.H, astc.Size{W: wide, H: high}, o.Quality)
}

// encodeEAC encodes the first one or two channels of m, row by row. It reads more than eight bits
// per value, because EAC has 11.
func encodeEAC(ctx context.Context, dst []byte, f texture.Format, m *pixmap.Map, o Options) error {
	r := newTexelReader(m, false)
	channels := len(f.Channels())
	row := make([]uint16, 0, 4*m.W*channels)
	for y := 0; y < m.H; y += 4 {
		row = row[:0]
		high := min(4, m.H-y)
		for i := range high * m.W {
			for c := range channels {
				row = append(row, uint16(r.stepAt(4*(y*m.W+i)+c, 65535)))
			}
		}
		size := f.Bytes(m.W, high)
		if err := etc2.EncodeEAC(ctx, dst[:size], row, m.W, high, channels, blockfit.Options{Quality: o.Quality}); err != nil {
			return err
		}
		dst = dst[size:]
	}
	return nil
}
