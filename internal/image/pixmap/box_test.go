package pixmap

import (
	"bytes"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// firstLevel returns the 16-bit texels of the level below m.
func firstLevel(t testing.TB, m *Map, s Sampling) []texel {
	t.Helper()
	p := newPyramid(m, banders(m, 1, func(int, *Map) error { return nil }), s)
	var got []texel
	p.narrow = func(_ []byte, src []texel) { got = append(got, src...) }
	if err := p.buildLevels(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	return got
}

// TestBoxCoversItsArea compares the box filter with a simple filter in floating point that averages
// the area of the larger level.
func TestBoxCoversItsArea(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(1, 23).Draw(rt, "w"), rapid.IntRange(2, 23).Draw(rt, "h")
		s := Sampling{Color: rapid.SampledFrom([]Color{SRGB, Linear, Data}).Draw(rt, "color")}
		s.Premultiplied = rapid.Bool().Draw(rt, "premultiplied")
		m := New(w, h, Bits8)
		noise(m.Pix8, rapid.Bool().Draw(rt, "opaque"))
		turn := rapid.IntRange(0, w*h-1).Draw(rt, "turn")
		m.Pix8 = append(bytes.Clone(m.Pix8[4*turn:]), m.Pix8[:4*turn]...)
		if rapid.Bool().Draw(rt, "steps") {
			for i := 3; i < len(m.Pix8); i += 4 {
				m.Pix8[i] = m.Pix8[i] >> 7 * 255
			}
		}

		got := firstLevel(t, m, s)
		mw, mh := max(1, w/2), max(1, h/2)
		for y := range mh {
			for x := range mw {
				want := area(m, mw, mh, x, y, s)
				for c := range 4 {
					if v := float64(got[mw*y+x] >> (16 * c) & 0xffff); math.Abs(v-want[c]) > 0.5001 {
						rt.Fatalf("pixel %d, %d channel %d is %v, want %v", x, y, c, v, want[c])
					}
				}
			}
		}
		// The mean of a level is equal to the mean of the level above it.
		for c := range 4 {
			if c < 3 && s.Color != Data {
				continue // alpha weighting and linear light change the mean
			}
			before, after := 0.0, 0.0
			for i := c; i < len(m.Pix8); i += 4 {
				before += 257 * float64(m.Pix8[i]) / float64(w*h)
			}
			for _, p := range got {
				after += float64(p>>(16*c)&0xffff) / float64(mw*mh)
			}
			if math.Abs(before-after) > 0.5001 {
				rt.Fatalf("channel %d: mean %v became %v", c, before, after)
			}
		}
	})
}

// area averages the part of m that pixel x, y covers in a level of mw by mh pixels. The result is
// 16-bit linear light.
func area(m *Map, mw, mh, x, y int, s Sampling) [4]float64 {
	overlap := func(n, m, i, j int) float64 {
		low, high := float64(i*n)/float64(m), float64((i+1)*n)/float64(m)
		return max(0, min(high, float64(j+1))-max(low, float64(j)))
	}
	light := func(v byte, c int) float64 {
		if s.Color == SRGB && c < 3 {
			return math.Round(65535 * reference(float64(v)/255))
		}
		return 257 * float64(v)
	}
	var plain, seen [4]float64
	var total float64
	for sy := range m.H {
		for sx := range m.W {
			part := overlap(m.W, mw, x, sx) * overlap(m.H, mh, y, sy)
			p := m.Pix8[4*(m.W*sy+sx):]
			total += part
			for c := range 4 {
				plain[c] += part * light(p[c], c)
				seen[c] += part * light(p[c], c) * light(p[3], 3)
			}
		}
	}
	out := [4]float64{3: plain[3] / total}
	for c := range 3 {
		if out[c] = plain[c] / total; s.Color != Data && !s.Premultiplied && plain[3] > 0 {
			out[c] = seen[c] / plain[3]
		}
	}
	return out
}

// TestLongestSidesDoNotOverflowBox checks the sums for the longest sides that a format allows.
func TestLongestSidesDoNotOverflowBox(t *testing.T) {
	white := New(65535, 1, Bits8)
	for i := range white.Pix8 {
		white.Pix8[i] = 255
		if i%8 == 3 {
			white.Pix8[i] = 254 // every other alpha is 254
		}
	}
	p := newPyramid(white, banders(white, 1, nil), Sampling{})
	line, out := p.stages[0].rows[0], make([]texel, 32767)
	p.widenTexels(line, white.Pix8)
	p.weighted(out, [3][]texel{line, line, line}, tapsOf(65535, 32766), 65535)
	for i, v := range out {
		if v&0xffff_ffffffff != 0xffff_ffffffff {
			t.Fatalf("pixel %d is %x, want white", i, v)
		}
	}
}

// TestDividedRoundsLikeIntegers compares floating-point quotients with integer quotients, including
// ties.
func TestDividedRoundsLikeIntegers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		alpha := rapid.Uint64Range(1, 4*65535).Draw(rt, "alpha")
		var sums [3]uint64
		want := texel(0)
		for c := range sums {
			sums[c] = rapid.Uint64Range(0, 65535*alpha).Draw(rt, "sum")
			if rapid.Bool().Draw(rt, "tie") {
				sums[c] = min(65535*alpha, sums[c]/alpha*alpha+(alpha+1)/2)
			}
			want |= (sums[c] + alpha/2) / alpha << (16 * c)
		}
		if got := divided(sums[0], sums[1], sums[2], alpha); got != want {
			rt.Fatalf("%v / %d is %x, want %x", sums, alpha, got, want)
		}
	})
}

func TestFourTexelsAverageByChannel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := &pyramid{weigh: rapid.Bool().Draw(rt, "weigh"), odd: oddChannels, two: 2 * oddOnes}
		in := rapid.SliceOfN(rapid.Uint64(), 4, 4).Draw(rt, "texels")
		if rapid.Bool().Draw(rt, "alike") {
			for i := range in {
				in[i] = in[i]<<16>>16 | in[0]>>48<<48
			}
		}
		channel := func(i, c int) uint64 { return in[i] >> (16 * c) & 0xffff }
		alpha, want := uint64(0), texel(0)
		for i := range in {
			alpha += channel(i, 3)
		}
		for c := range 4 {
			sum, by := uint64(0), uint64(0)
			for i := range in {
				weight := uint64(1)
				if p.weigh && c < 3 && alpha > 0 {
					weight = channel(i, 3)
				}
				sum, by = sum+weight*channel(i, c), by+weight
			}
			want |= (sum + by/2) / by << (16 * c)
		}
		var got [1]texel
		if p.four(got[:], in[:2], in[2:]); got[0] != want {
			rt.Fatalf("%x become %x, want %x", in, got[0], want)
		}
	})
}
