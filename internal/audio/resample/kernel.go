package resample

import (
	"context"
	"math"

	"github.com/assetcook/assetcook/internal/detmath"
)

// The filter is a sinc under a Kaiser window. By the formulas of Kaiser and Schafer (1980;
// Oppenheim and Schafer, Discrete-Time Signal Processing, 7.5.3), the attenuation determines the
// window's shape, and together with the width of the transition its length.
const (
	attenuation = 125.0 // dB, somewhat more than promised
	passband    = 0.91  // of half the lower rate: up to 20 kHz of 44.1 kHz
	beta        = 0.1102 * (attenuation - 8.7)

	// halfWidth is the kernel's length to each side, in frames of the lower rate.
	halfWidth = (attenuation - 7.95) / (14.36 * (1 - passband) / 2) / 2
	// cutoff is the middle of the transition, in cycles per frame of the lower rate.
	cutoff = (1 + passband) / 4
)

// maxExact bounds a bank with one row for each possible place of an output frame between two input
// frames: 4 MB. Ratios that need more, such as 44100 to 47999, interpolate between rows.
const maxExact = 1 << 19

// interpolated is the number of rows per input frame of the lower rate. It puts the error of linear
// interpolation, (2 pi cutoff / rows)^2 / 8, at -131 dB.
const interpolated = 2048

// A bank is the kernel sampled at several places between two input frames. Row r has the weights
// for an output r/rows after an input frame: of that frame, half-1 frames before it and half frames
// after it. Each row sums to 1.
type bank struct {
	rows    int
	half    int
	weights []float64 // 2*half per row, and one row of the next frame
}

func (b *bank) row(r int) []float64 {
	n := 2 * b.half
	return b.weights[r*n : (r+1)*n]
}

// newBank makes the bank for out/in, a fraction in lowest terms.
func newBank(ctx context.Context, in, out int) (*bank, error) {
	shrink := min(1, float64(out)/float64(in)) // lower rate per input rate
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
		row, sum := b.row(r), 0.0
		for i := range row {
			// Distance of the input frame from the output, in lower frames.
			t := (float64(i-half+1) - place) * shrink
			row[i] = kernel(t) / top
			sum += row[i]
		}
		for i := range row {
			row[i] /= sum
		}
	}
	return b, nil
}

// kernel returns the filter's weight at t, up to a constant factor.
func kernel(t float64) float64 {
	x := t / halfWidth
	if x <= -1 || x >= 1 {
		return 0
	}
	window := detmath.BesselI0(beta * math.Sqrt(1-float64(x*x)))
	if t == 0 {
		return window
	}
	// sin(a)/a for a = 2 pi cutoff t
	return window * detmath.SinPi(2*cutoff*t) / (2 * math.Pi * cutoff * t)
}
