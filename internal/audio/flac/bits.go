package flac

import (
	"encoding/binary"
	"math/bits"
)

// A bitReader reads each byte of a file from its highest bit on. After the end it reads zeros and
// sets short.
type bitReader struct {
	data  []byte
	at    int    // offset of the next byte that is not in acc
	acc   uint64 // the next n bits, highest first; zeros below
	n     uint
	short bool
}

func (r *bitReader) fill() {
	if r.at+8 <= len(r.data) {
		r.acc |= binary.BigEndian.Uint64(r.data[r.at:]) >> r.n
		k := (63 - r.n) / 8
		r.at += int(k)
		r.n += 8 * k
		r.acc &= ^uint64(0) << (64 - r.n)
		return
	}
	for r.n <= 56 && r.at < len(r.data) {
		r.acc |= uint64(r.data[r.at]) << (56 - r.n)
		r.at++
		r.n += 8
	}
}

// bits reads n bits, at most 56.
func (r *bitReader) bits(n uint) uint64 {
	if r.n < n {
		if r.fill(); r.n < n {
			r.short, r.acc, r.n = true, 0, 0
			return 0
		}
	}
	v := r.acc >> 1 >> (63 - n) // n may be 0
	r.acc <<= n
	r.n -= n
	return v
}

// signed reads a number in two's complement.
func (r *bitReader) signed(n uint) int64 {
	if n == 0 {
		return 0
	}
	return int64(r.bits(n)<<(64-n)) >> (64 - n)
}

// unary counts zeros up to a one, which it skips.
func (r *bitReader) unary() uint64 {
	count := uint64(0)
	for {
		if z := uint(bits.LeadingZeros64(r.acc)); z < r.n {
			r.acc <<= z + 1
			r.n -= z + 1
			return count + uint64(z)
		}
		count += uint64(r.n)
		r.acc, r.n = 0, 0
		if r.fill(); r.n == 0 {
			r.short = true
			return 0
		}
	}
}

// align skips bits up to the next whole byte, and returns its offset.
func (r *bitReader) align() int {
	r.bits(r.n % 8)
	return r.at - int(r.n/8)
}
