package loudness

import (
	"context"
	"math"

	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/detmath"
)

// phases are the four filters of 12 taps in BS.1770-4, annex 2, that compute the signal between its
// samples, in units of 1/8192.
var phases = [4][12]float64{
	{14, 90, -161, 272, -487, 1125, 7964, -838, 390, -218, 122, -68},
	{-239, 240, -424, 730, -1364, 3810, 6388, -1641, 832, -477, 271, -155},
	{-155, 271, -477, 832, -1641, 6388, 3810, -1364, 730, -424, 240, -239},
	{-68, 122, -218, 390, -838, 7964, 1125, -487, 272, -161, 90, 14},
}

// reach bounds the output of any phase for samples of at most 1: the magnitudes of its taps sum up
// to 2.02.
const reach = 2.1

// TruePeak returns the highest magnitude of the signal, in dBTP: of its samples and of three points
// between any two samples. It is minus infinity for silence.
func TruePeak(ctx context.Context, c *pcm.Clip) (float64, error) {
	peak := 0.0
	for rest := c.Samples; len(rest) > 0; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		piece := rest[:min(looks, len(rest))]
		for _, v := range piece {
			peak = max(peak, math.Abs(float64(v)))
		}
		rest = rest[len(piece):]
	}
	n := c.Frames()
	for ch := range c.Channels {
		var near [12]float64 // the last 12 samples
		loud := 0            // frames until all of near are too low to matter
		for i := range n + 11 {
			if i%looks == 0 {
				if err := ctx.Err(); err != nil {
					return 0, err
				}
			}
			x := 0.0
			if i < n {
				x = float64(c.Samples[i*c.Channels+ch])
			}
			copy(near[:], near[1:])
			near[11] = x
			// Only near loud samples can the signal exceed the peak.
			if math.Abs(x)*reach > peak {
				loud = 12
			}
			if loud == 0 {
				continue
			}
			loud--
			for p := range phases {
				sum := 0.0
				for k, h := range phases[p] {
					sum += float64(h * near[11-k])
				}
				peak = max(peak, math.Abs(sum)/8192)
			}
		}
	}
	return detmath.Decibels(peak), nil
}
