// Package pcm holds sound in memory, between the decoders and the encoders of the audio recipe.
//
// A sample is a float32; 1.0 is full scale. An integer sample of n bits is value / 2^(n-1), so up
// to 24 bits survive exactly; the last bits of louder 32-bit samples are rounded to nearest.
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

import "fmt"

// A Clip is sound in memory.
type Clip struct {
	Rate     int       // frames a second
	Channels int       // samples in a frame
	Samples  []float32 // interleaved, frame by frame; 1.0 is full scale
	Loops    []Loop    // in the order of the source; none for most
	Warnings []string  // loops of the source that were left out or shortened
}

// A Loop is a part of a clip that a player repeats.
type Loop struct {
	Start, End int64 // frames; End is the first frame after the loop
	Count      int   // number of repetitions; 0 is for ever
	PingPong   bool  // forwards and backwards in turn
}

// AddLoop appends a loop, which must lie within the clip. An end beyond the clip is brought
// back to its end, and a loop without frames is left out, with a warning. One frame beyond
// gets no warning: some programs count ends from 1.
func (c *Clip) AddLoop(l Loop) {
	frames := int64(c.Frames())
	switch {
	case l.Start < 0 || l.Start >= min(l.End, frames):
		c.Warn("a loop from frame %d to %d is left out: the sound has %d frames; set the loop again", l.Start, l.End, frames)
		return
	case l.End > frames+1:
		c.Warn("a loop from frame %d to %d ends with the sound, at frame %d: sound may be missing; export the file again", l.Start, l.End, frames)
	}
	l.End = min(l.End, frames)
	c.Loops = append(c.Loops, l)
}

// maxWarnings is how many warnings a clip keeps: a damaged file may have thousands of loops.
const maxWarnings = 8

// Warn adds a warning about a loop of the source.
func (c *Clip) Warn(format string, args ...any) {
	if len(c.Warnings) < maxWarnings {
		c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
	}
}

// Frames returns the clip's length in frames.
func (c *Clip) Frames() int {
	if c.Channels < 1 {
		return 0
	}
	return len(c.Samples) / c.Channels
}
