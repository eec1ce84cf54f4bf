// Package loudness measures loudness by ITU-R BS.1770-4 and EBU R 128 (Tech 3341): gated integrated
// loudness, the maximum of the momentary and of the short-term loudness, and true peak.
//
// Two rules extend the standard. A clip shorter than a measuring block of 400 ms, which has no
// result in the standard, is measured as one block of its own length, because games have many such
// clips. One channel counts as one loudspeaker, as in the standard: played by two, it is 3 dB
// louder.
//
// The results are the same on every processor, to the last bit.
package loudness

import (
	"context"
	"fmt"
	"math"

	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/detmath"
)

// A Result is the result of a measurement. Values are minus infinity if the signal never exceeds
// the absolute gate of -70 LUFS. MaxMomentary and MaxShortTerm are also minus infinity for clips
// shorter than their windows.
type Result struct {
	Integrated   float64 // loudness of the whole clip in LUFS
	MaxMomentary float64 // loudness of the loudest 400 ms in LUFS
	MaxShortTerm float64 // loudness of the loudest 3 s in LUFS
}

// Power is summed over slices of 10 ms.
const (
	slicesPerSecond = 100
	momentary       = 40  // number of slices per measuring block
	hop             = 10  // number of slices between the starts of two gated blocks
	shortTerm       = 300 // number of slices per short-term window
)

// MinRate is the lowest supported rate in frames per second. The weighting has a corner at 1682 Hz,
// which lower rates cannot represent.
const MinRate = 4000

// CheckRate returns an error if rate is below MinRate.
func CheckRate(rate int) error {
	if rate < MinRate {
		return fmt.Errorf("a sample rate of %d Hz is too low to measure loudness; set rate to %d or more, or loudness to 0", rate, MinRate)
	}
	return nil
}

// Memory returns an upper bound on the bytes that Measure and Integrated hold for a clip of the
// given number of frames, excluding the clip.
func Memory(frames int64, rate int) int64 {
	slices := frames/int64(rate)*slicesPerSecond + slicesPerSecond
	return 8*slices + 8*slices/hop
}

// Measure measures a clip, whose rate must be at least MinRate. Otherwise it fails only if ctx is
// canceled. The audio recipe uses only Integrated and TruePeak; tests use Measure.
func Measure(ctx context.Context, c *pcm.Clip) (Result, error) {
	silent := math.Inf(-1)
	r := Result{silent, silent, silent}
	m, err := newLoudnessMeter(ctx, c)
	if err == nil {
		r.Integrated, err = m.integrated()
	}
	if err == nil {
		r.MaxMomentary, err = m.loudest(momentary)
	}
	if err == nil {
		r.MaxShortTerm, err = m.loudest(shortTerm)
	}
	return r, err
}

// Integrated returns only Result.Integrated.
func Integrated(ctx context.Context, c *pcm.Clip) (float64, error) {
	m, err := newLoudnessMeter(ctx, c)
	if err != nil {
		return math.Inf(-1), err
	}
	return m.integrated()
}

// A meter holds the weighted power of a clip.
type meter struct {
	watch
	slices           []float64
	frames, perSlice float64 // length of the clip, and of a slice, in frames
}

func newLoudnessMeter(ctx context.Context, c *pcm.Clip) (*meter, error) {
	m := &meter{watch: watch{ctx: ctx}, frames: float64(c.Frames()), perSlice: float64(c.Rate) / slicesPerSecond}
	if c.Frames() == 0 {
		return m, nil
	}
	if err := CheckRate(c.Rate); err != nil {
		return nil, err
	}
	return m, m.weighSlices(c)
}

// weighSlices sums the squares of the K-weighted samples of each complete slice, weighted by
// channel. For a clip shorter than one block it includes the last, incomplete slice.
func (m *meter) weighSlices(c *pcm.Clip) error {
	n, rate := int64(c.Frames()), int64(c.Rate)
	count := n * slicesPerSecond / rate
	if count < momentary {
		count++
	}
	m.slices = make([]float64, count)
	for ch, weight := range channelWeights(c.Channels) {
		if weight == 0 {
			continue
		}
		shelf, highPass := weighting(c.Rate)
		from := 0
		for s := range m.slices {
			until := int(min(n, int64(s+1)*rate/slicesPerSecond))
			if err := m.spendSteps(until - from); err != nil {
				return err
			}
			sum := 0.0
			for i := from; i < until; i++ {
				x := highPass.filterSample(shelf.filterSample(float64(c.Samples[i*c.Channels+ch])))
				sum += float64(x * x)
			}
			m.slices[s] += float64(weight * sum)
			from = until
		}
	}
	return nil
}

// windowPower returns the mean power of width slices.
func (m *meter) windowPower(from, width int) float64 {
	sum := 0.0
	for _, p := range m.slices[from : from+width] {
		sum += p
	}
	return sum / (float64(width) * m.perSlice)
}

// The gates of BS.1770-4 exclude blocks below the absolute gate, and then blocks more than 10 LU
// below the loudness of the remaining blocks.
const (
	absoluteGate = -70.0 // gate in LUFS
	relativeGate = -10.0 // gate in LU
)

func (m *meter) integrated() (float64, error) {
	if len(m.slices) < momentary { // a short clip is one block
		sum := 0.0
		for _, p := range m.slices {
			sum += p
		}
		if l := lufs(sum / m.frames); l >= absoluteGate {
			return l, nil
		}
		return math.Inf(-1), nil
	}
	power := make([]float64, 0, len(m.slices)/hop)
	for from := 0; from+momentary <= len(m.slices); from += hop {
		if err := m.spendSteps(momentary); err != nil {
			return 0, err
		}
		power = append(power, m.windowPower(from, momentary))
	}
	first, err := m.gatedMean(power, absoluteGate)
	if err != nil || first == 0 {
		return math.Inf(-1), err
	}
	gated, err := m.gatedMean(power, max(absoluteGate, lufs(first)+relativeGate))
	return lufs(gated), err
}

// gatedMean returns the mean of the powers that reach the gate, or 0 if none does.
func (m *meter) gatedMean(power []float64, gate float64) (float64, error) {
	sum, n := 0.0, 0
	for _, p := range power {
		if err := m.spendSteps(logarithm); err != nil {
			return 0, err
		}
		if lufs(p) >= gate {
			sum += p
			n++
		}
	}
	if n == 0 {
		return 0, nil
	}
	return sum / float64(n), nil
}

// loudest returns the loudness of the loudest window of width slices.
func (m *meter) loudest(width int) (float64, error) {
	top := 0.0
	for from := 0; from+width <= len(m.slices); from++ {
		if err := m.spendSteps(width); err != nil {
			return 0, err
		}
		top = max(top, m.windowPower(from, width))
	}
	return lufs(top), nil
}

// lufs converts a mean power to LUFS.
func lufs(power float64) float64 { return detmath.Decibels(math.Sqrt(power)) - 0.691 }

// looks is the number of samples between two checks of the context. Computing a logarithm counts as
// 16 samples.
const (
	looks     = 1 << 16
	logarithm = 16
)

// A watch checks a context whenever enough work has been done.
type watch struct {
	ctx  context.Context
	left int // units of work before the next check of the context
}

// spendSteps counts units of work, and checks the context after every looks units.
func (w *watch) spendSteps(steps int) error {
	if w.left -= steps; w.left >= 0 {
		return nil
	}
	w.left = looks
	return w.ctx.Err()
}
