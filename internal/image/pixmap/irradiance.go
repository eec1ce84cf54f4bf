package pixmap

import (
	"context"
	"math"

	"github.com/assetcook/assetcook/internal/detmath"
)

// Harmonics are the first nine spherical harmonics of a function of directions, for red, green and
// blue. They are in the order (l, m) = (0, 0), (1, -1), (1, 0), (1, 1), (2, -2) ... (2, 2), the
// order of the polynomials 1, y, z, x, xy, yz, 3z²-1, xz, x²-y².
type Harmonics [9][3]float64

// harmonicScales turns these polynomials into the real orthonormal harmonics, all with a positive
// sign: 1/sqrt(4 pi), sqrt(3/(4 pi)), sqrt(15/(4 pi)), sqrt(5/(16 pi)) and sqrt(15/(16 pi)).
var harmonicScales = [9]float64{
	0.28209479177387814,
	0.4886025119029199, 0.4886025119029199, 0.4886025119029199,
	1.0925484305920792, 1.0925484305920792, 0.31539156525252005, 1.0925484305920792, 0.5462742152960396,
}

// cosineLobe holds the factors from harmonics of radiance to irradiance, divided by pi.
var cosineLobe = [9]float64{1, 2. / 3, 2. / 3, 2. / 3, 0.25, 0.25, 0.25, 0.25, 0.25}

// Radiance returns the harmonics of the light of a cube: integrals over all directions of light
// times harmonic. Each texel counts with its solid angle; alpha is ignored. White of 8 and 16 bits
// is 1. Directions are as in cube sampling: +X is the first face. each is explained at Prefilter.
func Radiance(ctx context.Context, faces []*Map, c Color, each func(ctx context.Context, n int, do func(i int) error) error) (Harmonics, error) {
	side := faces[0].W
	lines := make([]Harmonics, side)
	err := each(ctx, side, func(y int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		angles, row := solidAngles(side, y), make([]float32, 4*side)
		v := float64(2*y+1-side) / float64(side)
		for face, m := range faces {
			light{m: m, color: c}.widen(row, y)
			for x, angle := range angles {
				u := float64(2*x+1-side) / float64(side)
				basis := polynomials(unit(faceDirection(face, u, v)))
				for i, b := range basis {
					weight := angle * b
					for k := range 3 {
						lines[y][i][k] += float64(weight * float64(row[4*x+k]))
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		return Harmonics{}, err
	}
	// Rows are summed in order, even if later ones were ready first.
	var sum Harmonics
	top := light{m: faces[0]}.alphaTop()
	for _, line := range lines {
		for i := range sum {
			for k := range sum[i] {
				sum[i][k] += float64(line[i][k] * (harmonicScales[i] / top))
			}
		}
	}
	return sum, nil
}

// Irradiance turns harmonics of radiance into factors of the polynomials. Their sum is irradiance
// divided by pi, the light that a white Lambertian surface reflects (Ramamoorthi and Hanrahan, "An
// Efficient Representation for Irradiance Environment Maps", 2001).
func (h Harmonics) Irradiance() Harmonics {
	for i := range h {
		for k := range h[i] {
			h[i][k] *= harmonicScales[i] * cosineLobe[i]
		}
	}
	return h
}

// polynomials returns the polynomials of Harmonics for the direction n.
func polynomials(n [3]float64) [9]float64 {
	x, y, z := n[0], n[1], n[2]
	return [9]float64{
		1, y, z, x, x * y, y * z,
		float64(3*z*z) - 1, x * z, float64(x*x) - float64(y*y),
	}
}

// solidAngles returns the solid angle of each texel of a row, which is the same for all faces.
func solidAngles(side, y int) []float64 {
	// corner returns the solid angle between the middle of a face and a corner of texels.
	corner := func(x, y int) float64 {
		u, v := float64(2*x-side)/float64(side), float64(2*y-side)/float64(side)
		return detmath.Atan(u * v / math.Sqrt(float64(u*u)+float64(v*v)+1))
	}
	angles := make([]float64, side)
	left := corner(0, y+1) - corner(0, y)
	for x := range angles {
		right := corner(x+1, y+1) - corner(x+1, y)
		angles[x], left = right-left, right
	}
	return angles
}
