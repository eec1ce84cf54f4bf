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
