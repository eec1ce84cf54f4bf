package texenc

import (
	"context"

	"github.com/assetcook/assetcook/internal/image/etc2"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// encodeETC2 writes the blocks of w by h RGBA pixels.
func encodeETC2(ctx context.Context, dst []byte, f texture.Format, pix []byte, w, h int, o Options) error {
	if f == texture.ETC2RGB {
		return etc2.EncodeRGB(ctx, dst, pix, w, h, etc2Options(o))
	}
	return etc2.EncodeRGBA(ctx, dst, pix, w, h, etc2Options(o))
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
		if err := etc2.EncodeEAC(ctx, dst[:size], row, m.W, high, channels, etc2Options(o)); err != nil {
			return err
		}
		dst = dst[size:]
	}
	return nil
}

func etc2Options(o Options) etc2.Options {
	quality := [...]etc2.Quality{Fast: etc2.Fast, Normal: etc2.Normal, Best: etc2.Best}[o.Quality]
	return etc2.Options{Quality: quality, WeighAlpha: o.WeighAlpha}
}
