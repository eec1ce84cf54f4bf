package pixmap

import (
	"math/rand/v2"
	"testing"
)

// noise fills pixels with numbers that are hard to compress and to predict.
func noise(pix []byte, opaque bool) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range pix {
		pix[i] = byte(rng.Uint32())
		if opaque && i%4 == 3 {
			pix[i] = 255
		}
	}
}

// photo fills m with smooth and grainy pixels like a photograph's.
func photo(m *Map) {
	noise(m.Pix8, true)
	for i := range m.Pix8 {
		if x, y := i/4%m.W, i/4/m.W; i%4 < 3 {
			m.Pix8[i] = byte(40*(i%4+1) + (x/16+y/8)%64 + int(m.Pix8[i]%32))
		}
	}
}

// foliage fills m with blobs that are half opaque and half transparent, with soft edges.
func foliage(m *Map) {
	photo(m)
	for y := range m.H {
		for x := range m.W {
			dx, dy := x%64-32, y%64-32
			m.Pix8[4*(m.W*y+x)+3] = byte(min(255, max(0, 20*(640-dx*dx-dy*dy)/16+128)))
		}
	}
}

func BenchmarkMips(b *testing.B) {
	const side = 4096
	for _, bench := range []struct {
		name string
		side int
		fill func(*Map)
		o    MipOptions
	}{
		{"opaque", side, photo, MipOptions{}},
		{"foliage", side, foliage, MipOptions{}},
		{"noise", side, func(m *Map) { noise(m.Pix8, false) }, MipOptions{}},
		{"data", side, func(m *Map) { noise(m.Pix8, false) }, MipOptions{Sampling: Sampling{Color: Data}}},
		{"odd", side - 1, func(m *Map) { noise(m.Pix8, false) }, MipOptions{}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			m := New(bench.side, bench.side, Bits8)
			bench.fill(m)
			b.SetBytes(int64(len(m.Pix8)))
			for b.Loop() {
				if _, err := Mips(b.Context(), m, bench.o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAnalyse(b *testing.B) {
	for name, fill := range map[string]func(*Map){
		"noise": func(m *Map) { noise(m.Pix8, true) },
		"plain": func(*Map) {},
	} {
		b.Run(name, func(b *testing.B) {
			m := New(1024, 1024, Bits8)
			fill(m)
			b.SetBytes(int64(len(m.Pix8)))
			for b.Loop() {
				if _, err := Analyse(b.Context(), m, 64); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
