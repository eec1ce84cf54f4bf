// Package pixmap holds images in memory, between source files and textures.
package pixmap

import (
	"context"
	"fmt"
)

// A Map is an image of W by H pixels in rows from the top. A pixel is four
// numbers: red, green, blue and straight alpha. Exactly one of the three slices
// is set; it has 4*W*H elements.
type Map struct {
	W, H int
	// Pix8 and Pix16 hold the numbers of files: 255 or 65535 is 1.0. The map does not know whether
	// colors are sRGB or plain data.
	Pix8  []uint8
	Pix16 []uint16
	// PixF is linear light without an upper bound, as in Radiance files. Alpha is 0 to 1.
	PixF []float32
}

// A Depth is the format of a Map's numbers: the slice that is set.
type Depth uint8

// The depths.
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

// Bytes returns the size of m's pixels.
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

// eachRow calls f for each row of m with the range of its numbers in the set slice. It checks ctx
// before each row.
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

// Convert returns m at another depth, or m itself if it has that depth. Colors of 8 and 16 bits are
// as c says; colors of floats are linear light unless they are Data. Light above 1 becomes 1 in
// whole numbers.
func Convert(ctx context.Context, m *Map, d Depth, c Color) (*Map, error) {
	if m.Depth() == d {
		return m, ctx.Err()
	}
	made, row := New(m.W, m.H, d), make([]float32, 4*m.W)
	from, to := light{m: m, color: c}, light{m: made, color: c}
	if m.Depth() != Float && d != Float {
		// Both use the same curve, so staying on it loses nothing.
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
