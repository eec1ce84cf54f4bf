package blocktest

import "math"

// SquaredError returns the sum of the squared differences of the first channels of RGBA pixels.
func SquaredError(a, b []byte, channels int) (sse int64) {
	for i := range a {
		if i%4 < channels {
			d := int64(a[i]) - int64(b[i])
			sse += d * d
		}
	}
	return sse
}

// PSNR returns the likeness of the first channels of RGBA pixels, in dB.
func PSNR(a, b []byte, channels int) float64 {
	return 10 * math.Log10(255*255*float64(len(a)*channels/4)/max(float64(SquaredError(a, b, channels)), 0.001))
}
