package wav

import (
	"math"

	"github.com/assetcook/assetcook/internal/audio/adpcm"
	"github.com/assetcook/assetcook/internal/detmath"
)

// Loss measures the difference between the samples of a clip, rounded to 16 bits, and the samples
// after IMA encoding and decoding. All sums are exact, so the loss is the same on every processor.
type Loss struct {
	samples, sum   int64
	squares, noise uint64
	decoded        []int16
}

// addBlock adds the difference between samples and the block that encodes them.
func (l *Loss) addBlock(samples []int16, block []byte, channels int) error {
	if cap(l.decoded) < len(samples) {
		l.decoded = make([]int16, len(samples))
	}
	decoded := l.decoded[:len(samples)]
	if err := adpcm.DecodeIMA(decoded, block, channels); err != nil {
		return err
	}
	for i, x := range samples {
		v, d := int64(x), int64(x)-int64(decoded[i])
		l.sum += v
		l.squares += uint64(v * v)
		l.noise += uint64(d * d)
	}
	l.samples += int64(len(samples))
	return nil
}

// SNR returns the signal-to-noise ratio in decibels, infinite without noise. A constant offset does
// not count as signal, because it is inaudible.
func (l *Loss) SNR() float64 {
	if l.noise == 0 {
		return math.Inf(1)
	}
	mean := float64(l.sum) / float64(l.samples)
	signal := float64(l.squares) - float64(mean*float64(l.sum))
	if signal <= 0 {
		return math.Inf(-1)
	}
	return detmath.Decibels(signal/float64(l.noise)) / 2
}
