package source

import (
	"context"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/psd"
)

func probePSD(data []byte, _ int64) (header, error) {
	h, err := psd.ReadHeader(data)
	if err != nil {
		return header{}, shortHead(err)
	}
	p := header{w: h.Width, h: h.Height, depth: h.Depth(), bits: h.Bits, shared: true,
		decoder: h.Memory(), least: h.LeastBytes()}
	if h.ICC != nil {
		p.profile = judgeProfile(h.ICC, "")
	}
	switch {
	case h.Layered():
		p.notes = append(p.notes, "alpha: the transparency of the layers")
	case h.Alpha():
		p.notes = append(p.notes, "alpha: the first channel beyond the colors")
	}
	return p, nil
}

func decodePSD(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	m, repairs, err := psd.Decode(ctx, data)
	h.notes = append(h.notes, repaired(repairs)...)
	return m, err
}
