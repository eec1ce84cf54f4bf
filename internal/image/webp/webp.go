// Package webp writes images as lossless WebP files.
//
// The encoder is a library. Its output is decoded again by another library and compared: an image
// that does not come back is an error, never a wrong file.
package webp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"

	"github.com/HugoSmits86/nativewebp"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"golang.org/x/image/webp"
)

// MaxSide is the longest possible side.
const MaxSide = 16383

// Encode writes m, of 8 bits a channel with straight alpha. With at most 256 colors it tries a file
// with a palette, and keeps the smaller file. The colors of transparent pixels are kept, too. The
// library does not check the context.
func Encode(ctx context.Context, w io.Writer, m *pixmap.Map) error {
	if m.Pix8 == nil {
		return errors.New("WebP supports only 8 bits a channel")
	}
	if m.W > MaxSide || m.H > MaxSide {
		return fmt.Errorf("%d x %d pixels: WebP has at most %d a side", m.W, m.H, MaxSide)
	}
	whole := &image.NRGBA{Pix: m.Pix8, Stride: 4 * m.W, Rect: image.Rect(0, 0, m.W, m.H)}
	file, err := encodeVerified(ctx, exactNRGBA{whole}, whole)
	if err != nil {
		return err
	}
	if numbered := indexed(whole); numbered != nil {
		other, err := encodeVerified(ctx, numbered, whole)
		if err != nil {
			return err
		}
		if len(other) < len(file) {
			file = other
		}
	}
	_, err = w.Write(file)
	return err
}

// Memory returns the most bytes that Encode allocates for an image of w by h pixels. The library
// uses 8 bytes for each channel; the factor is measured.
func Memory(w, h int) int64 { return 4<<20 + 192*int64(w)*int64(h) }

// encodeVerified encodes img and verifies that the file holds the pixels of want.
func encodeVerified(ctx context.Context, img image.Image, want *image.NRGBA) (file []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			file, err = nil, fmt.Errorf("the WebP encoder panicked: %v", r)
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := nativewebp.Encode(&out, img, nil); err != nil {
		return nil, fmt.Errorf("encode WebP: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	back, err := webp.Decode(bytes.NewReader(out.Bytes()))
	if err != nil {
		return nil, fmt.Errorf("the WebP encoder made an unreadable file: %w", err)
	}
	got, ok := back.(*image.NRGBA)
	if !ok || got.Rect != want.Rect || !bytes.Equal(got.Pix, want.Pix) {
		return nil, errors.New("the WebP encoder changed pixels")
	}
	return out.Bytes(), nil
}

// indexed returns m with a palette of its colors in the order of their first appearance, or nil if
// it has more than 256 colors.
func indexed(m *image.NRGBA) *image.Paletted {
	p := image.NewPaletted(m.Rect, nil)
	numbers := map[[4]byte]byte{}
	for i := range p.Pix {
		c := [4]byte(m.Pix[4*i:])
		n, ok := numbers[c]
		if !ok {
			if len(numbers) == 256 {
				return nil
			}
			n = byte(len(numbers))
			numbers[c] = n
			p.Palette = append(p.Palette, straight(c))
		}
		p.Pix[i] = n
	}
	return p
}

// An exactNRGBA is copied to an image.NRGBA exactly by package draw, which the encoder's library
// uses. The colors of NRGBA itself would be rounded down twice at low alpha.
type exactNRGBA struct{ *image.NRGBA }

func (p exactNRGBA) At(x, y int) color.Color { return straight(p.NRGBA.Pix[p.PixOffset(x, y):][:4]) }

func (p exactNRGBA) RGBA64At(x, y int) color.RGBA64 {
	r, g, b, a := straight(p.NRGBA.Pix[p.PixOffset(x, y):][:4]).RGBA()
	return color.RGBA64{R: uint16(r), G: uint16(g), B: uint16(b), A: uint16(a)}
}

// A straight color returns the least RGBA that image.NRGBA.SetRGBA64, which divides by alpha, turns
// into exactly this color.
type straight [4]byte

func (c straight) RGBA() (r, g, b, a uint32) {
	a = 257 * uint32(c[3])
	times := func(v byte) uint32 {
		if a == 0 {
			return uint32(v) << 8 // not divided by alpha
		}
		return (uint32(v)<<8*a + 0xfffe) / 0xffff
	}
	return times(c[0]), times(c[1]), times(c[2]), a
}
