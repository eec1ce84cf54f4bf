package wav

import (
	"encoding/binary"
	"math"
)

// A quantiser converts samples to a file's coding.
type quantiser struct {
	coding Coding
	dither bool
	seed   uint64
}

func (q *quantiser) append(to []byte, samples []float32) []byte {
	bits := 8 * q.coding.bytes()
	dither := q.dither && q.coding <= PCM24
	for _, x := range samples {
		if q.coding == Float32 {
			to = binary.LittleEndian.AppendUint32(to, math.Float32bits(x))
			continue
		}
		var v int32
		if dither {
			v = q.noisy(x, bits)
		} else {
			v = round(x, bits)
		}
		switch q.coding {
		case PCM8:
			to = append(to, byte(v+128))
		case PCM16:
			to = append(to, byte(v), byte(v>>8))
		case PCM24:
			to = append(to, byte(v), byte(v>>8), byte(v>>16))
		case PCM32:
			to = append(to, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		}
	}
	return to
}

// round returns a sample as an integer of the given bits, with halves rounded to even, clipped; NaN
// is 0.
func round(x float32, bits int) int32 {
	full := float64(int64(1) << (bits - 1))
	return toInteger(float64(x)*full, full)
}

// noisy adds the difference of two random numbers between 0 and 1 before it rounds.
func (q *quantiser) noisy(x float32, bits int) int32 {
	// SplitMix64 (Steele, Lea, Flood 2014), with 32 bits for each number.
	q.seed += 0x9e3779b97f4a7c15
	z := q.seed
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	noise := float64(float64(int64(z>>32)-int64(z&0xffffffff)) / (1 << 32))
	full := float64(int64(1) << (bits - 1))
	return toInteger(float64(float64(x)*full)+noise, full)
}

func toInteger(v, full float64) int32 {
	switch {
	case v != v:
		return 0
	case v >= full-1:
		return int32(full - 1)
	case v <= -full:
		return int32(-full)
	}
	return int32(math.RoundToEven(v))
}
