package pixmap

import (
	"context"
	"fmt"
	"math/bits"
)

// Resize returns m at a size of w by h pixels, at the same depth; m itself if it has that size.
func Resize(ctx context.Context, m *Map, w, h int, s Sampling) (*Map, error) {
	if w < 1 || h < 1 {
		return nil, fmt.Errorf("resize to %d x %d pixels: a side must have at least one", w, h)
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

// ResizeMemory returns the most bytes that Resize holds at once, from w by h to tw by th pixels:
// including the returned map, without the given one.
func ResizeMemory(w, h, tw, th int, d Depth, f Filter) int64 {
	if w == tw && h == th {
		return 0
	}
	return int64(tw)*int64(th)*bytesPerPixel(d) + scalerMemory(f, w, h, tw, th) + 32*int64(tw) + curveMemory
}

// Fit returns the size of a picture of w by h pixels scaled down so that its longest side is at
// most longest. It keeps the proportions, up to rounding.
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

// A Rounding says how to round a number to a power of two.
type Rounding uint8

// The roundings.
const (
	Down    Rounding = iota // the largest that is not above
	Up                      // the smallest that is not below
	Nearest                 // the closer one; the larger of two
)

// PowerOfTwo rounds n, which is at least 1 and at most 1<<30, to a power of two.
func (r Rounding) PowerOfTwo(n int) int {
	down := 1 << (bits.Len(uint(n)) - 1)
	if r == Down || down == n || r == Nearest && n-down < 2*down-n {
		return down
	}
	return 2 * down
}
