package pixmap

import (
	"context"
	"fmt"
	"math/bits"
)

// Resize returns m at a size of w by h pixels, as deep as m; m itself if it has
// that size.
func Resize(ctx context.Context, m *Map, w, h int, s Sampling) (*Map, error) {
	if w < 1 || h < 1 {
		return nil, fmt.Errorf("resize to %d x %d pixels: a side must have one at least", w, h)
	}
	if w == m.W && h == m.H {
		return m, ctx.Err()
	}
	opaque, err := Opaque(ctx, m)
	if err != nil {
		return nil, err
	}
	l := newLight(m, s)
	buf := make([]float32, 4*m.W)
	c := newScaler(l, s, s.weighs() && !opaque, m.W, m.H, w, h, func(y int) []float32 {
		l.widen(buf, y)
		return buf
	})
	made, row, spare := New(w, h, m.Depth()), make([]float32, 4*w), make([]float32, 4*w)
	for y := range h {
		if err := c.make(ctx, y, row); err != nil {
			return nil, err
		}
		l.narrow(made, y, row, spare)
	}
	return made, nil
}

// ResizeMemory returns the most bytes that Resize holds at once besides the map
// itself, from w by h to tw by th pixels, with the map that it returns.
func ResizeMemory(w, h, tw, th int, d Depth, f Filter) int64 {
	if w == tw && h == th {
		return 0
	}
	return int64(tw)*int64(th)*bytesPerPixel(d) + scalerMemory(f, w, h, tw, th) + 32*int64(tw) + curveMemory
}

// Fit returns the size of a picture of w by h pixels whose longest side shall
// have so many at most. Proportions stay, as far as whole pixels let them.
func Fit(w, h, longest int) (int, int) {
	if w <= longest && h <= longest {
		return w, h
	}
	scaled := func(a, b int) int { // a * longest / b, rounded
		return max(1, int((2*int64(a)*int64(longest)+int64(b))/(2*int64(b))))
	}
	if w >= h {
		return longest, scaled(h, w)
	}
	return scaled(w, h), longest
}

// A Rounding is which power of two a number becomes.
type Rounding uint8

// The roundings.
const (
	Down    Rounding = iota // the largest that is not above
	Up                      // the smallest that is not below
	Nearest                 // the one at the smaller distance, the larger of two
)

// PowerOfTwo rounds n, which is at least 1 and at most 1<<30, to a power of two.
func (r Rounding) PowerOfTwo(n int) int {
	down := 1 << (bits.Len(uint(n)) - 1)
	if r == Down || down == n || r == Nearest && n-down < 2*down-n {
		return down
	}
	return 2 * down
}
