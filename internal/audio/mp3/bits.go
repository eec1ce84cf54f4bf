package mp3

// A bitReader reads from the highest bit of each byte on. Behind the end it reads
// zeros.
type bitReader struct {
	data []byte
	at   int // in bits
}

// bits reads n bits, 24 at most.
func (r *bitReader) bits(n int) int {
	v := r.peek() >> (32 - n)
	r.at += n
	return int(v)
}

func (r *bitReader) bit() bool { return r.bits(1) != 0 }

// peek returns the next 25 bits or more, the first one highest.
func (r *bitReader) peek() uint32 {
	v := uint64(0)
	i := r.at >> 3
	for k := range 5 {
		v <<= 8
		if i+k < len(r.data) {
			v |= uint64(r.data[i+k])
		}
	}
	return uint32(v << (r.at & 7) >> 8)
}
