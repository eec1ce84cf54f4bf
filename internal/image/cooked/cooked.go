// Package cooked opens textures that were cooked, KTX2 or DDS, and gives their levels as
// pixels, as a shader would see them: for previews, and to measure what encoding lost.
//
//	t, err := cooked.Open(data, 1<<30)
//	m, err := cooked.Level(ctx, t, 0, 0)
//	db, err := cooked.PSNR(ctx, t, m, source)
//
// It reads what this module writes, and of BC6H and BC7 all blocks.
// Pixels are for people: where formats leave rounding to the decoder, the nearest value is
// taken.
package cooked

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/assetcook/assetcook/internal/image/dds"
	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// ErrFormat is returned for a file that is neither KTX2 nor DDS.
var ErrFormat = errors.New("neither a KTX2 nor a DDS file")

// Open reads a KTX2 or DDS file, whichever data is. Levels that are packed take at most
// limit bytes unpacked. The others point into data.
func Open(data []byte, limit int64) (*texture.Texture, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xabKTX 20\xbb")):
		return ktx2.Read(data, limit)
	case bytes.HasPrefix(data, []byte("DDS ")):
		return dds.Read(data)
	}
	return nil, ErrFormat
}

// Level decodes one picture of a level as a shader sees it, swizzle included: channels
// that are not stored are 0, and alpha is 1. The map has floats for floating point, 16
// bits for RGB10A2 and EAC, and else 8 bits. Pictures are the faces of layer 0, of layer 1 and so
// on. It looks at ctx once for each row of blocks.
func Level(ctx context.Context, t *texture.Texture, level, picture int) (*pixmap.Map, error) {
	if level < 0 || level >= len(t.Levels) || picture < 0 || picture >= t.Pictures() {
		return nil, fmt.Errorf("cooked: no picture %d of level %d; have %d of %d", picture, level, t.Pictures(), len(t.Levels))
	}
	w, h := texture.LevelSize(t.W, t.H, level)
	size := t.Format.Bytes(w, h)
	texels := t.Levels[level]
	if int64(len(texels)) < size*int64(picture+1) {
		return nil, fmt.Errorf("cooked: level %d ends early", level)
	}
	m := pixmap.New(w, h, depth(t.Format))
	if err := decode(ctx, m, t.Format, t.SRGB, texels[size*int64(picture):][:size]); err != nil {
		return nil, fmt.Errorf("cooked: level %d: %w", level, err)
	}
	swizzle(m, t.Swizzle)
	return m, nil
}

func depth(f texture.Format) pixmap.Depth {
	switch {
	case f.Float():
		return pixmap.Float
	case f == texture.RGB10A2, isEAC(f):
		return pixmap.Bits16
	}
	return pixmap.Bits8
}

// swizzle gives each channel of m what s says that a shader reads there.
func swizzle(m *pixmap.Map, s string) {
	if s == "" || s == "rgba" {
		return
	}
	var from [4]int // channel, or 4 for 0 and 5 for 1
	for i := range from {
		from[i] = bytes.IndexByte([]byte("rgba01"), s[i])
	}
	move(m.Pix8, from, 255)
	move(m.Pix16, from, 65535)
	move(m.PixF, from, 1)
}

func move[T uint8 | uint16 | float32](pix []T, from [4]int, one T) {
	for i := 0; i+4 <= len(pix); i += 4 {
		all := [6]T{pix[i], pix[i+1], pix[i+2], pix[i+3], 0, one}
		for k, f := range from {
			pix[i+k] = all[f]
		}
	}
}
