// Package resample changes the sample rate of sound with a windowed sinc.
//
// Any ratio of rates works. Signals up to 91 % of half the lower rate (20 kHz of 44.1 kHz) pass
// within 0.001 dB. Signals above half the lower rate, and all aliases and images, are attenuated by
// 100 dB or more. The filter is symmetric and its delay is compensated: sounds keep their time.
// Outside the clip there is silence.
//
// Every processor computes the same bits: see package detmath. Sums are computed in float64 and in
// a fixed order.
package resample

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// The rates that Clip supports, in frames a second.
const (
	MinRate = 1000
	MaxRate = 384000
)

// Frames returns the number of frames of a clip at another rate: frames*to/from rounded to nearest,
// halves up. Positions are converted the same way. It is exact for up to 2^62/to frames.
func Frames(frames int64, from, to int) int64 {
	hi, lo := bits.Mul64(uint64(frames), 2*uint64(to))
	lo, carry := bits.Add64(lo, uint64(from), 0)
	q, _ := bits.Div64(hi+carry, lo, 2*uint64(from))
	return int64(q)
}

// outFrames is Frames, but at least 1 unless frames is 0.
func outFrames(frames int64, from, to int) int64 {
	return max(min(frames, 1), Frames(frames, from, to))
}

// move converts a loop to another rate, in a clip with the given number of frames at that rate. A
// loop with frames keeps at least one.
func move(l pcm.Loop, from, to int, frames int64) pcm.Loop {
	some := l.End > l.Start
	l.Start, l.End = Frames(l.Start, from, to), Frames(l.End, from, to)
	if some && l.End <= l.Start {
		l.Start = max(0, min(l.Start, frames-1))
		l.End = l.Start + 1
	}
	return l
}

// Memory returns the most bytes that Clip holds, without its input, for a clip of the given frames
// and channels.
func Memory(frames int64, channels, from, to int) int64 {
	if from == to {
		return 0
	}
	in, out := lowest(from, to)
	shrink := min(1, float64(out)/float64(in))
	taps := int64(2*halfWidth/shrink) + 4
	rows := int64(out) + 1
	if rows*taps > maxExact {
		rows = int64(interpolated*shrink) + 2
	}
	scratch := 8 * (int64(blockFrames)*int64(in)/int64(out) + taps + 2)
	return 4*outFrames(frames, from, to)*int64(channels) + 8*rows*taps + scratch
}

// blockFrames is the number of output frames computed at a time, and blockProducts the most
// products between two checks of the context.
const (
	blockFrames   = 2048
	blockProducts = 1 << 22
)

// Clip returns c at another rate, or c itself if it has that rate. Loops are converted, too. A clip
// or loop with frames keeps at least one. Clip returns an error if a rate is not from MinRate to
// MaxRate, or if ctx is done.
func Clip(ctx context.Context, c *pcm.Clip, rate int) (*pcm.Clip, error) {
	if rate == c.Rate {
		return c, nil
	}
	for _, r := range []int{c.Rate, rate} {
		if r < MinRate || r > MaxRate {
			return nil, fmt.Errorf("a rate of %d Hz cannot be converted, only %d to %d Hz", r, MinRate, MaxRate)
		}
	}
	in, out := lowest(c.Rate, rate)
	b, err := newBank(ctx, in, out)
	if err != nil {
		return nil, err
	}
	frames := outFrames(int64(c.Frames()), c.Rate, rate)
	to := &pcm.Clip{
		Rate: rate, Channels: c.Channels,
		Samples: make([]float32, frames*int64(c.Channels)),
	}
	for _, l := range c.Loops {
		to.Loops = append(to.Loops, move(l, c.Rate, rate, frames))
	}
	s := stream{bank: b, in: int64(in), out: int64(out)}
	block := int64(min(blockFrames, max(16, blockProducts/(2*b.half))))
	for first := int64(0); first < frames; first += block {
		for ch := range c.Channels {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			s.block(c, to, ch, first, min(first+block, frames))
		}
	}
	return to, nil
}

// lowest returns the fraction from/to in lowest terms.
func lowest(from, to int) (in, out int) {
	a, b := from, to
	for b != 0 {
		a, b = b, a%b
	}
	return from / a, to / a
}

// A stream converts one block of one channel after another.
type stream struct {
	bank    *bank
	in, out int64     // in input frames last as long as out output frames
	window  []float64 // the input of a block
}

// block makes the output frames first to last (exclusive) of a channel.
func (s *stream) block(c, to *pcm.Clip, ch int, first, last int64) {
	half := int64(s.bank.half)
	from := first*s.in/s.out - half + 1         // the first needed input frame
	until := (last-1)*s.in/s.out + half + 1 + 1 // one more for the row after the last
	s.load(c, ch, from, until)

	n := 2 * s.bank.half
	rows, exact := int64(s.bank.rows), int64(s.bank.rows) == s.out
	for i := first; i < last; i++ {
		at := i * s.in // in units of 1/out of an input frame
		base, rest := at/s.out, at%s.out
		x := s.window[base-half+1-from:][:n]
		if exact {
			to.Samples[int(i)*to.Channels+ch] = float32(dot(s.bank.row(int(rest)), x))
			continue
		}
		place := rest * rows
		r, f := place/s.out, float64(place%s.out)/float64(s.out)
		a, b := dot(s.bank.row(int(r)), x), dot(s.bank.row(int(r)+1), x)
		to.Samples[int(i)*to.Channels+ch] = float32(a + float64(f*(b-a)))
	}
}

// load fills the window with the input frames from to until, with silence outside the clip.
func (s *stream) load(c *pcm.Clip, ch int, from, until int64) {
	n := int(until - from)
	if cap(s.window) < n {
		s.window = make([]float64, n)
	}
	s.window = s.window[:n]
	clear(s.window)
	for i := max(0, from); i < min(until, int64(c.Frames())); i++ {
		s.window[i-from] = float64(c.Samples[int(i)*c.Channels+ch])
	}
}

// dot sums the products of two slices of the same, even length, in four sums that the processor can
// compute in parallel.
func dot(h, x []float64) float64 {
	x = x[:len(h)]
	var a, b, c, d float64
	i := 0
	for ; i+4 <= len(h); i += 4 {
		a += float64(h[i] * x[i])
		b += float64(h[i+1] * x[i+1])
		c += float64(h[i+2] * x[i+2])
		d += float64(h[i+3] * x[i+3])
	}
	for ; i < len(h); i++ {
		a += float64(h[i] * x[i])
	}
	return (a + b) + (c + d)
}
