package webp

import "context"

// opaque is black with alpha 255.
const opaque = 0xff000000

// predictors is the number of predictor modes.
const predictors = 14

// average returns the average of each channel, rounded down.
func average(a, b uint32) uint32 { return a&b + (a^b)&0xfefefefe>>1 }

// minus returns the difference of each channel, modulo 256.
func minus(a, b uint32) uint32 {
	const odd, even = 0xff00ff00, 0x00ff00ff
	// The gaps between the channels are all ones in the minuend and 0 in the subtrahend, so no
	// borrow reaches the next channel.
	return ((a|even)-(b&odd))&odd | ((a|odd)-(b&even))&even
}

// predict returns the prediction of a pixel from its neighbors: left, top, top right, and top
// left.
func predict(mode int, l, t, tr, tl uint32) uint32 {
	switch mode {
	case 0:
		return opaque
	case 1:
		return l
	case 2:
		return t
	case 3:
		return tr
	case 4:
		return tl
	case 5:
		return average(average(l, tr), t)
	case 6:
		return average(l, tl)
	case 7:
		return average(l, t)
	case 8:
		return average(tl, t)
	case 9:
		return average(t, tr)
	case 10:
		return average(average(l, tl), average(t, tr))
	case 11:
		return nearer(l, t, tl)
	case 12:
		return gradient(l, t, tl)
	}
	return halfGradient(average(l, t), tl)
}

// nearer returns l or t, whichever is nearer to l + t - tl.
func nearer(l, t, tl uint32) uint32 {
	var off int32
	for shift := 0; shift < 32; shift += 8 {
		x := int32(tl >> shift & 0xff)
		off += distance(int32(t>>shift&0xff), x) - distance(int32(l>>shift&0xff), x)
	}
	if off < 0 {
		return l
	}
	return t
}

func distance(a, b int32) int32 { return max(a-b, b-a) }

// gradient returns l + t - tl, clamped to 0 to 255 in each channel.
func gradient(l, t, tl uint32) (v uint32) {
	for shift := 0; shift < 32; shift += 8 {
		c := int32(l>>shift&0xff) + int32(t>>shift&0xff) - int32(tl>>shift&0xff)
		v |= uint32(max(0, min(255, c))) << shift
	}
	return v
}

// halfGradient returns a + (a-tl)/2, clamped to 0 to 255 in each channel.
func halfGradient(a, tl uint32) (v uint32) {
	for shift := 0; shift < 32; shift += 8 {
		c := int32(a >> shift & 0xff)
		v |= uint32(max(0, min(255, c+(c-int32(tl>>shift&0xff))/2))) << shift
	}
	return v
}

// residual returns the difference between a pixel and its prediction. The first pixel is predicted
// as opaque black. Other pixels of the first row are predicted from the left, and other pixels of
// the first column from above.
func residual(pix []uint32, width, i, mode int) uint32 {
	switch {
	case i == 0:
		return minus(pix[0], opaque)
	case i < width:
		return minus(pix[i], pix[i-1])
	case i%width == 0:
		return minus(pix[i], pix[i-width])
	}
	return minus(pix[i], predict(mode, pix[i-1], pix[i-width], pix[i-width+1], pix[i-width-1]))
}

// channelCosts holds the cost of each value in each of blue, green, red and alpha.
type channelCosts [4][256]uint32

// ofPixel returns the cost of a pixel.
func (c *channelCosts) ofPixel(v uint32) uint32 {
	return c[0][v&0xff] + c[1][v>>8&0xff] + c[2][v>>16&0xff] + c[3][v>>24]
}

// guessedCosts returns costs that increase with the distance from 0.
func guessedCosts() (c channelCosts) {
	for v := range 256 {
		cost := oneBit + 3*log2(uint32(min(v, 256-v)+1))/2
		for k := range c {
			c[k][v] = uint32(cost)
		}
	}
	return c
}

// learnedCosts returns costs that follow from the frequencies of values in pix.
func learnedCosts(pix []uint32) (c channelCosts) {
	var counts [4][256]uint32
	for _, v := range pix {
		for k := range counts {
			counts[k][v>>(8*k)&0xff]++
		}
	}
	for k := range c {
		copy(c[k][:], symbolCosts(counts[k][:]))
	}
	return c
}

// eachTile calls f for each tile, row by row. The parameters of f are the tile's first column and
// row, and the column and row after its last.
func eachTile(width, height int, tileBits uint, f func(x0, y0, x1, y1 int)) {
	side := 1 << tileBits
	for y := 0; y < height; y += side {
		for x := 0; x < width; x += side {
			f(x, y, min(x+side, width), min(y+side, height))
		}
	}
}

// sameMode is the estimated saving if a tile has the same mode as the previous tile.
const sameMode = 4 * oneBit

// predictTiles chooses a predictor mode for each tile. It returns the residuals, and the modes
// as pixels whose green value is the mode.
func predictTiles(ctx context.Context, pix []uint32, width int, tileBits uint) (residuals, modes []uint32, err error) {
	height := len(pix) / width
	residuals = make([]uint32, len(pix))
	costs := guessedCosts()
	for range 2 {
		modes = modes[:0]
		before := -1
		eachTile(width, height, tileBits, func(x0, y0, x1, y1 int) {
			if err = ctx.Err(); err != nil {
				return
			}
			best, least := 0, int64(-1)
			for mode := range predictors {
				var cost int64
				if mode != before {
					cost = sameMode
				}
				for y := y0; y < y1 && (least < 0 || cost < least); y++ {
					for x := x0; x < x1; x++ {
						cost += int64(costs.ofPixel(residual(pix, width, y*width+x, mode)))
					}
				}
				if least < 0 || cost < least {
					best, least = mode, cost
				}
			}
			before = best
			modes = append(modes, opaque|uint32(best)<<8)
			for y := y0; y < y1; y++ {
				for x := x0; x < x1; x++ {
					residuals[y*width+x] = residual(pix, width, y*width+x, best)
				}
			}
		})
		if err != nil {
			return nil, nil, err
		}
		costs = learnedCosts(residuals)
	}
	return residuals, modes, nil
}
