// Package pcm holds sound in memory: what every decoder of the audio recipe
// makes and every encoder takes.
//
// A sample is a float32 in which 1.0 is full scale. An integer sample of n bits
// is value / 2^(n-1), so up to 24 bits come out of a Clip as they went in; the
// last bits of louder 32-bit samples are rounded to nearest.
//
// Channels lie in the order of WAVE and FLAC: mono; left, right; L R center;
// L R and the surround pair; L R C and the pair; L R C, low-frequency effects
// and the pair; L R C LFE, back center, side pair; L R C LFE, back pair, side
// pair.
package pcm

// A Clip is sound in memory.
type Clip struct {
	Rate     int       // frames a second
	Channels int       // samples in a frame
	Samples  []float32 // interleaved, frame by frame; 1.0 is full scale
	Loops    []Loop    // in the order of the source; none for most
}

// A Loop is a part of a clip that a player repeats.
type Loop struct {
	Start, End int64 // frames; End is the first frame after the loop
	Count      int   // how often to play it; 0 is for ever
	PingPong   bool  // forwards and backwards by turns
}

// Frames returns the clip's length in frames.
func (c *Clip) Frames() int {
	if c.Channels < 1 {
		return 0
	}
	return len(c.Samples) / c.Channels
}
