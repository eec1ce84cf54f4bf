package image

import (
	"context"

	"github.com/assetcook/assetcook/cook/recipe/image/ktx2"
)

// A level is one picture of the mip chain: w by h pixels of four bytes, red,
// green, blue and straight alpha, in rows from the top.
type level struct {
	w, h int
	pix  []byte
}

// An encoder turns pixels into the texel blocks of one format.
type encoder struct {
	linear, srgb ktx2.Format
	// encode returns the blocks of a level. It may return l.pix itself.
	encode func(ctx context.Context, l level) ([]byte, error)
}

// encoderFor finds the encoder that the option "format" names.
func encoderFor(format string) (encoder, bool) {
	switch format {
	case "rgba8":
		return encoder{
			linear: ktx2.RGBA8Unorm, srgb: ktx2.RGBA8SRGB,
			encode: func(_ context.Context, l level) ([]byte, error) { return l.pix, nil },
		}, true
	}
	return encoder{}, false
}
