package wav

// alaw expands a sample by ITU-T G.711, A-law, to 16 bits of which the upper 13
// are used. Every second bit is stored inverted.
func alaw(code byte) int16 {
	code ^= 0x55
	x := int16(code&15)<<4 + 8
	if segment := code >> 4 & 7; segment > 0 {
		x = (x + 0x100) << (segment - 1)
	}
	if code&0x80 == 0 {
		return -x
	}
	return x
}

// mulaw expands a sample by ITU-T G.711, mu-law, to 16 bits of which the upper 14
// are used. All bits are stored inverted.
func mulaw(code byte) int16 {
	const bias = 0x84
	code = ^code
	x := (int16(code&15)<<3+bias)<<(code>>4&7) - bias
	if code&0x80 != 0 {
		return -x
	}
	return x
}
