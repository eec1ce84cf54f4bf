package resample

import (
	"context"
	"math"

	"github.com/assetcook/assetcook/internal/detmath"
)

// The filter: a sinc under a Kaiser window. With the formulas of Kaiser and
// Schafer (1980; Oppenheim and Schafer, Discrete-Time Signal Processing, 7.5.3),
// the attenuation decides the window's shape, and it and the width of the
// transition the length.
const (
	attenuation = 125.0 // dB, some more than promised
	passband    = 0.91  // of half the lower rate: up to 20 kHz of 44.1 kHz
	beta        = 0.1102 * (attenuation - 8.7)

	// halfWidth is how far the kernel reaches to each side, in frames of the
	// lower rate.
	halfWidth = (attenuation - 7.95) / (14.36 * (1 - passband) / 2) / 2
	// cutoff is the middle of the transition, in cycles per frame of the lower
	// rate.
	cutoff = (1 + passband) / 4
)

// maxExact bounds a bank with one row for each place that an output frame can
// have between two input frames: 4 MB. Ratios that need more, such as 44100 to
// 47999, get between frames by interpolating between rows.
const maxExact = 1 << 19

// interpolated is the number of rows, per input frame of the lower rate, that
// put the error of linear interpolation, (2 pi cutoff / rows)^2 / 8, at
// -131 dB.
const interpolated = 2048

// A bank is the kernel sampled at several places between two input frames. Row
// r has the weights for an output that lies r/rows after an input frame: of
// that frame, half-1 ones before it and half ones behind it. Each row sums to 1.
type bank struct {
	rows    int
	half    int
	weights []float64 // 2*half for each row, and one row more: that of the next frame
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
			// How far the input frame is from the output, in lower frames.
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

// kernel returns the filter's weight at t but for a constant factor.
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
