package exr

import (
	"encoding/binary"
	"errors"
	"io"
)

// pizTables holds the tables for unpacking PIZ.
type pizTables struct {
	huffman huffman
	values  [1 << 16]uint16 // by index
	numbers []uint16        // of the largest strip or tile
}

// readValues reads the set of occurring numbers, a bit each in a bitmap of 8192 bytes whose bytes
// before low are 0; zero always occurs. It returns the greatest index of a number.
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

// unpackPIZ unpacks PIZ: Huffman codes hold the wavelet transform of each channel, and its numbers
// are indices into the set of occurring numbers.
func (u *unpacker) unpackPIZ(raw, packed []byte, w, l int) error {
	const bitmapBytes = 8192
	if len(packed) < 4 {
		return io.ErrUnexpectedEOF
	}
	le := binary.LittleEndian
	low, high := int(le.Uint16(packed)), int(le.Uint16(packed[2:]))
	packed = packed[4:]
	if low >= bitmapBytes || high >= bitmapBytes {
		return errors.New("invalid list of occurring numbers")
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
		stride += w * c.kind.size()
	}
	for _, c := range u.channels {
		numbers := c.kind.size() / 2 // of 16 bits
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
		pix, left = pix[numbers*w*l:], left+w*c.kind.size()
	}
	return nil
}

// A plane is a rectangle of numbers, with the steps to the next number and to the next row.
type plane struct {
	pix          []uint16
	across, down int
}

// unwave inverts the wavelet transform of w by l numbers, the largest of them greatest: Haar
// wavelets in two dimensions, coarsest first. Numbers beside and below the last pair of a scale are
// combined in one dimension.
func (p plane) unwave(w, l, greatest int) {
	pair := pair16
	if greatest < 1<<14 { // sums and differences fit
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

// pair14 returns the two numbers of a mean and a difference.
func pair14(mean, difference uint16) (uint16, uint16) {
	m, d := int(int16(mean)), int(int16(difference))
	a := m + d&1 + d>>1
	return uint16(a), uint16(a - d)
}

// pair16 is pair14 modulo 65536.
func pair16(mean, difference uint16) (uint16, uint16) {
	b := mean - difference>>1
	return difference + b - 1<<15, b
}
