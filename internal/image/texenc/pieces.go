package texenc

import (
	"context"

	"github.com/assetcook/assetcook/internal/image/astc"
	"github.com/assetcook/assetcook/internal/image/bc7"
	"github.com/assetcook/assetcook/internal/image/etc2"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/image/uastc"
)

// Each calls do for each number below n, on several goroutines if it likes, and returns
// when all calls have returned; recipe.Job.Each is one.
type Each func(ctx context.Context, n int, do func(i int) error) error

// A piece is encoded without a break: rows of blocks of about this many pixels. Blocks take
// some milliseconds, single texels less than one.
const (
	pieceOfBlocks = 1 << 12
	pieceOfTexels = 1 << 16
)

// pieceRows returns how many rows of a map a piece has. RDO looks back at the blocks
// before, so there all of it is one.
func (e *Encoder) pieceRows(w, h int) int {
	if e.Format == texture.BC7 && e.Options.RDO > 0 {
		return h
	}
	pixels := pieceOfBlocks
	side, _ := e.Format.Block()
	if side == 1 {
		pixels, side = pieceOfTexels, 4
	}
	return max(1, pixels/w/side) * side
}

// encode writes the texels of m to dst, which has room for just them, piece by piece.
func (e *Encoder) encode(ctx context.Context, dst []byte, m *pixmap.Map) error {
	if TakesBytes(e.Format) && m.Pix8 == nil {
		if need := texture.RGBA8.Bytes(m.W, m.H); int64(cap(e.pix)) < need {
			e.pix = make([]byte, 0, need)
		}
	}
	rows := e.pieceRows(m.W, m.H)
	piece := func(i int) error {
		band := m.Band(i*rows, rows)
		return e.encodePiece(ctx, within(dst, e.Format, m, i*rows, band.H), band, i*rows)
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

// within returns the part of the texels of m that rows y to y+n are written to: empty,
// with just that capacity.
func within(texels []byte, f texture.Format, m *pixmap.Map, y, n int) []byte {
	from := f.Bytes(m.W, y)
	return texels[from : from : from+f.Bytes(m.W, n)]
}

// encodePiece appends the texels of m, whose first row is row y of what e encodes.
func (e *Encoder) encodePiece(ctx context.Context, dst []byte, m *pixmap.Map, y int) (err error) {
	f, o := e.Format, e.Options
	pix := m.Pix8
	if TakesBytes(f) && pix == nil {
		if pix, err = appendTexels(ctx, within(e.pix[:cap(e.pix)], texture.RGBA8, m, y, m.H), texture.RGBA8, m, o); err != nil {
			return err
		}
	}
	switch f {
	case texture.ASTC4x4, texture.ASTC5x5, texture.ASTC6x6, texture.ASTC8x8:
		side, _ := f.Block()
		options := astc.Options{Quality: o.Quality, WeighAlpha: o.WeighAlpha}
		if o.XXXY {
			options.AlphaWeight = 3
		}
		return astc.Encode(ctx, dst[:cap(dst)], pix, m.W, m.H, side, options)
	case texture.BC7:
		return bc7.Encode(ctx, dst[:cap(dst)], pix, m.W, m.H, bc7.Options{Quality: o.Quality, WeighAlpha: o.WeighAlpha, RDO: o.RDO})
	case texture.ETC2RGB:
		return etc2.EncodeRGB(ctx, dst[:cap(dst)], pix, m.W, m.H, etc2.Options{Quality: o.Quality})
	case texture.ETC2RGBA:
		return etc2.EncodeRGBA(ctx, dst[:cap(dst)], pix, m.W, m.H, etc2.Options{Quality: o.Quality, WeighAlpha: o.WeighAlpha})
	case texture.EACR11, texture.EACRG11:
		return encodeEAC(ctx, dst[:cap(dst)], f, m, o)
	case texture.UASTC:
		return uastc.Encode(ctx, dst[:cap(dst)], pix, m.W, m.H, uastc.Options{Quality: o.Quality, WeighAlpha: o.WeighAlpha})
	case texture.BC6H:
		_, err = appendBC6H(ctx, dst, m, o)
	case texture.BC1, texture.BC1A, texture.BC3, texture.BC4, texture.BC5:
		_, err = appendBlocks(ctx, dst, f, m, o)
	default:
		_, err = appendTexels(ctx, dst, f, m, o)
	}
	return err
}

// encodeEAC writes the blocks of the first one or two channels of m, row by row: 11 bits
// keep more than a byte has.
func encodeEAC(ctx context.Context, dst []byte, f texture.Format, m *pixmap.Map, o Options) error {
	r := newReader(m, false)
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
		if err := etc2.EncodeEAC(ctx, dst[:size], row, m.W, high, channels, etc2.Options{Quality: o.Quality}); err != nil {
			return err
		}
		dst = dst[size:]
	}
	return nil
}
