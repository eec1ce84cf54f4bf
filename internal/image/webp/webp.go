// Package webp writes pictures as lossless WebP files.
//
// The encoder is a library's. What it makes is decoded again, by another library, and
// compared: a picture that does not come back is an error, never a wrong file.
package webp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"github.com/HugoSmits86/nativewebp"
	"golang.org/x/image/webp"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// MaxSide is the longest side that a file can have.
const MaxSide = 16383

// Encode writes m, of 8 bits a channel with straight alpha, as the smaller of a file with a
// palette, where at most 256 colors let it have one, and of one without. The color of pixels
// that are fully transparent stays, too. The library does not look at the context.
func Encode(ctx context.Context, w io.Writer, m *pixmap.Map) error {
	if m.Pix8 == nil {
		return errors.New("WebP has 8 bits a channel")
	}
	if m.W > MaxSide || m.H > MaxSide {
		return fmt.Errorf("%d x %d pixels: WebP has at most %d a side", m.W, m.H, MaxSide)
	}
	whole := &image.NRGBA{Pix: m.Pix8, Stride: 4 * m.W, Rect: image.Rect(0, 0, m.W, m.H)}
	file, err := encode(ctx, picture{whole}, whole)
	if err != nil {
		return err
	}
	if numbered := indexed(whole); numbered != nil {
		other, err := encode(ctx, numbered, whole)
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

// Memory returns the most bytes that Encode allocates for a picture of w by h pixels, which
// the library holds as numbers of 8 bytes for each channel. It is measured.
func Memory(w, h int) int64 { return 4<<20 + 192*int64(w)*int64(h) }

// encode makes a file of img and proves that it holds the pixels of want.
func encode(ctx context.Context, img image.Image, want *image.NRGBA) (file []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			file, err = nil, fmt.Errorf("the WebP encoder fails: %v", r)
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
		return nil, fmt.Errorf("the WebP encoder makes a file that cannot be read: %w", err)
	}
	got, ok := back.(*image.NRGBA)
	if !ok || got.Rect != want.Rect || !bytes.Equal(got.Pix, want.Pix) {
		return nil, errors.New("the WebP encoder changes pixels")
	}
	return out.Bytes(), nil
}

// indexed numbers the colors of m, in the order in which they first appear; nil if there are
// more than 256.
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
