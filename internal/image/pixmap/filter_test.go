package pixmap

import (
	"math"
	"runtime"
	"testing"

	"pgregory.net/rapid"
)

// allocated returns how many bytes f allocates in total.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

func TestFilterNames(t *testing.T) {
	for _, f := range []Filter{Box, Kaiser, Mitchell} {
		if got, err := ParseFilter(f.String()); got != f || err != nil {
			t.Errorf("%v is read as %v, error %v", f, got, err)
		}
	}
	if _, err := ParseFilter("lanczos"); err == nil {
		t.Error("lanczos: no error")
	}
	if got := Filter(9).String(); got != "Filter(9)" {
		t.Error(got)
	}
}

func TestKernelsAgreeWithTheirDefinitions(t *testing.T) {
	mitchell := func(x float64) float64 { // the filter in the paper, with B = C = 1/3
		const b, c = 1.0 / 3, 1.0 / 3
		switch x = math.Abs(x); {
		case x < 1:
			return ((12-9*b-6*c)*x*x*x + (-18+12*b+6*c)*x*x + 6 - 2*b) / 6
		case x < 2:
			return ((-b-6*c)*x*x*x + (6*b+30*c)*x*x + (-12*b-48*c)*x + 8*b + 24*c) / 6
		}
		return 0
	}
	bessel0 := func(x float64) float64 { // the Bessel function as an integral
		sum := 0.0
		for i := range 1000 {
			sum += math.Exp(x*math.Cos(math.Pi*(float64(i)+0.5)/1000)) / 1000
		}
		return sum
	}
	kaiser := func(x float64) float64 {
		if math.Abs(x) >= 3 {
			return 0
		}
		v := bessel0(4*math.Sqrt(1-x*x/9)) / bessel0(4)
		if x != 0 {
			v *= math.Sin(math.Pi*x) / (math.Pi * x)
		}
		return v
	}
	for x := -3.5; x <= 3.5; x += 1.0 / 64 {
		if got, want := Mitchell.kernelAt(x), mitchell(x); math.Abs(got-want) > 1e-12 {
			t.Fatalf("Mitchell at %v is %v, want %v", x, got, want)
		}
		if got, want := Kaiser.kernelAt(x), kaiser(x); math.Abs(got-want) > 1e-9 {
			t.Fatalf("Kaiser at %v is %v, want %v", x, got, want)
		}
	}
}

// TestWeightsAreCenteredAndSymmetric checks that, for all sizes, the weights of a span have the
// right sum and center, and are symmetric.
func TestWeightsAreCenteredAndSymmetric(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, m := rapid.IntRange(1, 300).Draw(rt, "n"), rapid.IntRange(1, 300).Draw(rt, "m")
		f := rapid.SampledFrom([]Filter{Box, Kaiser, Mitchell}).Draw(rt, "filter")
		a := newAxis(f, n, m)
		for i, s := range a.spans {
			sum, center := 0.0, 0.0
			for k, w := range s.weights {
				sum += w
				center += w * (float64(s.first+k) + 0.5)
			}
			if sum != a.total {
				rt.Fatalf("pixel %d: weights add up to %v of %v", i, sum, a.total)
			}
			want := (float64(i) + 0.5) * float64(n) / float64(m)
			slack := 0.02 * max(1, float64(n)/float64(m))
			if f == Box {
				slack = 0.5 // the box may cover only a part of a pixel, but this test uses the center of the whole pixel
			}
			if math.Abs(center/sum-want) > slack {
				rt.Fatalf("pixel %d is centered at %v, want %v", i, center/sum, want)
			}
			mirror := a.spans[m-1-i]
			for k, w := range s.weights {
				if mirror.weights[len(s.weights)-1-k] != w {
					rt.Fatalf("pixel %d does not mirror %d: %v, %v", i, m-1-i, s.weights, mirror.weights)
				}
			}
			if len(s.weights) > a.most {
				rt.Fatalf("pixel %d has %d weights, at most %d", i, len(s.weights), a.most)
			}
		}
	})
}

// TestLongestSidesDoNotOverflowAxes checks the spans of the largest images.
func TestLongestSidesDoNotOverflowAxes(t *testing.T) {
	for _, f := range []Filter{Box, Kaiser} {
		for _, size := range [][2]int{{65535, 65534}, {65534, 65535}, {65535, 1}, {1, 65535}} {
			a := newAxis(f, size[0], size[1])
			last := a.spans[len(a.spans)-1]
			if end := last.first + len(last.weights); end < size[0] || end > size[0]+8*max(1, size[0]/size[1]) {
				t.Errorf("%v from %d to %d: the last pixel ends at %d", f, size[0], size[1], end)
			}
		}
	}
}

// TestRepeatHasNoEdge shifts a repeating tile by two pixels, and checks that its next level is
// shifted by one.
func TestRepeatHasNoEdge(t *testing.T) {
	for _, f := range []Filter{Kaiser, Mitchell} {
		m, moved := New(16, 12, Bits8), New(16, 12, Bits8)
		noise(m.Pix8, false)
		for y := range m.H {
			for x := range m.W {
				copyPixels(moved, 4*(m.W*((y+4)%m.H)+(x+2)%m.W), m, 4*(m.W*y+x), 1)
			}
		}
		o := MipOptions{Sampling: Sampling{Filter: f, WrapX: Repeat, WrapY: Repeat}, Levels: 2}
		a, b := mips(t, m, o)[1], mips(t, moved, o)[1]
		clamped := mips(t, m, MipOptions{Sampling: Sampling{Filter: f}, Levels: 2})[1]
		edges := 0
		for y := range a.H {
			for x := range a.W {
				for c := range 4 {
					here := a.Pix8[4*(a.W*y+x)+c]
					if there := b.Pix8[4*(a.W*((y+2)%a.H)+(x+1)%a.W)+c]; here != there {
						t.Fatalf("%v: %d, %d is %d, moved %d", f, x, y, here, there)
					}
					if here != clamped.Pix8[4*(a.W*y+x)+c] {
						edges++
					}
				}
			}
		}
		if edges == 0 {
			t.Errorf("%v: clamped edges give the same result", f)
		}
	}
}

func TestWrapPerAxis(t *testing.T) {
	m := New(8, 8, Bits8)
	for i := range 8 {
		m.Pix8[4*i], m.Pix8[4*8*i+1] = 255, 255 // the top row is red, the left column is green
	}
	level := func(x, y Wrap) *Map {
		return mips(t, m, MipOptions{Sampling: Sampling{Filter: Mitchell, Color: Data, WrapX: x, WrapY: y}, Levels: 2})[1]
	}
	red := func(l *Map) byte { return l.Pix8[4*(4*3+2)] } // red value of a pixel in the bottom row
	green := func(l *Map) byte { return l.Pix8[4*(4*2+3)+1] }
	for _, tc := range []struct {
		x, y       Wrap
		red, green bool
	}{{Clamp, Clamp, false, false}, {Repeat, Clamp, false, true}, {Clamp, Repeat, true, false}, {Repeat, Repeat, true, true}} {
		l := level(tc.x, tc.y)
		if (red(l) > 0) != tc.red || (green(l) > 0) != tc.green {
			t.Errorf("wrap %v, %v: red %d at the bottom, green %d at the right", tc.x, tc.y, red(l), green(l))
		}
	}
}

// TestFiltersDifferInSharpness checks that Kaiser preserves fine detail better than Box and
// Mitchell.
func TestFiltersDifferInSharpness(t *testing.T) {
	const w = 64
	m := New(w, 1, Float)
	for x := range w {
		for c := range 3 {
			m.PixF[4*x+c] = float32(0.5 + 0.5*math.Sin(2*math.Pi*float64(x)*12/w)) // the wave has 12 periods; a level of 32 pixels can represent up to 16
		}
		m.PixF[4*x+3] = 1
	}
	contrast := func(f Filter) float64 {
		l := mips(t, m, MipOptions{Sampling: Sampling{Filter: f, WrapX: Repeat}, Levels: 2})[1]
		sum := 0.0
		for i := 0; i < len(l.PixF); i += 4 {
			sum += math.Abs(float64(l.PixF[i]) - 0.5)
		}
		return sum
	}
	if b, m, k := contrast(Box), contrast(Mitchell), contrast(Kaiser); !(k > 1.05*b && k > m) {
		t.Errorf("contrast %v by box, %v by Mitchell, %v by Kaiser", b, m, k)
	}
}

// TestTransparentColorsAreAveraged checks images whose alpha is canceled out by positive and
// negative weights. The result must be the plain average of the colors, because dividing by almost
// 0 gives random colors.
func TestTransparentColorsAreAveraged(t *testing.T) {
	m := New(64, 64, Float)
	for i := range m.W * m.H {
		p := m.PixF[4*i:]
		bits := uint32(i) * 2654435761 >> 16
		p[0], p[1], p[2] = 0.45, 0.55, 0.45+float32(bits%8)/80
		if bits>>8%16 == 0 {
			p[0], p[3] = 0.55, 1
		}
	}
	for _, l := range mips(t, m, MipOptions{Sampling: Sampling{Filter: Kaiser}, Levels: 2})[1:] {
		for i, v := range l.PixF {
			if i%4 < 3 && l.PixF[i|3] < 1.0/1024 && (v < 0.35 || v > 0.65) {
				t.Fatalf("pixel %d: channel %d is %v where alpha is %v", i/4, i%4, v, l.PixF[i|3])
			}
		}
	}
}
