package pixmap

import (
	"context"
	"math"
)

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
