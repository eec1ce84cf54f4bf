package image

import (
	"bytes"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func chain(t testing.TB, w, h int, colour bool, pix ...byte) []level {
	t.Helper()
	levels, err := mipChain(t.Context(), level{w, h, pix}, colour)
	if err != nil {
		t.Fatal(err)
	}
	return levels
}

func TestMipExamples(t *testing.T) {
	red, green := []byte{255, 0, 0, 255}, []byte{0, 255, 0, 0}
	black, white := []byte{0, 0, 0, 255}, []byte{255, 255, 255, 255}
	clear, clearBlue := []byte{0, 0, 0, 0}, []byte{0, 0, 255, 0}
	for _, tc := range []struct {
		name   string
		w, h   int
		colour bool
		pix    [][]byte
		want   []byte // the last level
	}{
		{"alpha weighs colour", 2, 2, true, [][]byte{red, green, green, green}, []byte{255, 0, 0, 64}},
		{"also in a row", 4, 1, true, [][]byte{red, green, green, green}, []byte{255, 0, 0, 64}},
		{"also with odd sides", 3, 1, true, [][]byte{red, green, green}, []byte{255, 0, 0, 85}},
		{"checkerboard in light", 2, 2, true, [][]byte{black, white, white, black}, []byte{188, 188, 188, 255}},
		{"checkerboard as data", 2, 2, false, [][]byte{black, white, white, black}, []byte{128, 128, 128, 255}},
		{"data ignores alpha", 2, 2, false, [][]byte{red, green, green, green}, []byte{64, 191, 0, 64}},
		{"unseen colours go on", 2, 2, true, [][]byte{green, green, green, green}, []byte{0, 255, 0, 0}},
		{"unseen colours mix", 2, 1, true, [][]byte{clear, clearBlue}, []byte{0, 0, 188, 0}},
		{"one pixel in three", 3, 3, false, [][]byte{white, black, black, black, black, black, black, black, black}, []byte{28, 28, 28, 255}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			levels := chain(t, tc.w, tc.h, tc.colour, bytes.Join(tc.pix, nil)...)
			if d := cmp.Diff(tc.want, levels[len(levels)-1].pix); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestMipSizes(t *testing.T) {
	levels := chain(t, 13, 3, true, make([]byte, 4*13*3)...)
	var got [][2]int
	for _, l := range levels {
		got = append(got, [2]int{l.w, l.h})
	}
	if d := cmp.Diff([][2]int{{13, 3}, {6, 1}, {3, 1}, {1, 1}}, got); d != "" {
		t.Error(d)
	}
}

func TestMipsOfOneColour(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(1, 37).Draw(rt, "w"), rapid.IntRange(1, 37).Draw(rt, "h")
		c := rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(rt, "colour")
		for i, l := range chain(t, w, h, rapid.Bool().Draw(rt, "srgb"), bytes.Repeat(c, w*h)...) {
			if want := bytes.Repeat(c, l.w*l.h); !bytes.Equal(l.pix, want) {
				rt.Fatalf("level %d is not all %v", i, c)
			}
		}
	})
}

// Against a filter that knows nothing of taps: every pixel averages the area
// of the larger level that it covers, in floating point.
func TestMipsCoverTheirArea(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(1, 23).Draw(rt, "w"), rapid.IntRange(1, 23).Draw(rt, "h")
		colour := rapid.Bool().Draw(rt, "colour")
		opaque := rapid.Bool().Draw(rt, "opaque")
		pix := make([]byte, 4*w*h)
		noise(pix, opaque)
		pix = append(pix[4*rapid.IntRange(0, w*h-1).Draw(rt, "turn"):], pix...)[:4*w*h]

		f := filter{curve: linear(), alpha: linear(), weigh: colour}
		source := f.widen(level{w, h, pix})
		_, got, err := f.halve(t.Context(), source, w, h)
		if err != nil {
			rt.Fatal(err)
		}
		for y := range got.h {
			for x := range got.w {
				want := area(source, w, h, got.w, got.h, x, y, colour)
				for c := range 4 {
					if v := float64(got.pix[4*(got.w*y+x)+c]); math.Abs(v-want[c]) > 0.5001 {
						rt.Fatalf("pixel %d, %d channel %d is %v, want %v", x, y, c, v, want[c])
					}
				}
			}
		}
		// So the whole keeps its mean.
		for c := range 4 {
			if c < 3 && colour {
				continue // there it is the mean of what is seen
			}
			before, after := 0.0, 0.0
			for i := c; i < len(pix); i += 4 {
				before += 257 * float64(pix[i]) / float64(w*h)
			}
			for i := c; i < len(got.pix); i += 4 {
				after += float64(got.pix[i]) / float64(got.w*got.h)
			}
			if math.Abs(before-after) > 0.5001 {
				rt.Fatalf("channel %d: mean %v became %v", c, before, after)
			}
		}
	})
}

// area averages what pixel x, y of a level of mw by mh covers of one of w by h.
func area(source rows, w, h, mw, mh, x, y int, colour bool) [4]float64 {
	overlap := func(n, m, i, j int) float64 {
		low, high := float64(i*n)/float64(m), float64((i+1)*n)/float64(m)
		return max(0, min(high, float64(j+1))-max(low, float64(j)))
	}
	var plain, seen [4]float64
	var total float64
	for sy := range h {
		line := source(sy, make([]uint16, 4*w))
		for sx := range w {
			part := overlap(w, mw, x, sx) * overlap(h, mh, y, sy)
			total += part
			for c := range 4 {
				plain[c] += part * float64(line[4*sx+c])
				seen[c] += part * float64(line[4*sx+c]) * float64(line[4*sx+3])
			}
		}
	}
	out := [4]float64{3: plain[3] / total}
	for c := range 3 {
		if out[c] = plain[c] / total; colour && plain[3] > 0 {
			out[c] = seen[c] / plain[3]
		}
	}
	return out
}

// The longest sides that a format can have do not overflow the sums.
func TestMipsOfTheLongestSides(t *testing.T) {
	f := filter{curve: linear(), alpha: linear(), weigh: true}
	white := bytes.Repeat([]byte{255}, 4*65535)
	for i := 3; i < len(white); i += 8 {
		white[i] = 254 // not all alike
	}
	source := f.widen(level{65535, 1, white})
	line := source(0, make([]uint16, 4*65535))
	down := tapsOf(65535, 32766)
	out := make([]uint16, 4*32767)
	f.weighted(out, [3][]uint16{line, line, line}, down, 65535)
	for i, v := range out {
		if i%4 < 3 && v != 65535 {
			t.Fatalf("value %d is %d, want 65535", i, v)
		}
	}
}

func TestMipsStopWhenCancelled(t *testing.T) {
	ctx := &countdown{Context: t.Context()}
	ctx.left.Store(3)
	if _, err := mipChain(ctx, level{8, 8, make([]byte, 256)}, true); err == nil {
		t.Error("no error")
	}
}
