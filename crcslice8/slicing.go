package crcslice8

import "encoding/binary"

// Slicing8 is [Table.Update] by slicing-by-8, whatever the length and the
// processor: the oracle for all other kernels.
func (t *Table) Slicing8(crc uint32, p []byte) uint32 {
	t.check()
	return t.finish(t.slicing8(t.state(crc), p))
}

// Slicing16 is [Table.Update] by slicing-by-16, whatever the length and the
// processor.
func (t *Table) Slicing16(crc uint32, p []byte) uint32 {
	t.check()
	return t.finish(t.slicing16(t.state(crc), p))
}

// bytewise takes one byte per step (Sarwate 1988). The byte meets the low bits
// of the state; what is above them moves down.
func (t *Table) bytewise(s uint32, p []byte) uint32 {
	for _, b := range p {
		s = s>>8 ^ t.slices[0][byte(s)^b]
	}
	return s
}

// slicing8 takes eight bytes per step. A CRC is linear, so the state after eight
// bytes is the sum of what each of them leaves on its own; the byte with k bytes
// behind it leaves slices[k]. The state counts as part of the first four. Their
// look-ups, which wait for the step before, come last in the sum.
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
	return t.bytewise(s, p)
}

// slicing16 does the same with sixteen bytes per step. Loading each byte on its
// own costs less than taking a word apart.
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
			t.slices[8][p[7]] ^
			t.slices[9][p[6]] ^
			t.slices[10][p[5]] ^
			t.slices[11][p[4]] ^
			t.slices[12][s>>24] ^
			t.slices[13][byte(s>>16)] ^
			t.slices[14][byte(s>>8)] ^
			t.slices[15][byte(s)]
	}
	return t.slicing8(s, p)
}
