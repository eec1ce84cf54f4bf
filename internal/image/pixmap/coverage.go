package pixmap

import (
	"context"
	"math"
)

// A Coverage is the fraction of a map's pixels that pass an alpha test.
type Coverage struct {
	test   float64 // lowest alpha that passes the test, 0 to 1
	share  float64
	counts []int // number of pixels with each alpha, in the map that was counted last
}

// NewCoverage measures the fraction of pixels of base whose alpha is at least the threshold test.
func NewCoverage(ctx context.Context, base *Map, test float64) (*Coverage, error) {
	c := &Coverage{test: test}
	drawn, err := c.Beyond(ctx, base)
	c.share = drawn / (float64(base.W) * float64(base.H))
	return c, err
}

// Beyond returns the number of pixels of m that pass the test, minus the number that should pass. m
// and the base map may have different depths.
func (c *Coverage) Beyond(ctx context.Context, m *Map) (float64, error) {
	threshold, err := c.countDrawn(ctx, m)
	if err != nil {
		return 0, err
	}
	drawn := 0
	for _, n := range c.counts[threshold:] {
		drawn += n
	}
	return float64(drawn) - c.wantedPixels(m), nil
}

// Keep scales the alpha of m so that the same fraction of pixels passes the test as in the base
// map. The parameter more is a number of pixels that should pass in addition.
//
// It counts the pixels of each alpha. With these counts, it finds the alpha that the wanted number
// of pixels reach, and scales this alpha to the threshold. Rounding cannot raise a lower alpha
// above the threshold.
func (c *Coverage) Keep(ctx context.Context, m *Map, more float64) error {
	threshold, err := c.countDrawn(ctx, m)
	if err != nil {
		return err
	}
	reached := reachedBy(c.counts, c.wantedPixels(m)+more, threshold)
	if reached == threshold {
		return nil
	}
	return scaleAlpha(ctx, m, threshold, reached)
}

// wantedPixels returns how many pixels of m should pass the test.
func (c *Coverage) wantedPixels(m *Map) float64 {
	return float64(c.share * (float64(m.W) * float64(m.H)))
}

// countDrawn counts the alphas of m and returns the lowest alpha that passes the test.
func (c *Coverage) countDrawn(ctx context.Context, m *Map) (threshold int, err error) {
	top := alphaSteps(m)
	if cap(c.counts) <= top {
		c.counts = make([]int, top+1)
	}
	c.counts = c.counts[:top+1]
	threshold = min(top, max(1, int(math.Ceil(float64(c.test*float64(top))))))
	return threshold, countAlphas(ctx, m, c.counts)
}

// reachedBy returns the alpha that about the given number of pixels reach. It is at least 1. If
// several alphas are equally good, reachedBy returns the one nearest to the threshold.
func reachedBy(counts []int, pixels float64, threshold int) int {
	best, bestOff, reach := threshold, math.Inf(1), 0
	for a := len(counts) - 1; a >= 1; a-- {
		reach += counts[a]
		off := math.Abs(float64(reach) - pixels)
		if off < bestOff || off == bestOff && alphaDistance(a, threshold) < alphaDistance(best, threshold) {
			best, bestOff = a, off
		}
	}
	return best
}

func alphaDistance(a, b int) int { return max(a-b, b-a) }

// alphaSteps returns the integer that represents an alpha of 1 in countAlphas.
func alphaSteps(m *Map) int {
	if m.Depth() == Bits8 {
		return 255
	}
	return 65535
}

// countAlphas counts the pixels of each alpha.
func countAlphas(ctx context.Context, m *Map, counts []int) error {
	clear(counts)
	return eachRow(ctx, m, func(from, to int) {
		switch m.Depth() {
		case Float:
			for i := from + 3; i < to; i += 4 {
				counts[floatAlpha(m.PixF[i])]++
			}
		case Bits16:
			for i := from + 3; i < to; i += 4 {
				counts[m.Pix16[i]]++
			}
		default:
			for i := from + 3; i < to; i += 4 {
				counts[m.Pix8[i]]++
			}
		}
	})
}

// floatAlpha converts an alpha from 0 to 1 to an integer from 0 to 65535, rounded down.
func floatAlpha(a float32) int { return int(min(1, float64(sane(a))) * 65535) }

// scaleAlpha multiplies all alphas by num/den and rounds down. So an alpha below den becomes less
// than num.
func scaleAlpha(ctx context.Context, m *Map, num, den int) error {
	return eachRow(ctx, m, func(from, to int) {
		switch m.Depth() {
		case Float:
			for i := from + 3; i < to; i += 4 {
				m.PixF[i] = float32(min(1, float64(sane(m.PixF[i]))*float64(num)/float64(den)))
			}
		case Bits16:
			for i := from + 3; i < to; i += 4 {
				m.Pix16[i] = uint16(min(65535, uint64(m.Pix16[i])*uint64(num)/uint64(den)))
			}
		default:
			for i := from + 3; i < to; i += 4 {
				m.Pix8[i] = uint8(min(255, int(m.Pix8[i])*num/den))
			}
		}
	})
}
