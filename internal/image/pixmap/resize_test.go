package pixmap

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestResizingToHalfGivesTheNextMip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(2, 40).Draw(rt, "w"), rapid.IntRange(2, 40).Draw(rt, "h")
		f := rapid.SampledFrom([]Filter{Box, Kaiser, Mitchell}).Draw(rt, "filter")
		m := New(w, h, Bits8)
		noise(m.Pix8, rapid.Bool().Draw(rt, "opaque"))
		s := Sampling{Filter: f, WrapX: Repeat}
		got, err := Resize(t.Context(), m, w/2, h/2, s)
		if err != nil {
			rt.Fatal(err)
		}
		want := mips(t, m, MipOptions{Sampling: s})[1]
		for i, v := range got.Pix8 {
			if off := int(v) - int(want.Pix8[i]); off > 1 || off < -1 {
				rt.Fatalf("byte %d is %d, the level has %d", i, v, want.Pix8[i])
			}
		}
	})
}

// TestEnlargingStaysInRange checks that Box repeats pixels if an image is enlarged by an integer
// factor. Mitchell must interpolate smoothly, without ringing.
func TestEnlargingStaysInRange(t *testing.T) {
	m := of(2, 1, 0, 0, 0, 255, 255, 255, 255, 255)
	up := func(f Filter) *Map {
		got, err := Resize(t.Context(), m, 16, 2, Sampling{Filter: f, Color: Data})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	box, mitchell := up(Box), up(Mitchell)
	for x := range 16 {
		if want := byte(x / 8 * 255); box.Pix8[4*x] != want || box.Pix8[4*(16+x)] != want {
			t.Errorf("box: pixel %d is %d", x, box.Pix8[4*x])
		}
		if x > 0 && mitchell.Pix8[4*x] < mitchell.Pix8[4*x-4] {
			t.Errorf("Mitchell: pixel %d is %d, the one before %d", x, mitchell.Pix8[4*x], mitchell.Pix8[4*x-4])
		}
	}
	if v := mitchell.Pix8[4*7]; v < 90 || v > 127 {
		t.Errorf("Mitchell: left of the middle is %d", v)
	}
}

func TestResizeSizes(t *testing.T) {
	m := New(5, 3, Bits16)
	if got, err := Resize(t.Context(), m, 5, 3, Sampling{}); got != m || err != nil {
		t.Errorf("resizing to the same size returns another map, error %v", err)
	}
	for _, size := range [][2]int{{0, 1}, {1, 0}, {-1, 5}} {
		if _, err := Resize(t.Context(), m, size[0], size[1], Sampling{}); err == nil {
			t.Errorf("%v: no error", size)
		}
	}
}

func TestFit(t *testing.T) {
	for _, tc := range []struct{ w, h, longest, wantW, wantH int }{
		{100, 50, 100, 100, 50}, {100, 50, 50, 50, 25}, {50, 100, 50, 25, 50}, {100, 1, 10, 10, 1}, {100, 56, 10, 10, 6},
		{1, 100, 10, 1, 10}, {3, 2, 2, 2, 1}, {65535, 65535, 65534, 65534, 65534}, {65535, 32768, 1, 1, 1},
	} {
		if w, h := Fit(tc.w, tc.h, tc.longest); w != tc.wantW || h != tc.wantH {
			t.Errorf("%d x %d in %d is %d x %d, want %d x %d", tc.w, tc.h, tc.longest, w, h, tc.wantW, tc.wantH)
		}
	}
}

func TestPowerOfTwo(t *testing.T) {
	for _, tc := range []struct{ n, down, up, nearest int }{
		{1, 1, 1, 1}, {2, 2, 2, 2}, {3, 2, 4, 4}, {5, 4, 8, 4}, {6, 4, 8, 8}, {7, 4, 8, 8},
		{1000, 512, 1024, 1024}, {700, 512, 1024, 512}, {1 << 30, 1 << 30, 1 << 30, 1 << 30},
	} {
		got := [3]int{Down.PowerOfTwo(tc.n), Up.PowerOfTwo(tc.n), Nearest.PowerOfTwo(tc.n)}
		if got != [3]int{tc.down, tc.up, tc.nearest} {
			t.Errorf("%d becomes %v", tc.n, got)
		}
	}
}

func TestResizeMemory(t *testing.T) {
	for _, d := range []Depth{Bits8, Bits16, Float} {
		for _, f := range []Filter{Box, Kaiser} {
			for _, size := range [][4]int{{300, 200, 150, 100}, {300, 200, 400, 300}, {200, 300, 3, 2}, {4, 4, 500, 1}, {1, 300, 100, 1}} {
				m := New(size[0], size[1], d)
				run := func() {
					if _, err := Resize(t.Context(), m, size[2], size[3], Sampling{Filter: f}); err != nil {
						t.Fatal(err)
					}
				}
				run() // the first call computes the tables
				limit := ResizeMemory(size[0], size[1], size[2], size[3], d, f)
				// Resize frees nothing before it returns, so the sum of its allocations is the
				// memory that it holds.
				if got := allocated(run); got > limit || limit > 3*got+2*curveMemory {
					t.Errorf("depth %d, %v, %v: allocated %d bytes, estimated %d", d, f, size, got, limit)
				}
			}
		}
	}
	if got := ResizeMemory(7, 8, 7, 8, Bits8, Box); got != 0 {
		t.Errorf("resizing to the same size takes %d bytes", got)
	}
}

func TestResizeKeepsTheMean(t *testing.T) {
	m := New(61, 47, Float)
	for i := range m.PixF {
		m.PixF[i] = float32(uint32(i)*2654435761>>7&1023) / 100
	}
	mean := func(m *Map) float64 {
		sum := 0.0
		for i := 0; i < len(m.PixF); i += 4 {
			sum += float64(m.PixF[i])
		}
		return sum / float64(m.W*m.H)
	}
	for _, f := range []Filter{Box, Kaiser, Mitchell} {
		got, err := Resize(t.Context(), m, 20, 33, Sampling{Filter: f, Color: Data, WrapX: Repeat, WrapY: Repeat})
		if err != nil {
			t.Fatal(err)
		}
		if a, b := mean(m), mean(got); math.Abs(a-b) > 0.05 || f == Box && math.Abs(a-b) > 1e-5 {
			t.Errorf("%v: mean %v became %v", f, a, b)
		}
	}
}
