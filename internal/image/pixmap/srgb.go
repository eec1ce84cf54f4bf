package pixmap

import (
	"math"
	"sync"
)

// A curve maps stored bytes to sixteen bits that can be averaged, and back.
type curve struct {
	wide   [256]uint16
	narrow [1 << 16]byte // the nearest byte
}

// evenCurve is the curve of alpha and of data: 255 becomes 65535.
var evenCurve = sync.OnceValue(func() *curve {
	c := new(curve)
	for i := range c.wide {
		c.wide[i] = uint16(257 * i)
	}
	for i := range c.narrow {
		c.narrow[i] = round16(uint32(i))
	}
	return c
})

// srgbCurve is the curve of IEC 61966-2-1 to linear light. Both tables are
// rounded exactly, on every processor.
var srgbCurve = sync.OnceValue(func() *curve {
	c := new(curve)
	for i := range c.wide {
		// Rounding up twice the value and halving it rounds the value.
		c.wide[i] = uint16(srgbCeil(2*i, 2) / 2)
	}
	// The byte becomes i at the light of i-1/2.
	for i := 1; i < 256; i++ {
		from, to := srgbCeil(2*i-1, 1), 1<<16
		if i < 255 {
			to = srgbCeil(2*i+1, 1)
		}
		for x := from; x < to; x++ {
			c.narrow[x] = byte(i)
		}
	}
	return c
})

// srgbCeil returns the least whole number that is at least scale times the linear light, from 0 to
// 65535, of the sRGB value half/2, from 0 to 255.
func srgbCeil(half, scale int) int {
	if half <= 20 { // up to 0.04045 the curve is a line: value / 12.92
		// scale * 65535 * half/2/255 / 12.92 = scale * half * 257 * 100 / 2584
		return (scale*half*25700 + 2583) / 2584
	}
	// Above, the error of toLinear cannot cross a whole number: white is a whole number, and all
	// other values are at least 1e-5 away from one.
	if half == 510 {
		return scale * 65535
	}
	return int(math.Ceil(float64(scale*65535) * toLinear(float64(half)/510)))
}

// round16 rounds sixteen bits to eight: 65535 is 255 times 257.
func round16(v uint32) byte { return byte((v + 128) / 257) }
