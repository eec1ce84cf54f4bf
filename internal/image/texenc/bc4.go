package texenc

import (
	"context"

	"github.com/assetcook/assetcook/internal/image/bc6h"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// A BC4 block has two 8-bit endpoints and sixteen 3-bit indices. If the first endpoint is larger,
// the indices select one of eight values between the endpoints. Otherwise they select one of six
// values, or 0, or 255.
//
// Source: Microsoft, "Texture Block Compression in Direct3D 11", BC4. Values are interpolated
// exactly here; decoders round the result to their own precision.

// encodeBC4 encodes a block of sixteen values from 0 to 255. Their fractions hold the additional
// precision of a 16-bit source.
func encodeBC4(dst *[8]byte, v *[16]float32, q Quality) {
	low, high := v[0], v[0]
	for _, x := range v[1:] {
		low, high = min(low, x), max(high, x)
	}
	best := rampFit(v, low, high, 7, q)
	if q != Fast && best.err > 0 {
		// The six-value mode encodes 0 and 255 without using an endpoint.
		if low < 1 || high > 254 {
			best = best.improvesRamp(rampFitInside(v, q))
		}
		best = best.improvesRamp(rampFit(v, low+float32((high-low)/16), high-float32((high-low)/16), 7, q))
	}
	best.writeRamp(dst)
}

// A ramp is a candidate encoding of sixteen values. It has steps+1 evenly spaced values from low to
// high. With 5 steps instead of 7, it also has the values 0 and 255.
type ramp struct {
	low, high int
	steps     int
	index     [16]uint8 // number of steps from low, or atZero or atFull
	err       float32   // sum of squared errors
}

const (
	atZero = 6
	atFull = 7
)

func (r ramp) improvesRamp(s ramp) ramp {
	if s.err < r.err {
		return s
	}
	return r
}

// rampFit fits a ramp to v, starting with the endpoints low and high.
func rampFit(v *[16]float32, low, high float32, steps int, q Quality) ramp {
	best := rampBetween(v, clampedByte(low), clampedByte(high), steps)
	for range fitRounds(q) {
		if best.err == 0 {
			break
		}
		a, b, ok := rampEnds(v, &best)
		if !ok {
			break
		}
		next := rampBetween(v, a, b, steps)
		if next.err >= best.err {
			break
		}
		best = next
	}
	if q == Best {
		best = rampNear(v, best)
	}
	return best
}

func fitRounds(q Quality) int {
	switch q {
	case Fast:
		return 1
	case Normal:
		return 3
	}
	return 8
}

// rampFitInside fits a ramp of six values to the values that are neither 0 nor 255.
func rampFitInside(v *[16]float32, q Quality) ramp {
	low, high := float32(255), float32(0)
	for _, x := range v {
		if x >= 1 && x <= 254 {
			low, high = min(low, x), max(high, x)
		}
	}
	if low > high { // the block has no values except 0 and 255
		low, high = 0, 255
	}
	return rampFit(v, low, high, 5, q)
}

// rampNear tries endpoints next to the endpoints of r as long as this reduces the error.
func rampNear(v *[16]float32, r ramp) ramp {
	for better := true; better && r.err > 0; {
		better = false
		from := r
		for low := max(0, from.low-2); low <= min(255, from.low+2); low++ {
			for high := max(low, from.high-2); high <= min(255, from.high+2); high++ {
				if next := rampBetween(v, low, high, r.steps); next.err < r.err {
					r, better = next, true
				}
			}
		}
	}
	return r
}

// rampBetween encodes v with the given endpoints.
func rampBetween(v *[16]float32, low, high, steps int) ramp {
	if low > high {
		low, high = high, low
	}
	r := ramp{low: low, high: high, steps: steps}
	from, n := float32(low), float32(steps)
	width := float32(high) - from
	scale, step := float32(0), width/n
	if width > 0 {
		scale = n / width
	}
	for i, x := range v {
		k := int32(float32((x-from)*scale) + 0.5) // values below low are rounded to 0
		k = max(0, min(int32(steps), k))
		d := x - from - float32(float32(k)*step)
		e := float32(d * d)
		if steps == 5 {
			if z := float32(x * x); z < e {
				k, e = atZero, z
			}
			if w := float32((255 - x) * (255 - x)); w < e {
				k, e = atFull, w
			}
		}
		r.index[i] = uint8(k)
		r.err += e
	}
	return r
}

// rampEnds returns the least-squares endpoints for r's indices. It returns false if all indices are
// equal.
func rampEnds(v *[16]float32, r *ramp) (low, high int, ok bool) {
	n := int32(r.steps)
	var aa, ab, bb int32
	var av, bv float32
	for i, x := range v {
		k := int32(r.index[i])
		if k > n {
			continue
		}
		aa, ab, bb = aa+(n-k)*(n-k), ab+k*(n-k), bb+k*k
		av += float32(float32(n-k) * x)
		bv += float32(float32(k) * x)
	}
	det := aa*bb - ab*ab
	if det == 0 {
		return 0, 0, false
	}
	scale := float32(n) / float32(det)
	low = clampedByte(float32((float32(float32(bb)*av) - float32(float32(ab)*bv)) * scale))
	high = clampedByte(float32((float32(float32(aa)*bv) - float32(float32(ab)*av)) * scale))
	return low, high, true
}

func clampedByte(x float32) int { return int(max(0, min(255, x)) + 0.5) }

func (r *ramp) writeRamp(dst *[8]byte) {
	// The order of the endpoints encodes the number of steps.
	dst[0], dst[1] = byte(r.high), byte(r.low)
	if r.steps == 5 || r.low == r.high {
		dst[0], dst[1] = byte(r.low), byte(r.high)
	}
	code := [8]uint64{1, 7, 6, 5, 4, 3, 2, 0} // codes of the indices from low to high
	switch {
	case r.low == r.high && r.steps == 7:
		code = [8]uint64{} // if all values are equal, all codes are 0
	case r.steps == 5:
		code = [8]uint64{0, 2, 3, 4, 5, 1, atZero, atFull}
	}
	var bits uint64
	for i, k := range r.index {
		bits |= code[k] << (3 * i)
	}
	for i := range 6 {
		dst[2+i] = byte(bits >> (8 * i))
	}
}

// appendBC6H appends unsigned BC6H blocks to out.
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
				colors[i] = r.halvesAt(x+i%4, y+i/4)
			}
			block := bc6h.Encode(&colors, o.Quality)
			out = append(out, block[:]...)
		}
	}
	return out, nil
}

// halvesAt returns the color at x, y, or at the nearest edge.
func (r *linearReader) halvesAt(x, y int) [3]uint16 {
	at := 4 * (r.m.W*min(y, r.m.H-1) + min(x, r.m.W-1))
	return [3]uint16{halfFloat(r.numberAt(at), false), halfFloat(r.numberAt(at+1), false), halfFloat(r.numberAt(at+2), false)}
}
