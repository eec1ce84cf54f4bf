package pixmap

// Levels are made row by row and passed on in bands of a few adjacent rows, so that no level is
// ever in memory as a whole, except the map they start from.

// bandBytes is about the size of a band.
const bandBytes = 256 << 10

// BandRows returns the number of rows of a band of w pixels: a multiple of side, the rows of a
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
	whole bool // the level is a single band
	rows  *Map // of the band
	have  int  // number of rows so far, in all bands
	take  func(level int, band *Map) error
}

func newBander(level, w, h int, d Depth, o MipOptions, take func(int, *Map) error) *bander {
	rows := o.bandRows(w, h, d)
	return &bander{level: level, h: h, whole: o.whole(), rows: New(w, rows, d), take: take}
}

// rowInBand returns the row of b.rows for row y of the level. Rows arrive in order unless the level
// is a single band.
func (b *bander) rowInBand(y int) int {
	if b.whole {
		return y
	}
	return b.have % b.rows.H
}

// stored counts a stored row, and passes on a full band.
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
