package pixmap

import (
	"context"
	"math"
	"math/bits"

	"github.com/assetcook/assetcook/internal/detmath"
)

const (
	// smallestPrefiltered is the side of the last level, as in Filament's cmgen. In smaller levels
	// the widest lobes would cover too few texels.
	smallestPrefiltered = 16
	// prefilterSamples is the number of samples of the widest lobe. Narrower lobes have
	// proportionally fewer samples, which saves time and keeps all levels about equally exact.
	prefilterSamples = 1024
)

// PrefilterLevels returns how many levels Prefilter computes for a cube with faces of side pixels,
// including the cube itself. It returns 1 if the cube is too small for further levels.
func PrefilterLevels(side int) int {
	return max(1, bits.Len(uint(side/smallestPrefiltered)))
}

// A Roughness returns the perceptual roughness (the square root of GGX's alpha) of a level out of
// n. It returns 0 for the first level and 1 for the last.
type Roughness func(level, n int) float64

// LinearRoughness is proportional to the number of the level.
func LinearRoughness(level, n int) float64 { return float64(level) / float64(n-1) }

// FilamentRoughness is the mapping of Filament and Ogre-Next, whose shaders sample level
// r(2-r)(n-1) for a roughness r.
func FilamentRoughness(level, n int) float64 {
	return 1 - math.Sqrt(1-LinearRoughness(level, n))
}

// Prefilter computes the levels of a cube map for reflections in image-based lighting. Each level
// is the cube blurred by the GGX lobe of its roughness, seen head-on (Karis, "Real Shading in
// Unreal Engine 4", 2013). Prefilter passes the levels below the given faces to the function take,
// face after face of each level. The function each runs the loops of Prefilter: it must call do for
// all numbers below n, in any order and on any goroutines.
//
// Directions are importance-sampled. Each sample reads the level of the unblurred cube whose texels
// cover about the sample's solid angle (Křivánek and Colbert, "Real-time Shading with Filtered
// Importance Sampling", 2008). This avoids bright specks around small lights.
func Prefilter(ctx context.Context, faces []*Map, c Color, roughness Roughness, each func(ctx context.Context, n int, do func(i int) error) error, take func(level int, whole *Map) error) error {
	side := faces[0].W
	n := PrefilterLevels(side)
	if n == 1 {
		return ctx.Err()
	}
	r, err := newRadiance(ctx, faces, c)
	if err != nil {
		return err
	}
	l := light{m: faces[0], color: c}
	for level := 1; level < n; level++ {
		small := side >> level
		lobe := newLobe(roughness(level, n), side, len(r.levels))
		for face := range faces {
			made, rows := New(small, small, l.m.Depth()), make([]float32, 4*small*small)
			err := each(ctx, small, func(y int) error {
				if err := ctx.Err(); err != nil {
					return err
				}
				row := rows[4*small*y : 4*small*(y+1)]
				for x := range small {
					u, v := (float64(2*x)+1)/float64(small)-1, (float64(2*y)+1)/float64(small)-1
					seen := r.through(lobe, unitDirection(faceDirection(face, u, v)))
					seen[3] = min(seen[3], 1) * l.alphaTop()
					for k, s := range seen {
						row[4*x+k] = float32(min(s, l.colorTop()))
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			for y := range small {
				l.narrowRow(made, y, rows[4*small*y:4*small*(y+1)], nil)
			}
			if err := take(level, made); err != nil {
				return err
			}
		}
	}
	return nil
}

// PrefilterMemory returns an upper bound on the bytes that Prefilter holds at once, excluding the
// faces.
func PrefilterMemory(side int) int64 {
	memory := int64(curveMemory) + prefilterSamples*48
	texels := int64(side+2) * int64(side+2)
	// Prefilter holds the pyramid with borders, one face as floats with its smaller levels, and two
	// copies of a computed level.
	memory += 6*16*texels*4/3 + 16*texels*4/3 + 2*16*texels/4
	return memory + MipMemory(side, side, Float, MipOptions{Whole: true})
}

// A lobeSample is a light direction in a frame whose z axis is the normal.
type lobeSample struct {
	d      [3]float64
	weight float64 // fraction of the lobe that the sample represents; the weights of all samples add up to 1
	level  float64 // level of the unblurred cube to sample
}

// newLobe returns the sample directions of the GGX lobe, for a cube with the given side and number
// of levels.
func newLobe(roughness float64, side, levels int) []lobeSample {
	alpha2 := float64(roughness * roughness * roughness * roughness)
	samples := math.Ceil(prefilterSamples * roughness)
	lobe, sum := make([]lobeSample, 0, int(samples)), 0.0
	texel := 4 * math.Pi / (6 * float64(side) * float64(side))
	for i := range int(samples) {
		// The samples are Hammersley points, centered in their intervals.
		a := float64((float64(i) + 0.5) / samples)
		angle := float64(bits.Reverse32(uint32(i))) / (1 << 31) // angle in half turns
		cos2 := (1 - a) / (1 - float64(a*(1-alpha2)))
		cos, sin := math.Sqrt(cos2), math.Sqrt(max(0, 1-cos2))
		z := float64(2*cos2) - 1 // cosine of the angle between the normal and the light direction, which is reflected about the half vector
		if z <= 0 {
			continue
		}
		across := 2 * cos * sin
		denominator := 1 - float64(cos2*(1-alpha2))
		density := alpha2 / (4 * math.Pi * denominator * denominator)
		covered := 1 / (samples * density)
		// The sampled footprint is four times the covered area, and overlaps its neighbors, as in
		// Filament's cmgen.
		level := 0.5 * detmath.Log(4*covered/texel) / math.Ln2
		lobe = append(lobe, lobeSample{
			d:      [3]float64{across * detmath.CosPi(angle), across * detmath.SinPi(angle), z},
			weight: z, level: min(max(level, 0), float64(levels-1)),
		})
		sum += z
	}
	for i := range lobe {
		lobe[i].weight /= sum
	}
	return lobe
}

// A radiance holds the light of a cube as floats, level by level.
type radiance struct{ levels []radianceLevel }

// A radianceLevel holds six faces of side pixels. Each face has a border of one pixel copied from
// its neighbors, so that the four pixels around any point are in the same face.
type radianceLevel struct {
	side  int
	faces [6][]float32
}

// newRadiance computes all levels of the cube by averaging the pixels of each face.
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
			l.widenRow(row, y)
			for k := 3; k < len(row); k += 4 {
				row[k] /= float32(l.alphaTop()) // alpha of maps of floats, from 0 to 1
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
		r.levels[i].fillBorders()
	}
	return r, nil
}

// putFace copies a face into the level, inside the face's border.
func (l *radianceLevel) putFace(face int, m *Map) {
	l.faces[face] = make([]float32, 4*(l.side+2)*(l.side+2))
	for y := range l.side {
		copy(l.faces[face][l.texelIndex(0, y):], m.PixF[4*l.side*y:4*l.side*(y+1)])
	}
}

// texelIndex returns the index of pixel x, y in a face; x and y range from -1 to side.
func (l *radianceLevel) texelIndex(x, y int) int { return 4 * ((y+1)*(l.side+2) + x + 1) }

// fillBorders copies the border of each face from its neighbors.
func (l *radianceLevel) fillBorders() {
	for face := range l.faces {
		for i := -1; i <= l.side; i++ {
			for _, p := range [4][2]int{{i, -1}, {i, l.side}, {-1, i}, {l.side, i}} {
				u, v := float64(2*p[0]+1)/float64(l.side)-1, float64(2*p[1]+1)/float64(l.side)-1
				other, ou, ov := facePoint(faceDirection(face, u, v))
				x := min(max(int((ou+1)/2*float64(l.side)), 0), l.side-1)
				y := min(max(int((ov+1)/2*float64(l.side)), 0), l.side-1)
				copy(l.faces[face][l.texelIndex(p[0], p[1]):][:4], l.faces[other][l.texelIndex(x, y):])
			}
		}
	}
}

// through returns the light that arrives through a lobe around the normal n.
func (r *radiance) through(lobe []lobeSample, n [3]float64) (sum [4]float64) {
	across, up := tangentFrame(n)
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

// addFacePixels adds the bilinear interpolation of the four pixels around a point of a face.
func (l *radianceLevel) addFacePixels(sum *[4]float64, weight float64, face int, u, v float64) {
	x, y := float64((u+1)/2*float64(l.side))+0.5, float64((v+1)/2*float64(l.side))+0.5
	left, top := min(max(int(x), 0), l.side), min(max(int(y), 0), l.side)
	fx, fy := x-float64(left), y-float64(top)
	at := l.texelIndex(left-1, top-1)
	a, b := l.faces[face][at:at+8:at+8], l.faces[face][at+4*(l.side+2):][:8]
	w00, w10, w01, w11 := weight*(1-fx)*(1-fy), weight*fx*(1-fy), weight*(1-fx)*fy, weight*fx*fy
	for k := range sum {
		sum[k] += float64(w00*float64(a[k])) + float64(w10*float64(a[k+4])) +
			float64(w01*float64(b[k])) + float64(w11*float64(b[k+4]))
	}
}

// facePoint returns the face and the point on it in direction d. It is the inverse of
// faceDirection.
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

// tangentFrame returns two unit vectors that are perpendicular to n and to each other.
func tangentFrame(n [3]float64) (a, b [3]float64) {
	up := [3]float64{0, 0, 1}
	if math.Abs(n[2]) > 0.9 {
		up = [3]float64{1, 0, 0}
	}
	a = unitDirection(cross3(up, n))
	return a, cross3(n, a)
}

func cross3(a, b [3]float64) [3]float64 {
	return [3]float64{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

// unitDirection returns d, scaled to length 1.
func unitDirection(d [3]float64) [3]float64 {
	length := math.Sqrt(float64(d[0]*d[0]) + float64(d[1]*d[1]) + float64(d[2]*d[2]))
	return [3]float64{d[0] / length, d[1] / length, d[2] / length}
}

// Harmonics holds the first nine spherical harmonic coefficients of a function on the sphere, for
// red, green and blue. Their order is (l, m) = (0, 0), (1, -1), (1, 0), (1, 1), (2, -2) ... (2, 2),
// which is the order of the polynomials 1, y, z, x, xy, yz, 3z²-1, xz, x²-y².
type Harmonics [9][3]float64

// harmonicScales are the factors that turn the polynomials of Harmonics into the real orthonormal
// harmonics, all with a positive sign: 1/sqrt(4 pi), sqrt(3/(4 pi)), sqrt(15/(4 pi)), sqrt(5/(16
// pi)) and sqrt(15/(16 pi)).
var harmonicScales = [9]float64{
	0.28209479177387814,
	0.4886025119029199, 0.4886025119029199, 0.4886025119029199,
	1.0925484305920792, 1.0925484305920792, 0.31539156525252005, 1.0925484305920792, 0.5462742152960396,
}

// cosineLobe holds the factors that turn harmonics of radiance into harmonics of irradiance,
// divided by pi.
var cosineLobe = [9]float64{1, 2. / 3, 2. / 3, 2. / 3, 0.25, 0.25, 0.25, 0.25, 0.25}

// Radiance returns the harmonics of the light of a cube. For each harmonic, it integrates the light
// times the harmonic over all directions. Each texel is weighted by its solid angle; alpha is
// ignored. White of 8 and 16 bits is 1. Directions are as in cube sampling: +X is the first face.
// The parameter each is explained at Prefilter.
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
			light{m: m, color: c}.widenRow(row, y)
			for x, angle := range angles {
				u := float64(2*x+1-side) / float64(side)
				basis := polynomials(unitDirection(faceDirection(face, u, v)))
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
	// Rows are summed in order, so that the sum is deterministic.
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

// Irradiance turns harmonics of radiance into coefficients of the polynomials of Harmonics. The sum
// of the polynomials is irradiance divided by pi, which is the light that a white Lambertian
// surface reflects (Ramamoorthi and Hanrahan, "An Efficient Representation for Irradiance
// Environment Maps", 2001).
func (h Harmonics) Irradiance() Harmonics {
	for i := range h {
		for k := range h[i] {
			h[i][k] *= harmonicScales[i] * cosineLobe[i]
		}
	}
	return h
}

// polynomials evaluates the polynomials of Harmonics for the direction n.
func polynomials(n [3]float64) [9]float64 {
	x, y, z := n[0], n[1], n[2]
	return [9]float64{
		1, y, z, x, x * y, y * z,
		float64(3*z*z) - 1, x * z, float64(x*x) - float64(y*y),
	}
}

// solidAngles returns the solid angles of the texels of row y, which are the same for all faces.
func solidAngles(side, y int) []float64 {
	// corner returns the solid angle between the center of a face and a texel corner.
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
