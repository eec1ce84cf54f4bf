package source

import (
	"context"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/tiff"
)

func probeTIFF(data []byte, _ int64) (header, error) {
	h, err := tiff.ReadHeader(data)
	if err != nil {
		return header{}, shortHead(err)
	}
	p := header{w: h.Width, h: h.Height, depth: h.Depth(), bits: h.Bits, shared: true,
		decoder: h.Memory(), least: h.LeastBytes(), orientation: h.Orientation}
	if h.ICC != nil {
		p.profile = judgeProfile(h.ICC, "")
	}
	if h.Signed {
		p.notes = append(p.notes, "signed samples: the least number becomes 0, so that 0 is one half")
	}
	if h.Bits == 32 && !h.Float {
		p.notes = append(p.notes, "samples of 32 bits: the higher 16 are kept")
	}
	return p, nil
}

func decodeTIFF(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	m, repairs, err := tiff.Decode(ctx, data)
	h.notes = append(h.notes, repaired(repairs)...)
	return m, err
}
