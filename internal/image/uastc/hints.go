package uastc

import (
	"math"

	"github.com/assetcook/assetcook/internal/image/etc2"
)

// hints tell a transcoder the best choices for formats whose blocks cannot be computed directly
// from ASTC blocks. They do not affect the pixels of the block itself.
type hints struct {
	bc1 [2]bool // whether BC1 may use the endpoints and indices, and whether it may use only the indices

	// ETC1 divides the block into halves side by side or, if flip is set, one above the other. If
	// diff is set, the second half's color is stored as a difference. tables holds the modifier
	// table of each half, and bias is added to the rounded means.
	flip, diff bool
	tables     [2]uint8
	bias       uint8

	eac uint8 // alpha hint: EAC table in bits 0 to 3, multiplier (at least 1) in bits 4 to 7

	// For a block of one color, these are the quantized color of ETC1, and the modifier of all
	// pixels.
	color [3]uint8
	place uint8 // modifier, from 0 for the darkest to 3 for the brightest
}

func (h *hints) writeHints(b *bitWriter, l *layout) {
	b.writeFlag(h.bc1[0])
	if l.bias {
		b.writeFlag(h.bc1[1])
	}
	b.writeFlag(h.flip)
	b.writeFlag(h.diff)
	b.putField(h.tables[0], 3)
	b.putField(h.tables[1], 3)
	if l.bias {
		b.putField(h.bias, 5)
	}
	if l.hasAlphaEnds() {
		b.putField(h.eac, 8)
	}
}

func (h *hints) readHints(b *bitReader, l *layout) {
	h.bc1[0] = b.takeFlag()
	if l.bias {
		h.bc1[1] = b.takeFlag()
	}
	h.flip, h.diff = b.takeFlag(), b.takeFlag()
	h.tables = [2]uint8{b.takeField(3), b.takeField(3)}
	if l.bias {
		h.bias = b.takeField(5)
	}
	if l.hasAlphaEnds() {
		h.eac = b.takeField(8)
	}
}

func (h *hints) writeSolid(b *bitWriter) {
	b.writeFlag(h.diff)
	b.putField(h.tables[0], 3)
	b.putField(h.place, 2)
	for _, v := range h.color {
		b.putField(v, 5)
	}
}

func (h *hints) readSolid(b *bitReader) {
	h.diff = b.takeFlag()
	h.tables[0] = b.takeField(3)
	h.place = b.takeField(2)
	for i := range h.color {
		h.color[i] = b.takeField(5)
	}
}

func (b *bitWriter) writeFlag(set bool) {
	var v uint8
	if set {
		v = 1
	}
	b.putField(v, 1)
}

// forBC1 sets the BC1 hints of a block with the given decoded pixels. The hints say whether BC1 can
// use the block's endpoints and indices, or only its indices with least-squares endpoints. Without
// these hints a transcoder fits a line itself, which takes longer.
func (h *hints) forBC1(px *[16]point, c *code, l *layout) {
	order := &placesBC1[l.weight]
	var given [16]uint8
	for i := range given {
		given[i] = order[c.index[0][i]]
	}
	var ends [2]color565
	for e := range ends {
		v := l.storedColor(&c.ends[0][e])
		ends[e] = narrow565([3]float64{float64(v[0]), float64(v[1]), float64(v[2])})
	}
	fitted := solve565(px, &given)
	// A transcoder fits slightly better than fit565, so the limit is reduced.
	limit := fit565(px)
	limit -= limit / 16
	h.bc1[0] = errorOf(px, &ends, &given) <= limit
	h.bc1[1] = l.bias && errorOf(px, &fitted, &given) <= limit
}

// fit565 returns the error of a quick BC1 fit. The fit starts with the outermost pixels along the
// axis.
func fit565(px *[16]point) int32 {
	var m moments
	for i := range px {
		m.addToMoments(&px[i])
	}
	s := m.scatterOfChannels(7)
	v := s.principalVector()
	d := v.roundedAxis()
	least, most := &px[0], &px[0]
	for i := range px {
		if at := d.projectPoint(&px[i]); at < d.projectPoint(least) {
			least = &px[i]
		} else if at > d.projectPoint(most) {
			most = &px[i]
		}
	}
	ends := [2]color565{color565(least[:3]), color565(most[:3])}
	best := int32(math.MaxInt32)
	var places [16]uint8
	for range 2 {
		nearest565(px, &ends, &places)
		ends = solve565(px, &places)
		nearest565(px, &ends, &places)
		best = min(best, errorOf(px, &ends, &places))
	}
	return best
}

// placesBC1 holds the position between BC1's endpoints, in thirds, that a transcoder uses for each
// index. The first index is the number of index bits.
//
// Source: "UASTC LDR 4x4 Texture Specification", transcoding to BC1.
var placesBC1 = [6][32]uint8{
	1: {0, 3},
	2: {0, 1, 2, 3},
	3: {0, 0, 1, 1, 2, 2, 3, 3},
	4: {0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3},
	5: {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3},
}

// A color565 is a color of BC1, expanded to bytes.
type color565 [3]int32

func narrow565(v [3]float64) (c color565) {
	for i, x := range v {
		top, down := int32(31), 2
		if i == 1 {
			top, down = 63, 4
		}
		s := max(0, min(int32(float64(x*(float64(top)/255))+0.5), top))
		if i == 1 {
			c[i] = s<<2 | s>>down
		} else {
			c[i] = s<<3 | s>>down
		}
	}
	return c
}

// errorOf returns the squared error of a block. Pixel i gets the color at places[i] thirds of the way
// from the first endpoint to the second.
func errorOf(px *[16]point, ends *[2]color565, places *[16]uint8) (sse int32) {
	for i := range px {
		t := int32(places[i])
		for c := range 3 {
			off := px[i][c] - (ends[0][c]*(3-t)+ends[1][c]*t)/3
			sse += off * off
		}
	}
	return sse
}

// nearest565 sets the nearest position on a line, in thirds, for each pixel.
func nearest565(px *[16]point, ends *[2]color565, places *[16]uint8) {
	var d [3]int32
	for c := range d {
		d[c] = ends[1][c] - ends[0][c]
	}
	length := d[0]*d[0] + d[1]*d[1] + d[2]*d[2]
	for i := range px {
		t := (px[i][0]-ends[0][0])*d[0] + (px[i][1]-ends[0][1])*d[1] + (px[i][2]-ends[0][2])*d[2]
		switch {
		case 6*t <= length:
			places[i] = 0
		case 2*t <= length:
			places[i] = 1
		case 6*t <= 5*length:
			places[i] = 2
		default:
			places[i] = 3
		}
	}
}

// solve565 returns the best endpoints of a line, if pixel i lies at places[i] thirds of the line.
func solve565(px *[16]point, places *[16]uint8) (ends [2]color565) {
	var n, w, ww int32
	var sum, weighed [3]int32
	for i := range px {
		t := int32(places[i])
		n, w, ww = n+1, w+t, ww+t*t
		for c := range 3 {
			sum[c] += px[i][c]
			weighed[c] += t * px[i][c]
		}
	}
	a, b := 9*n-6*w+ww, 3*w-ww
	det := a*ww - b*b
	var u, v [3]float64
	for c := range 3 {
		if det == 0 {
			u[c] = float64(sum[c]) / float64(n)
			v[c] = u[c]
			continue
		}
		y := 3 * weighed[c]
		x := 9*sum[c] - y
		u[c] = float64(x*ww-y*b) / float64(det)
		v[c] = float64(y*a-x*b) / float64(det)
	}
	return [2]color565{narrow565(u), narrow565(v)}
}

// alphaTables lists the EAC tables in hintAlpha's order. It starts with the tables that differ
// most.
var alphaTables = [16]uint8{13, 2, 8, 11, 0, 10, 7, 6, 3, 1, 4, 5, 9, 12, 14, 15}

// hintAlpha sets the hint for the alpha of ETC2. It tries the given number of tables. For each
// table, it tries the multiplier that spans the range of alpha, and multipliers that differ by at
// most radius. A transcoder centers the table's range on the range of alpha.
func (h *hints) hintAlpha(px *[16]point, tables int, radius int32) {
	lo, hi := alphaRange(px)
	h.eac = 1<<4 | 13
	if lo == hi {
		return
	}
	least := int32(math.MaxInt32)
	for _, table := range alphaTables[:tables] {
		t := &etc2.AlphaModifiers[table&15]
		span := t[7] - t[3]
		around := max(1, min((2*(hi-lo)+span)/(2*span), 15))
		for m := max(1, around-radius); m <= min(15, around+radius); m++ {
			if sse := errorOfAlpha(px, lo, hi, table, m); sse < least {
				least = sse
				h.eac = uint8(m)<<4 | table
			}
		}
	}
}

// errorEAC returns the squared error of the alpha of decoded pixels, after transcoding them with
// these hints.
func (h *hints) errorEAC(px *[16]point) int32 {
	lo, hi := alphaRange(px)
	if lo == hi {
		return 0
	}
	return errorOfAlpha(px, lo, hi, h.eac&15, int32(h.eac>>4))
}

func alphaRange(px *[16]point) (lo, hi int32) {
	lo, hi = 255, 0
	for i := range px {
		lo, hi = min(lo, px[i][3]), max(hi, px[i][3])
	}
	return lo, hi
}

// errorOfAlpha returns the squared error of alpha, which ranges from lo to hi, with a table and a
// multiplier of EAC.
func errorOfAlpha(px *[16]point, lo, hi int32, table uint8, multiplier int32) (sse int32) {
	t := &etc2.AlphaModifiers[table&15]
	span := t[7] - t[3]
	middle := lo + (2*(hi-lo)*-t[3]+span)/(2*span)
	var values [8]int32
	for i, d := range t {
		values[i] = max(0, min(middle+d*multiplier, 255))
	}
	for i := range px {
		a := px[i][3]
		nearest := int32(255)
		for _, v := range &values {
			nearest = min(nearest, max(a-v, v-a))
		}
		sse += nearest * nearest
	}
	return sse
}
