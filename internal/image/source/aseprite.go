package source

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/image/aseprite"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// probeAseprite reads the header. A file with no layer that is seen is a transparent picture,
// so that any file may be long enough.
func probeAseprite(data []byte, _ int64) (header, error) {
	h, err := aseprite.ReadHeader(data)
	if err != nil {
		return header{}, shortHead(err)
	}
	p := header{w: h.Width, h: h.Height, bits: min(8, h.Bits), decoder: h.Memory(), shared: true, frames: h.Frames}
	if h.PixelWidth != h.PixelHeight {
		p.notes = append(p.notes, fmt.Sprintf("pixels are drawn as %d:%d, but taken for squares", h.PixelWidth, h.PixelHeight))
	}
	return p, nil
}

func decodeAseprite(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	m, icc, err := aseprite.Decode(ctx, data)
	if icc != nil {
		h.profile = judgeProfile(icc, "")
	}
	return m, err
}
