package image

import (
	stdimage "image"
	"math/rand/v2"
	"testing"
)

// noise fills pixels with numbers that compress and branch badly.
func noise(pix []byte, opaque bool) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range pix {
		pix[i] = byte(rng.Uint32())
		if opaque && i%4 == 3 {
			pix[i] = 255
		}
	}
}

func BenchmarkMips(b *testing.B) {
	for _, bench := range []struct {
		name           string
		side           int
		colour, opaque bool
	}{
		{"opaque", 2048, true, true},
		{"alpha", 2048, true, false},
		{"data", 2048, false, false},
		{"odd", 2047, true, false},
	} {
		b.Run(bench.name, func(b *testing.B) {
			base := level{bench.side, bench.side, make([]byte, 4*bench.side*bench.side)}
			noise(base.pix, bench.opaque)
			b.SetBytes(int64(len(base.pix)))
			for b.Loop() {
				if _, err := mipChain(b.Context(), base, bench.colour); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStraightYCbCr(b *testing.B) {
	m := stdimage.NewYCbCr(stdimage.Rect(0, 0, 2048, 2048), stdimage.YCbCrSubsampleRatio420)
	noise(m.Y, false)
	noise(m.Cb, false)
	noise(m.Cr, false)
	b.SetBytes(4 * 2048 * 2048)
	for b.Loop() {
		if _, err := straight(b.Context(), m, 2048, 2048, false); err != nil {
			b.Fatal(err)
		}
	}
}
