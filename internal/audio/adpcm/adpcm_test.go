package adpcm

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestBlockSizesGiveFrameCounts(t *testing.T) {
	for _, c := range []struct {
		frames         func(size, channels int) int
		size, channels int
		want           int
	}{
		{IMAFrames, 256, 1, 505},
		{IMAFrames, 2048, 2, 2041},
		{IMAFrames, 4, 1, 1},
		{IMAFrames, 7, 1, 1},
		{IMAFrames, 8, 1, 9},
		{IMAFrames, 15, 2, 1},
		{IMAFrames, 7, 2, 0},
		{IMAFrames, 256, 0, 0},
		{MSFrames, 256, 1, 500},
		{MSFrames, 1024, 2, 1012},
		{MSFrames, 7, 1, 2},
		{MSFrames, 13, 2, 0},
		{MSFrames, 256, 0, 0},
	} {
		if got := c.frames(c.size, c.channels); got != c.want {
			t.Errorf("%d bytes, %d channels: %d frames, want %d", c.size, c.channels, got, c.want)
		}
	}
	for rate, want := range map[int]int{1: 256, 11025: 256, 22049: 256, 22050: 512, 44100: 1024, 48000: 1024, 88200: 2048, 384000: 2048} {
		if got := IMABlockSize(rate, 3); got != 3*want {
			t.Errorf("%d Hz: blocks of %d bytes, want %d", rate, got, 3*want)
		}
	}
}

// TestIMABlockComputedByHand decodes a block whose samples were computed by hand. The first sample
// is 100, and the first step is 16 (index 8). The first code adds 1.75 steps in truncated parts,
// 16+8+4+2, and raises the index to 16 (step 34). The second code subtracts 34/8 = 4 and lowers the
// index to 15 (step 31). The rest is padding.
func TestIMABlockComputedByHand(t *testing.T) {
	got := make([]int16, 4)
	if err := DecodeIMA(got, []byte{100, 0, 8, 0, 0x87, 0x01, 0, 0}, 1); err != nil {
		t.Fatal(err)
	}
	if want := []int16{100, 130, 126, 136}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	// The step size is limited to the range from 7 to 32767, and samples are limited to 16 bits.
	for _, c := range []struct {
		index, codes byte
		want         []int16
	}{{0, 0x40, []int16{0, 0, 7}}, {88, 0xc7, []int16{0, 32767, -4095}}} {
		if err := DecodeIMA(got[:3], []byte{0, 0, c.index, 0, c.codes, 0, 0, 0}, 1); err != nil || !slices.Equal(got[:3], c.want) {
			t.Errorf("%v, want %v", got[:3], c.want)
		}
	}
}

// TestMicrosoftBlockComputedByHand uses predictor 1, which continues a line: 2*20-10 = 30, plus 3
// steps of 16, is 78. The next sample is 2*78-20 = 136 minus one step of 16, because the step has
// shrunk to the minimum.
func TestMicrosoftBlockComputedByHand(t *testing.T) {
	got := make([]int16, 4)
	block := []byte{1, 16, 0, 20, 0, 10, 0, 0x3f}
	if err := DecodeMS(got, block, 1, MSPredictors()); err != nil {
		t.Fatal(err)
	}
	if want := []int16{10, 20, 78, 120}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	// A negative prediction is truncated towards zero: -1*192/256 is 0.
	block = []byte{3, 16, 0, 0xff, 0xff, 0, 0, 0x00}
	if err := DecodeMS(got, block, 1, MSPredictors()); err != nil || got[2] != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestBadBlocksAreRefused(t *testing.T) {
	ima := func(to []int16, block []byte, channels int) error { return DecodeIMA(to, block, channels) }
	ms := func(to []int16, block []byte, channels int) error {
		return DecodeMS(to, block, channels, MSPredictors())
	}
	for _, c := range []struct {
		decode   func([]int16, []byte, int) error
		frames   int
		block    []byte
		channels int
		want     string
	}{
		{ima, 1, nil, 1, "block has 0 bytes, but its header needs 4"},
		{ima, 1, make([]byte, 7), 2, "block has 7 bytes, but its header needs 8"},
		{ima, 1, make([]byte, 7), 0, "but its header"},
		{ima, 2, make([]byte, 7), 1, "7 bytes is too short for 2 frames"},
		{ima, 1, []byte{0, 0, 89, 0}, 1, "step index 89, want 0 to 88"},
		{ms, 1, make([]byte, 6), 1, "block has 6 bytes, but its header needs 7"},
		{ms, 3, make([]byte, 7), 1, "7 bytes is too short for 3 frames"},
		{ms, 2, []byte{7, 0, 0, 0, 0, 0, 0}, 1, "predictor 7, but the file has 7"},
	} {
		err := c.decode(make([]int16, c.frames*c.channels+1-min(c.channels, 1)), c.block, c.channels)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestSearchPredictsTheDecoder checks that the error of the best beam is the squared error of the
// decoded block. It also changes the last code, and expects no smaller error, except with the next
// smaller code, which the search does not try.
func TestSearchPredictsTheDecoder(t *testing.T) {
	searchKnows(t, 0x1e5, 16) // block that ends just below full scale
	rapid.Check(t, func(rt *rapid.T) {
		searchKnows(rt, rapid.Uint32().Draw(rt, "seed"), rapid.IntRange(16, 31).Draw(rt, "quiet"))
	})
}

func searchKnows(t rapid.TB, seed uint32, quiet int) {
	const size = 44
	e := NewIMAEncoder(size, 1)
	samples := make([]int16, e.Frames())
	for i := range samples {
		seed = seed*1664525 + 1013904223
		samples[i] = int16(int32(seed) >> quiet)
	}
	block := e.Append(nil, samples)
	if len(block) != size {
		t.Fatalf("%d bytes", len(block))
	}
	got := make([]int16, len(samples))
	miss := func() int64 {
		if err := DecodeIMA(got, block, 1); err != nil {
			t.Fatal(err)
		}
		return squared(samples, got) + squared(samples, decodeProducts(block))
	}
	best := miss()
	if best != e.beams[0].miss {
		t.Fatalf("the search has an error of %d, the decoder of %d", e.beams[0].miss, best)
	}
	last, kept := len(block)-1, block[len(block)-1]
	for code := range byte(16) {
		if code+1 == kept>>4 && code&8 == kept>>4&8 {
			continue
		}
		block[last] = kept&15 | code<<4
		if other := miss(); other < best {
			t.Fatalf("%d, with the last code %d it would be %d", best, code, other)
		}
	}
}

// decodeProducts decodes a block of one channel like ffmpeg, which multiplies the step instead of
// summing its parts.
func decodeProducts(block []byte) []int16 {
	steps, index := ima().steps, int(block[2])
	sample := int32(int16(binary.LittleEndian.Uint16(block)))
	got := []int16{int16(sample)}
	for _, two := range block[imaHeader:] {
		for _, code := range []int32{int32(two & 15), int32(two >> 4)} {
			diff := (2*(code&7) + 1) * steps[index] / 8
			if code >= 8 {
				diff = -diff
			}
			sample = min(max(sample+diff, math.MinInt16), math.MaxInt16)
			got = append(got, int16(sample))
			index = min(max(index+[]int{-1, -1, -1, -1, 2, 4, 6, 8}[code&7], 0), maxIndex)
		}
	}
	return got
}

func squared(want, got []int16) (sum int64) {
	for i, x := range want {
		sum += (int64(x) - int64(got[i])) * (int64(x) - int64(got[i]))
	}
	return sum
}

// greedy encodes a block of one channel sample by sample. For each sample it chooses the code whose
// difference in diff leaves the smallest error.
func greedy(samples []int16, diff *[maxIndex + 1][16]int32, index uint8) []byte {
	sample, next := int32(samples[0]), &ima().next
	block := make([]byte, imaHeader+len(samples)/2)
	binary.LittleEndian.PutUint16(block, uint16(sample))
	block[2] = index
	for i := 1; i < len(samples); i++ {
		best, least := 0, int32(math.MaxInt32)
		for code := range 16 {
			d := clampSample(sample+diff[index][code]) - int32(samples[i])
			if d = max(d, -d); d < least {
				best, least = code, d
			}
		}
		block[imaHeader+(i-1)/2] |= byte(best << (4 * ((i - 1) & 1)))
		sample, index = clampSample(sample+diff[index][best]), next[index][best]
	}
	return block
}

// On loud sounds the search must beat greedy encoding for both kinds of decoders. On quiet tones it
// must be much better than greedy encoding for the other kind of decoder, and may be worse than
// greedy encoding for the same kind.
func TestSearchBeatsGreedyEncoding(t *testing.T) {
	e := NewIMAEncoder(1024, 1)
	read := func(samples []int16, block []byte) (summed, multiplied float64) {
		sums := make([]int16, len(samples))
		if err := DecodeIMA(sums, block, 1); err != nil {
			t.Fatal(err)
		}
		decibels := func(got []int16) float64 { return -10 * math.Log10(float64(squared(samples, got))) }
		return decibels(sums), decibels(decodeProducts(block))
	}
	for _, c := range []struct {
		name         string
		index        uint8 // index of the first step size of greedy encoding
		sound        func(i int, noise int32) int
		own, foreign float64 // gain over greedy encoding in dB, for the assumed decoder and for the other decoder
	}{
		{"a triangle that rises, over noise", 40, func(i int, noise int32) int {
			wave := (i * i / 20 & 0x3fff) - 0x2000
			return max(wave, -wave) - 0x1000 + int(noise>>22)
		}, 0.75, 0.8},
		{"a quiet tone", 12, func(i int, noise int32) int {
			return int(300*math.Sin(float64(i)*0.03)) + int(noise>>30)
		}, -10, 6},
	} {
		samples, seed := make([]int16, e.Frames()), uint32(1)
		for i := range samples {
			seed = seed*1664525 + 1013904223
			samples[i] = int16(c.sound(i, int32(seed)))
		}
		summed, multiplied := read(samples, e.Append(nil, samples))
		own1, foreign2 := read(samples, greedy(samples, &ima().sums, c.index))
		foreign1, own2 := read(samples, greedy(samples, &ima().products, c.index))
		if own := min(summed-own1, multiplied-own2); own < c.own {
			t.Errorf("%s: the search gains %.2f dB over greedy encoding for the same kind of decoder", c.name, own)
		}
		if foreign := min(summed-foreign1, multiplied-foreign2); foreign < c.foreign {
			t.Errorf("%s: the search gains %.2f dB over greedy encoding for the other kind of decoder", c.name, foreign)
		}
	}
}

// TestShortBlockRepeatsItsLastFrame also checks that the channels are independent.
func TestShortBlockRepeatsItsLastFrame(t *testing.T) {
	e := NewIMAEncoder(2*44, 2)
	samples := []int16{0, 1000, 100, 900, 200, 800}
	block := e.Append([]byte("before"), samples)
	if string(block[:6]) != "before" || len(block) != 6+2*44 {
		t.Fatalf("%d bytes", len(block))
	}
	got := make([]int16, 2*e.Frames())
	if err := DecodeIMA(got, block[6:], 2); err != nil {
		t.Fatal(err)
	}
	for i, x := range got {
		want := samples[min(i, 4+i%2)]
		if d := int(x) - int(want); d < -20 || d > 20 {
			t.Errorf("sample %d is %d, want about %d", i, x, want)
		}
	}
	mono := NewIMAEncoder(44, 1).Append(nil, []int16{0, 100, 200})
	left := make([]int16, e.Frames())
	if err := DecodeIMA(left, mono, 1); err != nil {
		t.Fatal(err)
	}
	for i, x := range left {
		if got[2*i] != x {
			t.Fatalf("frame %d: %d on the left, %d alone", i, got[2*i], x)
		}
	}
}

// TestBeamsStaySortedAndUnique checks that the list is sorted and limited, has no two beams with
// the same state, and contains the best beams.
func TestBeamsStaySortedAndUnique(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(1, 5).Draw(rt, "limit")
		var list []beam
		best := map[string]int64{} // least error of each state
		for range rapid.IntRange(1, 20).Draw(rt, "offers") {
			n := beam{
				miss:   rapid.Int64Range(0, 9).Draw(rt, "miss"),
				summed: rapid.Int32Range(0, 3).Draw(rt, "sample"),
				index:  rapid.Uint8Range(0, 1).Draw(rt, "index"),
			}
			list = keepBeam(list, n, limit)
			state := fmt.Sprint(n.summed, n.index)
			if old, ok := best[state]; !ok || n.miss < old {
				best[state] = n.miss
			}
		}
		var want []int64
		for _, miss := range best {
			want = append(want, miss)
		}
		slices.Sort(want)
		var got []int64
		for _, b := range list {
			got = append(got, b.miss)
			if b.miss != best[fmt.Sprint(b.summed, b.index)] {
				rt.Fatalf("%v is not the best of its state", b)
			}
		}
		if want = want[:min(limit, len(want))]; !slices.Equal(got, want) {
			rt.Fatalf("%v, want %v", got, want)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x64\x00\x08\x00\x87\x01\x00\x00"), 1)
	f.Add([]byte("\x01\x10\x00\x14\x00\x0a\x00\x3f\x7f\xff\x77\x77\x77\x77"), 1)
	f.Add([]byte(strings.Repeat("\x06\x06\xff\x7f", 30)), 2)
	f.Fuzz(func(t *testing.T, block []byte, channels int) {
		channels = 1 + channels&7
		for size := range 2 {
			block := block[size*len(block)/2:]
			if n := IMAFrames(len(block), channels); n > 0 {
				if err := DecodeIMA(make([]int16, n*channels), block, channels); err != nil && !strings.Contains(err.Error(), "step index") {
					t.Error(err)
				}
			}
			if n := MSFrames(len(block), channels); n > 0 {
				if err := DecodeMS(make([]int16, n*channels), block, channels, MSPredictors()); err != nil && !strings.Contains(err.Error(), "predictor") {
					t.Error(err)
				}
			}
		}
	})
}

func BenchmarkIMAEncode(b *testing.B) {
	e := NewIMAEncoder(1024, 1)
	samples := make([]int16, e.Frames())
	seed := uint32(1)
	for i := range samples {
		seed = seed*1664525 + 1013904223
		samples[i] = int16(int32(seed) >> 18)
	}
	b.SetBytes(int64(2 * len(samples)))
	var block []byte
	for b.Loop() {
		block = e.Append(block[:0], samples)
	}
}
