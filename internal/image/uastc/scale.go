package uastc

// A scale is a way to store an end in one channel: some bits, and a trit or a quint above
// them. Stored values do not ascend with what they mean.
//
// Source: Khronos Data Format Specification, "Endpoint Unquantization".
type scale struct {
	bits    uint8 // below the digit
	base    uint8 // 3 for trits, 5 for quints, 1 for neither
	value   [256]uint8
	nearest [256]uint8 // stored for the value nearest to a byte
	below   [256]uint8 // stored for the greatest value that is not above a byte
	above   [256]uint8 // stored for the least that is not below
}

// levels is how many values can be stored.
func (s *scale) levels() int { return int(s.base) << s.bits }

// newScale tabulates a scale.
func newScale(bits, base uint8) *scale {
	s := &scale{bits: bits, base: base}
	for stored := range s.levels() {
		s.value[stored] = s.unquantize(uint8(stored))
	}
	var known [256]bool
	for stored := range s.levels() {
		v := s.value[stored]
		known[v], s.below[v], s.above[v] = true, uint8(stored), uint8(stored)
	}
	for v := 1; v < 256; v++ { // 0 and 255 are values of every scale
		if !known[v] {
			s.below[v] = s.below[v-1]
		}
		if !known[255-v] {
			s.above[255-v] = s.above[256-v]
		}
	}
	for v := range s.nearest {
		s.nearest[v] = s.below[v]
		if int(s.value[s.above[v]])-v < v-int(s.value[s.below[v]]) {
			s.nearest[v] = s.above[v]
		}
	}
	return s
}

// unquantize returns what a stored value means, 0 to 255.
func (s *scale) unquantize(stored uint8) uint8 {
	low := uint(stored) & (1<<s.bits - 1)
	if s.base == 1 {
		// The bits, repeated from the top down.
		v, n := low<<8>>s.bits, uint(s.bits)
		for ; n < 8; n += uint(s.bits) {
			v |= low << 8 >> (n + uint(s.bits))
		}
		return uint8(v)
	}
	digit := uint(stored) >> s.bits
	// The bits above the lowest are spread over nine, and the digit's steps added; the
	// lowest bit mirrors the result.
	var spread, step uint
	x := low >> 1
	switch {
	case s.bits == 2 && s.base == 3: // b000b0bb0
		spread, step = x<<8|x<<4|x<<2|x<<1, 93
	case s.bits == 3 && s.base == 5: // cb0000cbc
		spread, step = x<<7|x<<1|x>>1, 26
	case s.bits == 4 && s.base == 3: // dcb000dcb
		spread, step = x<<6|x, 22
	case s.bits == 5 && s.base == 5: // edcb0000e
		spread, step = x<<5|x>>3, 6
	case s.bits == 6 && s.base == 3: // fedcb000f
		spread, step = x<<4|x>>4, 5
	}
	v := digit*step + spread
	if low&1 != 0 {
		v ^= 511
		return uint8(128 | v>>2)
	}
	return uint8(v >> 2)
}
