package vp8

// Prediction modes. The first four exist for macroblocks (11.2, 11.3) and for blocks of 4 by 4
// pixels, which also have all others (12.3).
const (
	dcMode = iota
	trueMotionMode
	verticalMode
	horizontalMode
	rightDownMode
	verticalRightMode
	leftDownMode
	verticalLeftMode
	horizontalDownMode
	horizontalUpMode

	subblockModes
	macroblockModes = 4
)

// The format defines these values for pixels above and to the left of the image.
const (
	pixelAbove  = 127
	pixelBeside = 129
)

// An edge holds the pixels around a square of up to 16 by 16 pixels.
type edge struct {
	above, left [16]uint8
	corner      uint8
	// hasAbove and hasLeft are false at the edges of the image.
	hasAbove, hasLeft bool
}

// predictSquare predicts a square whose side is the given number of blocks of 4 by 4 pixels.
func (e *edge) predictSquare(mode, blocks int, out []tile) {
	side := 4 * blocks
	dc := e.meanOf(side)
	for i := range blocks * blocks {
		left, above, t := e.left[i/blocks*4:], e.above[i%blocks*4:][:4], &out[i]
		for y := range 4 {
			row := t[4*y:][:4]
			switch mode {
			case verticalMode:
				copy(row, above)
			case horizontalMode:
				row[0], row[1], row[2], row[3] = left[y], left[y], left[y], left[y]
			case trueMotionMode:
				for x := range row {
					row[x] = clampPixel(int32(left[y]) + int32(above[x]) - int32(e.corner))
				}
			default:
				row[0], row[1], row[2], row[3] = dc, dc, dc, dc
			}
		}
	}
}

// meanOf returns the mean of the pixels above and to the left, excluding pixels outside the image.
func (e *edge) meanOf(side int) uint8 {
	sum, n := 0, 0
	if e.hasAbove {
		for _, p := range e.above[:side] {
			sum += int(p)
		}
		n += side
	}
	if e.hasLeft {
		for _, p := range e.left[:side] {
			sum += int(p)
		}
		n += side
	}
	if n == 0 {
		return 128
	}
	return uint8((sum + n/2) / n)
}

// A rim holds 13 pixels around a block of 4 by 4 pixels, clockwise: the four to the left from
// bottom to top, the corner, and eight above.
type rim [13]uint8

// smoothed has the weighted means of three neighboring pixels in a rim, then the means of two, then
// the rim's first pixel.
type smoothed [26]uint8

func (r *rim) smooth() (s smoothed) {
	s[0] = uint8((int(r[1]) + 3*int(r[0]) + 2) / 4)
	for i := 1; i < 12; i++ {
		s[i] = uint8((int(r[i-1]) + 2*int(r[i]) + int(r[i+1]) + 2) / 4)
	}
	s[12] = uint8((int(r[11]) + 3*int(r[12]) + 2) / 4)
	for i := range 12 {
		s[13+i] = uint8((int(r[i]) + int(r[i+1]) + 1) / 2)
	}
	s[25] = r[0]
	return s
}

// directions has, for each directional mode, the index in smoothed for each pixel.
var directions = [subblockModes][16]uint8{
	verticalMode:       {5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8},
	horizontalMode:     {3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0},
	rightDownMode:      {4, 5, 6, 7, 3, 4, 5, 6, 2, 3, 4, 5, 1, 2, 3, 4},
	verticalRightMode:  {17, 18, 19, 20, 4, 5, 6, 7, 3, 17, 18, 19, 2, 4, 5, 6},
	leftDownMode:       {6, 7, 8, 9, 7, 8, 9, 10, 8, 9, 10, 11, 9, 10, 11, 12},
	verticalLeftMode:   {18, 19, 20, 21, 6, 7, 8, 9, 19, 20, 21, 10, 7, 8, 9, 11},
	horizontalDownMode: {16, 4, 5, 6, 15, 3, 16, 4, 14, 2, 15, 3, 13, 1, 14, 2},
	horizontalUpMode:   {15, 2, 14, 1, 14, 1, 13, 0, 13, 0, 25, 25, 25, 25, 25, 25},
}

// predictTile predicts a block of 4 by 4 pixels in every mode.
func (r *rim) predictTile(out *[subblockModes]tile) {
	s := r.smooth()
	sum := 4
	for i := range 4 {
		sum += int(r[i]) + int(r[5+i])
	}
	for i := range 16 {
		out[dcMode][i] = uint8(sum / 8)
		out[trueMotionMode][i] = clampPixel(int32(r[3-i/4]) + int32(r[5+i%4]) - int32(r[4]))
	}
	for mode := verticalMode; mode < subblockModes; mode++ {
		t, from := &out[mode], &directions[mode]
		for i := range t {
			t[i] = s[from[i]]
		}
	}
}
