package bc7

import (
	"testing"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"pgregory.net/rapid"
)

// Glows and shadows are one color under a smooth alpha. From normal on they are exact:
// where alpha is nearly even, and where it goes further but the color is white or black.
func TestSmoothAlphaIsExact(t *testing.T) {
	colors := rapid.SliceOfN(rapid.Byte(), 3, 3)
	for _, q := range qualities[1:] {
		e := newEncoder(q.q)
		rapid.Check(t, func(t *rapid.T) {
			color, most := colors.Draw(t, "color"), 3
			if v := rapid.SampledFrom([]int{-1, 0, 255}).Draw(t, "gray"); v >= 0 {
				color, most = []byte{byte(v), byte(v), byte(v)}, reach-4
			}
			low := rapid.IntRange(2, 253-most).Draw(t, "low")
			var pixels [64]byte
			for i := 0; i < 64; i += 4 {
				copy(pixels[i:], color)
				pixels[i+3] = byte(low + rapid.IntRange(0, most).Draw(t, "alpha"))
			}
			if e.encode(&pixels); e.sse != 0 {
				t.Fatalf("mode %d has an error of %d", e.best.mode, e.sse)
			}
		})
	}
}

// An opaque ramp of few steps is exact.
func TestSmoothRampIsExact(t *testing.T) {
	e := newEncoder(blockfit.Normal)
	for from := byte(1); from < 240; from++ { // odd ends cannot begin at 0
		var pixels [64]byte
		for i := range 16 {
			v := from + byte(i%4*2+i/4)
			copy(pixels[4*i:], []byte{v, v, v, 255})
		}
		if e.encode(&pixels); e.sse != 0 {
			t.Errorf("from %d: mode %d has an error of %d", from, e.best.mode, e.sse)
		}
	}
}
