package astc

import "encoding/binary"

// A shrinker is the part of RDO that depends on the format. It implements rdo.Format.
type shrinker struct{ *encoder }

// fields holds the fields of a block.
type fields struct {
	code
	known bool // false if the block has a single color
}

// Decode implements rdo.Format.
func (s *shrinker) Decode(pixels []byte, block *[16]byte) (f fields) {
	bits := stream{binary.LittleEndian.Uint64(block[:]), binary.LittleEndian.Uint64(block[8:])}
	if f.code, f.known = unpack(&bits, s.size); f.known {
		f.writePixels(pixels, s.size, true)
	} else {
		fill(pixels, singleColor(&bits, true))
	}
	return f
}

// Load implements rdo.Format.
func (s *shrinker) Load(pixels []byte, _ *[16]byte) { s.loadPixels(pixels) }

// KeepEnds implements rdo.Format.
func (s *shrinker) KeepEnds(of *fields, most float64) (block [16]byte, sse int64, ok bool) {
	if !of.known {
		return block, 0, false
	}
	h, p := s.planOf(&of.code)
	t := &s.work
	at := 0
	for part, kind := range of.kinds[:of.parts] {
		v := of.endValues(at, kind)
		at += endNumbers(kind)
		if t.ends[part], ok = endsOf(kind, &v); !ok || s.opaque && t.ends[part][0][3]&t.ends[part][1][3] != 255 {
			return block, 0, false
		}
	}
	t.color = of.color
	for k := range h.planes() {
		s.placeOnLines(h, k, &t.at)
		s.settleWeights(s.grids[p.grid], &p, k, &t.at, h)
	}
	if sse = s.measureTrial(h); float64(sse) > most {
		return block, 0, false
	}
	s.keepTrial(h, &p, of.kinds)
	return s.best.block(), sse, true
}

// KeepIndices implements rdo.Format. The indices of ASTC are called weights.
func (s *shrinker) KeepIndices(of *fields, most float64) (block [16]byte, ok bool) {
	if !of.known {
		return block, false
	}
	h, p := s.planOf(&of.code)
	s.loadWeights(&of.code, &p)
	c := of.code
	c.kinds, _ = s.roundEnds(h, &p)
	if float64(s.measureTrial(h)) > most {
		return block, false
	}
	c.color = s.work.color
	return c.block(), true
}
