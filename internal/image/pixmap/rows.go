package pixmap

import "context"

// eachRow calls f for each row of m with where its numbers are in the slice that
// is set, and looks at ctx in between.
func eachRow(ctx context.Context, m *Map, f func(from, to int)) error {
	for y := range m.H {
		if err := ctx.Err(); err != nil {
			return err
		}
		f(4*m.W*y, 4*m.W*(y+1))
	}
	return nil
}
