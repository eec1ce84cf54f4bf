package image

import (
	"context"
	stdimage "image"
	"image/color"
)

// straight returns the pixels of a w by h picture as four bytes each: red,
// green, blue, straight alpha. It hands out the picture's own bytes where they
// are that already.
func straight(ctx context.Context, img stdimage.Image, w, h int, videoRange bool) ([]byte, error) {
	switch m := img.(type) {
	case *stdimage.NRGBA:
		if m.Stride == 4*w && len(m.Pix) >= 4*w*h {
			return m.Pix[: 4*w*h : 4*w*h], nil
		}
	case *stdimage.RGBA:
		if m.Stride == 4*w && len(m.Pix) >= 4*w*h && m.Opaque() {
			return m.Pix[: 4*w*h : 4*w*h], nil
		}
	}
	convert := rowConverter(img, videoRange)
	pix := make([]byte, 4*w*h)
	for y := range h {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		convert(pix[4*w*y:4*w*(y+1)], y)
	}
	return pix, nil
}

// A row fills dst with row y, counted from the top of the picture.
type row func(dst []byte, y int)

func rowConverter(img stdimage.Image, videoRange bool) row {
	switch m := img.(type) {
	case *stdimage.NRGBA:
		return func(dst []byte, y int) { copy(dst, m.Pix[y*m.Stride:]) }
	case *stdimage.RGBA:
		return func(dst []byte, y int) {
			src := m.Pix[y*m.Stride:][:len(dst)]
			for i := 0; i < len(dst); i += 4 {
				c := straight8(uint32(src[i]), uint32(src[i+1]), uint32(src[i+2]), uint32(src[i+3]), 255)
				copy(dst[i:], c[:])
			}
		}
	case *stdimage.Gray:
		return func(dst []byte, y int) {
			src := m.Pix[y*m.Stride:][:len(dst)/4]
			for i, v := range src {
				setOpaque(dst[4*i:], v, v, v)
			}
		}
	case *stdimage.Gray16:
		return func(dst []byte, y int) {
			src := m.Pix[y*m.Stride:][:len(dst)/2]
			for i := 0; i < len(dst); i += 4 {
				v := round16(word(src[i/2:]))
				setOpaque(dst[i:], v, v, v)
			}
		}
	case *stdimage.NRGBA64:
		return func(dst []byte, y int) {
			src := m.Pix[y*m.Stride:][:2*len(dst)]
			for i := range dst {
				dst[i] = round16(word(src[2*i:]))
			}
		}
	case *stdimage.RGBA64:
		return func(dst []byte, y int) {
			src := m.Pix[y*m.Stride:][:2*len(dst)]
			for i := 0; i < len(dst); i += 4 {
				c := straight8(word(src[2*i:]), word(src[2*i+2:]), word(src[2*i+4:]), word(src[2*i+6:]), 65535)
				copy(dst[i:], c[:])
			}
		}
	case *stdimage.Paletted:
		return palettedRow(m)
	case *screen:
		frame, inner := m.frame.Rect, palettedRow(m.frame)
		return func(dst []byte, y int) {
			if y >= frame.Min.Y && y < frame.Max.Y { // else it stays transparent
				inner(dst[4*frame.Min.X:4*frame.Max.X], y-frame.Min.Y)
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
	case *stdimage.YCbCr:
		return yCbCrRow(m, videoRange)
	case *stdimage.NYCbCrA:
		colors := yCbCrRow(&m.YCbCr, videoRange)
		return func(dst []byte, y int) {
			colors(dst, y)
			for i, a := range m.A[y*m.AStride:][:len(dst)/4] {
				dst[4*i+3] = a
			}
		}
	}
	return func(dst []byte, y int) {
		b := img.Bounds()
		for i := 0; i < len(dst); i += 4 {
			r, g, b, a := img.At(b.Min.X+i/4, b.Min.Y+y).RGBA()
			c := straight8(r, g, b, a, 65535)
			copy(dst[i:], c[:])
		}
	}
}

func palettedRow(m *stdimage.Paletted) row {
	var table [256][4]byte
	for i, c := range m.Palette[:min(256, len(m.Palette))] {
		if n, ok := c.(color.NRGBA); ok {
			table[i] = [4]byte{n.R, n.G, n.B, n.A} // keeps the colour under alpha 0
			continue
		}
		r, g, b, a := c.RGBA()
		table[i] = straight8(r, g, b, a, 65535)
	}
	return func(dst []byte, y int) {
		for i, v := range m.Pix[y*m.Stride:][:len(dst)/4] {
			copy(dst[4*i:], table[v][:])
		}
	}
}

func yCbCrRow(m *stdimage.YCbCr, videoRange bool) row {
	k := fullRange()
	if videoRange {
		k = reducedRange()
	}
	left := m.Rect.Min.X
	shift := 0 // 1<<shift pixels beside each other share one chroma sample
	switch m.SubsampleRatio {
	case stdimage.YCbCrSubsampleRatio422, stdimage.YCbCrSubsampleRatio420:
		shift = 1
	case stdimage.YCbCrSubsampleRatio411, stdimage.YCbCrSubsampleRatio410:
		shift = 2
	}
	return func(dst []byte, y int) {
		luma := m.Y[m.YOffset(left, m.Rect.Min.Y+y):][:len(dst)/4]
		chroma := m.COffset(left, m.Rect.Min.Y+y)
		blue, red := m.Cb[chroma:], m.Cr[chroma:]
		for x, l := range luma {
			c := (left+x)>>shift - left>>shift
			r, g, b := k.rgb(l, blue[c], red[c])
			setOpaque(dst[4*x:], r, g, b)
		}
	}
}

// yCbCr holds the factors that turn luma and chroma of ITU-R BT.601 into RGB,
// times 65536.
type yCbCr struct{ luma, bias, redV, greenU, greenV, blueU int32 }

// fullRange is what JPEG stores: 0 to 255 throughout. The numbers are those of
// color.YCbCrToRGB, which rounds by making luma a little larger.
func fullRange() yCbCr { return yCbCr{0x10101, 0, 91881, 22554, 46802, 116130} }

// reducedRange is what WebP stores: luma from 16 to 235 and chroma from 16 to
// 240. Package image takes it for full range, which is too pale.
func reducedRange() yCbCr {
	return yCbCr{76309, 1<<15 - 16*76309, 104597, 25675, 53279, 132201}
}

func (k *yCbCr) rgb(y, cb, cr uint8) (r, g, b uint8) {
	l, u, v := k.luma*int32(y)+k.bias, int32(cb)-128, int32(cr)-128
	return clamp(l + k.redV*v), clamp(l - k.greenU*u - k.greenV*v), clamp(l + k.blueU*u)
}

func clamp(x int32) uint8 { return uint8(max(0, min(255, x>>16))) }

// straight8 divides premultiplied channels of 0 to top by their alpha and
// rounds to eight bits.
func straight8(r, g, b, a, top uint32) [4]byte {
	if a == 0 {
		return [4]byte{}
	}
	divide := func(c uint32) byte { return byte(min(255, (c*255+a/2)/a)) }
	return [4]byte{divide(r), divide(g), divide(b), byte((a*255 + top/2) / top)}
}

// round16 rounds sixteen bits to eight: 65535 is 255 times 257.
func round16(v uint32) byte { return byte((v + 128) / 257) }

// word reads sixteen bits as package image stores them.
func word(b []byte) uint32 { return uint32(b[0])<<8 | uint32(b[1]) }

func setOpaque(dst []byte, r, g, b byte) {
	_ = dst[3]
	dst[0], dst[1], dst[2], dst[3] = r, g, b, 255
}
