package exr

import (
	"encoding/binary"
	"errors"
	"io"
)

// unpackB44 unpacks B44 and B44A: one channel after another, halves in blocks of 4 by 4, other
// numbers unchanged.
func (u *unpacker) unpackB44(raw, packed []byte, w, l int) error {
	stride, left := 0, 0
	for _, c := range u.channels {
		stride += w * c.kind.size()
	}
	for _, c := range u.channels {
		size := w * c.kind.size()
		if c.kind != half {
			if len(packed) < size*l {
				return io.ErrUnexpectedEOF
			}
			for y := range l {
				copy(raw[y*stride+left:], packed[y*size:(y+1)*size])
			}
			packed = packed[size*l:]
		} else {
			for y := 0; y < l; y += 4 {
				for x := 0; x < w; x += 4 {
					block, n, err := unpackBlock(packed)
					if err != nil {
						return err
					}
					packed = packed[n:]
					for i := range min(4, l-y) {
						for j := range min(4, w-x) {
							binary.LittleEndian.PutUint16(raw[(y+i)*stride+left+2*(x+j):], block[4*i+j])
						}
					}
				}
			}
		}
		left += size
	}
	if len(packed) > 0 {
		return errors.New("too many pixels")
	}
	return nil
}

// unpackBlock unpacks the first block and returns how many bytes it took: 14, or 3 if all its
// numbers are equal. The first number is stored whole. Each further number is a difference of six
// bits, where 32 means 0, times a power of two: down the first column from the number above, then
// along the rows from the number on the left.
func unpackBlock(b []byte) (block [16]uint16, n int, err error) {
	if len(b) < 3 {
		return block, 0, io.ErrUnexpectedEOF
	}
	first := uint16(b[0])<<8 | uint16(b[1])
	if b[2] >= 13<<2 {
		for i := range block {
			block[i] = ordered(first)
		}
		return block, 3, nil
	}
	if len(b) < 14 {
		return block, 0, io.ErrUnexpectedEOF
	}
	shift := b[2] >> 2
	bit := 16 + 6 // place of the next difference
	step := func(from uint16) uint16 {
		pair := uint16(b[bit/8]) << 8
		if bit/8+1 < 14 {
			pair |= uint16(b[bit/8+1])
		}
		d := pair >> (10 - bit%8) & 63
		bit += 6
		return from + d<<shift - 32<<shift
	}
	block[0] = first
	for i := 4; i < 16; i += 4 {
		block[i] = step(block[i-4])
	}
	for column := range 3 {
		for i := column; i < 16; i += 4 {
			block[i+1] = step(block[i])
		}
	}
	for i, v := range block {
		block[i] = ordered(v)
	}
	return block, 14, nil
}

// ordered turns a number of B44, which counts up from the least half to the greatest, into the bits
// of that half.
func ordered(v uint16) uint16 {
	if v&0x8000 != 0 {
		return v & 0x7fff
	}
	return ^v
}
