package exr

import (
	"encoding/binary"
	"errors"
	"io"
)

// pizTables holds the tables for decompressing PIZ.
type pizTables struct {
	huffman huffman
	values  [1 << 16]uint16 // distinct values, by index
	numbers []uint16        // buffer for the values of the largest strip or tile
}

// readValues reads the set of values that occur. The set is a bitmap of 8192 bytes; its bytes
// before low are omitted, and zero always occurs. readValues returns the largest index of a value.
func (t *pizTables) readValues(bitmap []byte, low int) (greatest int) {
	clear(t.values[:])
	n := 1
	for i, b := range bitmap {
		for bit := range 8 {
			if v := 8*(low+i) + bit; b>>bit&1 != 0 && v != 0 {
				t.values[n] = uint16(v)
				n++
			}
		}
	}
	return n - 1
}

// unpackPIZ decompresses PIZ. A compressor replaces values by indices into the set of values,
// applies a wavelet transform to each channel, and writes Huffman codes.
func (u *unpacker) unpackPIZ(raw, packed []byte, w, l int) error {
	const bitmapBytes = 8192
	if len(packed) < 4 {
		return io.ErrUnexpectedEOF
	}
	le := binary.LittleEndian
	low, high := int(le.Uint16(packed)), int(le.Uint16(packed[2:]))
	packed = packed[4:]
	if low >= bitmapBytes || high >= bitmapBytes {
		return errors.New("the PIZ table of pixel values is invalid; save the image again")
	}
	n := max(0, high-low+1)
	if len(packed) < n+4 {
		return io.ErrUnexpectedEOF
	}
	greatest := u.piz.readValues(packed[:n], low)
	size := int64(le.Uint32(packed[n:]))
	packed = packed[n+4:]
	if size > int64(len(packed)) {
		return io.ErrUnexpectedEOF
	}
	pix := u.piz.numbers[:len(raw)/2]
	if err := u.piz.huffman.unhuffman(pix, packed[:size]); err != nil {
		return err
	}
	stride, left := 0, 0
	for _, c := range u.channels {
		stride += w * c.kind.numberSize()
	}
	for _, c := range u.channels {
		numbers := c.kind.numberSize() / 2 // number of 16-bit values per pixel
		for i := range numbers {
			p := plane{pix[i:], numbers, numbers * w}
			p.unwave(w, l, greatest)
		}
		for y := range l {
			row := raw[y*stride+left:]
			for i, v := range pix[y*numbers*w : (y+1)*numbers*w] {
				le.PutUint16(row[2*i:], u.piz.values[v])
			}
		}
		pix, left = pix[numbers*w*l:], left+w*c.kind.numberSize()
	}
	return nil
}

// A plane is a rectangle of values, with the strides to the next value and to the next row.
type plane struct {
	pix          []uint16
	across, down int
}

// unwave inverts the wavelet transform of w by l values. greatest is the largest of these values.
// It applies Haar wavelets in two dimensions, coarsest scale first. An odd last column or row is
// combined in one dimension.
func (p plane) unwave(w, l, greatest int) {
	pair := pair16
	if greatest < 1<<14 { // below 1<<14, sums and differences fit in 16 bits
		pair = pair14
	}
	scale := 1
	for scale <= min(w, l) {
		scale <<= 1
	}
	for scale >>= 2; scale >= 1; scale >>= 1 {
		right, below := scale*p.across, scale*p.down
		y := 0
		for ; y+2*scale <= l; y += 2 * scale {
			x := 0
			for ; x+2*scale <= w; x += 2 * scale {
				q := p.pix[y*p.down+x*p.across:]
				a, c := pair(q[0], q[below])
				b, d := pair(q[right], q[right+below])
				q[0], q[right] = pair(a, b)
				q[below], q[right+below] = pair(c, d)
			}
			if w&scale != 0 {
				q := p.pix[y*p.down+x*p.across:]
				q[0], q[below] = pair(q[0], q[below])
			}
		}
		for x := 0; l&scale != 0 && x+2*scale <= w; x += 2 * scale {
			q := p.pix[y*p.down+x*p.across:]
			q[0], q[right] = pair(q[0], q[right])
		}
	}
}

// pair14 returns the two values with the given mean and difference.
func pair14(mean, difference uint16) (uint16, uint16) {
	m, d := int(int16(mean)), int(int16(difference))
	a := m + d&1 + d>>1
	return uint16(a), uint16(a - d)
}

// pair16 is like pair14, but computes modulo 65536.
func pair16(mean, difference uint16) (uint16, uint16) {
	b := mean - difference>>1
	return difference + b - 1<<15, b
}

// The Huffman codes of PIZ encode 16-bit values, and one more symbol for repetition. A code has up
// to 58 bits.
const (
	symbols  = 1<<16 + 1
	longest  = 58
	shortest = 12 // number of index bits of the table for short codes
)

// huffman is a table of codes. Codes of the same length are consecutive integers, in the order of
// their symbols.
type huffman struct {
	lengths [symbols]uint8
	sorted  []uint32 // symbols, sorted by code length and then by code
	first   [longest + 2]uint64
	start   [longest + 2]int // index in sorted of the first code of each length
	count   [longest + 2]int
	short   [1 << shortest]uint32 // symbol<<8 | length; 0 if the code is longer
}

// A bitReader reads bits, highest bit of each byte first.
type bitReader struct {
	data []byte
	at   int // offset in data
	bits uint64
	n    int // number of valid bits, which are the lowest in the field bits
}

// fillTo reads until n bits are available, where n is at most 56. It reports whether data is long
// enough.
func (r *bitReader) fillTo(n int) bool {
	for r.n < n {
		if r.at == len(r.data) {
			return false
		}
		r.bits, r.n, r.at = r.bits<<8|uint64(r.data[r.at]), r.n+8, r.at+1
	}
	return true
}

// takeBits returns the next n bits.
func (r *bitReader) takeBits(n int) (uint64, error) {
	if !r.fillTo(n) {
		return 0, io.ErrUnexpectedEOF
	}
	r.n -= n
	return r.bits >> r.n & (1<<n - 1), nil
}

// readCodeLengths reads the code lengths of the symbols from low to high, six bits each. Values
// from 59 are runs of symbols without a code: 59 to 62 mean two to five symbols, and 63 means six
// more than the next eight bits. readCodeLengths returns the size of the list in bytes.
func (h *huffman) readCodeLengths(data []byte, low, high int) (int, error) {
	const fewNone, manyNone = 59, 63
	clear(h.lengths[:])
	r := bitReader{data: data}
	for s := low; s <= high; {
		n, err := r.takeBits(6)
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
			more, err := r.takeBits(8)
			if err != nil {
				return 0, err
			}
			none = int(more) + 6
		}
		if s += none; s > high+1 {
			return 0, errors.New("the PIZ table of Huffman codes is too long; save the image again")
		}
	}
	return r.at, h.assignCodes(low, high)
}

// assignCodes assigns codes to symbols, starting with the longest codes.
func (h *huffman) assignCodes(low, high int) error {
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
			return errors.New("the PIZ table has conflicting Huffman codes; save the image again")
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

// readSymbol reads the next symbol.
func (h *huffman) readSymbol(r *bitReader) (int, error) {
	if r.fillTo(shortest) {
		if e := h.short[r.bits>>(r.n-shortest)&(1<<shortest-1)]; e != 0 {
			r.n -= int(e & 255)
			return int(e >> 8), nil
		}
	}
	code := uint64(0)
	for n := 1; n <= longest; n++ {
		bit, err := r.takeBits(1)
		if err != nil {
			return 0, err
		}
		// A value below the first code of this length is the start of a longer code.
		code = code<<1 | bit
		if i := code - h.first[n]; code >= h.first[n] && i < uint64(h.count[n]) {
			return int(h.sorted[h.start[n]+int(i)]), nil
		}
	}
	return 0, errors.New("the PIZ data has an invalid Huffman code; save the image again")
}

// unhuffman decodes data, which starts with a header, into dst.
func (h *huffman) unhuffman(dst []uint16, data []byte) error {
	const header = 20 // the header has the lowest symbol, the highest symbol, the size of the code lengths, the number of bits, and an unused word
	if len(data) < header {
		return io.ErrUnexpectedEOF
	}
	le := binary.LittleEndian
	low, high, bits := le.Uint32(data), le.Uint32(data[4:]), int64(le.Uint32(data[12:]))
	if low > high || high >= symbols {
		return errors.New("the PIZ table of Huffman codes is invalid; save the image again")
	}
	n, err := h.readCodeLengths(data[header:], int(low), int(high))
	if err != nil {
		return err
	}
	data = data[header+n:]
	if bits > 8*int64(len(data)) {
		return io.ErrUnexpectedEOF
	}
	r := bitReader{data: data[:(bits+7)/8]}
	for at := 0; at < len(dst); {
		s, err := h.readSymbol(&r)
		if err != nil {
			return err
		}
		if s != int(high) { // a symbol equal to high means repetition
			dst[at] = uint16(s)
			at++
			continue
		}
		again, err := r.takeBits(8)
		if err != nil {
			return err
		}
		if at == 0 || int(again) > len(dst)-at {
			return errors.New("a run in the PIZ data is longer than the image data; save the image again")
		}
		for range again {
			dst[at] = dst[at-1]
			at++
		}
	}
	return nil
}
