package exr

import (
	"encoding/binary"
	"errors"
	"io"
)

// The Huffman codes of PIZ encode numbers of 16 bits, and one more symbol for repetition. Codes
// have up to 58 bits.
const (
	symbols  = 1<<16 + 1
	longest  = 58
	shortest = 12 // index bits of the table of short codes
)

// huffman is a table of codes. Codes of the same length are consecutive numbers, in the order of
// their symbols.
type huffman struct {
	lengths [symbols]uint8
	sorted  []uint32 // symbols by code length, then by number
	first   [longest + 2]uint64
	start   [longest + 2]int // index into sorted of the first code of a length
	count   [longest + 2]int
	short   [1 << shortest]uint32 // symbol<<8 | length; 0 if the code is longer
}

// A bitReader reads bits, the highest of each byte first.
type bitReader struct {
	data []byte
	at   int // in data
	bits uint64
	n    int // number of bits in bits, at its low end
}

// fill reads until n bits are available, at most 56, and reports whether the data suffices.
func (r *bitReader) fill(n int) bool {
	for r.n < n {
		if r.at == len(r.data) {
			return false
		}
		r.bits, r.n, r.at = r.bits<<8|uint64(r.data[r.at]), r.n+8, r.at+1
	}
	return true
}

// take returns the next n bits.
func (r *bitReader) take(n int) (uint64, error) {
	if !r.fill(n) {
		return 0, io.ErrUnexpectedEOF
	}
	r.n -= n
	return r.bits >> r.n & (1<<n - 1), nil
}

// readLengths reads the code lengths of the symbols from low to high, of six bits each. Numbers
// from 59 on are runs of symbols without a code: two to five of them or, for 63, six more than the
// next eight bits say. It returns the size of the list in bytes.
func (h *huffman) readLengths(data []byte, low, high int) (int, error) {
	const fewNone, manyNone = 59, 63
	clear(h.lengths[:])
	r := bitReader{data: data}
	for s := low; s <= high; {
		n, err := r.take(6)
		if err != nil {
			return 0, err
		}
		if n < fewNone {
			h.lengths[s] = uint8(n)
			s++
			continue
		}
		none := int(n) - fewNone + 2
		if n == manyNone {
			more, err := r.take(8)
			if err != nil {
				return 0, err
			}
			none = int(more) + 6
		}
		if s += none; s > high+1 {
			return 0, errors.New("list of Huffman codes is too long")
		}
	}
	return r.at, h.build(low, high)
}

// build assigns codes to symbols: the longest ones come first.
func (h *huffman) build(low, high int) error {
	clear(h.count[:])
	clear(h.short[:])
	for _, n := range h.lengths[low : high+1] {
		h.count[n]++
	}
	h.count[0] = 0
	code, at := uint64(0), 0
	for n := longest; n > 0; n-- {
		h.first[n] = code
		if code += uint64(h.count[n]); code > 1<<n {
			return errors.New("contradicting Huffman codes")
		}
		code >>= 1
	}
	for n := 1; n <= longest; n++ {
		h.start[n] = at
		at += h.count[n]
	}
	if cap(h.sorted) < at {
		h.sorted = make([]uint32, symbols)
	}
	h.sorted = h.sorted[:at]
	next := h.start
	for s := low; s <= high; s++ {
		n := int(h.lengths[s])
		if n == 0 {
			continue
		}
		if n <= shortest {
			code := h.first[n] + uint64(next[n]-h.start[n])
			from := int(code) << (shortest - n)
			for i := from; i < from+1<<(shortest-n); i++ {
				h.short[i] = uint32(s)<<8 | uint32(n)
			}
		}
		h.sorted[next[n]] = uint32(s)
		next[n]++
	}
	return nil
}

// symbol reads the next symbol.
func (h *huffman) symbol(r *bitReader) (int, error) {
	if r.fill(shortest) {
		if e := h.short[r.bits>>(r.n-shortest)&(1<<shortest-1)]; e != 0 {
			r.n -= int(e & 255)
			return int(e >> 8), nil
		}
	}
	code := uint64(0)
	for n := 1; n <= longest; n++ {
		bit, err := r.take(1)
		if err != nil {
			return 0, err
		}
		// A code of this length is at or above the first one; a lower number is the start of a
		// longer code.
		code = code<<1 | bit
		if i := code - h.first[n]; code >= h.first[n] && i < uint64(h.count[n]) {
			return int(h.sorted[h.start[n]+int(i)]), nil
		}
	}
	return 0, errors.New("unknown Huffman code")
}

// unhuffman decodes data, which starts with its own header, into dst.
func (h *huffman) unhuffman(dst []uint16, data []byte) error {
	const header = 20 // lowest and highest symbol, size of the list, bits, unused
	if len(data) < header {
		return io.ErrUnexpectedEOF
	}
	le := binary.LittleEndian
	low, high, bits := le.Uint32(data), le.Uint32(data[4:]), int64(le.Uint32(data[12:]))
	if low > high || high >= symbols {
		return errors.New("invalid list of Huffman codes")
	}
	n, err := h.readLengths(data[header:], int(low), int(high))
	if err != nil {
		return err
	}
	data = data[header+n:]
	if bits > 8*int64(len(data)) {
		return io.ErrUnexpectedEOF
	}
	r := bitReader{data: data[:(bits+7)/8]}
	for at := 0; at < len(dst); {
		s, err := h.symbol(&r)
		if err != nil {
			return err
		}
		if s != int(high) { // repetition
			dst[at] = uint16(s)
			at++
			continue
		}
		again, err := r.take(8)
		if err != nil {
			return err
		}
		if at == 0 || int(again) > len(dst)-at {
			return errors.New("a repetition is longer than the pixels")
		}
		for range again {
			dst[at] = dst[at-1]
			at++
		}
	}
	return nil
}
