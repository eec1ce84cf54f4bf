package astc

// A layout is the weights' description in the eleven lowest bits of a block.
type layout struct {
	across, down int // the grid of weights
	span         int // of the weights
	dual         bool
}

// weights returns how many weights are stored.
func (l *layout) weights() int {
	if l.dual {
		return 2 * l.across * l.down
	}
	return l.across * l.down
}

// The bounds of the weights' bits.
const (
	maxWeights    = 64
	minWeightBits = 24
	maxWeightBits = 96
)

// parseLayout reads the block mode of a block of side by side pixels. It returns false for
// reserved or too large layouts. Source: Khronos Data Format Specification 1.4, chapter 23,
// "Block Mode".
func parseLayout(mode, side int) (l layout, ok bool) {
	l.dual = mode>>10&1 == 1
	high := mode >> 9 & 1
	a, b := mode>>5&3, mode>>7&3
	rho := mode>>4&1 | mode&3<<1
	if mode&3 != 0 {
		switch {
		case mode>>2&3 == 0:
			l.across, l.down = b+4, a+2
		case mode>>2&3 == 1:
			l.across, l.down = b+8, a+2
		case mode>>2&3 == 2:
			l.across, l.down = a+2, b+8
		case b < 2:
			l.across, l.down = a+2, b+6
		default:
			l.across, l.down = b, a+2
		}
	} else {
		rho = mode>>4&1 | mode>>2&3<<1
		switch {
		case b == 0:
			l.across, l.down = 12, a+2
		case b == 1:
			l.across, l.down = a+2, 12
		case b == 2:
			l.across, l.down = a+6, mode>>9&3+6
			l.dual, high = false, 0
		case a == 0:
			l.across, l.down = 6, 10
		case a == 1:
			l.across, l.down = 10, 6
		default:
			return l, false
		}
	}
	l.span = rho - 2 + 6*high
	if rho < 2 || l.across > side || l.down > side || l.weights() > maxWeights {
		return l, false
	}
	size := spans[l.span].size(l.weights())
	return l, size >= minWeightBits && size <= maxWeightBits
}

// voidExtent is the nine lowest bits of a block of a single color.
const voidExtent = 0b111111100

// modesOf returns the number of each layout that blocks of side by side pixels can have.
func modesOf(side int) map[layout]uint16 {
	all := map[layout]uint16{}
	for mode := 1<<11 - 1; mode >= 0; mode-- {
		if l, ok := parseLayout(mode, side); ok && mode&511 != voidExtent {
			all[l] = uint16(mode)
		}
	}
	return all
}
