package pixmap

import (
	"context"
	"math"
	"testing"
)

// drawCube draws a function of directions on six faces.
func drawCube(side int, d Depth, color func(d [3]float64) float64) []*Map {
	faces := make([]*Map, 6)
	for i := range faces {
		faces[i] = New(side, side, d)
		for p := range side * side {
			n := normalized(faceDirection(i, float64(2*(p%side)+1)/float64(side)-1, float64(2*(p/side)+1)/float64(side)-1))
			for k := range 4 {
				if d == Float {
					faces[i].PixF[4*p+k] = float32(color(n))
					if k == 3 {
						faces[i].PixF[4*p+k] = 0.5
					}
				} else {
					faces[i].Pix8[4*p+k] = uint8(color(n))
				}
			}
		}
	}
	return faces
}

func normalized(d [3]float64) [3]float64 {
	l := math.Hypot(math.Hypot(d[0], d[1]), d[2])
	return [3]float64{d[0] / l, d[1] / l, d[2] / l}
}

func inOrder(_ context.Context, n int, do func(int) error) error {
	for i := range n {
		if err := do(i); err != nil {
			return err
		}
	}
	return nil
}

func fromTheEnd(ctx context.Context, n int, do func(int) error) error {
	return inOrder(ctx, n, func(i int) error { return do(n - 1 - i) })
}

// prefiltered returns the levels below the first, face after face.
func prefiltered(t testing.TB, faces []*Map, c Color, roughness Roughness, each func(context.Context, int, func(int) error) error) [][]*Map {
	levels := make([][]*Map, PrefilterLevels(faces[0].W))
	err := Prefilter(t.Context(), faces, c, roughness, each, func(level int, m *Map) error {
		levels[level] = append(levels[level], m)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return levels
}

// throughGGX integrates the definition around n by the midpoint rule: light weighed by n.l and the
// density D/4 of directions whose half vector is distributed by GGX.
func throughGGX(n [3]float64, roughness float64, color func(d [3]float64) float64) float64 {
	alpha := roughness * roughness
	helper := [3]float64{n[1], n[2], -n[0]}
	dot := helper[0]*n[0] + helper[1]*n[1] + helper[2]*n[2]
	a := normalized([3]float64{helper[0] - dot*n[0], helper[1] - dot*n[1], helper[2] - dot*n[2]})
	b := [3]float64{n[1]*a[2] - n[2]*a[1], n[2]*a[0] - n[0]*a[2], n[0]*a[1] - n[1]*a[0]}
	const thetas, phis = 300, 60
	sum, weights := 0.0, 0.0
	for i := range thetas {
		theta := (float64(i) + 0.5) / thetas * math.Pi / 2
		half := math.Cos(theta / 2)
		q := half*half*(alpha*alpha-1) + 1
		weight := alpha * alpha / (q * q) * math.Cos(theta) * math.Sin(theta)
		for j := range phis {
			sin, cos := math.Sincos(float64(j) / phis * 2 * math.Pi)
			var l [3]float64
			for k := range l {
				l[k] = math.Sin(theta)*(cos*a[k]+sin*b[k]) + math.Cos(theta)*n[k]
			}
			sum += weight * color(l)
			weights += weight
		}
	}
	return sum / weights
}

// Levels are the defining integral, within 1 % of the brightest light at any roughness, also for
// light that falls off steeply.
func TestPrefilterIsTheIntegral(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and starts no goroutines")
	}
	sun := normalized([3]float64{0.9, 0.7, 0.8}) // beside an edge of faces
	sky := func(d [3]float64) float64 {
		return 0.5 + 0.3*d[1] + 0.2*d[0]*d[2] + 4*math.Exp(20*(d[0]*sun[0]+d[1]*sun[1]+d[2]*sun[2]-1))
	}
	for name, way := range map[string]struct {
		roughness Roughness
		of        [4]float64
	}{
		"linear":   {LinearRoughness, [4]float64{0, 1. / 3, 2. / 3, 1}},
		"filament": {FilamentRoughness, [4]float64{0, 0.1835034, 0.4226497, 1}}, // r(2-r) is 0, 1/3 ...
	} {
		levels := prefiltered(t, drawCube(128, Float, sky), Linear, way.roughness, inOrder)
		if len(levels) != 4 {
			t.Fatalf("%d levels, want 4: sides of 128, 64, 32 and 16", len(levels))
		}
		for level := 1; level < len(levels); level++ {
			side, worst := 128>>level, 0.0
			for face, m := range levels[level] {
				for p := 0; p < side*side; p += side*side/23 + 1 {
					n := normalized(faceDirection(face, float64(2*(p%side)+1)/float64(side)-1, float64(2*(p/side)+1)/float64(side)-1))
					worst = max(worst, math.Abs(float64(m.PixF[4*p])-throughGGX(n, way.of[level], sky)))
				}
			}
			t.Logf("%s level %d: off by %.4f at most", name, level, worst)
			if worst > 0.05 {
				t.Errorf("%s level %d is off by %g", name, level, worst)
			}
		}
	}
}

// A constant cube stays constant.
func TestPrefilterKeepsAConstant(t *testing.T) {
	for _, d := range []Depth{Float, Bits8} {
		for level, faces := range prefiltered(t, drawCube(48, d, func([3]float64) float64 { return 77 }), SRGB, LinearRoughness, inOrder) {
			for _, m := range faces {
				for i := range 4 * m.W * m.H {
					want := 77.0
					if d == Float && i%4 == 3 {
						want = 0.5
					}
					if d == Float && math.Abs(float64(m.PixF[i])-want) > 1e-4 || d == Bits8 && m.Pix8[i] != 77 {
						t.Fatalf("depth %d, level %d: not constant at %d", d, level, i)
					}
				}
			}
		}
	}
}

// Rows may be computed in any order.
func TestPrefilterWorksInAnyOrder(t *testing.T) {
	faces := drawCube(32, Float, func(d [3]float64) float64 { return 1 + d[0]*d[1] })
	a, b := prefiltered(t, faces, Linear, LinearRoughness, inOrder), prefiltered(t, faces, Linear, LinearRoughness, fromTheEnd)
	for face := range 6 {
		for i, v := range a[1][face].PixF {
			if math.Float32bits(v) != math.Float32bits(b[1][face].PixF[i]) {
				t.Fatalf("face %d differs at %d", face, i)
			}
		}
	}
}

func TestPrefilterLevels(t *testing.T) {
	for side, want := range map[int]int{1: 1, 16: 1, 31: 1, 32: 2, 48: 2, 256: 5, 1024: 7} {
		if got := PrefilterLevels(side); got != want {
			t.Errorf("side %d: %d levels, want %d", side, got, want)
		}
	}
}

func TestFacePoint(t *testing.T) {
	for face := range 6 {
		for _, p := range [][2]float64{{0, 0}, {0.5, -0.25}, {-0.9, 0.7}} {
			if f, u, v := facePoint(faceDirection(face, p[0], p[1])); f != face || u != p[0] || v != p[1] {
				t.Errorf("face %d, %v is face %d, %g, %g", face, p, f, u, v)
			}
		}
	}
}
