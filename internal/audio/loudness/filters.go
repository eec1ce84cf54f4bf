package loudness

import (
	"context"
	"math"

	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/detmath"
)

// A biquad is a second-order filter with its state, in transposed direct form II.
type biquad struct {
	b0, b1, b2, a1, a2 float64
	s1, s2             float64
}

func (f *biquad) filterSample(x float64) float64 {
	y := float64(f.b0*x) + f.s1
	f.s1 = float64(f.b1*x) - float64(f.a1*y) + f.s2
	f.s2 = float64(f.b2*x) - float64(f.a2*y)
	return y
}

// weighting returns the two filters of BS.1770's K-weighting for any rate.
//
// The standard gives the coefficients of the filters only for 48 kHz. The filters are a high-shelf
// filter and a high-pass filter, obtained by the bilinear transform, with the corner frequency,
// gain and Q below. At 48 kHz the values below reproduce all digits of the standard, as a test
// verifies; at other rates they give the same curve. (The derivation follows B. De Man, Evaluation
// of Implementations of the EBU R128 Loudness Measurement, AES 2018.)
func weighting(rate int) (shelf, highPass biquad) {
	const (
		shelfHz, shelfQ, shelfGain = 1681.974450955533, 0.7071752369554196, 3.999843853973347
		middlePower                = 0.4996667741545416 // exponent of the high-shelf filter's gain at its corner frequency
		highHz, highQ              = 38.13547087602444, 0.5003270373238773
	)
	k := tanPi(shelfHz / float64(rate))
	k2 := float64(k * k)
	high := detmath.Gain(shelfGain)
	middle := detmath.Gain(shelfGain * middlePower)
	a0 := 1 + k/shelfQ + k2
	shelf = biquad{
		b0: (high + float64(middle*k)/shelfQ + k2) / a0,
		b1: 2 * (k2 - high) / a0,
		b2: (high - float64(middle*k)/shelfQ + k2) / a0,
		a1: 2 * (k2 - 1) / a0,
		a2: (1 - k/shelfQ + k2) / a0,
	}
	k = tanPi(highHz / float64(rate))
	k2 = float64(k * k)
	a0 = 1 + k/highQ + k2
	highPass = biquad{
		b0: 1, b1: -2, b2: 1, // the standard does not divide these coefficients by a0
		a1: 2 * (k2 - 1) / a0,
		a2: (1 - k/highQ + k2) / a0,
	}
	return shelf, highPass
}

func tanPi(x float64) float64 { return detmath.SinPi(x) / detmath.CosPi(x) }

// channelWeights returns the weight of each channel's power in the sum. The weights are 1.41 for
// side speakers, 0 for low-frequency effects, and 1 for all others, as in BS.1770-4, table 4. A
// single surround pair counts as side speakers. See package pcm for the order of the speakers.
func channelWeights(channels int) []float64 {
	const side = 1.41
	switch channels {
	case 4:
		return []float64{1, 1, side, side}
	case 5:
		return []float64{1, 1, 1, side, side}
	case 6:
		return []float64{1, 1, 1, 0, side, side}
	case 7: // the last three channels are the back center and the side speakers
		return []float64{1, 1, 1, 0, 1, side, side}
	case 8: // the last four channels are the back pair and the side speakers
		return []float64{1, 1, 1, 0, 1, 1, side, side}
	}
	w := make([]float64, channels)
	for i := range w {
		w[i] = 1
	}
	return w
}

// phases are the four 12-tap filters in BS.1770-4, annex 2, that interpolate the signal between its
// samples, in units of 1/8192.
var phases = [4][12]float64{
	{14, 90, -161, 272, -487, 1125, 7964, -838, 390, -218, 122, -68},
	{-239, 240, -424, 730, -1364, 3810, 6388, -1641, 832, -477, 271, -155},
	{-155, 271, -477, 832, -1641, 6388, 3810, -1364, 730, -424, 240, -239},
	{-68, 122, -218, 390, -838, 7964, 1125, -487, 272, -161, 90, 14},
}

// reach is an upper bound for the output of any phase if samples are at most 1: the magnitudes of
// its taps sum up to 2.02.
const reach = 2.1

// TruePeak returns the largest magnitude of the signal, in dBTP. It considers the samples, and
// three interpolated points between adjacent samples. It returns minus infinity for silence.
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
		var near [12]float64 // last 12 samples
		loud := 0            // number of frames until near has only quiet samples
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
			// The signal can exceed the current peak only near loud samples.
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
