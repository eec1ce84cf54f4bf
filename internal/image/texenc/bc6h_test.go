//go:build amd64 || arm64

// The library that decodes here does not build for machines of 32 bits.

package texenc

import (
	"math"
	"testing"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/woozymasta/bcn"
	"pgregory.net/rapid"
)

// The library decodes blocks of each mode to what the encoder meant.
func TestLightLineModes(t *testing.T) {
	used := map[uint64]int{}
	rapid.Check(t, func(t *rapid.T) {
		var block lightBlock
		spread := rapid.SampledFrom([]int{0, 3, 30, 400, 3000, 31743}).Draw(t, "spread")
		for k := range 3 {
			from := rapid.IntRange(0, 31743-spread).Draw(t, "from")
			for i := range block {
				block[i][k] = uint16(from + rapid.IntRange(0, spread).Draw(t, "value"))
			}
		}
		line := fitLight(&block, Quality(rapid.IntRange(0, 2).Draw(t, "quality")))
		used[line.mode.number]++
		data := line.append(nil)
		if got := uint64(data[0] & 31); got != line.mode.number {
			t.Fatalf("mode %d is written as %d", line.mode.number, got)
		}
		decoded, err := bcn.DecodeBC6H(data, 4, 4, false)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range line.halves() {
			for k, meant := range p {
				if decoded[3*i+k] != meant {
					t.Fatalf("mode %d, pixel %d: decoded as %v, meant as %v", line.mode.number, i, decoded[3*i:3*i+3], p)
				}
			}
		}
	})
	for _, mode := range lineModes() {
		if used[mode.number] == 0 && !testing.Short() {
			t.Errorf("mode %d is never used", mode.number)
		}
	}
}

// The library decodes blocks of two regions to what the encoder meant, in each mode.
func TestLightPairModes(t *testing.T) {
	used := map[uint8]int{}
	rapid.Check(t, func(t *rapid.T) {
		var block lightBlock
		apart := rapid.SampledFrom([]int{10, 100, 300, 1000, 3000, 20000}).Draw(t, "apart")
		spread := rapid.SampledFrom([]int{3, 30, 100, 400}).Draw(t, "spread")
		mask := rapid.SampledFrom([]uint16{0xcccc, 0xff00, 0xe800, 0x0ff0}).Draw(t, "mask")
		for k := range 3 {
			from := [2]int{rapid.IntRange(0, 10000).Draw(t, "from"), 0}
			from[1] = from[0] + rapid.IntRange(0, apart).Draw(t, "other")
			for i := range block {
				block[i][k] = uint16(from[mask>>i&1] + rapid.IntRange(0, spread).Draw(t, "value"))
			}
		}
		pair := fitPair(&block, Quality(rapid.IntRange(1, 2).Draw(t, "quality")))
		used[pair.Mode.Number]++
		data := pair.Pack()
		decoded, err := bcn.DecodeBC6H(data[:], 4, 4, false)
		if err != nil {
			t.Fatal(err)
		}
		var got lightBlock
		for i := range got {
			copy(got[i][:], decoded[3*i:])
		}
		if meant := lightBlock(pair.Halves()); got != meant {
			t.Fatalf("mode %d: decoded as %v, meant as %v", pair.Mode.Number, got, meant)
		}
		judge := judgeOf(&block)
		if e := judge.of(&got); e != pair.err {
			t.Fatalf("error %v, thought to be %v", e, pair.err)
		}
	})
	if len(used) < 6 && !testing.Short() {
		t.Errorf("modes %v", used)
	}
}

// Two colors of light are no line: two regions are better by far, one is what fast knows.
func TestLightPairPays(t *testing.T) {
	m := pixmap.New(4, 4, pixmap.Float)
	for i := range 16 {
		light := [3]float32{float32(20 + i), 1, 0.5}
		if i%4 >= 2 {
			light = [3]float32{0.2, 0.3, float32(1 + i)}
		}
		copy(m.PixF[4*i:], light[:])
	}
	var off [3]float64
	for q := range off {
		got, err := bcn.DecodeBC6HFloat32(encode(t, texture.BC6H, m, Options{Quality: Quality(q)}), 4, 4, false)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			d := math.Log2(1+float64(v)) - math.Log2(1+float64(m.PixF[i/3*4+i%3]))
			off[q] += d * d
		}
	}
	if off[1] > off[0]/4 || off[2] > off[1] {
		t.Errorf("errors %v", off)
	}
}

// A distance must be storable both ways, as the ends may change places.
func TestLightLineFits(t *testing.T) {
	for _, tc := range []struct {
		mode lineMode
		b    int32
		want bool
	}{
		{lineMode{15, 16, 4}, 107, true}, {lineMode{15, 16, 4}, 108, false},
		{lineMode{15, 16, 4}, 93, true}, {lineMode{15, 16, 4}, 92, false},
		{lineMode{3, 10, 0}, 1023, true}, {lineMode{3, 10, 0}, 1024, false}, {lineMode{3, 10, 0}, -1, false},
	} {
		line := lightLine{mode: tc.mode, a: [3]int32{100, 100, 100}, b: [3]int32{100, tc.b, 100}}
		if got := line.fits(); got != tc.want {
			t.Errorf("%+v to %d: %v, want %v", tc.mode, tc.b, got, tc.want)
		}
	}
}

// Where light falls from bright to black within a block, the bright part keeps
// its steps: black alone must not stretch the line.
func TestLightBesideBlack(t *testing.T) {
	m := pixmap.New(4, 4, pixmap.Float)
	for i := range m.PixF {
		m.PixF[i] = float32(i/4) / 16
	}
	for q := Fast; q <= Best; q++ {
		got, err := bcn.DecodeBC6HFloat32(encode(t, texture.BC6H, m, Options{Quality: q}), 4, 4, false)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			if want := m.PixF[i/3*4]; math.Abs(float64(v-want)) > 0.02+0.18*float64(want) {
				t.Errorf("quality %d: number %d is %v, want %v", q, i, v, want)
			}
		}
	}
}

// No color is too bright or too dark, and what is no number is black.
func TestLightExtremes(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, tc := range []struct{ v, want float32 }{
		{0, 0}, {-3, 0}, {nan, 0}, {65504, 65504}, {1e9, 65504}, {inf, 65504}, {-inf, 0}, {1, 1},
	} {
		m := pixmap.New(4, 4, pixmap.Float)
		for i := range m.PixF {
			m.PixF[i] = tc.v
		}
		for q := Fast; q <= Best; q++ {
			got, err := bcn.DecodeBC6HFloat32(encode(t, texture.BC6H, m, Options{Quality: q}), 4, 4, false)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range got {
				if math.Abs(float64(v-tc.want)) > float64(tc.want)/1000 {
					t.Fatalf("%v, quality %d: decoded as %v, want %v", tc.v, q, v, tc.want)
				}
			}
		}
	}
}
