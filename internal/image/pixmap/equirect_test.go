package pixmap

import (
	"crypto/sha256"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// drawSphere draws a function of directions as an equirectangular image.
func drawSphere(w, h int, color func(d [3]float64) [4]float64) *Map {
	m := New(w, h, Float)
	for i := range w * h {
		longitude := (float64(i%w)+0.5)/float64(w)*2*math.Pi - math.Pi
		latitude := math.Pi/2 - (float64(i/w)+0.5)/float64(h)*math.Pi
		d := [3]float64{math.Sin(longitude) * math.Cos(latitude), math.Sin(latitude), math.Cos(longitude) * math.Cos(latitude)}
		for k, v := range color(d) {
			m.PixF[4*i+k] = float32(v)
		}
	}
	return m
}

// TestSmoothSphereLooksTheSameOnTheCube checks that a smooth image has the same colors on the cube,
// within 0.001 for faces of 64 pixels.
func TestSmoothSphereLooksTheSameOnTheCube(t *testing.T) {
	smooth := func(d [3]float64) [4]float64 {
		n := math.Sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2])
		return [4]float64{1 + d[0]/n, 1 + d[1]/n, 1 + d[2]/n, 1}
	}
	m := drawSphere(256, 128, smooth)
	faces, err := Equirect(t.Context(), m, SRGB)
	if err != nil || len(faces) != 6 {
		t.Fatalf("%d faces, error %v", len(faces), err)
	}
	// The directions of the faces' corners are from the table of cube maps in the OpenGL
	// specification.
	corners := [6][3]float64{{1, 1, 1}, {-1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {-1, 1, 1}, {1, 1, -1}}
	for i, f := range faces {
		if f.W != 64 || f.H != 64 {
			t.Fatalf("face of %d x %d", f.W, f.H)
		}
		for k, want := range smooth(corners[i]) {
			if got := float64(f.PixF[k]); math.Abs(got-want) > 0.02 {
				t.Errorf("corner of face %d: channel %d is %g, want %g", i, k, got, want)
			}
		}
		worst := 0.0
		for j := range 64 * 64 {
			d := faceDirection(i, float64(2*(j%64)+1)/64-1, float64(2*(j/64)+1)/64-1)
			for k, want := range smooth(d) {
				worst = max(worst, math.Abs(float64(f.PixF[4*j+k])-want))
			}
		}
		if worst > 0.001 {
			t.Errorf("face %d is off by %g", i, worst)
		}
	}
}

func TestConstantSphereStaysConstant(t *testing.T) {
	for _, h := range []int{1, 2, 3, 9} {
		bytes, words, floats := New(2*h, h, Bits8), New(2*h, h, Bits16), New(2*h, h, Float)
		for i := range bytes.Pix8 {
			bytes.Pix8[i], words.Pix16[i], floats.PixF[i] = byte(40+50*(i%4)), uint16(999*(i%4)+7), float32(i%4)/2
		}
		for _, m := range []*Map{bytes, words, floats} {
			for _, c := range []Color{SRGB, Linear, Data} {
				faces, err := Equirect(t.Context(), m, c)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range faces {
					for i := range f.W * f.H {
						if got, want := pixelText(f, i), pixelText(m, 0); got != want {
							t.Fatalf("height %d, color %d: pixel %d is %s, want %s", h, c, i, got, want)
						}
					}
				}
			}
		}
	}
}

func pixelText(m *Map, i int) string {
	switch m.Depth() {
	case Bits8:
		return fmt.Sprint(m.Pix8[4*i : 4*i+4])
	case Bits16:
		return fmt.Sprint(m.Pix16[4*i : 4*i+4])
	}
	return fmt.Sprint(m.PixF[4*i : 4*i+4])
}

// TestEquirectKeepsTheMean weights each texel by its solid angle, and checks that the mean is
// preserved.
func TestEquirectKeepsTheMean(t *testing.T) {
	bright := func(d [3]float64) [4]float64 { return [4]float64{math.Exp(4 * d[0]), d[1] * d[1], 1, 1} }
	faces, err := Equirect(t.Context(), drawSphere(512, 256, bright), SRGB)
	if err != nil {
		t.Fatal(err)
	}
	var sum [3]float64
	total := 0.0
	for _, f := range faces {
		for i := range f.W * f.H {
			u, v := float64(2*(i%f.W)+1)/float64(f.W)-1, float64(2*(i/f.W)+1)/float64(f.H)-1
			angle := math.Pow(1+u*u+v*v, -1.5)
			total += angle
			for k := range sum {
				sum[k] += angle * float64(f.PixF[4*i+k])
			}
		}
	}
	for k, want := range []float64{math.Sinh(4) / 4, 1.0 / 3, 1} { // expected means, computed as integrals
		if got := sum[k] / total; math.Abs(got-want) > 0.001*want {
			t.Errorf("mean of channel %d is %g, want %g", k, got, want)
		}
	}
}

func TestEquirectRefuses(t *testing.T) {
	_, err := Equirect(t.Context(), New(4, 3, Bits8), SRGB)
	if d := cmp.Diff("the image has 4 x 3 pixels; an equirectangular image is twice as wide as high", fmt.Sprint(err)); d != "" {
		t.Error(d)
	}
	if EquirectSide(4, 3) != 0 || EquirectSide(2, 1) != 1 || EquirectSide(4096, 2048) != 1024 {
		t.Error("wrong sides")
	}
}

// TestEquirectGolden checks that the results are identical on all machines.
func TestEquirectGolden(t *testing.T) {
	m := New(64, 32, Float)
	state := uint32(1)
	for i := range m.PixF {
		state = state*1664525 + 1013904223
		m.PixF[i] = float32(state>>8) / 1000
	}
	faces, err := Equirect(t.Context(), m, SRGB)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	for _, f := range faces {
		for _, v := range f.PixF {
			fmt.Fprintf(sum, "%x ", math.Float32bits(v))
		}
	}
	if got := fmt.Sprintf("%x", sum.Sum(nil)[:8]); got != "69cb1f1c12185888" {
		t.Errorf("hash %s", got)
	}
}
