package pixmap

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// CheckPixels returns an error if a file of size bytes is too short for its pixels, which need at
// least the given number of bytes. It also returns an error if pixels of pixelBytes bytes in memory
// exceed the address space.
func CheckPixels(size, least int64, w, h int, pixelBytes int64) error {
	switch {
	case size < least:
		return fmt.Errorf("pixels: %w", io.ErrUnexpectedEOF)
	case int64(w) > math.MaxInt/pixelBytes/int64(h):
		return errors.New("the image is too large for a 32-bit program; use a 64-bit cook")
	}
	return nil
}

// UnexpectedEOF turns io.EOF into io.ErrUnexpectedEOF, for readers that expect more data.
func UnexpectedEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Repairs counts invalid light values, by the kind of value.
type Repairs struct {
	Negative int // negative values, replaced by 0
	Infinite int // infinite values, replaced by 65504, the largest half-precision float
	NaN      int // NaN values, replaced by 0
}

// Light returns v if it is a valid light value, otherwise its replacement.
func (r *Repairs) Light(v float32) float32 {
	const greatestHalf = 65504
	switch {
	case v >= 0 && v <= math.MaxFloat32:
		return v
	case v > 0:
		r.Infinite++
		return greatestHalf
	case v < 0:
		r.Negative++
	default:
		r.NaN++
	}
	return 0
}

// HalfValue returns the value of a half-precision float.
func HalfValue(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch exponent {
	case 0:
		v := float32(fraction) / (1 << 24) // the result is exact, because a subnormal half is a normal float32
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// Straighten divides the colors of pixels by their alpha, which is limited to 1. It does not change
// transparent pixels.
func Straighten(pix []float32) {
	for ; len(pix) > 0; pix = pix[4:] {
		p := pix[:4:4]
		if p[3] = min(p[3], 1); p[3] > 0 && p[3] < 1 {
			for c := range p[:3] {
				p[c] = min(p[c]/p[3], math.MaxFloat32)
			}
		}
	}
}
