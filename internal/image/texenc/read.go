package texenc

import "github.com/assetcook/assetcook/internal/image/pixmap"

// A reader reads the pixels of a map as numbers from 0 to 255, whatever its
// depth.
type reader struct {
	m     *pixmap.Map
	curve *curve // for floats that shall be sRGB
}

func newReader(m *pixmap.Map, srgb bool) *reader {
	r := &reader{m: m}
	if srgb && m.PixF != nil {
		r.curve = srgbCurve()
	}
	return r
}

// block reads the block whose first pixel is at x, y.
func (r *reader) block(b *block, x, y int) {
	for j := range 4 {
		row := r.m.W * min(y+j, r.m.H-1)
		for i := range 4 {
			at, to := 4*(row+min(x+i, r.m.W-1)), 4*j+i
			switch {
			case r.m.Pix8 != nil:
				p := r.m.Pix8[at : at+4 : at+4]
				b[0][to], b[1][to], b[2][to], b[3][to] = float32(p[0]), float32(p[1]), float32(p[2]), float32(p[3])
			case r.m.Pix16 != nil:
				for k, v := range r.m.Pix16[at : at+4] {
					b[k][to] = float32(v) / 257
				}
			default:
				for k, v := range r.m.PixF[at : at+4] {
					b[k][to] = r.ofFloat(v, k)
				}
			}
		}
	}
}

// ofFloat returns the number from 0 to 255 of channel k of a float map.
func (r *reader) ofFloat(v float32, k int) float32 {
	if r.curve != nil && k < 3 {
		return float32(r.curve.byteOf(v))
	}
	return float32(unit(v) * 255)
}

// unit clamps v to 0 and 1. NaN becomes 0.
func unit(v float32) float32 {
	if !(v > 0) {
		return 0
	}
	return min(v, 1)
}

// byteAt returns the i-th number of the map, rounded to eight bits.
func (r *reader) byteAt(i int) byte {
	switch {
	case r.m.Pix8 != nil:
		return r.m.Pix8[i]
	case r.m.Pix16 != nil:
		return byte((uint32(r.m.Pix16[i]) + 128) / 257)
	}
	return byte(r.ofFloat(r.m.PixF[i], i%4) + 0.5)
}

// stepAt returns the i-th number of the map, rounded to steps from 0 to top,
// which is at most 65535. Floats stay linear.
func (r *reader) stepAt(i int, top uint32) uint32 {
	switch {
	case r.m.Pix8 != nil:
		return (uint32(r.m.Pix8[i])*top*2 + 255) / 510
	case r.m.Pix16 != nil:
		return uint32((uint64(r.m.Pix16[i])*uint64(top)*2 + 65535) / 131070)
	}
	return uint32(float64(float64(unit(r.m.PixF[i]))*float64(top)) + 0.5)
}
