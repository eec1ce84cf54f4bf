package drawn

import "math"

// An affine transform is three columns and the translation.
type affine [12]float64

var identity = affine{0: 1, 4: 1, 8: 1}

// times returns the transform that applies b first.
func (a *affine) times(b *affine) affine {
	var c affine
	for column := range 4 {
		for row := range 3 {
			x := a[row]*b[3*column] + a[3+row]*b[3*column+1] + a[6+row]*b[3*column+2]
			if column == 3 {
				x += a[9+row]
			}
			c[3*column+row] = x
		}
	}
	return c
}

func (a *affine) point(x, y, z float64) (px, py, pz float64) {
	return a[0]*x + a[3]*y + a[6]*z + a[9], a[1]*x + a[4]*y + a[7]*z + a[10], a[2]*x + a[5]*y + a[8]*z + a[11]
}

// normals returns what transforms normals: the inverse's transpose, scaled.
func (a *affine) normals() affine {
	n := affine{
		a[4]*a[8] - a[5]*a[7], a[5]*a[6] - a[3]*a[8], a[3]*a[7] - a[4]*a[6],
		a[7]*a[2] - a[8]*a[1], a[8]*a[0] - a[6]*a[2], a[6]*a[1] - a[7]*a[0],
		a[1]*a[5] - a[2]*a[4], a[2]*a[3] - a[0]*a[5], a[0]*a[4] - a[1]*a[3],
	}
	largest := 0.
	for _, x := range n {
		largest = max(largest, math.Abs(x))
	}
	if a.mirrors() {
		largest = -largest
	}
	if largest == 0 {
		return identity // everything is in a plane or nowhere
	}
	for i := range n {
		n[i] /= largest
	}
	return n
}

// mirrors reports whether triangles turn inside out.
func (a *affine) mirrors() bool {
	return a[0]*(a[4]*a[8]-a[5]*a[7])+a[1]*(a[5]*a[6]-a[3]*a[8])+a[2]*(a[3]*a[7]-a[4]*a[6]) < 0
}

// plus adds a share of another transform.
func (a *affine) plus(b *affine, share float64) {
	for i := range a {
		a[i] += b[i] * share
	}
}

// columns takes the affine part of a 4x4 matrix, stored by columns.
func columns[T float32 | float64](m []T) (a affine) {
	for column := range 4 {
		for row := range 3 {
			a[3*column+row] = float64(m[4*column+row])
		}
	}
	return a
}

// compose returns the transform that scales, rotates by a quaternion and moves.
func compose(move [3]float64, turn [4]float64, scale [3]float64) affine {
	if l := math.Sqrt(turn[0]*turn[0] + turn[1]*turn[1] + turn[2]*turn[2] + turn[3]*turn[3]); l > 0 {
		for i := range turn {
			turn[i] /= l
		}
	} else {
		turn = [4]float64{3: 1}
	}
	x, y, z, w := turn[0], turn[1], turn[2], turn[3]
	a := affine{
		1 - 2*(y*y+z*z), 2 * (x*y + z*w), 2 * (x*z - y*w),
		2 * (x*y - z*w), 1 - 2*(x*x+z*z), 2 * (y*z + x*w),
		2 * (x*z + y*w), 2 * (y*z - x*w), 1 - 2*(x*x+y*y),
		move[0], move[1], move[2],
	}
	for i := range 9 {
		a[i] *= scale[i/3]
	}
	return a
}
