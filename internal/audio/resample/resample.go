// Package resample changes the sample rate of sound with a windowed sinc.
//
// Any ratio of rates works. Signals up to 91 % of half the lower rate (20 kHz of 44.1 kHz) pass
// within 0.001 dB. Signals above half the lower rate, and all aliases and images, are attenuated by
// 100 dB or more. The filter is symmetric and its delay is compensated: sounds keep their time.
// Samples outside of the clip are treated as silence.
//
// Every processor computes the same bits: see package detmath. Sums are computed in float64 and in
// a fixed order.
package resample

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/detmath"
)

// These are the rates that Clip supports, in frames per second.
const (
	MinRate = 1000
	MaxRate = 384000
)

// Frames returns the number of frames of a clip at another rate: frames*to/from, rounded to
// nearest, halves up. The same formula converts positions. The result is exact for up to 2^62/to
// frames.
func Frames(frames int64, from, to int) int64 {
	hi, lo := bits.Mul64(uint64(frames), 2*uint64(to))
	lo, carry := bits.Add64(lo, uint64(from), 0)
	q, _ := bits.Div64(hi+carry, lo, 2*uint64(from))
	return int64(q)
}

// outFrames is like Frames, but returns at least 1 unless frames is 0.
func outFrames(frames int64, from, to int) int64 {
	return max(min(frames, 1), Frames(frames, from, to))
}

// moveLoop converts a loop to another rate. frames is the length of the clip at that rate. A loop
// that is not empty keeps at least one frame.
func moveLoop(l pcm.Loop, from, to int, frames int64) pcm.Loop {
	some := l.End > l.Start
	l.Start, l.End = Frames(l.Start, from, to), Frames(l.End, from, to)
	if some && l.End <= l.Start {
		l.Start = max(0, min(l.Start, frames-1))
		l.End = l.Start + 1
	}
	return l
}

// Memory returns an upper bound on the bytes that Clip holds, excluding its input, for a clip with
// the given numbers of frames and channels.
func Memory(frames int64, channels, from, to int) int64 {
	if from == to {
		return 0
	}
	in, out := lowestTerms(from, to)
	shrink := min(1, float64(out)/float64(in))
	taps := int64(2*halfWidth/shrink) + 4
	rows := int64(out) + 1
	if rows*taps > maxExact {
		rows = int64(interpolated*shrink) + 2
	}
	scratch := 8 * (int64(blockFrames)*int64(in)/int64(out) + taps + 2)
	return 4*outFrames(frames, from, to)*int64(channels) + 8*rows*taps + scratch
}

// blockFrames is the number of output frames computed at a time, and blockProducts is the maximum
// number of products between two checks of the context.
const (
	blockFrames   = 2048
	blockProducts = 1 << 22
)

// Clip returns c at another rate, or c itself if it already has that rate. Loops are converted,
// too. A clip or loop that is not empty keeps at least one frame. Clip returns an error if a rate
// is out of the range from MinRate to MaxRate, or if ctx is canceled.
func Clip(ctx context.Context, c *pcm.Clip, rate int) (*pcm.Clip, error) {
	if rate == c.Rate {
		return c, nil
	}
	for _, r := range []int{c.Rate, rate} {
		if r < MinRate || r > MaxRate {
			return nil, fmt.Errorf("a rate of %d Hz cannot be converted, only %d to %d Hz", r, MinRate, MaxRate)
		}
	}
	in, out := lowestTerms(c.Rate, rate)
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
		to.Loops = append(to.Loops, moveLoop(l, c.Rate, rate, frames))
	}
	s := stream{bank: b, in: int64(in), out: int64(out)}
	block := int64(min(blockFrames, max(16, blockProducts/(2*b.half))))
	for first := int64(0); first < frames; first += block {
		for ch := range c.Channels {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			s.convertBlock(c, to, ch, first, min(first+block, frames))
		}
	}
	return to, nil
}

// lowestTerms returns the fraction from/to in lowest terms.
func lowestTerms(from, to int) (in, out int) {
	a, b := from, to
	for b != 0 {
		a, b = b, a%b
	}
	return from / a, to / a
}

// A stream converts a clip block by block and channel by channel.
type stream struct {
	bank    *bank
	in, out int64     // ratio of input frames to output frames, in lowest terms
	window  []float64 // input frames for the current block
}

// convertBlock computes the output frames from first to last (exclusive) of a channel.
func (s *stream) convertBlock(c, to *pcm.Clip, ch int, first, last int64) {
	half := int64(s.bank.half)
	from := first*s.in/s.out - half + 1         // first input frame needed
	until := (last-1)*s.in/s.out + half + 1 + 1 // one more frame, because interpolation also reads the next row
	s.loadWindow(c, ch, from, until)

	n := 2 * s.bank.half
	rows, exact := int64(s.bank.rows), int64(s.bank.rows) == s.out
	for i := first; i < last; i++ {
		at := i * s.in // position of the output frame in input frames, multiplied by s.out
		base, rest := at/s.out, at%s.out
		x := s.window[base-half+1-from:][:n]
		if exact {
			to.Samples[int(i)*to.Channels+ch] = float32(dotProduct(s.bank.rowWeights(int(rest)), x))
			continue
		}
		place := rest * rows
		r, f := place/s.out, float64(place%s.out)/float64(s.out)
		a, b := dotProduct(s.bank.rowWeights(int(r)), x), dotProduct(s.bank.rowWeights(int(r)+1), x)
		to.Samples[int(i)*to.Channels+ch] = float32(a + float64(f*(b-a)))
	}
}

// loadWindow loads a range of input frames into the window, with silence outside of the clip.
func (s *stream) loadWindow(c *pcm.Clip, ch int, from, until int64) {
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

// dotProduct returns the dot product of two slices of the same, even length. It uses four sums that
// the processor can compute in parallel.
func dotProduct(h, x []float64) float64 {
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

// The filter is a Kaiser-windowed sinc. By the formulas of Kaiser and Schafer (1980; Oppenheim and
// Schafer, Discrete-Time Signal Processing, 7.5.3), the attenuation determines the window's shape
// and, together with the transition width, its length.
const (
	attenuation = 125.0 // attenuation in dB, slightly more than documented
	passband    = 0.91  // end of the passband as a fraction of half the lower rate: 20 kHz of 44.1 kHz
	beta        = 0.1102 * (attenuation - 8.7)

	// halfWidth is the length of the kernel on each side, in frames of the lower rate.
	halfWidth = (attenuation - 7.95) / (14.36 * (1 - passband) / 2) / 2
	// cutoff is the middle of the transition, in cycles per frame of the lower rate.
	cutoff = (1 + passband) / 4
)

// maxExact is the maximum number of weights (4 MB) of a bank that has a row for each possible
// position of an output frame between two input frames. For ratios that need more, such as 44100 to
// 47999, Clip interpolates between rows.
const maxExact = 1 << 19

// interpolated is the number of rows per input frame of the lower rate. With it the error of linear
// interpolation, (2 pi cutoff / rows)^2 / 8, is -131 dB.
const interpolated = 2048

// A bank is the kernel sampled at several positions between two input frames. Row r has the weights
// for an output r/rows after an input frame: the weights of that frame, of half-1 frames before it,
// and of half frames after it. Each row sums to 1.
type bank struct {
	rows    int
	half    int
	weights []float64 // 2*half weights per row, and one more row for the next frame
}

func (b *bank) rowWeights(r int) []float64 {
	n := 2 * b.half
	return b.weights[r*n : (r+1)*n]
}

// newBank computes the bank for out/in, a fraction in lowest terms.
func newBank(ctx context.Context, in, out int) (*bank, error) {
	shrink := min(1, float64(out)/float64(in)) // lower rate divided by the input rate
	half := int(math.Ceil(halfWidth / shrink))
	rows := out
	if int64(out)*int64(2*half) > maxExact {
		rows = int(math.Ceil(interpolated * shrink))
	}
	b := &bank{rows: rows, half: half, weights: make([]float64, (rows+1)*2*half)}
	top := detmath.BesselI0(beta)
	for r := range rows + 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		place := float64(r) / float64(rows)
		row, sum := b.rowWeights(r), 0.0
		for i := range row {
			// t is the distance between the input frame and the output frame, in frames of the
			// lower rate.
			t := (float64(i-half+1) - place) * shrink
			row[i] = kernelWeight(t) / top
			sum += row[i]
		}
		for i := range row {
			row[i] /= sum
		}
	}
	return b, nil
}

// kernelWeight returns the filter's weight at t, up to a constant factor.
func kernelWeight(t float64) float64 {
	x := t / halfWidth
	if x <= -1 || x >= 1 {
		return 0
	}
	window := detmath.BesselI0(beta * math.Sqrt(1-float64(x*x)))
	if t == 0 {
		return window
	}
	return window * detmath.SinPi(2*cutoff*t) / (2 * math.Pi * cutoff * t)
}
