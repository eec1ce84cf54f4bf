// Package cooked opens cooked textures, KTX2 or DDS, and decodes their levels to the pixels that a
// shader sees: for previews, and to measure the loss of encoding.
//
//	t, err := cooked.Open(data, 1<<30)
//	m, err := cooked.Level(ctx, t, 0, 0)
//	db, err := cooked.PSNR(ctx, t, m, source)
//
// The package reads all files that this module writes, and all BC6H and BC7 blocks. Where formats
// leave rounding to the decoder, it rounds to nearest.
package cooked

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/assetcook/assetcook/internal/image/astc"
	"github.com/assetcook/assetcook/internal/image/bc6h"
	"github.com/assetcook/assetcook/internal/image/bc7"
	"github.com/assetcook/assetcook/internal/image/dds"
	"github.com/assetcook/assetcook/internal/image/etc2"
	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/image/uastc"
)

// ErrFormat is returned for a file that is neither KTX2 nor DDS.
var ErrFormat = errors.New("the file is neither KTX2 nor DDS")

// Open reads a KTX2 or DDS file. Compressed levels are decompressed to at most limit bytes; other
// levels are slices of data.
func Open(data []byte, limit int64) (*texture.Texture, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xabKTX 20\xbb")):
		return ktx2.Read(data, limit)
	case bytes.HasPrefix(data, []byte("DDS ")):
		return dds.Read(data)
	}
	return nil, ErrFormat
}

// Level decodes one image of a level as a shader sees it, with the swizzle applied. Channels that
// are not stored are 0, or 1 for alpha. The map has floats for floating-point formats, 16 bits for
// RGB10A2, EAC and formats of 16 bits, and 8 bits otherwise. Images are numbered layer by layer,
// and face by face within a layer. Level checks ctx once per row of blocks.
func Level(ctx context.Context, t *texture.Texture, level, number int) (*pixmap.Map, error) {
	if level < 0 || level >= len(t.Levels) || number < 0 || number >= t.Images() {
		return nil, fmt.Errorf("cooked: there is no image %d of level %d; the file has %d images of %d levels", number, level, t.Images(), len(t.Levels))
	}
	w, h := texture.LevelSize(t.W, t.H, level)
	size := t.Format.Bytes(w, h)
	texels := t.Levels[level]
	if int64(len(texels)) < size*int64(number+1) {
		return nil, fmt.Errorf("cooked: level %d is truncated", level)
	}
	m := pixmap.New(w, h, depthOfFormat(t.Format))
	if err := decodeTexels(ctx, m, t.Format, t.SRGB, texels[size*int64(number):][:size]); err != nil {
		return nil, fmt.Errorf("cooked: level %d: %w", level, err)
	}
	applySwizzle(m, t.Swizzle)
	return m, nil
}

func depthOfFormat(f texture.Format) pixmap.Depth {
	switch {
	case f.Float():
		return pixmap.Float
	case f == texture.RGB10A2, f.Bits() == 16, isEAC(f):
		return pixmap.Bits16
	}
	return pixmap.Bits8
}

// applySwizzle sets each channel of m to the channel that s selects for it.
func applySwizzle(m *pixmap.Map, s string) {
	if s == "" || s == "rgba" {
		return
	}
	var from [4]int // index of the source channel, or 4 for 0 and 5 for 1
	for i := range from {
		from[i] = bytes.IndexByte([]byte("rgba01"), s[i])
	}
	movePixelChannels(m.Pix8, from, 255)
	movePixelChannels(m.Pix16, from, 65535)
	movePixelChannels(m.PixF, from, 1)
}

func movePixelChannels[T uint8 | uint16 | float32](pix []T, from [4]int, one T) {
	for i := 0; i+4 <= len(pix); i += 4 {
		all := [6]T{pix[i], pix[i+1], pix[i+2], pix[i+3], 0, one}
		for k, f := range from {
			pix[i+k] = all[f]
		}
	}
}

// decodeTexels decodes texels into m. srgb selects the rounding of ASTC.
func decodeTexels(ctx context.Context, m *pixmap.Map, f texture.Format, srgb bool, texels []byte) error {
	wide, high, size := f.Block()
	for y := 0; y < m.H; y += high {
		if err := ctx.Err(); err != nil {
			return err
		}
		for x := 0; x < m.W; x += wide {
			if wide == 1 {
				putTexel(m, y*m.W+x, f, texels)
			} else if f.IsASTC() {
				var pix astc.Pixels
				astc.DecodeBlock(&pix, (*[16]byte)(texels), astc.Size{W: wide, H: high}, srgb)
				putPixels(m.Pix8, m, x, y, wide, high, pix[:])
			} else if f.IsASTCHDR() {
				pix := astcHalves(texels, astc.Size{W: wide, H: high})
				putPixels(m.PixF, m, x, y, wide, high, pix[:])
			} else if err := putTexelBlock(m, x, y, f, texels[:size]); err != nil {
				return err
			}
			texels = texels[size:]
		}
	}
	return nil
}

// putTexel decodes pixel i of an uncompressed format.
func putTexel(m *pixmap.Map, i int, f texture.Format, texel []byte) {
	at := 4 * i
	switch f {
	case texture.R8:
		copy(m.Pix8[at:], []byte{texel[0], 0, 0, 255})
	case texture.RG8:
		copy(m.Pix8[at:], []byte{texel[0], texel[1], 0, 255})
	case texture.RGBA8:
		copy(m.Pix8[at:at+4], texel)
	case texture.RGB10A2:
		word := binary.LittleEndian.Uint32(texel)
		for k := range 3 {
			m.Pix16[at+k] = uint16((word>>(10*k)&1023*65535*2 + 1023) / 2046)
		}
		m.Pix16[at+3] = uint16(word >> 30 * 21845)
	case texture.R16, texture.RG16, texture.RGBA16:
		m.Pix16[at+3] = 65535
		for k := range len(f.Channels()) {
			m.Pix16[at+k] = binary.LittleEndian.Uint16(texel[2*k:])
		}
	case texture.R16F:
		m.PixF[at], m.PixF[at+3] = halfValue(binary.LittleEndian.Uint16(texel)), 1
	case texture.R32F:
		m.PixF[at], m.PixF[at+3] = math.Float32frombits(binary.LittleEndian.Uint32(texel)), 1
	case texture.RGBA16F:
		for k := range 4 {
			m.PixF[at+k] = halfValue(binary.LittleEndian.Uint16(texel[2*k:]))
		}
	}
}

// halfValue returns the value of a half-precision float. It returns 0 for NaN and infinities, which
// textures do not contain.
func halfValue(h uint16) float32 {
	if h>>10&31 == 31 {
		return 0
	}
	return pixmap.HalfValue(h)
}

// putTexelBlock decodes the block at x, y and stores the pixels that are inside the map.
func putTexelBlock(m *pixmap.Map, x, y int, f texture.Format, block []byte) error {
	if f == texture.BC6H {
		var pix [64]float32
		bc6h.DecodeBlock(&pix, (*[16]byte)(block))
		putPixels(m.PixF, m, x, y, 4, 4, pix[:])
		return nil
	}
	if isEAC(f) {
		values := eac(block)
		putPixels(m.Pix16, m, x, y, 4, 4, values[:])
		return nil
	}
	var pix [64]byte
	switch f {
	case texture.BC1, texture.BC1A:
		bc1(&pix, block, false, f == texture.BC1A)
	case texture.BC3:
		bc1(&pix, block[8:], true, false)
		bc4(&pix, 3, block)
	case texture.BC4, texture.BC5:
		for i := range 16 {
			pix[4*i+3] = 255
		}
		bc4(&pix, 0, block)
		if f == texture.BC5 {
			bc4(&pix, 1, block[8:])
		}
	case texture.BC7:
		bc7.DecodeBlock(&pix, (*[16]byte)(block))
	case texture.ETC2RGB:
		etc2.DecodeRGB(&pix, (*[8]byte)(block))
	case texture.ETC2RGBA:
		etc2.DecodeRGBA(&pix, (*[16]byte)(block))
	case texture.UASTC:
		uastc.DecodeBlock(&pix, (*[16]byte)(block))
	}
	putPixels(m.Pix8, m, x, y, 4, 4, pix[:])
	return nil
}

// putPixels stores the pixels of a block of wide×high pixels that are inside the map.
func putPixels[T byte | uint16 | float32](dst []T, m *pixmap.Map, x, y, wide, high int, block []T) {
	n := 4 * min(wide, m.W-x)
	for row := range min(high, m.H-y) {
		copy(dst[4*((y+row)*m.W+x):][:n], block[4*wide*row:])
	}
}

// astcHalves decodes an ASTC block of high dynamic range.
func astcHalves(block []byte, size astc.Size) (pix [len(astc.Halves{})]float32) {
	var halves astc.Halves
	astc.DecodeHDR(&halves, (*[16]byte)(block), size)
	for i, h := range halves[:4*size.W*size.H] {
		pix[i] = halfValue(h)
	}
	return pix
}

func isEAC(f texture.Format) bool { return f == texture.EACR11 || f == texture.EACRG11 }

// eac decodes an EAC block of one or two channels.
func eac(block []byte) (pix [64]uint16) {
	for i := range 16 {
		pix[4*i+3] = 65535
	}
	for c := 0; 8*c < len(block); c++ {
		for i, v := range etc2.DecodeEAC((*[8]byte)(block[8*c:])) {
			pix[4*i+c] = v
		}
	}
	return pix
}

// bc1 decodes a BC1 block. four is set if all blocks have four colors, as in BC3. clear is set if
// index 3 is transparent in blocks with three colors.
func bc1(pix *[64]byte, block []byte, four, clear bool) {
	first, second := binary.LittleEndian.Uint16(block), binary.LittleEndian.Uint16(block[2:])
	index := binary.LittleEndian.Uint32(block[4:])
	colors := [4][4]byte{rgb565(first), rgb565(second), {3: 255}, {3: 255}}
	if clear && first <= second {
		colors[3][3] = 0
	}
	for k := range 3 {
		a, b := int(colors[0][k]), int(colors[1][k])
		if four || first > second {
			colors[2][k], colors[3][k] = byte((2*a+b+1)/3), byte((a+2*b+1)/3)
		} else {
			colors[2][k] = byte((a + b + 1) / 2)
		}
	}
	for i := range 16 {
		copy(pix[4*i:], colors[index>>(2*i)&3][:])
	}
}

func rgb565(c uint16) [4]byte {
	r, g, b := byte(c>>11), byte(c>>5&63), byte(c&31)
	return [4]byte{r<<3 | r>>2, g<<2 | g>>4, b<<3 | b>>2, 255}
}

// bc4 decodes a BC4 block into one channel.
func bc4(pix *[64]byte, channel int, block []byte) {
	a, b := int(block[0]), int(block[1])
	values := [8]byte{byte(a), byte(b), 7: 255}
	if a > b {
		for i := 1; i < 7; i++ {
			values[i+1] = byte((a*(7-i) + b*i + 3) / 7)
		}
	} else {
		for i := 1; i < 5; i++ {
			values[i+1] = byte((a*(5-i) + b*i + 2) / 5)
		}
	}
	index := binary.LittleEndian.Uint64(block) >> 16
	for i := range 16 {
		pix[4*i+channel] = values[index>>(3*i)&7]
	}
}
