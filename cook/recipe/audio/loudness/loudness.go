// Package loudness measures how loud sound is, as ITU-R BS.1770-4 and EBU R 128
// (Tech 3341) define it: integrated loudness with gating, the maximum of the
// momentary and of the short-term loudness, and true peak.
//
// Two things are ours. A clip shorter than a measuring block of 400 ms, for
// which the standard has no result, is measured as one block of its own length,
// because games are full of them. And one channel counts as one loudspeaker, as
// the standard has it: played by two, it is 3 dB louder.
//
// Every processor gives the same figures, to the last bit.
package loudness

import (
	"context"
	"math"

	"github.com/assetcook/assetcook/cook/recipe/audio/pcm"
	"github.com/assetcook/assetcook/cook/recipe/audio/steady"
)

// A Result is what was measured. Figures are minus infinity where there was no
// signal above the absolute gate of -70 LUFS, and the last two for clips shorter
// than their windows.
type Result struct {
	Integrated   float64 // LUFS
	MaxMomentary float64 // LUFS, the loudest 400 ms
	MaxShortTerm float64 // LUFS, the loudest 3 s
}

// Power is summed up in slices of 10 ms.
const (
	slicesPerSecond = 100
	momentary       = 40  // slices in a measuring block
	hop             = 10  // slices between the blocks that are gated
	shortTerm       = 300 // slices
)

// Measure measures a clip. It holds 8 bytes for each 10 ms of it. The only error
// is that of a context that is done.
func Measure(ctx context.Context, c *pcm.Clip) (Result, error) {
	silent := math.Inf(-1)
	none := Result{silent, silent, silent}
	if c.Frames() == 0 || c.Rate < 1 {
		return none, nil
	}
	slices, err := weightedPower(ctx, c)
	if err != nil {
		return none, err
	}
	frames := float64(c.Frames())
	if len(slices) < momentary { // one block of the clip's own length
		sum := 0.0
		for _, p := range slices {
			sum += p
		}
		l := lufs(sum / frames)
		if l < absoluteGate {
			l = silent
		}
		return Result{l, silent, silent}, nil
	}
	perSlice := float64(c.Rate) / slicesPerSecond
	return Result{
		Integrated:   integrated(blocks(slices, momentary, hop, perSlice)),
		MaxMomentary: loudest(blocks(slices, momentary, 1, perSlice)),
		MaxShortTerm: loudest(blocks(slices, shortTerm, 1, perSlice)),
	}, nil
}

// weightedPower returns the sum of the squares of the K-weighted samples of each
// whole slice, over all channels with their weights. A clip shorter than one
// block has its last, shorter slice too.
func weightedPower(ctx context.Context, c *pcm.Clip) ([]float64, error) {
	n := c.Frames()
	whole := n * slicesPerSecond / c.Rate
	count := whole
	if whole < momentary {
		count++
	}
	slices := make([]float64, count)
	for ch, weight := range channelWeights(c.Channels) {
		if weight == 0 {
			continue
		}
		shelf, highPass := weighting(c.Rate)
		from := 0
		for s := range slices {
			if s%slicesPerSecond == 0 {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
			}
			until := min(n, (s+1)*c.Rate/slicesPerSecond)
			sum := 0.0
			for i := from; i < until; i++ {
				x := highPass.step(shelf.step(float64(c.Samples[i*c.Channels+ch])))
				sum += float64(x * x)
			}
			slices[s] += float64(weight * sum)
			from = until
		}
	}
	return slices, nil
}

// blocks returns the mean power of windows of so many slices, one every step.
func blocks(slices []float64, width, step int, perSlice float64) []float64 {
	var power []float64
	for from := 0; from+width <= len(slices); from += step {
		sum := 0.0
		for _, p := range slices[from : from+width] {
			sum += p
		}
		power = append(power, sum/(float64(width)*perSlice))
	}
	return power
}

// The gates of BS.1770-4: what is below the first does not count, and of the
// rest what is more than 10 LU below its loudness.
const (
	absoluteGate = -70.0 // LUFS
	relativeGate = -10.0 // LU
)

func integrated(power []float64) float64 {
	mean := func(gate float64) float64 {
		sum, n := 0.0, 0
		for _, p := range power {
			if lufs(p) >= gate {
				sum += p
				n++
			}
		}
		if n == 0 {
			return 0
		}
		return sum / float64(n)
	}
	first := mean(absoluteGate)
	if first == 0 {
		return math.Inf(-1)
	}
	return lufs(mean(max(absoluteGate, lufs(first)+relativeGate)))
}

func loudest(power []float64) float64 {
	top := 0.0
	for _, p := range power {
		top = max(top, p)
	}
	return lufs(top)
}

// lufs is the loudness of a mean power.
func lufs(power float64) float64 { return decibels(math.Sqrt(power)) - 0.691 }

func decibels(x float64) float64 { return steady.Decibels(x) }
