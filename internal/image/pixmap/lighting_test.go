package pixmap

import (
	"context"
	"math"
	"math/rand/v2"
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

// prefiltered returns the levels below the first level. Each level has its faces in order.
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

// throughGGX integrates light around n by the midpoint rule. As the definition requires, light is
// weighted by n.l and by the density D/4 of directions whose half vectors are distributed by GGX.
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

// TestPrefilterIsTheIntegral compares levels with the integral that defines them. They differ by
// less than 1 % of the brightest light, at any roughness.
func TestPrefilterIsTheIntegral(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and starts no goroutines")
	}
	sun := normalized([3]float64{0.9, 0.7, 0.8}) // the direction is near an edge between two faces
	sky := func(d [3]float64) float64 {
		return 0.5 + 0.3*d[1] + 0.2*d[0]*d[2] + 4*math.Exp(20*(d[0]*sun[0]+d[1]*sun[1]+d[2]*sun[2]-1))
	}
	for name, way := range map[string]struct {
		roughness Roughness
		of        [4]float64
	}{
		"linear":   {LinearRoughness, [4]float64{0, 1. / 3, 2. / 3, 1}},
		"filament": {FilamentRoughness, [4]float64{0, 0.1835034, 0.4226497, 1}}, // the solutions r of r(2-r) = 0, 1/3, 2/3 and 1
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

// at returns the sum of the polynomials for the direction n.
func (h Harmonics) at(n [3]float64) float64 {
	sum := 0.0
	for i, p := range polynomials(n) {
		sum += p * h[i][0]
	}
	return sum
}

func harmonicsOf(t testing.TB, faces []*Map, c Color) Harmonics {
	t.Helper()
	h, err := Radiance(t.Context(), faces, c, inOrder)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func randomDirection(r *rand.Rand) [3]float64 {
	return normalized([3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()})
}

// TestIrradianceOfAConstant checks that a constant radiance L gives an irradiance of pi L on all
// surfaces.
func TestIrradianceOfAConstant(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, side := range []int{1, 2, 5, 64} {
		for d, want := range map[Depth]float64{Float: 77, Bits8: ToLinear(77. / 255)} {
			e := harmonicsOf(t, drawCube(side, d, func([3]float64) float64 { return 77 }), SRGB).Irradiance()
			for range 20 {
				if n := randomDirection(r); math.Abs(e.at(n)/want-1) > 1e-4 {
					t.Errorf("side %d, depth %d: %g, want %g", side, d, e.at(n), want)
				}
			}
			if d == Float && math.Abs(e[0][2]/want-1) > 1e-12 {
				t.Errorf("side %d: %g", side, e)
			}
		}
	}
}

// The harmonics of a cosine lobe around a are the harmonics of a, times pi, 2 pi/3 and pi/4
// (Ramamoorthi and Hanrahan 2001, equation 8).
func TestRadianceOfACosineLobe(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	axes := [][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}}
	for len(axes) < 10 {
		axes = append(axes, randomDirection(r))
	}
	for _, a := range axes {
		got := harmonicsOf(t, drawCube(64, Float, func(d [3]float64) float64 { return max(0, dot(a, d)) }), Linear)
		for i, p := range polynomials(a) {
			band := []float64{math.Pi, 2 * math.Pi / 3, math.Pi / 4}[int(math.Sqrt(float64(i)))]
			if want := band * harmonicScales[i] * p; math.Abs(got[i][0]-want) > 1e-3 {
				t.Errorf("lobe %.3f, harmonic %d: %.5f, want %.5f", a, i, got[i][0], want)
			}
		}
	}
}

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// TestIrradianceTurnsWithTheEnvironment rotates the environment by a quarter turn around z, which
// permutes the harmonics. Irradiance must rotate equally.
func TestIrradianceTurnsWithTheEnvironment(t *testing.T) {
	rough := func(d [3]float64) float64 {
		return 3 + math.Sin(9*d[0]+4*d[1]*d[1]) + math.Cos(5*d[2]-3*d[0]*d[1]) + math.Sin(3*d[1]+2*d[2]*d[0]+1)
	}
	h := harmonicsOf(t, drawCube(33, Float, rough), Linear)
	turns := []func(d [3]float64) [3]float64{
		func(d [3]float64) [3]float64 { return [3]float64{d[0], -d[2], d[1]} },
		func(d [3]float64) [3]float64 { return [3]float64{d[2], d[1], -d[0]} },
		func(d [3]float64) [3]float64 { return [3]float64{-d[1], d[0], d[2]} },
	}
	r := rand.New(rand.NewPCG(3, 3))
	for axis, turned := range turns {
		g := harmonicsOf(t, drawCube(33, Float, func(d [3]float64) float64 { return rough(turned(d)) }), Linear)
		for range 20 {
			n := randomDirection(r)
			if got, want := g.Irradiance().at(n), h.Irradiance().at(turned(n)); math.Abs(got-want) > 1e-6 {
				t.Errorf("around axis %d: %g, want %g", axis, got, want)
			}
		}
		if axis < 2 {
			continue
		}
		for i, from := range [9]struct {
			i    int
			sign float64
		}{{0, 1}, {3, -1}, {2, 1}, {1, 1}, {4, -1}, {7, -1}, {6, 1}, {5, 1}, {8, -1}} {
			if want := from.sign * h[from.i][0]; math.Abs(g[i][0]-want) > 1e-6 {
				t.Errorf("harmonic %d is %g, want %g", i, g[i][0], want)
			}
		}
	}
}

// TestIrradianceIsTheIntegral compares irradiance with the integral that defines it. They are equal
// if light is a polynomial of at most the third degree. Terms of the third degree have no effect.
func TestIrradianceIsTheIntegral(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 3 {
		var factors [12]float64
		for i := range factors {
			factors[i] = r.Float64() - 0.5
		}
		sky := func(d [3]float64) float64 {
			sum := 6 + factors[9]*d[0]*d[1]*d[2] + factors[10]*(5*d[2]*d[2]*d[2]-3*d[2]) + factors[11]*d[1]*(d[0]*d[0]-d[2]*d[2])
			for i, p := range polynomials(d) {
				sum += factors[i] * p
			}
			return sum
		}
		e := harmonicsOf(t, drawCube(64, Float, sky), Linear).Irradiance()
		for range 5 {
			n := randomDirection(r)
			want := throughCosine(n, sky)
			if math.Abs(e.at(n)-want) > 1e-3 {
				t.Errorf("%.3f: %.5f, want %.5f", n, e.at(n), want)
			}
		}
	}
}

// throughCosine integrates light times n.l over the hemisphere, divided by pi.
func throughCosine(n [3]float64, color func(d [3]float64) float64) float64 {
	a, b := tangentFrame(n)
	const thetas, phis = 200, 100
	sum := 0.0
	for i := range thetas {
		theta := (float64(i) + 0.5) / thetas * math.Pi / 2
		weight := math.Cos(theta) * math.Sin(theta) * (math.Pi / 2 / thetas) * (2 * math.Pi / phis) / math.Pi
		for j := range phis {
			sin, cos := math.Sincos(float64(j) / phis * 2 * math.Pi)
			var l [3]float64
			for k := range l {
				l[k] = math.Sin(theta)*(cos*a[k]+sin*b[k]) + math.Cos(theta)*n[k]
			}
			sum += weight * color(l)
		}
	}
	return sum
}

func TestSolidAnglesCoverTheSphere(t *testing.T) {
	for _, side := range []int{1, 2, 3, 100} {
		sum := 0.0
		for y := range side {
			for _, angle := range solidAngles(side, y) {
				sum += 6 * angle
			}
		}
		if math.Abs(sum-4*math.Pi) > 1e-12 {
			t.Errorf("side %d: %g", side, sum)
		}
	}
}

// TestInvalidLightCountsAsNone checks that invalid light gives finite harmonics, and that the order
// of computing rows does not change them.
func TestInvalidLightCountsAsNone(t *testing.T) {
	faces := drawCube(8, Float, func(d [3]float64) float64 { return 1 + d[0]*d[1] })
	for i, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, math.MaxFloat32} {
		faces[i].PixF[4*i] = float32(v)
	}
	got := harmonicsOf(t, faces, Linear)
	for i := range got {
		if v := got[i][0]; math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("harmonic %d is %g", i, v)
		}
	}
	backwards, err := Radiance(t.Context(), faces, Linear, fromTheEnd)
	if err != nil || backwards != got {
		t.Errorf("%g from the end, want %g; error %v", backwards, got, err)
	}
}
