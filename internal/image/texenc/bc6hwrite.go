package texenc

// append writes the block.
func (l *lightLine) append(out []byte) []byte {
	if l.index[0] >= 8 { // the high bit of the first index is not stored
		l.a, l.b = l.b, l.a
		for i := range l.index {
			l.index[i] = 15 - l.index[i]
		}
	}
	var w bitWriter
	w.put(l.mode.number, 5)
	for k := range 3 {
		w.put(uint64(l.a[k])&1023, 10)
	}
	for k := range 3 {
		second, bits := l.b[k], 10
		if l.mode.distance > 0 {
			second, bits = l.b[k]-l.a[k], l.mode.distance
		}
		w.put(uint64(second)&(1<<bits-1), bits)
		// What is left of the first color, from the highest bit down. These are
		// one or two modes' single bits as well.
		for i := l.mode.bits - 1; i >= 10; i-- {
			w.put(uint64(l.a[k])>>i&1, 1)
		}
	}
	w.put(uint64(l.index[0]), 3)
	for _, i := range l.index[1:] {
		w.put(uint64(i), 4)
	}
	return append(out, w.block[:]...)
}

// A bitWriter fills a block from its lowest bit up.
type bitWriter struct {
	block [16]byte
	at    int
}

func (w *bitWriter) put(v uint64, bits int) {
	for i := range bits {
		w.block[w.at>>3] |= byte(v>>i&1) << (w.at & 7)
		w.at++
	}
}
