package uastc

// hints say how a block is best transcoded to formats whose blocks cannot be made from
// ASTC's by rule. They change no pixel of the block itself.
type hints struct {
	bc1 [2]bool // BC1 may take ends and indices as they are; may take the indices

	// How ETC1 halves the block, side by side or flip: one above the other; whether the
	// second half's color is stored as a difference; the halves' tables of intensities,
	// and how the rounded means of the halves are changed.
	flip, diff bool
	tables     [2]uint8
	bias       uint8

	eac uint8 // hint for alpha: table of EAC in bits 0 to 3, multiplier (at least 1) above

	// Of one color, ETC1's color as stored and the place of all pixels on the table.
	color [3]uint8
	place uint8 // 0 darkest to 3 brightest
}

func (h *hints) write(b *bitWriter, l *layout) {
	b.flag(h.bc1[0])
	if l.bias {
		b.flag(h.bc1[1])
	}
	b.flag(h.flip)
	b.flag(h.diff)
	b.put(h.tables[0], 3)
	b.put(h.tables[1], 3)
	if l.bias {
		b.put(h.bias, 5)
	}
	if l.alpha() {
		b.put(h.eac, 8)
	}
}

func (h *hints) readHints(b *bitReader, l *layout) {
	h.bc1[0] = b.flag()
	if l.bias {
		h.bc1[1] = b.flag()
	}
	h.flip, h.diff = b.flag(), b.flag()
	h.tables = [2]uint8{b.take(3), b.take(3)}
	if l.bias {
		h.bias = b.take(5)
	}
	if l.alpha() {
		h.eac = b.take(8)
	}
}

func (h *hints) writeSolid(b *bitWriter) {
	b.flag(h.diff)
	b.put(h.tables[0], 3)
	b.put(h.place, 2)
	for _, v := range h.color {
		b.put(v, 5)
	}
}

func (h *hints) readSolid(b *bitReader) {
	h.diff = b.flag()
	h.tables[0] = b.take(3)
	h.place = b.take(2)
	for i := range h.color {
		h.color[i] = b.take(5)
	}
}

func (b *bitWriter) flag(set bool) {
	var v uint8
	if set {
		v = 1
	}
	b.put(v, 1)
}
