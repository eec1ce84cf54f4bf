package flac

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

var errReserved = errors.New("a FLAC frame has a reserved value; encode the file again")

// readSubframe reads one channel of a block, with width bits per sample (section 9.2 of RFC 9639).
func readSubframe(r *bitReader, to []int64, width uint) error {
	if r.bits(1) != 0 {
		return errReserved
	}
	kind := int(r.bits(6))
	wasted := uint(0)
	if r.bits(1) != 0 {
		wasted = uint(min(r.readUnary(), 64)) + 1
	}
	if wasted >= width {
		return errors.New("a FLAC frame has samples of 0 bits; encode the file again")
	}
	width -= wasted
	var err error
	switch {
	case kind == 0:
		v := r.signedBits(width)
		for i := range to {
			to[i] = v
		}
	case kind == 1:
		for i := range to {
			to[i] = r.signedBits(width)
		}
	case kind >= 8 && kind <= 12:
		err = readFixedBlock(r, to, width, kind-8)
	case kind >= 32:
		err = readLinearBlock(r, to, width, kind-31)
	default:
		err = errReserved
	}
	if wasted > 0 {
		for i := range to {
			to[i] <<= wasted
		}
	}
	return err
}

// readWarmUp reads the first samples of a block. The predictor starts from them.
func readWarmUp(r *bitReader, to []int64, width uint, order int) error {
	if order > len(to) {
		return errors.New("a FLAC predictor is longer than its block; encode the file again")
	}
	for i := range order {
		to[i] = r.signedBits(width)
	}
	return nil
}

// readFixedBlock reads a block that uses one of the five fixed predictors (section 9.2.5).
func readFixedBlock(r *bitReader, to []int64, width uint, order int) error {
	if err := readWarmUp(r, to, width, order); err != nil {
		return err
	}
	if err := readResidual(r, to, order); err != nil {
		return err
	}
	for i := order; i < len(to); i++ {
		switch order {
		case 1:
			to[i] += to[i-1]
		case 2:
			to[i] += 2*to[i-1] - to[i-2]
		case 3:
			to[i] += 3*to[i-1] - 3*to[i-2] + to[i-3]
		case 4:
			to[i] += 4*to[i-1] - 6*to[i-2] + 4*to[i-3] - to[i-4]
		}
	}
	return nil
}

// readLinearBlock reads a block that has its own linear predictor (section 9.2.6).
func readLinearBlock(r *bitReader, to []int64, width uint, order int) error {
	if err := readWarmUp(r, to, width, order); err != nil {
		return err
	}
	precision := uint(r.bits(4)) + 1
	shift := r.signedBits(5)
	if precision == 16 || shift < 0 {
		return errReserved
	}
	var coefficients [32]int64
	for i := range order {
		coefficients[order-1-i] = r.signedBits(precision) // reversed, so that they are in the order of the samples
	}
	if err := readResidual(r, to, order); err != nil {
		return err
	}
	c := coefficients[:order]
	for i := order; i < len(to); i++ {
		sum := int64(0)
		for j, v := range to[i-order : i] {
			sum += c[j] * v
		}
		to[i] += sum >> uint(shift)
	}
	return nil
}

// readResidual reads the differences from the prediction (section 9.2.7).
func readResidual(r *bitReader, to []int64, order int) error {
	width, escape := uint(4), uint64(15)
	switch r.bits(2) {
	case 0:
	case 1:
		width, escape = 5, 31
	default:
		return errReserved
	}
	partitions := 1 << r.bits(4)
	size := len(to) / partitions
	if size*partitions != len(to) || size < order {
		return errors.New("the partitions of a FLAC block do not match its length; encode the file again")
	}
	for p := range partitions {
		part := to[p*size : (p+1)*size]
		if p == 0 {
			part = part[order:]
		}
		parameter := r.bits(width)
		if parameter == escape {
			n := uint(r.bits(5))
			for i := range part {
				part[i] = r.signedBits(n)
			}
			continue
		}
		for i := range part {
			v := min(r.readUnary(), 1<<32)<<parameter | r.bits(uint(parameter))
			part[i] = int64(v>>1) ^ -int64(v&1)
		}
		if r.short {
			return nil // the caller checks r.short, which reports the end of the data
		}
	}
	return nil
}

// A bitReader reads bits, highest bit of each byte first. After the end of the data it reads zeros
// and sets short.
type bitReader struct {
	data  []byte
	at    int    // offset of the next byte to load into acc
	acc   uint64 // next n bits, starting at the highest bit; the other bits are zero
	n     uint
	short bool
}

func (r *bitReader) fillBits() {
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
		if r.fillBits(); r.n < n {
			r.short, r.acc, r.n = true, 0, 0
			return 0
		}
	}
	v := r.acc >> 1 >> (63 - n) // two shifts, because n may be 0
	r.acc <<= n
	r.n -= n
	return v
}

// signedBits reads an integer in two's complement.
func (r *bitReader) signedBits(n uint) int64 {
	if n == 0 {
		return 0
	}
	return int64(r.bits(n)<<(64-n)) >> (64 - n)
}

// readUnary counts the zero bits before the next one bit, and skips both.
func (r *bitReader) readUnary() uint64 {
	count := uint64(0)
	for {
		if z := uint(bits.LeadingZeros64(r.acc)); z < r.n {
			r.acc <<= z + 1
			r.n -= z + 1
			return count + uint64(z)
		}
		count += uint64(r.n)
		r.acc, r.n = 0, 0
		if r.fillBits(); r.n == 0 {
			r.short = true
			return 0
		}
	}
}

// alignToByte skips bits up to the next byte boundary, and returns its offset.
func (r *bitReader) alignToByte() int {
	r.bits(r.n % 8)
	return r.at - int(r.n/8)
}
