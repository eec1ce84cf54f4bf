// Package pixmap holds decoded images in memory, between source files and textures.
package pixmap

import (
	"context"
	"fmt"
	"image"
)

// A Map is an image of W by H pixels, stored row by row from the top. A pixel has four values: red,
// green, blue and straight alpha. Exactly one of the three slices is set; it has 4*W*H elements.
type Map struct {
	W, H int
	// Pix8 and Pix16 hold the values as stored in files: 255 or 65535 stands for 1. The map does
	// not record whether colors are sRGB or plain data.
	Pix8  []uint8
	Pix16 []uint16
	// PixF holds linear light without an upper bound, as in Radiance files. Alpha ranges from 0 to
	// 1.
	PixF []float32
}

// A Depth is the format of a Map's values. It names the slice that is set.
type Depth uint8

// These are the values of Depth.
const (
	Bits8 Depth = iota
	Bits16
	Float
)

// Depth returns the depth of m.
func (m *Map) Depth() Depth {
	switch {
	case m.PixF != nil:
		return Float
	case m.Pix16 != nil:
		return Bits16
	}
	return Bits8
}

// Bytes returns the size of m's pixels in bytes.
func (m *Map) Bytes() int {
	return len(m.Pix8) + 2*len(m.Pix16) + 4*len(m.PixF)
}

// New returns a map of the given size and depth, transparent and black. It
// panics if a side is less than 1.
func New(w, h int, d Depth) *Map {
	if w < 1 || h < 1 {
		panic(fmt.Sprintf("pixmap.New: %d x %d pixels", w, h))
	}
	m := &Map{W: w, H: h}
	switch d {
	case Float:
		m.PixF = make([]float32, 4*w*h)
	case Bits16:
		m.Pix16 = make([]uint16, 4*w*h)
	default:
		m.Pix8 = make([]uint8, 4*w*h)
	}
	return m
}

// CopyRect copies a rectangle of src to the position x, y of dst, which has the same depth.
func CopyRect(dst *Map, x, y int, src *Map, from image.Rectangle) {
	for row := range from.Dy() {
		d, s, n := 4*((y+row)*dst.W+x), 4*((from.Min.Y+row)*src.W+from.Min.X), 4*from.Dx()
		switch dst.Depth() {
		case Float:
			copy(dst.PixF[d:d+n], src.PixF[s:])
		case Bits16:
			copy(dst.Pix16[d:d+n], src.Pix16[s:])
		default:
			copy(dst.Pix8[d:d+n], src.Pix8[s:])
		}
	}
}

// eachRow calls f for each row of m with the row's index range in the slice of values. It checks
// ctx before each row.
func eachRow(ctx context.Context, m *Map, f func(from, to int)) error {
	for y := range m.H {
		if err := ctx.Err(); err != nil {
			return err
		}
		f(4*m.W*y, 4*m.W*(y+1))
	}
	return nil
}

// Flip mirrors m in place: left to right if x is true, upside down if y is.
func Flip(ctx context.Context, m *Map, x, y bool) error {
	switch m.Depth() {
	case Float:
		return flip(ctx, m, m.PixF, x, y)
	case Bits16:
		return flip(ctx, m, m.Pix16, x, y)
	}
	return flip(ctx, m, m.Pix8, x, y)
}

func flip[T any](ctx context.Context, m *Map, pix []T, x, y bool) error {
	row := func(y int) []T { return pix[4*m.W*y : 4*m.W*(y+1)] }
	spare := make([]T, 4*m.W)
	for i := 0; y && i < m.H/2; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		upper, lower := row(i), row(m.H-1-i)
		copy(spare, upper)
		copy(upper, lower)
		copy(lower, spare)
	}
	for i := 0; x && i < m.H; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		copy(spare, row(i))
		for j := range m.W {
			copy(row(i)[4*j:4*j+4], spare[4*(m.W-1-j):])
		}
	}
	return ctx.Err()
}

// Convert returns m at another depth, or m itself if it already has that depth. Colors of 8 and 16
// bits have the encoding c. Colors of floats are linear light unless c is Data. Light above 1
// becomes 1 when it is converted to integers.
func Convert(ctx context.Context, m *Map, d Depth, c Color) (*Map, error) {
	if m.Depth() == d {
		return m, ctx.Err()
	}
	made, row := New(m.W, m.H, d), make([]float32, 4*m.W)
	from, to := light{m: m, color: c}, light{m: made, color: c}
	if m.Depth() != Float && d != Float {
		// The curves of source and target are the same, so no conversion is needed.
		from.color, to.color = Data, Data
	}
	scale := to.alphaTop() / from.alphaTop()
	for y := range m.H {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from.widenRow(row, y)
		for i, v := range row {
			row[i] = float32(min(float64(v)*scale, to.colorTop()))
		}
		to.narrowRow(made, y, row, nil)
	}
	return made, nil
}
