package pixmap

import (
	"context"
	"math"
)

// A radiance is the light of a cube as floats, level by level, seen from its middle.
type radiance struct{ levels []radianceLevel }

// A radianceLevel holds six faces of side pixels. Each face has a border of one pixel from its
// neighbors, so that the four pixels around a point are always in it.
type radianceLevel struct {
	side  int
	faces [6][]float32
}

// newRadiance averages six faces down to all levels.
func newRadiance(ctx context.Context, faces []*Map, c Color) (*radiance, error) {
	side := faces[0].W
	r := &radiance{levels: make([]radianceLevel, levelCount(side, side))}
	for i := range r.levels {
		r.levels[i].side = max(1, side>>i)
	}
	for i, f := range faces {
		wide := New(side, side, Float)
		l := light{m: f, color: c}
		for y := range side {
			row := wide.PixF[4*side*y : 4*side*(y+1)]
			l.widen(row, y)
			for k := 3; k < len(row); k += 4 {
				row[k] /= float32(l.alphaTop()) // maps of floats have alphas from 0 to 1
			}
		}
		r.levels[0].putFace(i, wide)
		o := MipOptions{Sampling: Sampling{Color: Linear, Premultiplied: true}, Whole: true}
		err := MipBands(ctx, wide, o, func(level int, m *Map) error {
			r.levels[level].putFace(i, m)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for i := range r.levels {
		r.levels[i].close()
	}
	return r, nil
}

// putFace stores a face inside its border.
func (l *radianceLevel) putFace(face int, m *Map) {
	l.faces[face] = make([]float32, 4*(l.side+2)*(l.side+2))
	for y := range l.side {
		copy(l.faces[face][l.at(0, y):], m.PixF[4*l.side*y:4*l.side*(y+1)])
	}
}

// at returns the index of pixel x, y in a face; both may be -1 to side.
func (l *radianceLevel) at(x, y int) int { return 4 * ((y+1)*(l.side+2) + x + 1) }

// close fills the borders.
func (l *radianceLevel) close() {
	for face := range l.faces {
		for i := -1; i <= l.side; i++ {
			for _, p := range [4][2]int{{i, -1}, {i, l.side}, {-1, i}, {l.side, i}} {
				u, v := float64(2*p[0]+1)/float64(l.side)-1, float64(2*p[1]+1)/float64(l.side)-1
				other, ou, ov := facePoint(faceDirection(face, u, v))
				x := min(max(int((ou+1)/2*float64(l.side)), 0), l.side-1)
				y := min(max(int((ov+1)/2*float64(l.side)), 0), l.side-1)
				copy(l.faces[face][l.at(p[0], p[1]):][:4], l.faces[other][l.at(x, y):])
			}
		}
	}
}

// through returns the light through a lobe around the normal n.
func (r *radiance) through(lobe []lobeSample, n [3]float64) (sum [4]float64) {
	across, up := frame(n)
	for _, s := range lobe {
		var d [3]float64
		for k := range d {
			d[k] = float64(s.d[0]*across[k]) + float64(s.d[1]*up[k]) + float64(s.d[2]*n[k])
		}
		face, u, v := facePoint(d)
		low := int(s.level)
		part := s.level - float64(low)
		r.levels[low].addFacePixels(&sum, s.weight*(1-part), face, u, v)
		if part > 0 {
			r.levels[low+1].addFacePixels(&sum, s.weight*part, face, u, v)
		}
	}
	return sum
}

// addFacePixels adds the four pixels around a point of a face, weighed by distance.
func (l *radianceLevel) addFacePixels(sum *[4]float64, weight float64, face int, u, v float64) {
	x, y := float64((u+1)/2*float64(l.side))+0.5, float64((v+1)/2*float64(l.side))+0.5
	left, top := min(max(int(x), 0), l.side), min(max(int(y), 0), l.side)
	fx, fy := x-float64(left), y-float64(top)
	at := l.at(left-1, top-1)
	a, b := l.faces[face][at:at+8:at+8], l.faces[face][at+4*(l.side+2):][:8]
	w00, w10, w01, w11 := weight*(1-fx)*(1-fy), weight*fx*(1-fy), weight*(1-fx)*fy, weight*fx*fy
	for k := range sum {
		sum[k] += float64(w00*float64(a[k])) + float64(w10*float64(a[k+4])) +
			float64(w01*float64(b[k])) + float64(w11*float64(b[k+4]))
	}
}

// facePoint is the inverse of faceDirection.
func facePoint(d [3]float64) (face int, u, v float64) {
	x, y, z := math.Abs(d[0]), math.Abs(d[1]), math.Abs(d[2])
	switch {
	case x >= y && x >= z && d[0] > 0:
		return 0, -d[2] / x, -d[1] / x
	case x >= y && x >= z:
		return 1, d[2] / x, -d[1] / x
	case y >= z && d[1] > 0:
		return 2, d[0] / y, d[2] / y
	case y >= z:
		return 3, d[0] / y, -d[2] / y
	case d[2] > 0:
		return 4, d[0] / z, -d[1] / z
	}
	return 5, -d[0] / z, -d[1] / z
}

// frame returns two directions that are perpendicular to n and to each other.
func frame(n [3]float64) (a, b [3]float64) {
	up := [3]float64{0, 0, 1}
	if math.Abs(n[2]) > 0.9 {
		up = [3]float64{1, 0, 0}
	}
	a = unit(cross3(up, n))
	return a, cross3(n, a)
}

func cross3(a, b [3]float64) [3]float64 {
	return [3]float64{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

// unit returns the direction of d with a length of 1.
func unit(d [3]float64) [3]float64 {
	length := math.Sqrt(float64(d[0]*d[0]) + float64(d[1]*d[1]) + float64(d[2]*d[2]))
	return [3]float64{d[0] / length, d[1] / length, d[2] / length}
}
