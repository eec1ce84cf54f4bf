package webp

import "context"

// A colorShift holds the factors of the color transform. It predicts red from green, and blue from
// green and red. A factor is a signed byte in units of 1/32.
type colorShift struct{ greenToRed, greenToBlue, redToBlue int8 }

// pixel returns the factors as a pixel, which is how the format stores them.
func (s colorShift) pixel() uint32 {
	return opaque | uint32(uint8(s.redToBlue))<<16 | uint32(uint8(s.greenToBlue))<<8 | uint32(uint8(s.greenToRed))
}

// scaled returns the product of a factor and a value, both signed bytes, divided by 32.
func scaled(factor int8, value uint32) uint32 {
	return uint32(int32(factor)*int32(int8(value))>>5) & 0xff
}

// red returns the difference between red and its prediction.
func (s colorShift) red(v uint32) uint32 { return (v>>16 - scaled(s.greenToRed, v>>8)) & 0xff }

// blue returns the difference between blue and its prediction.
func (s colorShift) blue(v uint32) uint32 {
	return (v - scaled(s.greenToBlue, v>>8) - scaled(s.redToBlue, v>>16)) & 0xff
}

// shiftColors chooses factors for each tile. It returns the transformed pixels, and the factors
// as pixels, or nil if the transform does not help.
func shiftColors(ctx context.Context, pix []uint32, width int, tileBits uint) (shifted, shifts []uint32, err error) {
	costs := learnedCosts(pix)
	shifted = make([]uint32, len(pix))
	helps := false
	var before colorShift
	eachTile(width, len(pix)/width, tileBits, func(x0, y0, x1, y1 int) {
		if err = ctx.Err(); err != nil {
			return
		}
		var tile []uint32
		for y := y0; y < y1; y++ {
			tile = append(tile, pix[y*width+x0:y*width+x1]...)
		}
		best := bestShift(tile, before, &costs)
		helps = helps || best != colorShift{}
		before = best
		shifts = append(shifts, best.pixel())
		for y := y0; y < y1; y++ {
			for i := y*width + x0; i < y*width+x1; i++ {
				shifted[i] = pix[i]&^0x00ff00ff | best.red(pix[i])<<16 | best.blue(pix[i])
			}
		}
	})
	if err != nil || !helps {
		return nil, nil, err
	}
	return shifted, shifts, nil
}

// newShift is the additional cost of factors that are neither 0 nor equal to the factors of the
// previous tile.
const newShift = 12 * oneBit

// bestShift searches for the best factors for the pixels of a tile, with decreasing step size.
func bestShift(tile []uint32, before colorShift, costs *channelCosts) colorShift {
	redCost := func(s colorShift) (sum int64) {
		if s.greenToRed != 0 && s.greenToRed != before.greenToRed {
			sum = newShift
		}
		for _, v := range tile {
			sum += int64(costs[2][s.red(v)])
		}
		return sum
	}
	blueCost := func(s colorShift) (sum int64) {
		if s.greenToBlue != 0 && s.greenToBlue != before.greenToBlue || s.redToBlue != 0 && s.redToBlue != before.redToBlue {
			sum = newShift
		}
		for _, v := range tile {
			sum += int64(costs[0][s.blue(v)])
		}
		return sum
	}
	var best colorShift
	least := redCost(best)
	try := func(s colorShift, cost func(colorShift) int64) {
		if c := cost(s); c < least {
			best, least = s, c
		}
	}
	try(colorShift{greenToRed: before.greenToRed}, redCost)
	for step := int8(16); step > 0; step /= 2 {
		at := best
		for _, d := range [...]int8{-step, step} {
			try(colorShift{greenToRed: at.greenToRed + d}, redCost)
		}
	}
	red := best.greenToRed
	best = colorShift{greenToRed: red}
	least = blueCost(best)
	try(colorShift{red, before.greenToBlue, before.redToBlue}, blueCost)
	for step := int8(16); step > 0; step /= 2 {
		for _, d := range [...][2]int8{{-step, 0}, {step, 0}, {0, -step}, {0, step}} {
			try(colorShift{red, best.greenToBlue + d[0], best.redToBlue + d[1]}, blueCost)
		}
	}
	return best
}
