package pixmap

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// drawn returns the fraction of pixels whose alpha is at least the threshold of the test.
func drawn(m *Map, test float64) float64 {
	n := 0
	for i := 3; i < 4*m.W*m.H; i += 4 {
		alpha := 0.0
		switch m.Depth() {
		case Float:
			alpha = float64(m.PixF[i])
		case Bits16:
			alpha = float64(m.Pix16[i]) / 65535
		default:
			alpha = float64(m.Pix8[i]) / 255
		}
		if alpha >= test-1e-9 {
			n++
		}
	}
	return float64(n) / float64(m.W*m.H)
}

// twigs returns an image of thin lines. Averaging makes their alpha lower than any threshold.
func twigs() *Map {
	m := New(128, 128, Bits8)
	noise(m.Pix8, false)
	for y := range m.H {
		for x := range m.W {
			alpha := byte(0)
			if (x*7+y*3)%23 < 4 {
				alpha = 255 - byte(x%32)
			}
			m.Pix8[4*(m.W*y+x)+3] = alpha
		}
	}
	return m
}

func TestCoverageIsKept(t *testing.T) {
	for _, d := range []Depth{Bits8, Bits16, Float} {
		for _, test := range []float64{0.25, 0.5, 0.7} {
			m := deep(twigs(), d)
			want := drawn(m, test)
			kept := mips(t, m, MipOptions{Coverage: test})
			faded := mips(t, m, MipOptions{})
			for i := 1; i <= 4; i++ {
				// The fraction cannot be exact, because pixels with equal alphas all pass or all
				// fail.
				if got := drawn(kept[i], test); math.Abs(got-want) > 0.03 {
					t.Errorf("depth %d, test %v: level %d covers %.3f, want %.3f", d, test, i, got, want)
				}
			}
			if got := drawn(faded[4], test); math.Abs(got-want) < 0.1 {
				t.Errorf("depth %d, test %v: without coverage, level 4 covers %.3f of %.3f, so the test proves nothing", d, test, got, want)
			}
			if d == Bits8 {
				for i := range kept[2].Pix8 {
					if i%4 != 3 && kept[2].Pix8[i] != faded[2].Pix8[i] {
						t.Fatalf("byte %d of level 2 is %d, without coverage %d", i, kept[2].Pix8[i], faded[2].Pix8[i])
					}
				}
			}
		}
	}
}

// TestFullAndEmptyCoverageStay checks that Coverage changes nothing if all pixels have the same
// alpha.
func TestFullAndEmptyCoverageStay(t *testing.T) {
	for _, alpha := range []byte{0, 100, 200, 255} {
		m := New(8, 8, Bits8)
		for i := range m.Pix8 {
			m.Pix8[i] = alpha
		}
		if d := cmp.Diff(mips(t, m, MipOptions{}), mips(t, m, MipOptions{Coverage: 0.5})); d != "" {
			t.Errorf("alpha %d: %s", alpha, d)
		}
	}
}

func TestReachedBy(t *testing.T) {
	counts := []int{90, 0, 5, 0, 0, 5} // numbers of pixels with alphas 0 to 5
	for _, tc := range []struct {
		pixels    float64
		threshold int
		want      int
	}{
		{5, 4, 4}, {5, 5, 5}, {5, 1, 3}, // 5 pixels have an alpha of at least 3, and all of them have alpha 5
		{10, 4, 2}, {10, 1, 1},
		{7, 4, 4}, {8, 4, 2}, {1000, 4, 2}, {0, 4, 4},
	} {
		if got := reachedBy(counts, tc.pixels, tc.threshold); got != tc.want {
			t.Errorf("%v pixels, threshold %d: alpha %d, want %d", tc.pixels, tc.threshold, got, tc.want)
		}
	}
}
