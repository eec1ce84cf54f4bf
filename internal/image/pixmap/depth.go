package pixmap

import "context"

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
