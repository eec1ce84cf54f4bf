package bc7

import (
	"math"
	"math/bits"
	"testing"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/blocktest"
	"pgregory.net/rapid"
)

// TestMoments checks that the moments of a set of pixels are sums over its pixels, and that the
// scatter is right.
func TestMoments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pixels := [64]byte(blocktest.Pixels(t, 16))
		mask := rapid.Uint16Range(1, math.MaxUint16).Draw(t, "mask")
		var b block
		b.loadBlock(&pixels)
		var r rows
		r.fillMoments(&b, true)
		m := r.momentsOfMask(mask, true)
		all := r.momentsOfMask(math.MaxUint16, true)
		none := r.momentsOfMask(^mask, true)
		if rest := all.withoutPart(&none); rest != m {
			t.Fatalf("%+v, by what is left %+v", m, rest)
		}
		var sum, squares [4]int64
		var n, gb, ra int64
		for i := range 16 {
			if mask>>i&1 == 0 {
				continue
			}
			n++
			for c := range sum {
				v := int64(pixels[4*i+c])
				sum[c] += v
				squares[c] += v * v
			}
			gb += int64(pixels[4*i+1]) * int64(pixels[4*i+2])
			ra += int64(pixels[4*i]) * int64(pixels[4*i+3])
		}
		s := m.scatterOf(true)
		if got := m.sumOfSquares(true); got != squares[0]+squares[1]+squares[2]+squares[3] {
			t.Fatalf("squares %d", got)
		}
		for _, x := range []struct {
			name string
			got  float64
			want int64
		}{
			{"rr", s.rr, n*squares[0] - sum[0]*sum[0]},
			{"gg", s.gg, n*squares[1] - sum[1]*sum[1]},
			{"bb", s.bb, n*squares[2] - sum[2]*sum[2]},
			{"aa", s.aa, n*squares[3] - sum[3]*sum[3]},
			{"gb", s.gb, n*gb - sum[1]*sum[2]},
			{"ra", s.ra, n*ra - sum[0]*sum[3]},
		} {
			if x.got != float64(x.want) {
				t.Fatalf("%s: %v, want %d", x.name, x.got, x.want)
			}
		}
	})
}

// TestNearest checks that the listed partitions are sorted, and that no partition outside of the
// list is nearer.
func TestNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := rapid.Uint16().Draw(t, "set") &^ 1
		far := func(p uint8) int {
			n := bits.OnesCount16(set ^ pairs[p])
			return min(n, 16-n)
		}
		near := tablesOf().near[set>>1]
		last := 0
		listed := map[uint8]bool{}
		for _, p := range near {
			if far(p) < last || listed[p] {
				t.Fatalf("set %04x: %v", set, near)
			}
			last, listed[p] = far(p), true
		}
		for p := range uint8(64) {
			if !listed[p] && far(p) < last {
				t.Fatalf("set %04x: %d is nearer than one of %v", set, p, near)
			}
		}
	})
}

// TestRoughError checks that the estimated error differs from the real error only by the rounding
// of colors.
func TestRoughError(t *testing.T) {
	e := newEncoder(blockfit.Fast)
	rapid.Check(t, func(t *rapid.T) {
		pixels := [64]byte(blocktest.Pixels(t, 16))
		e.encode(&pixels)
		e.px.loadBlock(&pixels)
		var m moments
		for i, v := range &e.px.rgb {
			m.addOpaque(v)
			m.addAlpha(v, e.px.a[i])
		}
		for _, k := range []*kind{kind6, kind7} {
			s := m.scatterOf(true)
			v := s.principalDirection(true)
			d := v.wholeAxis()
			ls := e.px.placeOnAxis(whole[:], &d, k, true)
			var index [16]uint8
			l, sse := e.fitRoughly(&e.px, whole[:], ls, &m, k, true, &index)
			sse += m.sumOfSquares(true)
			var decoded [64]byte
			for i := range index {
				w := int(weights[k.width][index[i]])
				for c := range 3 {
					decoded[4*i+c] = blendEnds(uint8(l.rgb[0]>>(lane*c)), uint8(l.rgb[1]>>(lane*c)), w)
				}
				decoded[4*i+3] = blendEnds(uint8(l.a[0]), uint8(l.a[1]), w)
			}
			exact := blocktest.SquaredError(pixels[:], decoded[:], 4)
			if off := math.Abs(math.Sqrt(float64(exact)) - math.Sqrt(float64(max(0, sse)))); off > 0.5*8+0.01 {
				t.Fatalf("%d bits: error %d, thought to be %d", k.width, exact, sse)
			}
		}
	})
}

// TestSolveFindsLine checks that pixels exactly on a line give this line as the least-squares
// solution.
func TestSolveFindsLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ends [2][4]uint64
		for e := range ends {
			for c := range 4 {
				ends[e][c] = uint64(rapid.Byte().Draw(t, "end"))
			}
		}
		var b block
		var index [16]uint8
		for i := range 16 {
			index[i] = uint8(i)
			at := func(c int) uint64 {
				return uint64(blendEnds(uint8(ends[0][c]), uint8(ends[1][c]), int(weights[4][i])))
			}
			b.rgb[i], b.a[i] = lanesOf(at(0), at(1), at(2)), at(3)
		}
		var m moments
		for i, v := range &b.rgb {
			m.addOpaque(v)
			m.addAlpha(v, b.a[i])
		}
		ls := b.weightsOf(whole[:], &index, kind6, true)
		var l line
		l.solveLine(&ls, &m, 4, kind6, true)
		for e := range ends {
			for c := range 4 {
				got := int64(l.a[e])
				if c < 3 {
					got = int64(l.rgb[e] >> (lane * c) & 255)
				}
				if off := got - int64(ends[e][c]); off < -2 || off > 2 {
					t.Fatalf("end %d, channel %d: %d, want %d", e, c, got, ends[e][c])
				}
			}
		}
	})
}

// TestSmoothAlphaIsExact encodes glows and shadows: blocks of one color with a smooth alpha. From
// quality Normal on, a block must be exact if alpha varies little, or if the color is white or
// black.
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

// TestSmoothRampIsExact checks that an opaque ramp of few steps is encoded without error.
func TestSmoothRampIsExact(t *testing.T) {
	e := newEncoder(blockfit.Normal)
	for from := byte(1); from < 240; from++ { // endpoints of opaque blocks are odd, so a ramp from 0 would not be exact
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
