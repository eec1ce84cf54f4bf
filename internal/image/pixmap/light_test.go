package pixmap

import (
	"math"
	"math/big"
	"testing"
)

// reference is the sRGB transfer function of IEC 61966-2-1 in floating point. It takes and returns
// values from 0 to 1.
func reference(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func TestSRGBIsRoundedExactly(t *testing.T) {
	c := srgbCurve()
	for i, got := range c.wide {
		if want := math.Round(65535 * reference(float64(i)/255)); float64(got) != want {
			t.Errorf("byte %d is %d in light, want %v", i, got, want)
		}
	}
	for x, got := range c.narrow {
		// The sRGB value of x must be within half a step of the byte.
		low, high := 65535*reference((float64(got)-0.5)/255), 65535*reference((float64(got)+0.5)/255)
		if got > 0 && float64(x) < low || got < 255 && float64(x) >= high {
			t.Fatalf("light %d becomes byte %d, which is for %v to %v", x, got, low, high)
		}
	}
}

// TestSRGBCeilIsExact computes the same limits with big integers, without rounding. The curve
// ((value + 0.055) / 1.055) ^ 2.4 of value = half/510 is the power 2.4 of the fraction (20*half +
// 561) / 10761. So k >= scale*65535 * fraction^(12/5) means k^5 * 10761^12 >= (scale*65535)^5 *
// (20*half+561)^12.
func TestSRGBCeilIsExact(t *testing.T) {
	power := func(base, exponent int) *big.Int {
		return new(big.Int).Exp(big.NewInt(int64(base)), big.NewInt(int64(exponent)), nil)
	}
	unit := power(10761, 12)
	for scale := 1; scale <= 2; scale++ {
		top := power(scale*65535, 5)
		for half := 21; half <= 510; half++ {
			want := new(big.Int).Mul(top, power(20*half+561, 12))
			reaches := func(k int) bool { return new(big.Int).Mul(power(k, 5), unit).Cmp(want) >= 0 }
			if got := srgbCeil(half, scale); !reaches(got) || reaches(got-1) {
				t.Errorf("srgbCeil(%d, %d) = %d is not the least", half, scale, got)
			}
			light := float64(scale*65535) * ToLinear(float64(half)/510)
			if half < 510 && math.Abs(light-math.Round(light)) < 1e-5 {
				t.Errorf("the light of %d, %v, is so close to a whole number that rounding could cross it", half, light)
			}
		}
	}
}

func TestCurvesAreInvertible(t *testing.T) {
	for name, c := range map[string]*curve{"even": evenCurve(), "srgb": srgbCurve()} {
		for i, v := range c.wide {
			if got := c.narrow[v]; int(got) != i {
				t.Errorf("%s: byte %d comes back as %d", name, i, got)
			}
		}
	}
}

func TestRound16(t *testing.T) {
	for v := range uint32(65536) {
		if got, want := byteOf16(v), math.Round(float64(v)/257); float64(got) != want {
			t.Fatalf("round16(%d) = %d, want %v", v, got, want)
		}
	}
}

// TestSRGBOfSixteenBits checks that conversions of 16-bit values are close to the exact values, and
// that converting back returns the original value.
func TestSRGBOfSixteenBits(t *testing.T) {
	wide := srgb16()
	for i := range wide {
		v := float64(i) / 65535
		if got, want := ToLinear(v), reference(v); math.Abs(got-want) > 1e-14 {
			t.Fatalf("ToLinear(%v) = %v, want %v", v, got, want)
		}
		if got := srgbOfLight(ToLinear(v)); math.Abs(got-v) > 1e-13 {
			t.Fatalf("toSRGB(ToLinear(%v)) = %v", v, got)
		}
		if got := nearest16(65535 * srgbOfLight(float64(wide[i])/65535)); int(got) != i {
			t.Fatalf("%d comes back as %d", i, got)
		}
	}
	if srgbOfLight(1) > 1+1e-15 {
		t.Errorf("white becomes %v", srgbOfLight(1))
	}
}

// bumps returns a normal map of round bumps. z points outward, or inward if turned is set.
func bumps(turned bool) *Map {
	m := New(40, 24, Bits8)
	for y := range m.H {
		for x := range m.W {
			dx, dy := float64(x%8)/4-0.875, float64(y%8)/4-0.875
			z := 1.0
			if turned {
				z = -1
			}
			long := math.Sqrt(dx*dx + dy*dy + z*z)
			p := m.Pix8[4*(m.W*y+x):]
			for c, v := range []float64{dx / long, dy / long, z / long} {
				p[c] = byte(math.Round((v + 1) * 127.5))
			}
			p[3] = byte(x)
		}
	}
	return m
}

func vector(m *Map, i int) (x, y, z float64) {
	p := pixelAt(m, i)
	top := map[Depth]float64{Bits8: 255, Bits16: 65535, Float: 1}[m.Depth()]
	return 2*float64(p[0])/top - 1, 2*float64(p[1])/top - 1, 2*float64(p[2])/top - 1
}

func TestNormalsStayUnitVectors(t *testing.T) {
	data := Sampling{Color: Data}
	for _, d := range []Depth{Bits8, Bits16, Float} {
		for _, f := range []Filter{Box, Kaiser} {
			for _, turned := range []bool{false, true} {
				m := deep(bumps(turned), d)
				s := Sampling{Color: Data, Normal: true, Filter: f}
				for level, l := range mips(t, m, MipOptions{Sampling: s}) {
					for i := range l.W * l.H {
						x, y, z := vector(l, i)
						if long := math.Sqrt(x*x + y*y + z*z); math.Abs(long-1) > 0.012 {
							t.Fatalf("depth %d, %v, level %d: pixel %d is %v long", d, f, level, i, long)
						}
						if z < 0 != turned {
							t.Fatalf("depth %d, %v, level %d: z is %v", d, f, level, z)
						}
					}
				}
				plain := mips(t, m, MipOptions{Sampling: data})
				if x, y, z := vector(plain[3], 0); math.Sqrt(x*x+y*y+z*z) > 0.97 {
					t.Fatal("vectors averaged as data have length 1, so the test proves nothing")
				}
			}
		}
	}
}

// TestTwoChannelNormalsGetTheirZ compares a map of constant blue with the same map whose blue is z.
// Red and green must be averaged alike, and constant blue must not change.
func TestTwoChannelNormalsGetTheirZ(t *testing.T) {
	whole := bumps(false)
	for _, blue := range []byte{0, 255} {
		for _, d := range []Depth{Bits8, Bits16, Float} {
			flat := New(whole.W, whole.H, Bits8)
			copy(flat.Pix8, whole.Pix8)
			for i := 2; i < len(flat.Pix8); i += 4 {
				flat.Pix8[i] = blue
			}
			o := MipOptions{Sampling: Sampling{Color: Data, Normal: true}}
			want, got := mips(t, deep(whole, d), o), mips(t, deep(flat, d), o)
			for level := range got {
				for i := range got[level].W * got[level].H {
					x, y, z := vector(got[level], i)
					wx, wy, _ := vector(want[level], i)
					if math.Abs(x-wx) > 0.02 || math.Abs(y-wy) > 0.02 || math.Abs(z-(float64(blue)/127.5-1)) > 1e-6 {
						t.Fatalf("blue %d, depth %d, level %d: %v %v %v, want %v %v", blue, d, level, x, y, z, wx, wy)
					}
				}
			}
		}
	}
}

func TestUnitVector(t *testing.T) {
	for _, tc := range [][2][3]float64{
		{{0.5, 0.5, 0.5}, {0.5, 0.5, 1}}, // a vector of length 0
		{{0.5, 0.5, 0.75}, {0.5, 0.5, 1}},
		{{0.5, 0.5, 0.25}, {0.5, 0.5, 0}},
		{{0.75, 0.5, 0.5}, {1, 0.5, 0.5}},
		{{0.8, 0.9, 0.5}, {0.8, 0.9, 0.5}},
	} {
		x, y, z := unitVector(tc[0][0], tc[0][1], tc[0][2])
		for c, v := range []float64{x, y, z} {
			if !(math.Abs(v-tc[1][c]) < 1e-12) {
				t.Errorf("%v becomes %v %v %v, want %v", tc[0], x, y, z, tc[1])
			}
		}
	}
}
