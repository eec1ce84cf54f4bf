package source

import (
	"context"
	stdimage "image"
	"image/color"
	"unsafe"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// straight turns a library's picture into a map with straight alpha: sixteen bits a channel if the
// picture has them, else eight. It reuses the picture's own bytes if they already have that layout.
func straight(ctx context.Context, img stdimage.Image) (*pixmap.Map, error) {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	switch m := img.(type) {
	case *stdimage.NRGBA:
		if m.Stride == 4*w && len(m.Pix) >= 4*w*h {
			return &pixmap.Map{W: w, H: h, Pix8: m.Pix[: 4*w*h : 4*w*h]}, nil
		}
	case *stdimage.RGBA:
		if m.Stride == 4*w && len(m.Pix) >= 4*w*h && m.Opaque() {
			return &pixmap.Map{W: w, H: h, Pix8: m.Pix[: 4*w*h : 4*w*h]}, nil
		}
	case *stdimage.NRGBA64:
		if pix := words(m.Pix); m.Stride == 8*w && len(pix) >= 4*w*h {
			return &pixmap.Map{W: w, H: h, Pix16: pix[: 4*w*h : 4*w*h]}, swap(ctx, m.Pix, pix)
		}
		return fill(ctx, pixmap.New(w, h, pixmap.Bits16), row16(img))
	case *stdimage.RGBA64:
		if pix := words(m.Pix); m.Stride == 8*w && len(pix) >= 4*w*h && m.Opaque() {
			return &pixmap.Map{W: w, H: h, Pix16: pix[: 4*w*h : 4*w*h]}, swap(ctx, m.Pix, pix)
		}
		return fill(ctx, pixmap.New(w, h, pixmap.Bits16), row16(img))
	case *stdimage.Gray16:
		return fill(ctx, pixmap.New(w, h, pixmap.Bits16), row16(img))
	}
	return fill(ctx, pixmap.New(w, h, pixmap.Bits8), row8(img))
}

// words returns the memory of pix as numbers of sixteen bits, or nil if it is misaligned. So a
// picture of 2 GiB is not held twice.
func words(pix []byte) []uint16 {
	if len(pix) < 2 || uintptr(unsafe.Pointer(&pix[0]))%2 != 0 {
		return nil
	}
	return unsafe.Slice((*uint16)(unsafe.Pointer(&pix[0])), len(pix)/2)
}

// swap turns the big-endian bytes of package image into words, in place.
func swap(ctx context.Context, pix []byte, words []uint16) error {
	const block = 1 << 20 // words between two checks of the context
	for i := range words {
		if i%block == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		words[i] = uint16(pix[2*i])<<8 | uint16(pix[2*i+1])
	}
	return nil
}

// A row puts row y of a picture, counted from its top, into dst, four numbers a pixel.
type row[T uint8 | uint16 | float32] func(dst []T, y int)

// fill fills m row by row.
func fill[T uint8 | uint16 | float32](ctx context.Context, m *pixmap.Map, r row[T]) (*pixmap.Map, error) {
	var pix []T
	switch p := any(&pix).(type) {
	case *[]uint8:
		*p = m.Pix8
	case *[]uint16:
		*p = m.Pix16
	case *[]float32:
		*p = m.PixF
	}
	for y := range m.H {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r(pix[4*m.W*y:4*m.W*(y+1)], y)
	}
	return m, nil
}

// row8 returns the rows of a picture of eight bits a channel. Each picture type of the decoders has
// its own loop.
func row8(img stdimage.Image) row[uint8] {
	switch m := img.(type) {
	case *stdimage.NRGBA:
		return func(dst []byte, y int) { copy(dst, m.Pix[y*m.Stride:]) }
	case *stdimage.Gray:
		return func(dst []byte, y int) {
			src := m.Pix[y*m.Stride:][:len(dst)/4]
			for i, v := range src {
				setOpaque(dst[4*i:], v, v, v)
			}
		}
	case *stdimage.Paletted:
		table := paletteOf(m.Palette)
		return func(dst []byte, y int) {
			for i, v := range m.Pix[y*m.Stride:][:len(dst)/4] {
				copy(dst[4*i:], table[v][:])
			}
		}
	case *stdimage.CMYK:
		return func(dst []byte, y int) {
			src := m.Pix[y*m.Stride:][:len(dst)]
			for i := 0; i < len(dst); i += 4 {
				r, g, b := color.CMYKToRGB(src[i], src[i+1], src[i+2], src[i+3])
				setOpaque(dst[i:], r, g, b)
			}
		}
	}
	return func(dst []byte, y int) {
		b := img.Bounds()
		for i := 0; i < len(dst); i += 4 {
			r, g, b, a := img.At(b.Min.X+i/4, b.Min.Y+y).RGBA()
			c := divide(r, g, b, a, 65535)
			copy(dst[i:], c[:])
		}
	}
}

// row16 is row8 for sixteen bits a channel.
func row16(img stdimage.Image) row[uint16] {
	// Package image stores the high byte first.
	word := func(b []byte) uint16 { return uint16(b[0])<<8 | uint16(b[1]) }
	words := func(dst []uint16, src []byte) {
		for i := range dst {
			dst[i] = word(src[2*i:])
		}
	}
	switch m := img.(type) {
	case *stdimage.Gray16:
		return func(dst []uint16, y int) {
			src := m.Pix[y*m.Stride:][:len(dst)/2]
			for i := 0; i < len(dst); i += 4 {
				v := word(src[i/2:])
				dst[i], dst[i+1], dst[i+2], dst[i+3] = v, v, v, 65535
			}
		}
	case *stdimage.NRGBA64:
		return func(dst []uint16, y int) { words(dst, m.Pix[y*m.Stride:][:2*len(dst)]) }
	case *stdimage.RGBA64:
		return func(dst []uint16, y int) {
			words(dst, m.Pix[y*m.Stride:][:2*len(dst)])
			for ; len(dst) > 0; dst = dst[4:] {
				divide16(dst[:4])
			}
		}
	}
	return func(dst []uint16, y int) {
		b := img.Bounds()
		for i := 0; i < len(dst); i += 4 {
			c := color.NRGBA64Model.Convert(img.At(b.Min.X+i/4, b.Min.Y+y)).(color.NRGBA64)
			dst[i], dst[i+1], dst[i+2], dst[i+3] = c.R, c.G, c.B, c.A
		}
	}
}

func paletteOf(p color.Palette) (table [256][4]byte) {
	for i, c := range p[:min(256, len(p))] {
		if n, ok := c.(color.NRGBA); ok {
			table[i] = [4]byte{n.R, n.G, n.B, n.A} // keeps the color under alpha 0
			continue
		}
		r, g, b, a := c.RGBA()
		table[i] = divide(r, g, b, a, 65535)
	}
	return table
}

// divide divides premultiplied channels of 0 to top by their alpha and rounds to eight bits.
func divide(r, g, b, a, top uint32) [4]byte {
	if a == 0 {
		return [4]byte{}
	}
	part := func(c uint32) byte { return byte(min(255, (c*255+a/2)/a)) }
	return [4]byte{part(r), part(g), part(b), byte((a*255 + top/2) / top)}
}

// divide16 divides the premultiplied channels of one pixel by their alpha.
func divide16(p []uint16) {
	a := uint32(p[3])
	switch a {
	case 65535:
		return
	case 0:
		clear(p)
		return
	}
	for i, c := range p[:3] {
		p[i] = uint16(min(65535, (uint32(c)*65535+a/2)/a))
	}
}

func setOpaque(dst []byte, r, g, b byte) {
	_ = dst[3]
	dst[0], dst[1], dst[2], dst[3] = r, g, b, 255
}
