package texenc

import (
	"context"
	"math"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// appendBC6H writes unsigned BC6H blocks of one line of colors each.
func appendBC6H(ctx context.Context, out []byte, m *pixmap.Map, o Options) ([]byte, error) {
	r := newLinearReader(m, o.SRGB)
	var block lightBlock
	for y := 0; y < m.H; y += 4 {
		for x := 0; x < m.W; x += 4 {
			if x/4%blocksBetweenLooks == 0 {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
			}
			for i := range 16 {
				block[i] = r.halves(x+i%4, y+i/4)
			}
			line := fitLight(&block, o.Quality)
			out = line.append(out)
		}
	}
	return out, nil
}

// A lightBlock is 4x4 colors as half floats, none of them negative.
type lightBlock [16][3]uint16

// halves returns the color at x, y, or at the edge next to it.
func (r *linearReader) halves(x, y int) [3]uint16 {
	at := 4 * (r.m.W*min(y, r.m.H-1) + min(x, r.m.W-1))
	return [3]uint16{half(r.at(at), false), half(r.at(at+1), false), half(r.at(at+2), false)}
}

// lightOf returns a half float on the scale of BC6H's values.
func lightOf(h uint16) float32 { return float32(float32(h) * (64.0 / 31)) }

// lightError says how unlike two blocks look: the sum of the squares of relative
// errors, where nothing counts as darker than a sixteenth of the brightest value
// beside it, which outshines it.
func lightError(want, got *lightBlock) float32 {
	brightest := uint16(0)
	for _, p := range want {
		brightest = max(brightest, p[0], p[1], p[2])
	}
	glare := float32(valueOf(brightest)/16) + 1.0/(1<<20)
	var sum float32
	for i := range want {
		for k := range 3 {
			v := valueOf(want[i][k])
			d := (valueOf(got[i][k]) - v) / (v + glare)
			sum += float32(d * d)
		}
	}
	return sum
}

// valueOf returns the value of a half float that is finite and not negative.
func valueOf(h uint16) float32 {
	if h < 1<<10 {
		return float32(h) / (1 << 24)
	}
	return math.Float32frombits(uint32(h)<<13 + 112<<23)
}
