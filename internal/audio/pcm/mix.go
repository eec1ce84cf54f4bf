package pcm

import (
	"context"
	"math"
)

// Mix converts a clip to one or two channels, in place if their number decreases. One channel
// becomes two equal ones; two become their mean. Of more channels, the center goes to both sides
// and each surround to its own side, both by -3 dB, as in ITU-R BS.775; the sum is divided so that
// it cannot exceed full scale, and the low-frequency channel is left out. Mono is the mean of that.
//
// The only error is from a done context, which leaves the clip unusable.
func (c *Clip) Mix(ctx context.Context, channels int) error {
	if channels == c.Channels {
		return nil
	}
	rows := c.mixture(channels)
	to := c.Samples
	if channels > c.Channels {
		to = make([]float32, c.Frames()*channels)
	}
	var frame [2]float32
	n := c.Channels
	for i := range c.Frames() {
		if i%(1<<16) == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		for row, weights := range rows {
			sum := 0.0
			for ch, w := range weights {
				sum += float64(w * float64(c.Samples[i*n+ch]))
			}
			frame[row] = float32(sum)
		}
		copy(to[i*channels:], frame[:channels])
	}
	c.Samples, c.Channels = to[:c.Frames()*channels], channels
	return nil
}

// mixture returns the weights of the old channels in each new one.
func (c *Clip) mixture(channels int) [][]float64 {
	if c.Channels == 1 {
		return [][]float64{{1}, {1}}
	}
	const less = math.Sqrt2 / 2
	// The weights of each channel on the left and on the right; see the package's comment for their
	// order.
	var left, right []float64
	switch c.Channels {
	case 2:
		left, right = []float64{1, 0}, []float64{0, 1}
	case 3:
		left, right = []float64{1, 0, less}, []float64{0, 1, less}
	case 4:
		left, right = []float64{1, 0, less, 0}, []float64{0, 1, 0, less}
	case 5:
		left, right = []float64{1, 0, less, less, 0}, []float64{0, 1, less, 0, less}
	case 6:
		left, right = []float64{1, 0, less, 0, less, 0}, []float64{0, 1, less, 0, 0, less}
	case 7: // the back center goes to both surrounds
		left, right = []float64{1, 0, less, 0, 0.5, less, 0}, []float64{0, 1, less, 0, 0.5, 0, less}
	case 8:
		left, right = []float64{1, 0, less, 0, less, 0, less, 0}, []float64{0, 1, less, 0, 0, less, 0, less}
	default: // unknown layout: all channels to both sides
		left = make([]float64, c.Channels)
		for i := range left {
			left[i] = 1
		}
		right = left
	}
	sum := 0.0
	for _, w := range left {
		sum += w
	}
	if channels == 1 {
		both := make([]float64, len(left))
		for i := range both {
			both[i] = (left[i] + right[i]) / (2 * sum)
		}
		return [][]float64{both}
	}
	rows := [][]float64{make([]float64, len(left)), make([]float64, len(left))}
	for i := range left {
		rows[0][i], rows[1][i] = left[i]/sum, right[i]/sum
	}
	return rows
}
