package pixmap

import (
	"math"
	"testing"
)

// bumps returns a normal map of round bumps, with z outwards, or inwards if turned.
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

// A map with constant blue is averaged like one whose blue is computed from x and y, and its blue
// stays.
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
		{{0.5, 0.5, 0.5}, {0.5, 0.5, 1}}, // no direction
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
