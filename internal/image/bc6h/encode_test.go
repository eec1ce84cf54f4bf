//go:build amd64 || arm64

// Package bcn, which decodes the blocks in this file, does not build on 32-bit machines.

package bc6h

import (
	"sort"
	"testing"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/woozymasta/bcn"
	"pgregory.net/rapid"
)

// TestLightLineModes checks that the library decodes one-line blocks in each mode to the same
// colors as this package.
func TestLightLineModes(t *testing.T) {
	used := map[uint8]int{}
	rapid.Check(t, func(t *rapid.T) {
		var block Colors
		spread := rapid.SampledFrom([]int{0, 3, 30, 400, 3000, 31743}).Draw(t, "spread")
		for k := range 3 {
			from := rapid.IntRange(0, 31743-spread).Draw(t, "from")
			for i := range block {
				block[i][k] = uint16(from + rapid.IntRange(0, spread).Draw(t, "value"))
			}
		}
		line := fitLine(&block, blockfit.Quality(rapid.IntRange(0, 2).Draw(t, "quality")))
		line.lowerAnchor()
		used[line.Mode.Number]++
		data := line.Pack()
		if got := data[0] & 31; got != line.Mode.Number {
			t.Fatalf("mode %d is written as %d", line.Mode.Number, got)
		}
		decoded, err := bcn.DecodeBC6H(data[:], 4, 4, false)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range line.Halves() {
			for k, meant := range p {
				if decoded[3*i+k] != meant {
					t.Fatalf("mode %d, pixel %d: decoded as %v, meant as %v", line.Mode.Number, i, decoded[3*i:3*i+3], p)
				}
			}
		}
	})
	for _, mode := range Modes() {
		if mode.Regions == 1 && used[mode.Number] == 0 && !testing.Short() {
			t.Errorf("mode %d is never used", mode.Number)
		}
	}
}

// TestLightPairModes checks that the library decodes two-region blocks in each mode to the same
// colors as this package.
func TestLightPairModes(t *testing.T) {
	used := map[uint8]int{}
	rapid.Check(t, func(t *rapid.T) {
		var block Colors
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
		pair := fitPair(&block, blockfit.Quality(rapid.IntRange(1, 2).Draw(t, "quality")))
		used[pair.Mode.Number]++
		data := pair.Pack()
		decoded, err := bcn.DecodeBC6H(data[:], 4, 4, false)
		if err != nil {
			t.Fatal(err)
		}
		var got Colors
		for i := range got {
			copy(got[i][:], decoded[3*i:])
		}
		if meant := Colors(pair.Halves()); got != meant {
			t.Fatalf("mode %d: decoded as %v, meant as %v", pair.Mode.Number, got, meant)
		}
		judge := judgeOf(&block)
		if e := judge.errorOfColors(&got); e != pair.err {
			t.Fatalf("error %v, thought to be %v", e, pair.err)
		}
	})
	if len(used) < 6 && !testing.Short() {
		t.Errorf("modes %v", used)
	}
}

// An offset between endpoints must be storable with either sign, because packing may swap the
// endpoints.
func TestLightLineFits(t *testing.T) {
	for _, tc := range []struct {
		mode uint8
		b    int32
		want bool
	}{
		{15, 107, true}, {15, 108, false},
		{15, 93, true}, {15, 92, false},
		{3, 1023, true}, {3, 1024, false}, {3, -1, false},
	} {
		line := codedBlock{Block: Block{Ends: [4][3]int32{{100, 100, 100}, {100, tc.b, 100}}}}
		for i := range Modes() {
			if Modes()[i].Number == tc.mode {
				line.Mode = &Modes()[i]
			}
		}
		if got := line.fitsBothWays(); got != tc.want {
			t.Errorf("mode %d to %d: %v, want %v", tc.mode, tc.b, got, tc.want)
		}
	}
}

// TestPixelsBesideALampStayDark checks that no dark pixel becomes as bright as the white of a
// screen.
func TestPixelsBesideALampStayDark(t *testing.T) {
	values := [16]float32{
		0, 0, 2170, 0,
		30368, 33088, 0, 1941,
		31696, 31152, 0, 1958,
		0, 0.3, 2958, 171,
	}
	var colors Colors
	for i, v := range values {
		for k := range 3 {
			colors[i][k] = uint16(sort.Search(0x7bff, func(h int) bool {
				return blockfit.FiniteHalf(uint16(h)) >= v/float32(k+1)
			}))
		}
	}
	for q := blockfit.Fast; q <= blockfit.Best; q++ {
		data := Encode(&colors, q)
		block, ok := Unpack(&data)
		if !ok {
			t.Fatalf("quality %d: the block is invalid", q)
		}
		for i, p := range block.Halves() {
			for k, h := range p {
				want, got := blockfit.FiniteHalf(colors[i][k]), blockfit.FiniteHalf(h)
				if want < 1 && got > 1.5 || want > 100 && (got < want/4 || got > 4*want) {
					t.Errorf("quality %d, pixel %d, channel %d: %v is decoded as %v", q, i, k, want, got)
				}
			}
		}
	}
}
