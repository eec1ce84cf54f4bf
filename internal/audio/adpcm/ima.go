package adpcm

import (
	"encoding/binary"
	"fmt"
	"sync"
)

// An IMA block starts with four bytes for each channel: the first sample, the index of the step
// size, a zero. Then four bytes hold eight samples of one channel, low half first, for the channels
// in turn.
const (
	imaHeader = 4
	imaGroup  = 4
	perGroup  = 8
	maxIndex  = 88
)

// IMAFrames returns how many frames an IMA block of the given size holds, 0 if not even one. A torn
// group at the end of a block does not count.
func IMAFrames(blockSize, channels int) int {
	if channels < 1 || blockSize < imaHeader*channels {
		return 0
	}
	return 1 + (blockSize/channels-imaHeader)/imaGroup*perGroup
}

// DecodeIMA decodes the first len(to)/channels frames of a block, which must hold that many: see
// IMAFrames.
func DecodeIMA(to []int16, block []byte, channels int) error {
	frames := len(to) / max(channels, 1)
	if n := IMAFrames(len(block), channels); n == 0 {
		return shortBlock(len(block), imaHeader*channels)
	} else if frames > n {
		return fmt.Errorf("an IMA ADPCM block of %d bytes is too short for %d frames", len(block), frames)
	}
	t := ima()
	for c := range channels {
		head := block[imaHeader*c:]
		sample, index := int32(int16(binary.LittleEndian.Uint16(head))), int(head[2])
		if index > maxIndex {
			return fmt.Errorf("an IMA ADPCM block with step index %d, want 0 to %d; the file is damaged", index, maxIndex)
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
				sample = clamp16(sample + t.sums[index][code])
				index = int(t.next[index][code])
				to[i*channels+c] = int16(sample)
			}
		}
	}
	return nil
}

// imaTables hold the effect of a code at each index of the step size.
type imaTables struct {
	steps [maxIndex + 1]int32
	sums  [maxIndex + 1][16]int32 // added to the sample, by the recommendation
	// products are added by decoders that multiply: larger by 0 to 2.
	products [maxIndex + 1][16]int32
	next     [maxIndex + 1][16]uint8 // the index for the next sample
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
			// The sum of the truncated parts.
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
