package pixmap

import (
	"context"
	"math/bits"
)

// Color is the encoding of colors in maps of 8 or 16 bits. Maps of floats are linear light unless
// they are Data.
type Color uint8

// These are the values of Color.
const (
	// SRGB colors are averaged in linear light, weighted by their alpha.
	SRGB Color = iota
	// Linear colors are averaged as they are, weighted by their alpha.
	Linear
	// Data has no colors: each of the four channels is averaged separately.
	Data
)

// Sampling holds the options for resampling an image.
type Sampling struct {
	Filter Filter
	Color  Color
	// Normal is set if red, green and blue are the x, y and z of unit vectors, from -1 (stored as
	// 0) to 1 (stored as 1). Vectors are averaged and normalized again. A map with constant blue
	// has two channels: z is computed from x and y, and blue is unchanged. Color must be Data.
	Normal bool
	// Premultiplied is set if colors are already multiplied by alpha, or if alpha is unrelated to
	// the colors.
	Premultiplied bool
	// WrapX and WrapY select how the image continues beyond its edges. Box ignores both.
	WrapX, WrapY Wrap
}

// weighs reports whether colors are weighted by their alpha.
func (s Sampling) weighs() bool { return s.Color != Data && !s.Premultiplied }

// MipOptions are the options of MipBands.
type MipOptions struct {
	Sampling
	// Coverage is the lowest alpha, from 0 to 1, that passes an alpha test; 0 means no test. The
	// alpha of each level is scaled so that the same fraction of pixels passes as in the map
	// (Castaño, "Computing Alpha Mipmaps", 2010). So foliage does not get thinner with distance.
	Coverage float64
	// Levels is the number of levels, including the map itself; 0 means all.
	Levels int
	// Whole is set to pass each level as a single band, which the caller may keep. Coverage and
	// WrapY can require whole levels anyway.
	Whole bool
	// Block is the number of rows of a texel block. Bands consist of whole blocks. 0 means 4.
	Block int
}

// MipBands computes the levels below m, down to 1 x 1, and passes them to the function take in
// bands. Each level has half the width and height of the previous level, rounded down, and the
// depth of m. The bands of a level arrive in order, interleaved with bands of other levels. take
// may change a band but must not keep it, because its memory is reused.
//
// Each level is averaged from the previous level with more bits than are stored. Colors are
// weighted by alpha. Where all alphas are 0, the plain average of the colors is used, so that
// sprites get no black edges.
func MipBands(ctx context.Context, m *Map, o MipOptions, take func(level int, band *Map) error) error {
	n := o.levelsOfSize(m.W, m.H) - 1
	if n == 0 {
		return ctx.Err()
	}
	banders := make([]*bander, n)
	if o.Coverage > 0 {
		c, err := NewCoverage(ctx, m, o.Coverage)
		if err != nil {
			return err
		}
		plain := take
		take = func(level int, whole *Map) error {
			if err := c.Keep(ctx, whole, 0); err != nil {
				return err
			}
			return plain(level, whole)
		}
	}
	w, h := m.W, m.H
	for i := range banders {
		w, h = max(1, w/2), max(1, h/2)
		banders[i] = newBander(i+1, w, h, m.Depth(), o, take)
	}
	l := newLight(m, o.Sampling)
	if o.Filter == Box && m.Depth() == Bits8 && !l.flat {
		return newPyramid(m, banders, o.Sampling).buildLevels(ctx, m)
	}
	return filterMips(ctx, l, banders, o.Sampling)
}

// levelsOfSize returns how many levels a map of w by h pixels has, including itself.
func (o MipOptions) levelsOfSize(w, h int) int {
	if n := levelCount(w, h); o.Levels == 0 || n < o.Levels {
		return n
	}
	return o.Levels
}

// needsWhole reports whether levels must be computed as a whole. Coverage needs all pixels of a
// level, and the rows of images that repeat vertically are not computed in order.
func (o MipOptions) needsWhole() bool {
	return o.Whole || o.Coverage > 0 || o.Filter != Box && o.WrapY == Repeat
}

// bandRows returns the number of rows in a band of a level of w by h pixels.
func (o MipOptions) bandRows(w, h int, d Depth) int {
	side := o.Block
	if side == 0 {
		side = 4
	}
	if o.needsWhole() {
		return h
	}
	return min(h, BandRows(w, d, side))
}

// filterMips computes the levels below the map of l. It computes in floats.
func filterMips(ctx context.Context, l light, banders []*bander, s Sampling) error {
	opaque, err := Opaque(ctx, l.m)
	if err != nil {
		return err
	}
	spare := make([]float32, 4*l.m.W)
	stages := make([]*stage, len(banders))
	w, h := l.m.W, l.m.H
	for i, b := range banders {
		tw, th := b.rows.W, b.h
		stages[i] = newStage(newScaler(l, s, s.weighs() && !opaque, w, h, tw, th, nil))
		if i > 0 {
			stages[i].followStage(stages[i-1])
		}
		stages[i].emit = func(y int, row []float32) error {
			l.narrowRow(b.rows, b.rowInBand(y), row, spare)
			if err := b.countStored(); err != nil || i+1 == len(stages) {
				return err
			}
			return stages[i+1].feed(ctx, row)
		}
		w, h = tw, th
	}
	row := make([]float32, 4*l.m.W)
	for y := range l.m.H {
		l.widenRow(row, y)
		if err := stages[0].feed(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

// MipMemory returns an upper bound on the bytes that MipBands holds at once for a map of w by h
// pixels, excluding the map itself.
func MipMemory(w, h int, d Depth, o MipOptions) int64 {
	memory := int64(curveMemory)
	if o.Coverage > 0 {
		memory += 8 << 16 // counts of alphas
	}
	if o.Filter != Box || d != Bits8 || o.Normal {
		memory += 32 * int64(w) // a row of floats and its normalized vectors
	}
	for range o.levelsOfSize(w, h) - 1 {
		tw, th := max(1, w/2), max(1, h/2)
		memory += int64(tw) * int64(o.bandRows(tw, th, d)) * bytesPerPixel(d)
		if o.Filter == Box && d == Bits8 && !o.Normal {
			memory += 3*8*int64(w) + 8*int64(tw)
		} else {
			memory += scalerMemory(o.Filter, w, h, tw, th) + 16*int64(tw)
			if o.Filter != Box && o.WrapY == Repeat {
				memory += scalerMemory(o.Filter, w, h, tw, th) // the first rows, which are kept until the end
			}
		}
		w, h = tw, th
	}
	return memory
}

// curveMemory is the total size in bytes of the tables of all curves.
const curveMemory = 1 << 20

func bytesPerPixel(d Depth) int64 {
	switch d {
	case Float:
		return 16
	case Bits16:
		return 8
	}
	return 4
}

// scalerMemory returns the size in bytes of a scaler.
func scalerMemory(f Filter, w, h, tw, th int) int64 {
	taps := func(n, m int) int64 {
		if f == Box {
			return int64(n/m) + 2
		}
		return int64(2*f.filterReach()*max(1, float64(n)/float64(m))) + 2
	}
	spans := int64(tw)*(32+8*taps(w, tw)) + int64(th)*(32+8*taps(h, th))
	lines := (taps(h, th) + 1) * seenLanes * 8 * int64(tw)
	return (lines+spans)*9/8 + 16*int64(w) // the allocator rounds sizes up by up to an eighth
}

// levelCount returns how many levels a map of w by h pixels has.
func levelCount(w, h int) int { return bits.Len(uint(max(w, h))) }

// Levels are computed row by row and passed on in bands of adjacent rows. So no level is in memory
// as a whole, except the map that levels are computed from.

// bandBytes is the approximate size of a band.
const bandBytes = 256 << 10

// BandRows returns the number of rows in a band that is w pixels wide. It is a multiple of side,
// the number of rows of a texel block.
func BandRows(w int, d Depth, side int) int {
	return max(1, bandBytes/int(bytesPerPixel(d))/w/side) * side
}

// Band returns n rows of m, starting at row y, or fewer at the lower edge. It shares m's memory.
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

// A bander collects the rows of a level into bands.
type bander struct {
	level int
	h     int  // height of the level
	whole bool // true if the level is a single band
	rows  *Map // rows of the current band
	have  int  // number of rows stored so far, in all bands
	take  func(level int, band *Map) error
}

func newBander(level, w, h int, d Depth, o MipOptions, take func(int, *Map) error) *bander {
	rows := o.bandRows(w, h, d)
	return &bander{level: level, h: h, whole: o.needsWhole(), rows: New(w, rows, d), take: take}
}

// rowInBand returns the row of b.rows for row y of the level. Rows arrive in order unless the level
// is a single band.
func (b *bander) rowInBand(y int) int {
	if b.whole {
		return y
	}
	return b.have % b.rows.H
}

// countStored counts one more stored row, and passes on the band if all its rows are stored.
func (b *bander) countStored() error {
	b.have++
	if n := b.have % b.rows.H; n == 0 || b.have == b.h {
		if n == 0 {
			n = b.rows.H
		}
		return b.take(b.level, b.rows.Band(0, n))
	}
	return nil
}
