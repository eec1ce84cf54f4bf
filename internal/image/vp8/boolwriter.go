package vp8

// A boolWriter is the arithmetic encoder of the format (7.3).
type boolWriter struct {
	out    []byte
	span   uint32 // current range of the arithmetic encoder, 128 to 255
	bottom uint32
	free   int // number of shifts until the next byte is complete
}

func newBoolWriter() *boolWriter { return &boolWriter{span: 255, free: 24} }

// put writes a bit. The probability that the bit is 0 is chance/256.
func (w *boolWriter) put(bit bool, chance uint8) {
	split := 1 + (w.span-1)*uint32(chance)>>8
	if bit {
		w.bottom += split
		w.span -= split
	} else {
		w.span = split
	}
	for w.span < 128 {
		w.shift()
	}
}

func (w *boolWriter) shift() {
	w.span <<= 1
	if w.bottom>>31 != 0 {
		w.carry()
	}
	w.bottom <<= 1
	if w.free--; w.free == 0 {
		w.out = append(w.out, byte(w.bottom>>24))
		w.bottom &= 1<<24 - 1
		w.free = 8
	}
}

// carry adds one to the bytes written so far.
func (w *boolWriter) carry() {
	for i := len(w.out) - 1; i >= 0; i-- {
		w.out[i]++
		if w.out[i] != 0 {
			return
		}
	}
}

// putBits writes the lower n bits of a number, the highest one first.
func (w *boolWriter) putBits(v uint32, n int) {
	for n--; n >= 0; n-- {
		w.put(v>>n&1 != 0, 128)
	}
}

// putSigned writes whether a number differs from 0 and, if it does, its n bits and its sign.
func (w *boolWriter) putSigned(v, n int) {
	if w.put(v != 0, 128); v != 0 {
		w.putBits(uint32(max(v, -v)), n)
		w.put(v < 0, 128)
	}
}

// finish returns all bytes, including the pending bits.
func (w *boolWriter) finish() []byte {
	for range 32 {
		w.span = 64
		w.shift()
	}
	return w.out
}
