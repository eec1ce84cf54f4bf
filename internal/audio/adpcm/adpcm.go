// Package adpcm implements the two ADPCM codecs of WAV files: IMA (encoding and decoding) and
// Microsoft (decoding). Four bits encode the difference of a sample from a prediction, with a step
// size that adapts to the sound.
//
// Both use blocks of a fixed size that can be decoded separately, to interleaved 16-bit samples.
// Package wav splits a file into blocks.
//
// Sources: "Recommended Practices for Enhancing Digital Audio Compatibility in Multimedia Systems",
// IMA 1992; "Multimedia Data Standards Update", Microsoft 1994. All arithmetic uses integers.
package adpcm

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"
)

func clampSample(x int32) int32 { return min(max(x, math.MinInt16), math.MaxInt16) }

// shortBlock returns the error for a truncated block.
func shortBlock(have, want int) error {
	return fmt.Errorf("an ADPCM block has %d bytes, but its header needs %d; the file is cut short, so copy or export it again", have, want)
}

// An IMA block starts with four bytes per channel: the first sample, the step index, and a zero.
// Then each group of four bytes holds eight samples of one channel, low half first; the channels
// take turns.
const (
	imaHeader = 4
	imaGroup  = 4
	perGroup  = 8
	maxIndex  = 88
)

// IMAFrames returns the number of frames in an IMA block of the given size, or 0 if there is not
// even one. A truncated group at the end of a block does not count.
func IMAFrames(blockSize, channels int) int {
	if channels < 1 || blockSize < imaHeader*channels {
		return 0
	}
	return 1 + (blockSize/channels-imaHeader)/imaGroup*perGroup
}

// DecodeIMA decodes the first len(to)/channels frames of a block. The block must have at least that
// many frames; see IMAFrames.
func DecodeIMA(to []int16, block []byte, channels int) error {
	frames := len(to) / max(channels, 1)
	if n := IMAFrames(len(block), channels); n == 0 {
		return shortBlock(len(block), imaHeader*channels)
	} else if frames > n {
		return fmt.Errorf("an IMA ADPCM block of %d bytes is too short for %d frames; export the file again", len(block), frames)
	}
	t := ima()
	for c := range channels {
		head := block[imaHeader*c:]
		sample, index := int32(int16(binary.LittleEndian.Uint16(head))), int(head[2])
		if index > maxIndex {
			return fmt.Errorf("an IMA ADPCM block has step index %d, want 0 to %d; the file is damaged, so export it again", index, maxIndex)
		}
		if frames > 0 {
			to[c] = int16(sample)
		}
		for i := 1; i < frames; {
			at := imaHeader*channels + ((i-1)/perGroup*channels+c)*imaGroup
			word := binary.LittleEndian.Uint32(block[at:])
			for end := min(i+perGroup, frames); i < end; i++ {
				code := word & 15
				word >>= 4
				sample = clampSample(sample + t.sums[index][code])
				index = int(t.next[index][code])
				to[i*channels+c] = int16(sample)
			}
		}
	}
	return nil
}

// imaTables hold the effect of each code at each step index.
type imaTables struct {
	steps [maxIndex + 1]int32
	sums  [maxIndex + 1][16]int32 // change of the sample, computed as the recommendation specifies
	// products are the sample changes in decoders that multiply the step. They exceed those in sums
	// by 0 to 2.
	products [maxIndex + 1][16]int32
	next     [maxIndex + 1][16]uint8 // step index for the next sample
}

var ima = sync.OnceValue(func() *imaTables {
	t := &imaTables{steps: [...]int32{
		7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45,
		50, 55, 60, 66, 73, 80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230,
		253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963,
		1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327,
		3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493, 10442,
		11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794,
		32767,
	}}
	move := [8]int{-1, -1, -1, -1, 2, 4, 6, 8}
	for index, step := range t.steps {
		for code := range 8 {
			// sum adds the truncated parts of the step one by one.
			sum, product := step>>3, (2*int32(code)+1)*step>>3
			for bit, part := range [3]int32{step >> 2, step >> 1, step} {
				if code>>bit&1 != 0 {
					sum += part
				}
			}
			next := uint8(min(max(index+move[code], 0), maxIndex))
			t.sums[index][code], t.sums[index][code+8] = sum, -sum
			t.products[index][code], t.products[index][code+8] = product, -product
			t.next[index][code], t.next[index][code+8] = next, next
		}
	}
	return t
})

// A Predictor holds the weights, in 1/256, of the previous two samples in the prediction of the
// next.
type Predictor struct{ Last, Before int16 }

// MSPredictors returns the seven predictors at the start of every Microsoft ADPCM file's predictor
// list.
func MSPredictors() []Predictor {
	return []Predictor{{256, 0}, {512, -256}, {0, 0}, {192, 64}, {240, 0}, {460, -208}, {392, -232}}
}

// A Microsoft block starts with seven bytes per channel, field by field: the predictor's index, the
// step size, the second sample, the first sample. Then come four bits per sample, high half first;
// the channels take turns.
const msHeader = 7

// MSFrames returns the number of frames in a Microsoft ADPCM block of the given size, or 0 if there
// are not even two.
func MSFrames(blockSize, channels int) int {
	if channels < 1 || blockSize < msHeader*channels {
		return 0
	}
	return 2 + (blockSize-msHeader*channels)*2/channels
}

// DecodeMS decodes the first len(to)/channels frames of a block. The block must have at least that
// many frames; see MSFrames. predictors is the file's predictor list.
func DecodeMS(to []int16, block []byte, channels int, predictors []Predictor) error {
	frames := len(to) / max(channels, 1)
	if n := MSFrames(len(block), channels); n == 0 {
		return shortBlock(len(block), msHeader*channels)
	} else if frames > n {
		return fmt.Errorf("a Microsoft ADPCM block of %d bytes is too short for %d frames; export the file again", len(block), frames)
	}
	for c := range channels {
		number := int(block[c])
		if number >= len(predictors) {
			return fmt.Errorf("a Microsoft ADPCM block uses predictor %d, but the file has %d predictors; the file is damaged, so export it again", number, len(predictors))
		}
		field := func(i int) int32 {
			return int32(int16(binary.LittleEndian.Uint16(block[channels+2*(i*channels+c):])))
		}
		p := predictors[number]
		step, last, before := field(0), field(1), field(2)
		for i, x := range [2]int32{before, last} {
			if i < frames {
				to[i*channels+c] = int16(x)
			}
		}
		for i := 2; i < frames; i++ {
			at := (i-2)*channels + c
			code := int32(block[msHeader*channels+at/2]) >> (4 * (1 - at&1)) & 15
			// The quotient is truncated towards zero, as Microsoft specifies.
			guess := (int64(last)*int64(p.Last) + int64(before)*int64(p.Before)) / 256
			signed := code << 28 >> 28
			before, last = last, clampSample(int32(guess)+signed*step)
			to[i*channels+c] = int16(last)
			step = min(max(step*msAdapt(code)>>8, 16), math.MaxInt32/768)
		}
	}
	return nil
}

// msAdapt returns the step size factor of a code, in units of 1/256.
func msAdapt(code int32) int32 {
	return [16]int32{230, 230, 230, 230, 307, 409, 512, 614, 768, 614, 512, 409, 307, 230, 230, 230}[code]
}
