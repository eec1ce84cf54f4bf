package pixmap

// Levels are made row by row and handed on in bands of a few adjacent rows, so that
// no level is ever in memory as a whole, except the map they are made from.

// bandBytes is about how much a band holds.
const bandBytes = 256 << 10

// BandRows returns how many rows of w pixels a band has: a multiple of side, the rows of a
// texel block.
func BandRows(w int, d Depth, side int) int {
	return max(1, bandBytes/int(bytesPerPixel(d))/w/side) * side
}

// Band returns rows y to y+n of m, fewer at the lower edge. It shares m's memory.
func (m *Map) Band(y, n int) *Map {
	n = min(n, m.H-y)
	from, to := 4*m.W*y, 4*m.W*(y+n)
	b := &Map{W: m.W, H: n}
	switch m.Depth() {
	case Float:
		b.PixF = m.PixF[from:to]
	case Bits16:
		b.Pix16 = m.Pix16[from:to]
	default:
		b.Pix8 = m.Pix8[from:to]
	}
	return b
}

// A bander gathers the rows of a level.
type bander struct {
	level int
	h     int  // of the level
	whole bool // all of it is one band
	rows  *Map // of the band
	have  int  // rows, of those before and of the band
	take  func(level int, band *Map) error
}

func newBander(level, w, h int, d Depth, o MipOptions, take func(int, *Map) error) *bander {
	rows := o.bandRows(w, h, d)
	return &bander{level: level, h: h, whole: o.whole(), rows: New(w, rows, d), take: take}
}

// rowInBand returns the row of b.rows where row y of the level goes. Unless the level is
// a single band rows come in order.
func (b *bander) rowInBand(y int) int {
	if b.whole {
		return y
	}
	return b.have % b.rows.H
}

// stored counts a row that was put in its place, and hands on a band that is full.
func (b *bander) stored() error {
	b.have++
	if n := b.have % b.rows.H; n == 0 || b.have == b.h {
		if n == 0 {
			n = b.rows.H
		}
		return b.take(b.level, b.rows.Band(0, n))
	}
	return nil
}
