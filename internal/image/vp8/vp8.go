// Package vp8 encodes images as VP8 key frames (RFC 6386), which lossy WebP files hold.
//
// The encoder visits each macroblock once per pass (encode.go), in the order of the file. It tries
// the prediction modes (predict.go), transforms the residual (transform.go), quantizes the
// coefficients (quantize.go), and keeps the mode with the least sum of error and length. The length
// is estimated from the tokens so far (tokens.go). Finally it writes the header, the modes and the
// tokens (frame.go, modes.go, boolwriter.go).
//
// Errors are squared differences of red, green and blue, so chroma has a larger weight than in
// libwebp, and all macroblocks have the same quantizer. All arithmetic on pixels uses integers.
package vp8

import (
	"context"
	"errors"
	"fmt"

	"github.com/assetcook/assetcook/internal/detmath"
	"github.com/assetcook/assetcook/internal/image/blockfit"
)

// MaxSide is the maximum width and height.
const MaxSide = 16383

// An effort limits the search for a small encoding.
type effort struct {
	modes     int  // number of modes that are tried for each block of luma
	search    bool // true to search the levels of the chosen modes
	searchAll bool // true to search the levels of all modes that are tried
	passes    int  // number of times that the image is encoded, each time with token probabilities from the previous pass
}

var efforts = [...]effort{
	blockfit.Fast:   {modes: 2, passes: 1},
	blockfit.Normal: {modes: 3, search: true, passes: 1},
	blockfit.Best:   {modes: 10, search: true, searchAll: true, passes: 2},
}

// Options say how an image is encoded.
type Options struct {
	Quality int // quality from 1 to 100
	Effort  blockfit.Quality
	// ByAlpha says that alpha is transparency, so that hidden pixels may have any color.
	ByAlpha bool
}

// Encode returns a key frame of w by h pixels. Each pixel has four bytes: red, green, blue, and alpha,
// which the frame does not hold.
func Encode(ctx context.Context, pix []uint8, w, h int, o Options) ([]byte, error) {
	if w < 1 || h < 1 || w > MaxSide || h > MaxSide || len(pix) < 4*w*h {
		return nil, fmt.Errorf("%d x %d pixels; a VP8 frame has 1 to %d pixels a side", w, h, MaxSide)
	}
	e := newEncoder(pix, w, h, o)
	if err := e.encode(ctx); err != nil {
		return nil, err
	}
	frame, err := e.writeVerified(w, h)
	if errors.Is(err, errOtherImage) && e.filter > 0 { // the loop filter may have blurred the details of this image
		e.filter = 0
		frame, err = e.writeVerified(w, h)
	}
	return frame, err
}

// writeVerified writes a frame and decodes it again.
func (e *encoder) writeVerified(w, h int) ([]byte, error) {
	frame, err := e.write(w, h, maxPartition)
	if err != nil {
		return nil, err
	}
	return frame, e.verify(frame)
}

func newEncoder(pix []uint8, w, h int, o Options) *encoder {
	e := &encoder{planes: separate(pix, w, h, o.ByAlpha), effort: efforts[o.Effort], tariff: newTariff(), prices: modePrices()}
	e.code = make([]macroblock, e.w*e.h)
	e.strength = newStrength(quantizerIndex(o.Quality))
	e.filter = min(63, int(acSteps[e.strength.index])*2/5)
	e.modeLimit = maxFirst * 8 * 256 * 15 / 16 / int64(len(e.code))
	return e
}

// encode chooses the encoding of all macroblocks. Each pass uses token probabilities from the
// previous pass.
func (e *encoder) encode(ctx context.Context) error {
	model := &defaultModel
	for range e.effort.passes {
		e.tariff.setModel(model)
		if err := e.encodeRows(ctx); err != nil {
			return err
		}
		model = e.counts.fit()
	}
	return nil
}

// Memory returns the peak memory, in bytes, that Encode needs for w by h pixels, excluding the
// pixels themselves.
func Memory(w, h int) int64 {
	w, h = (w+15)&^15, (h+15)&^15
	return 2<<20 + 16*int64(w)*int64(h)
}

// quantizerIndex returns the index of the quantizer for a quality, as in libwebp: the cube root makes
// the size of files nearly proportional to the quality.
func quantizerIndex(quality int) int {
	c := float64(quality) / 100
	if quality < 75 {
		c = c * 2 / 3
	} else {
		c = float64(2*c) - 1
	}
	return int(float64(127 * (1 - detmath.Pow(c, 1.0/3))))
}
