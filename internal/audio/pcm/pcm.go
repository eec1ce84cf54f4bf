// Package pcm holds sound in memory, between the decoders and the encoders of the audio recipe.
//
// A sample is a float32; 1.0 is full scale. An integer sample of n bits becomes value / 2^(n-1), so
// up to 24 bits are preserved exactly; louder 32-bit samples are rounded to nearest.
//
// Channels are in the order of WAVE and FLAC (C is the center, LFE is for low-frequency effects):
//
//	1  mono
//	2  left, right
//	3  L, R, C
//	4  L, R, surround pair
//	5  L, R, C, surround pair
//	6  L, R, C, LFE, surround pair
//	7  L, R, C, LFE, back center, side pair
//	8  L, R, C, LFE, back pair, side pair
package pcm

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// A Clip is sound in memory.
type Clip struct {
	Rate     int       // frames per second
	Channels int       // samples per frame
	Samples  []float32 // samples, interleaved frame by frame; 1.0 is full scale
	Loops    []Loop    // loops in source order; usually none
	Warnings []string  // warnings about loops of the source that were dropped or shortened
	Lost     []string  // notes on other parts of the source that a clip cannot hold
}

// A Loop is a section of a clip that a player repeats.
type Loop struct {
	Start, End int64 // first frame of the loop, and first frame after the loop
	Count      int   // number of repetitions; 0 means forever
	PingPong   bool  // set if the loop plays alternately forwards and backwards
}

// AddLoop appends a loop to the clip. An end beyond the clip is moved to the clip's end, and a loop
// without frames is dropped, both with a warning. An end only one frame beyond causes no warning,
// because some programs count ends from 1.
func (c *Clip) AddLoop(l Loop) {
	frames := int64(c.Frames())
	switch {
	case l.Start < 0 || l.Start >= min(l.End, frames):
		c.Warn("the loop from frame %d to %d is left out, because the sound has only %d frames; set the loop again", l.Start, l.End, frames)
		return
	case l.End > frames+1:
		c.Warn("the loop from frame %d to %d now ends with the sound, at frame %d; sound may be missing, so export the file again", l.Start, l.End, frames)
	}
	l.End = min(l.End, frames)
	c.Loops = append(c.Loops, l)
}

// maxWarnings limits the warnings of a clip, because a damaged file may have thousands of loops.
const maxWarnings = 8

// Warn adds a warning about a loop of the source.
func (c *Clip) Warn(format string, args ...any) {
	if len(c.Warnings) < maxWarnings {
		c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
	}
}

// Lose adds a part of the source that the clip cannot hold to c.Lost, unless it is already listed.
func (c *Clip) Lose(part string) {
	if !slices.Contains(c.Lost, part) {
		c.Lost = append(c.Lost, part)
	}
}

// Frames returns the clip's length in frames.
func (c *Clip) Frames() int {
	if c.Channels < 1 {
		return 0
	}
	return len(c.Samples) / c.Channels
}

// Mix converts a clip to one or two channels, in place if their number decreases. One channel
// becomes two equal channels; two become their mean. With more channels, the center goes to both
// sides and each surround channel to its own side, each attenuated by 3 dB as in ITU-R BS.775; the
// sum is scaled so that it cannot exceed full scale, and the low-frequency channel is dropped. Mono
// is the mean of the two sides.
//
// The only error means that ctx was canceled; the clip is undefined then.
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

// mixture returns the weights of the old channels for each new channel.
func (c *Clip) mixture(channels int) [][]float64 {
	if c.Channels == 1 {
		return [][]float64{{1}, {1}}
	}
	const less = math.Sqrt2 / 2
	// These are the weights of each channel for the left and the right side, in the channel order
	// of the package comment.
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
	default: // unknown layout: all channels contribute to both sides
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
