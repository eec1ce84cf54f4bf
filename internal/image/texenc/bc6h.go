package texenc

import (
	"context"
	"math"
	"math/bits"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// pairsAbove are the errors of one line beyond which two are tried: never with Fast.
var pairsAbove = [...]float32{Fast: math.MaxFloat32, Normal: 0.01, Best: 0}

// appendBC6H writes unsigned BC6H blocks, of one line of colors or of two.
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
			if line.err > pairsAbove[o.Quality] {
				if pair := fitPair(&block, o.Quality); pair.err < line.err {
					bytes := pair.Pack()
					out = append(out, bytes[:]...)
					continue
				}
			}
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

// A lightJudge says how unlike its block others look: the sum of the squares of relative
// errors, where nothing counts as darker than a sixteenth of the brightest value of the
// block, which outshines it.
type lightJudge struct {
	want, per [3][16]float32 // values, and what their errors are multiplied by
}

func judgeOf(block *lightBlock) (j lightJudge) {
	brightest := uint16(0)
	for _, p := range block {
		brightest = max(brightest, p[0], p[1], p[2])
	}
	glare := float32(valueOf(brightest)/16) + 1.0/(1<<20)
	for i := range block {
		for k, h := range block[i] {
			v := valueOf(h)
			j.want[k][i], j.per[k][i] = v, 1/(v+glare)
		}
	}
	return j
}

// of returns the error of a block.
func (j *lightJudge) of(got *lightBlock) (sum float32) {
	for i := range got {
		for k, h := range got[i] {
			d := float32((valueOf(h) - j.want[k][i]) * j.per[k][i])
			sum += float32(d * d)
		}
	}
	return sum
}

// along returns the error in a channel of the pixels of a mask, whose weights are in 64ths,
// where its ends are these values.
func (j *lightJudge) along(channel int, mask uint16, weights *[16]int32, from, to int32) (sum float32) {
	want, per := &j.want[channel], &j.per[channel]
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros16(mask) & 15
		mixed := (from*(64-weights[i]) + to*weights[i] + 32) >> 6
		d := float32((valueOf(uint16(mixed*31>>6)) - want[i]) * per[i])
		sum += float32(d * d)
	}
	return sum
}

// step betters the ends of a channel, which mean what wide says: it moves them by one
// as long as that helps and fits allows it.
func (j *lightJudge) step(channel int, mask uint16, weights *[16]int32, from, to *int32, wide func(int32) int32, fits func() bool) {
	least := j.along(channel, mask, weights, wide(*from), wide(*to))
	for better := true; better && least > 0; {
		better = false
		for _, d := range [...][2]int32{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}} {
			a, b := *from, *to
			*from, *to = a+d[0], b+d[1]
			if fits() {
				if e := j.along(channel, mask, weights, wide(*from), wide(*to)); e < least {
					least, better = e, true
					continue
				}
			}
			*from, *to = a, b
		}
	}
}

// valueOf returns the value of a half float that is finite and not negative.
func valueOf(h uint16) float32 {
	if h < 1<<10 {
		return float32(h) / (1 << 24)
	}
	return math.Float32frombits(uint32(h)<<13 + 112<<23)
}
