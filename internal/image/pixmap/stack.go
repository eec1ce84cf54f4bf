package pixmap

import (
	"context"
	"fmt"
)

// Stack returns the tiles of w by h pixels that m consists of one below another: those of its
// first row from left to right, then those of the next.
func Stack(ctx context.Context, m *Map, w, h int) (*Map, error) {
	if w < 1 || h < 1 || m.W%w != 0 || m.H%h != 0 {
		return nil, fmt.Errorf("%d x %d pixels have no tiles of %d x %d", m.W, m.H, w, h)
	}
	out, to := New(w, m.W/w*m.H, m.Depth()), 0
	for y := 0; y < m.H; y += h {
		for x := 0; x < m.W; x += w {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for row := y; row < y+h; row++ {
				copyPixels(out, 4*w*to, m, 4*(m.W*row+x), w)
				to++
			}
		}
	}
	return out, nil
}
