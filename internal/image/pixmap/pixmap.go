// Package pixmap holds pictures in memory, between source files and textures.
package pixmap

import (
	"context"
	"fmt"
)

// A Map is a picture of W by H pixels in rows from the top. A pixel is four
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

// A Depth says which of the slices of a Map is set.
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
