package pixmap

import (
	"context"
	"math"
)

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
		from.widen(row, y)
		for i, v := range row {
			row[i] = float32(min(float64(v)*scale, to.colorTop()))
		}
		to.narrow(made, y, row, nil)
	}
	return made, nil
}

// Premultiply multiplies the colors of m by their alpha in place, as linear light in any encoding.
func Premultiply(ctx context.Context, m *Map, c Color) error {
	l, row := light{m: m, color: c}, make([]float32, 4*m.W)
	top := l.alphaTop()
	for y := range m.H {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.widen(row, y)
		for i := 0; i+4 <= len(row); i += 4 {
			p := row[i : i+4 : i+4]
			alpha := float64(p[3]) / top
			if alpha == 1 {
				continue
			}
			p[0], p[1], p[2] = float32(float64(p[0])*alpha), float32(float64(p[1])*alpha), float32(float64(p[2])*alpha)
		}
		l.narrow(m, y, row, nil)
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

// Repairs counts invalid light and says how it was replaced.
type Repairs struct {
	Negative int // became 0
	Infinite int // became 65504, the greatest half
	NaN      int // became 0
}

// Any reports whether something was repaired.
func (r *Repairs) Any() bool { return *r != Repairs{} }

// Light returns v if it is valid light, else its replacement.
func (r *Repairs) Light(v float32) float32 {
	const greatestHalf = 65504
	switch {
	case v >= 0 && v <= math.MaxFloat32:
		return v
	case v > 0:
		r.Infinite++
		return greatestHalf
	case v < 0:
		r.Negative++
	default:
		r.NaN++
	}
	return 0
}

// HalfValue returns the value of a half-precision float.
func HalfValue(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch exponent {
	case 0:
		v := float32(fraction) / (1 << 24) // exact
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// Straighten divides the colors of pixels by their alpha, which is limited to 1. Transparent pixels
// stay unchanged.
func Straighten(pix []float32) {
	for ; len(pix) > 0; pix = pix[4:] {
		p := pix[:4:4]
		if p[3] = min(p[3], 1); p[3] > 0 && p[3] < 1 {
			for c := range p[:3] {
				p[c] = min(p[c]/p[3], math.MaxFloat32)
			}
		}
	}
}
