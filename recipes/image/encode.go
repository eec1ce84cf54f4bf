package image

import (
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texenc"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// encoding returns the options of the encoder.
func (s *subject) encoding() texenc.Options {
	o := texenc.Options{Quality: s.o.quality(), SRGB: s.srgb, XXXY: s.choice.XXXY}
	if weighsAlpha(s.choice.Format) {
		o.WeighAlpha = s.o.WeighAlpha && s.kind == "color"
	}
	if s.choice.Format == texture.BC7 {
		o.RDO = s.o.RDO
	}
	return o
}

func (o *Image) quality() texenc.Quality {
	switch o.Quality {
	case "fast":
		return texenc.Fast
	case "best":
		return texenc.Best
	}
	return texenc.Normal
}

// rowsAtOnce returns how many rows of the first level are encoded at once: all, unless they must
// be converted to bytes first. Even then they form several pieces.
func (o *Image) rowsAtOnce(f texture.Format, w, h int, d pixmap.Depth) int {
	if !texenc.TakesBytes(f) || d == pixmap.Bits8 || o.wholeLevels() {
		return h
	}
	return min(h, 16*pixmap.BandRows(w, d, blockRows(f)))
}

// blockRows returns the number that the rows of a band are a multiple of.
func blockRows(f texture.Format) int {
	side, _ := f.Block()
	return max(4, side)
}

// wholeLevels reports whether a level must be encoded as a whole, because RDO distributes the
// loss over all of it.
func (o *Image) wholeLevels() bool { return o.RDO > 0 }
