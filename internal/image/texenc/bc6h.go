package texenc

import (
	"context"

	"github.com/assetcook/assetcook/internal/image/bc6h"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// appendBC6H writes unsigned BC6H blocks.
func appendBC6H(ctx context.Context, out []byte, m *pixmap.Map, o Options) ([]byte, error) {
	r := newLinearReader(m, o.SRGB)
	var colors bc6h.Colors
	for y := 0; y < m.H; y += 4 {
		for x := 0; x < m.W; x += 4 {
			if x/4%blocksBetweenLooks == 0 {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
			}
			for i := range 16 {
				colors[i] = r.halves(x+i%4, y+i/4)
			}
			block := bc6h.Encode(&colors, o.Quality)
			out = append(out, block[:]...)
		}
	}
	return out, nil
}

// halves returns the color at x, y, or at the edge next to it.
func (r *linearReader) halves(x, y int) [3]uint16 {
	at := 4 * (r.m.W*min(y, r.m.H-1) + min(x, r.m.W-1))
	return [3]uint16{half(r.at(at), false), half(r.at(at+1), false), half(r.at(at+2), false)}
}
