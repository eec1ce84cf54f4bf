package vorbis

// A bitReader reads a packet, each byte from its lowest bit on (section 2.1). After the packet's
// end it reads zeros and sets short.
type bitReader struct {
	data  []byte
	acc   uint64
	n     uint // valid bits of acc
	short bool // a read went beyond the end
}

// fill makes at least 32 bits available, with zeros after the end.
func (r *bitReader) fill() {
	for r.n <= 56 && len(r.data) > 0 {
		r.acc |= uint64(r.data[0]) << r.n
		r.data = r.data[1:]
		r.n += 8
	}
}

// bits reads n bits, at most 32.
func (r *bitReader) bits(n uint) uint32 {
	if r.n < n {
		r.fill()
	}
	v := uint32(r.acc & (1<<n - 1))
	r.skip(n)
	return v
}

func (r *bitReader) bit() bool { return r.bits(1) != 0 }

// skip drops n bits that fill has made available.
func (r *bitReader) skip(n uint) {
	if r.n < n {
		r.short, r.acc, r.n = true, 0, 0
		return
	}
	r.acc >>= n
	r.n -= n
}

// ilog returns the number of bits of a number (section 9.2.1).
func ilog(v uint32) uint {
	n := uint(0)
	for ; v > 0; v >>= 1 {
		n++
	}
	return n
}
