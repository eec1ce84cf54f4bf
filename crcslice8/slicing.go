package crcslice8

import "encoding/binary"

// Slicing8 is [Table.Update] by slicing-by-8, for any length and processor: the oracle for all
// other kernels.
func (t *Table) Slicing8(crc uint32, p []byte) uint32 {
	t.refuseZero()
	return t.finish(t.slicing8(t.state(crc), p))
}

// Slicing16 is [Table.Update] by slicing-by-16, for any length and processor.
func (t *Table) Slicing16(crc uint32, p []byte) uint32 {
	t.refuseZero()
	return t.finish(t.slicing16(t.state(crc), p))
}

// Slicing8 is [Table64.Update] by slicing-by-8, for any length and processor: the oracle for all
// other kernels.
func (t *Table64) Slicing8(crc uint64, p []byte) uint64 {
	t.refuseZero()
	return t.finish(t.slicing8(t.state(crc), p))
}

// slicing8 takes eight bytes per step. A CRC is linear, so the state after eight bytes is the sum
// of their separate contributions; a byte followed by k more contributes slices[k]. The state is
// added to all of the bytes. The sum is a tree, because all look-ups wait for the previous step.
func (t *Table64) slicing8(s uint64, p []byte) uint64 {
	for ; len(p) >= 8; p = p[8:] {
		s ^= binary.LittleEndian.Uint64(p)
		s = (t.slices[0][s>>56] ^ t.slices[1][byte(s>>48)] ^
			(t.slices[2][byte(s>>40)] ^ t.slices[3][byte(s>>32)])) ^
			(t.slices[4][byte(s>>24)] ^ t.slices[5][byte(s>>16)] ^
				(t.slices[6][byte(s>>8)] ^ t.slices[7][byte(s)]))
	}
	return t.upTo7(s, p)
}

// slicing8 does the same with a state that is added to the first four bytes. Their look-ups,
// which wait for the previous step, come last in the sum.
func (t *Table) slicing8(s uint32, p []byte) uint32 {
	for ; len(p) >= 8; p = p[8:] {
		s ^= binary.LittleEndian.Uint32(p)
		s = t.slices[0][p[7]] ^
			t.slices[1][p[6]] ^
			t.slices[2][p[5]] ^
			t.slices[3][p[4]] ^
			t.slices[4][s>>24] ^
			t.slices[5][byte(s>>16)] ^
			t.slices[6][byte(s>>8)] ^
			t.slices[7][byte(s)]
	}
	return t.upTo7(s, p)
}

// slicing16 does the same with sixteen bytes per step. Loading each byte separately costs less
// than splitting a word.
func (t *Table) slicing16(s uint32, p []byte) uint32 {
	for ; len(p) >= 16; p = p[16:] {
		s ^= binary.LittleEndian.Uint32(p)
		s = t.slices[0][p[15]] ^
			t.slices[1][p[14]] ^
			t.slices[2][p[13]] ^
			t.slices[3][p[12]] ^
			t.slices[4][p[11]] ^
			t.slices[5][p[10]] ^
			t.slices[6][p[9]] ^
			t.slices[7][p[8]] ^
			t.upper[0][p[7]] ^
			t.upper[1][p[6]] ^
			t.upper[2][p[5]] ^
			t.upper[3][p[4]] ^
			t.upper[4][s>>24] ^
			t.upper[5][byte(s>>16)] ^
			t.upper[6][byte(s>>8)] ^
			t.upper[7][byte(s)]
	}
	return t.slicing8(s, p)
}
