package pixmap

import "context"

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
