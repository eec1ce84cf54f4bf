package source

import (
	"bytes"
	"context"
	"encoding/binary"
	stdimage "image"
	"image/color"
	"unsafe"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// straight converts a library's image to a map with straight alpha. The map has 16 bits per channel
// if the image has 16 bits, otherwise 8. It reuses the image's own memory if the layout is the
// same.
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
		if pix := wordsOf(m.Pix); m.Stride == 8*w && len(pix) >= 4*w*h {
			return &pixmap.Map{W: w, H: h, Pix16: pix[: 4*w*h : 4*w*h]}, swapBytes(ctx, m.Pix, pix)
		}
		return fillMap(ctx, pixmap.New(w, h, pixmap.Bits16), row16(img))
	case *stdimage.RGBA64:
		if pix := wordsOf(m.Pix); m.Stride == 8*w && len(pix) >= 4*w*h && m.Opaque() {
			return &pixmap.Map{W: w, H: h, Pix16: pix[: 4*w*h : 4*w*h]}, swapBytes(ctx, m.Pix, pix)
		}
		return fillMap(ctx, pixmap.New(w, h, pixmap.Bits16), row16(img))
	case *stdimage.Gray16:
		return fillMap(ctx, pixmap.New(w, h, pixmap.Bits16), row16(img))
	}
	return fillMap(ctx, pixmap.New(w, h, pixmap.Bits8), row8(img))
}

// wordsOf returns the memory of pix as 16-bit values without a copy, or nil if pix is misaligned.
func wordsOf(pix []byte) []uint16 {
	if len(pix) < 2 || uintptr(unsafe.Pointer(&pix[0]))%2 != 0 {
		return nil
	}
	return unsafe.Slice((*uint16)(unsafe.Pointer(&pix[0])), len(pix)/2)
}

// swapBytes converts the big-endian bytes of package image to 16-bit words in place.
func swapBytes(ctx context.Context, pix []byte, words []uint16) error {
	const block = 1 << 20 // number of words between two checks of the context
	for i := range words {
		if i%block == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		words[i] = uint16(pix[2*i])<<8 | uint16(pix[2*i+1])
	}
	return nil
}

// A row is a function that copies row y of an image, counted from the top, to dst, four values per
// pixel.
type row[T uint8 | uint16 | float32] func(dst []T, y int)

// fillMap fills m row by row.
func fillMap[T uint8 | uint16 | float32](ctx context.Context, m *pixmap.Map, r row[T]) (*pixmap.Map, error) {
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

// row8 returns the row function for an image with 8 bits per channel. It has a separate loop for
// each image type of the decoders.
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
		table := straightPalette(m.Palette)
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
			c := dividePremultiplied(r, g, b, a, 65535)
			copy(dst[i:], c[:])
		}
	}
}

// row16 is like row8, but for 16 bits per channel.
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

func straightPalette(p color.Palette) (table [256][4]byte) {
	for i, c := range p[:min(256, len(p))] {
		if n, ok := c.(color.NRGBA); ok {
			table[i] = [4]byte{n.R, n.G, n.B, n.A} // keep the color even if alpha is 0
			continue
		}
		r, g, b, a := c.RGBA()
		table[i] = dividePremultiplied(r, g, b, a, 65535)
	}
	return table
}

// dividePremultiplied divides premultiplied channels by their alpha and rounds them to eight bits.
// Channels range from 0 to top.
func dividePremultiplied(r, g, b, a, top uint32) [4]byte {
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

// transposed is the first EXIF orientation whose rows are stored as columns.
const transposed = 5

// upright returns m with its orientation undone. The orientation is a value of EXIF 2.3, tag
// 0x0112. It names the sides of the upright image that hold the stored first row and first column.
// Only values from 2 to 8 change the image.
func upright(ctx context.Context, m *pixmap.Map, orientation int) (*pixmap.Map, error) {
	if orientation < 2 || orientation > 8 {
		return m, nil
	}
	w, h := m.W, m.H
	if orientation >= transposed {
		w, h = h, w
	}
	out := pixmap.New(w, h, m.Depth())
	// Pixel (0, 0) of out is the pixel of m with index start. right and down are the changes of the
	// index for one pixel to the right or down in out.
	start, right, down := 0, 1, m.W
	last, bottom := m.W-1, (m.H-1)*m.W // index of the last pixel of the first row; index of the first pixel of the last row
	switch orientation {
	case 2: // first row at the top, first column at the right
		start, right = last, -1
	case 3: // first row at the bottom, first column at the right
		start, right, down = bottom+last, -1, -m.W
	case 4: // first row at the bottom, first column at the left
		start, down = bottom, -m.W
	case 5: // first row at the left, first column at the top
		right, down = m.W, 1
	case 6: // first row at the right, first column at the top
		start, right, down = bottom, -m.W, 1
	case 7: // first row at the right, first column at the bottom
		start, right, down = bottom+last, -m.W, -1
	case 8: // first row at the left, first column at the bottom
		start, right, down = last, m.W, -1
	}
	for y := range h {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from, to := start+y*down, y*w
		switch {
		case m.Pix8 != nil:
			turnRow(out.Pix8[4*to:4*(to+w)], m.Pix8, from, right)
		case m.Pix16 != nil:
			turnRow(out.Pix16[4*to:4*(to+w)], m.Pix16, from, right)
		default:
			turnRow(out.PixF[4*to:4*(to+w)], m.PixF, from, right)
		}
	}
	return out, nil
}

// turnRow fills dst with the pixels of src whose indices are from, from+step, from+2*step and so
// on.
func turnRow[T any](dst, src []T, from, step int) {
	for ; len(dst) > 0; dst = dst[4:] {
		copy(dst[:4], src[4*from:4*from+4])
		from += step
	}
}

// exifOrientation returns the orientation of an EXIF block, from 1 to 8. It returns 1 if the block
// has no orientation or is damaged. A block is a small TIFF file (EXIF 2.3, section 4.5). In JPEG
// files, a signature precedes it.
func exifOrientation(block []byte) int {
	block = bytes.TrimPrefix(block, []byte("Exif\x00\x00"))
	if len(block) < 8 {
		return 1
	}
	var order binary.ByteOrder
	switch string(block[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 1
	}
	at := uint64(order.Uint32(block[4:]))
	if at+2 > uint64(len(block)) {
		return 1
	}
	entries, count := block[at+2:], order.Uint16(block[at:])
	// Each entry has a tag, a type, a count, and the value if it is short enough.
	for ; count > 0 && len(entries) >= 12; entries, count = entries[12:], count-1 {
		const orientation, short = 0x0112, 3
		if order.Uint16(entries) != orientation {
			continue
		}
		v := order.Uint16(entries[8:])
		if order.Uint16(entries[2:]) != short || order.Uint32(entries[4:]) != 1 || v < 1 || v > 8 {
			return 1
		}
		return int(v)
	}
	return 1
}
