package image

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texenc"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// An alpha test sees the alpha after block compression. In large levels, errors above and below
// the threshold cancel. In small levels with detail in every block, up to 6 % of all pixels were
// wrong. Such levels are encoded again, with alpha changed by the missing or excess amount.
const (
	// coveringPixels is the size limit of levels that are encoded again.
	coveringPixels = coveringSide * coveringSide
	coveringSide   = 256
	coveringTries  = 5
	// coveringOff is the tolerated share of wrong pixels; half a pixel is always tolerated.
	coveringOff = 0.001
)

// coversAlpha reports whether the blocks of a level must draw as many pixels as the picture.
func (s *subject) coversAlpha() bool {
	alpha := "a"
	if s.choice.Swizzle != "" {
		alpha = s.choice.Swizzle[3:]
	}
	side, _ := s.choice.Format.Block()
	return s.kind == "color" && s.o.Coverage > 0 && side > 1 && strings.Contains(s.choice.Format.Channels(), alpha)
}

// encodeCovering appends the blocks of a level. It encodes the level several times and takes the
// blocks whose coverage is nearest to the picture's. It does not change the level.
func (s *subject) encodeCovering(ctx context.Context, encoder *texenc.Encoder, dst []byte, level *pixmap.Map, cover *pixmap.Coverage) ([]byte, error) {
	at, least := len(dst), math.Inf(1)
	more, enough, tooFew := 0.0, math.Inf(1), math.Inf(-1) // requested pixels beyond the target
	var best []byte
	for range coveringTries {
		m := &pixmap.Map{W: level.W, H: level.H, Pix8: slices.Clone(level.Pix8), Pix16: slices.Clone(level.Pix16), PixF: slices.Clone(level.PixF)}
		if err := cover.Keep(ctx, m, more); err != nil {
			return nil, err
		}
		if err := s.prepareTexels(ctx, m); err != nil {
			return nil, err
		}
		var err error
		if dst, err = encoder.Append(ctx, dst[:at], m); err != nil {
			return nil, err
		}
		decoded, err := cooked.Level(ctx, &texture.Texture{
			Format: encoder.Format, SRGB: s.srgb, Swizzle: s.choice.Swizzle, W: m.W, H: m.H, Levels: [][]byte{dst[at:]},
		}, 0, 0)
		if err != nil {
			return nil, err
		}
		beyond, err := cover.Beyond(ctx, decoded)
		if err != nil {
			return nil, err
		}
		if off := math.Abs(beyond); off < least {
			best, least = append(best[:0], dst[at:]...), off
		}
		if least <= max(0.5, coveringOff*float64(m.W)*float64(m.H)) {
			break
		}
		if beyond > 0 {
			enough = min(enough, more)
		} else {
			tooFew = max(tooFew, more)
		}
		if more -= beyond; more <= tooFew || more >= enough {
			more = (tooFew + enough) / 2
		}
	}
	return append(dst[:at], best...), nil
}
