package pixmap

import (
	"context"
	"fmt"
	"math"

	"github.com/assetcook/assetcook/internal/detmath"
)

// EquirectSide returns the side in pixels of the faces that Equirect computes from an image of w by
// h pixels. It is a quarter of the width, so that a texel in the middle of a face covers about 1.3
// pixels. EquirectSide returns 0 unless the image is twice as wide as high.
func EquirectSide(w, h int) int {
	if w != 2*h {
		return 0
	}
	return max(1, w/4)
}

// Equirect computes the six faces of a cube, in the order +X -X +Y -Y +Z -Z, from an
// equirectangular image. Longitude runs from left to right and latitude from top to bottom. The
// center is +Z, as in Filament, and +X is a quarter of the width to its right. A texel is the mean
// of four sample points. Each sample interpolates the four pixels around it in linear light,
// decoded from the encoding c.
//
// Faces are oriented as textures require; see Faces.
func Equirect(ctx context.Context, m *Map, c Color) ([]*Map, error) {
	side := EquirectSide(m.W, m.H)
	if side == 0 {
		return nil, fmt.Errorf("the image has %d x %d pixels; an equirectangular image is twice as wide as high", m.W, m.H)
	}
	e := newSphere(m, c)
	faces, row := make([]*Map, 6), make([]float32, 4*side)
	for i := range faces {
		faces[i] = New(side, side, m.Depth())
		for y := range side {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for x := range side {
				var sum [4]float64
				for j := range 4 {
					u := (float64(2*x+j%2)+0.5)/float64(side) - 1
					v := (float64(2*y+j/2)+0.5)/float64(side) - 1
					e.addDirection(&sum, faceDirection(i, u, v))
				}
				for k, s := range sum {
					row[4*x+k] = float32(s / 4)
				}
			}
			e.light.narrowRow(faces[i], y, row, nil)
		}
	}
	return faces, nil
}

// faceDirection returns the direction from the center of the cube to the point u, v of a face. u
// goes from -1 at the left to 1, v from -1 at the top to 1.
func faceDirection(face int, u, v float64) [3]float64 {
	switch face {
	case 0:
		return [3]float64{1, -v, -u}
	case 1:
		return [3]float64{-1, -v, u}
	case 2:
		return [3]float64{u, 1, v}
	case 3:
		return [3]float64{u, -1, -v}
	case 4:
		return [3]float64{u, -v, 1}
	}
	return [3]float64{-u, -v, -1}
}

// A sphere is an equirectangular image seen from its center.
type sphere struct {
	light light
	m     *Map
	wide  func(v uint16) float32 // converts an 8-bit or 16-bit color to linear light
	alpha uint16                 // factor that converts alphas of the map to 16 bits
}

func newSphere(m *Map, c Color) *sphere {
	s := &sphere{light: light{m: m, color: c}, m: m, wide: func(v uint16) float32 { return float32(v) }, alpha: 1}
	switch {
	case m.Depth() == Bits8:
		curve := s.light.curve()
		s.wide, s.alpha = func(v uint16) float32 { return float32(curve.wide[v]) }, 257
	case m.Depth() == Bits16 && c == SRGB:
		table := srgb16()
		s.wide = func(v uint16) float32 { return table[v] }
	}
	return s
}

// addDirection adds the color in direction d, interpolated from the four pixels around it. The
// image wraps around at its left and right edges.
func (s *sphere) addDirection(sum *[4]float64, d [3]float64) {
	across := math.Sqrt(float64(d[0]*d[0]) + float64(d[2]*d[2]))
	x := float64((arcTangent(d[0], d[2])/(2*math.Pi)+0.5)*float64(s.m.W)) - 0.5
	y := float64((0.5-arcTangent(d[1], across)/math.Pi)*float64(s.m.H)) - 0.5
	left, top := math.Floor(x), math.Floor(y)
	fx, fy := x-left, y-top
	for i := range 4 {
		column := (int(left) + i%2 + s.m.W) % s.m.W
		line := min(max(int(top)+i/2, 0), s.m.H-1)
		wx, wy := 1-fx, 1-fy
		if i%2 == 1 {
			wx = fx
		}
		if i/2 == 1 {
			wy = fy
		}
		weight := wx * wy
		for k, v := range s.lightAt(column, line) {
			sum[k] += float64(weight * float64(v))
		}
	}
}

// lightAt returns the pixel at x, y in linear light.
func (s *sphere) lightAt(x, y int) (p [4]float32) {
	at := 4 * (y*s.m.W + x)
	switch s.m.Depth() {
	case Float:
		for k, v := range s.m.PixF[at : at+4] {
			p[k] = sane(v)
		}
	case Bits16:
		q := s.m.Pix16[at : at+4]
		p = [4]float32{s.wide(q[0]), s.wide(q[1]), s.wide(q[2]), float32(q[3])}
	default:
		q := s.m.Pix8[at : at+4]
		p = [4]float32{s.wide(uint16(q[0])), s.wide(uint16(q[1])), s.wide(uint16(q[2])), float32(s.alpha * uint16(q[3]))}
	}
	return p
}

// arcTangent returns the angle of the point x, y, from -pi to pi.
func arcTangent(y, x float64) float64 {
	// The arc tangent of arguments up to 1 is exact to a few units in the last place.
	var a float64
	if small, large := math.Abs(y), math.Abs(x); small <= large {
		if large == 0 {
			return 0
		}
		a = detmath.Atan(small / large)
	} else {
		a = math.Pi/2 - detmath.Atan(large/small)
	}
	if x < 0 {
		a = math.Pi - a
	}
	return math.Copysign(a, y)
}
