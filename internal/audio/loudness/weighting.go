package loudness

import "github.com/assetcook/assetcook/internal/detmath"

// A biquad is a filter of second order with its state, in the transposed direct form II.
type biquad struct {
	b0, b1, b2, a1, a2 float64
	s1, s2             float64
}

func (f *biquad) step(x float64) float64 {
	y := float64(f.b0*x) + f.s1
	f.s1 = float64(f.b1*x) - float64(f.a1*y) + f.s2
	f.s2 = float64(f.b2*x) - float64(f.a2*y)
	return y
}

// weighting returns the two filters of the K-weighting of BS.1770 for any rate.
//
// The standard gives their coefficients for 48 kHz. They belong to a high-shelf filter and a
// high-pass filter, by the bilinear transform, with the corner frequency, gain and quality below.
// These reproduce all digits of the standard at 48 kHz, as a test shows, and the same curve at
// other rates. (The derivation follows B. De Man, Evaluation of Implementations of the EBU R128
// Loudness Measurement, AES 2018.)
func weighting(rate int) (shelf, highPass biquad) {
	const (
		shelfHz, shelfQ, shelfGain = 1681.974450955533, 0.7071752369554196, 3.999843853973347
		middlePower                = 0.4996667741545416 // of the gain, at the corner
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
		b0: 1, b1: -2, b2: 1, // as in the standard, not divided by a0
		a1: 2 * (k2 - 1) / a0,
		a2: (1 - k/highQ + k2) / a0,
	}
	return shelf, highPass
}

func tanPi(x float64) float64 { return detmath.SinPi(x) / detmath.CosPi(x) }

// channelWeights returns the factor of each channel's power in the sum, by the speakers of the
// given number of channels (see package pcm for their order): 1.41 at the sides, 0 for the
// low-frequency one, 1 for the rest. These are the factors of BS.1770-4, table 4, by the speakers'
// angles; a single surround pair counts as being at the sides.
func channelWeights(channels int) []float64 {
	const side = 1.41
	switch channels {
	case 4:
		return []float64{1, 1, side, side}
	case 5:
		return []float64{1, 1, 1, side, side}
	case 6:
		return []float64{1, 1, 1, 0, side, side}
	case 7: // back center, then sides
		return []float64{1, 1, 1, 0, 1, side, side}
	case 8: // back pair, then sides
		return []float64{1, 1, 1, 0, 1, 1, side, side}
	}
	w := make([]float64, channels)
	for i := range w {
		w[i] = 1
	}
	return w
}
