package byalpha

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// TestAskedErrorBoundsTheWeighedOne checks that the error weighted by alpha falls at least as much
// as the unweighted error relative to the colors from Ask, except for rounding.
func TestAskedErrorBoundsTheWeighedOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		some := func(name string) []byte { return rapid.SliceOfN(rapid.Byte(), 64, 64).Draw(t, name) }
		pixels, now, next := some("pixels"), some("now"), some("next")
		for i := 3; i < 64; i += 4 {
			now[i], next[i] = pixels[i], pixels[i]
		}
		wanted := make([]byte, 64)
		Ask(wanted, pixels, now)
		plain := func(decoded []byte) (sse int64) {
			for i, v := range wanted {
				d := int64(v) - int64(decoded[i])
				sse += d * d
			}
			return 255 * sse
		}
		// Rounding moves each modified color by at most 0.5. This changes each of the two squared
		// errors by less than 256, and Error is scaled by 255.
		rounding := int64(255 * 48 * 512)
		if fell, asked := Error(pixels, now)-Error(pixels, next), plain(now)-plain(next); fell < asked-rounding {
			t.Fatalf("the error fell by %d, the unweighed error by %d", fell, asked)
		}
	})
}

func TestMean(t *testing.T) {
	pixels := []byte{200, 0, 10, 255, 0, 100, 10, 0, 100, 0, 10, 255}
	dst := []byte{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	Mean(dst, pixels)
	if want := []byte{150, 0, 10, 1, 150, 0, 10, 1, 150, 0, 10, 1}; !bytes.Equal(dst, want) {
		t.Errorf("%v, want %v", dst, want)
	}
	Mean(dst, make([]byte, 12))
	if dst[0] != 0 || dst[3] != 1 {
		t.Errorf("of transparent pixels: %v", dst)
	}
}

func TestError(t *testing.T) {
	pixels := []byte{10, 20, 30, 100, 1, 2, 3, 0}
	decoded := []byte{11, 22, 33, 98, 255, 255, 255, 1}
	if got, want := Error(pixels, decoded), int64(100*(1+4+9)+255*4+255); got != want {
		t.Errorf("%d, want %d", got, want)
	}
}
