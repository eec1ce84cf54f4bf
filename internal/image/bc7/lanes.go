package bc7

// Colors are kept as three lanes of 22 bits in one word: red in the lowest, then
// green, then blue. The lanes hold the sum of sixteen products of two bytes without
// running over, so that one operation does the work of three, and one multiplication
// that of a scalar product: the product of two words is a convolution of their lanes,
// and where one has them in reverse, its third lane is the sum of the products of
// the same channels.
const (
	lane      = 22
	laneMask  = 1<<lane - 1
	lanesOfFF = 255 | 255<<lane | 255<<(2*lane)
	lanesOf32 = 32 | 32<<lane | 32<<(2*lane)
)

// lanesOf puts three values into lanes.
func lanesOf(r, g, b uint64) uint64 { return r | g<<lane | b<<(2*lane) }

// red, green and blue take a lane out.
func red(v uint64) int64   { return int64(v & laneMask) }
func green(v uint64) int64 { return int64(v >> lane & laneMask) }
func blue(v uint64) int64  { return int64(v >> (2 * lane)) }

// reverse swaps red and blue.
func reverse(v uint64) uint64 {
	return v>>(2*lane)&laneMask | v&(laneMask<<lane) | v<<(2*lane)
}

// dot is the scalar product of two colors, the second reversed.
func dot(v, reversed uint64) uint64 { return v * reversed >> (2 * lane) }

// A block has the pixels of a block: red, green and blue in lanes, alpha apart.
type block struct {
	rgb [16]uint64
	a   [16]uint64
}

// rotated returns a block whose color is what is stored as color under a rotation
// of 0 to 3, and the channel that is stored in place of alpha.
func (b *block) rotated(rotation uint8) (px block, scalar [16]uint64) {
	if rotation == 0 {
		return *b, b.a
	}
	shift := lane * (rotation - 1) & 63
	for i, v := range &b.rgb {
		scalar[i] = v >> shift & 255
		px.rgb[i] = v&^(255<<shift) | b.a[i]<<shift
	}
	return px, scalar
}
