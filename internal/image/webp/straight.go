package webp

import (
	"image"
	"image/color"
)

// A picture is one that package draw copies to an image.NRGBA exactly, as the encoder's library
// has it do. What NRGBA itself says of pixels of low alpha is rounded down twice.
type picture struct{ *image.NRGBA }

func (p picture) At(x, y int) color.Color { return straight(p.NRGBA.Pix[p.PixOffset(x, y):][:4]) }

func (p picture) RGBA64At(x, y int) color.RGBA64 {
	r, g, b, a := straight(p.NRGBA.Pix[p.PixOffset(x, y):][:4]).RGBA()
	return color.RGBA64{R: uint16(r), G: uint16(g), B: uint16(b), A: uint16(a)}
}

// A straight color is one whose RGBA are the least numbers of which image.NRGBA.SetRGBA64,
// which divides by alpha, makes this color.
type straight [4]byte

func (c straight) RGBA() (r, g, b, a uint32) {
	a = 257 * uint32(c[3])
	times := func(v byte) uint32 {
		if a == 0 {
			return uint32(v) << 8 // is taken as it is
		}
		return (uint32(v)<<8*a + 0xfffe) / 0xffff
	}
	return times(c[0]), times(c[1]), times(c[2]), a
}
