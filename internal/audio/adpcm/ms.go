package adpcm

import (
	"encoding/binary"
	"fmt"
	"math"
)

// A Predictor predicts a sample from the two before it, in 1/256.
type Predictor struct{ Last, Before int16 }

// MSPredictors returns the seven predictors that begin the list of every Microsoft ADPCM file.
func MSPredictors() []Predictor {
	return []Predictor{{256, 0}, {512, -256}, {0, 0}, {192, 64}, {240, 0}, {460, -208}, {392, -232}}
}

// A Microsoft block starts with seven bytes for each channel, field by field: the number of the
// predictor, the step size, the second sample, the first sample. Then come four bits a sample, high
// half first, for the channels in turn.
const msHeader = 7

// MSFrames returns how many frames a Microsoft ADPCM block of the given size holds, 0 if not even
// two.
func MSFrames(blockSize, channels int) int {
	if channels < 1 || blockSize < msHeader*channels {
		return 0
	}
	return 2 + (blockSize-msHeader*channels)*2/channels
}

// DecodeMS decodes the first len(to)/channels frames of a block, which must hold that many: see
// MSFrames. predictors is the list of the file.
func DecodeMS(to []int16, block []byte, channels int, predictors []Predictor) error {
	frames := len(to) / max(channels, 1)
	if n := MSFrames(len(block), channels); n == 0 {
		return shortBlock(len(block), msHeader*channels)
	} else if frames > n {
		return fmt.Errorf("a Microsoft ADPCM block of %d bytes is too short for %d frames", len(block), frames)
	}
	for c := range channels {
		number := int(block[c])
		if number >= len(predictors) {
			return fmt.Errorf("a Microsoft ADPCM block with predictor %d, but the file has %d predictors; the file is damaged", number, len(predictors))
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
			// The quotient is truncated towards zero, as in Microsoft's text.
			guess := (int64(last)*int64(p.Last) + int64(before)*int64(p.Before)) / 256
			signed := code << 28 >> 28
			before, last = last, clamp16(int32(guess)+signed*step)
			to[i*channels+c] = int16(last)
			step = min(max(step*msAdapt(code)>>8, 16), math.MaxInt32/768)
		}
	}
	return nil
}

// msAdapt returns the factor of a code for the step size, in 1/256.
func msAdapt(code int32) int32 {
	return [16]int32{230, 230, 230, 230, 307, 409, 512, 614, 768, 614, 512, 409, 307, 230, 230, 230}[code]
}
