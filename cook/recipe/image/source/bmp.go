package source

import (
	"context"

	"github.com/assetcook/assetcook/cook/recipe/image/bmp"
	"github.com/assetcook/assetcook/cook/recipe/image/pixel"
)

func probeBMP(data []byte, _ int64) (header, error) {
	h, err := bmp.ReadHeader(data)
	if err != nil {
		return header{}, shortHead(err)
	}
	p := header{w: h.Width, h: h.Height, bits: h.Bits(), least: h.LeastBytes()}
	if h.ICC != nil {
		p.profile = judgeProfile(h.ICC, "")
	}
	if h.Packed() {
		p.decoder = p.pixels()
	}
	return p, nil
}

func decodeBMP(ctx context.Context, data []byte, h *header) (*pixel.Map, error) {
	p, err := bmp.Decode(ctx, data)
	if err != nil {
		return nil, err
	}
	return fill(ctx, pixel.New(p.Width, p.Height, pixel.Bits8), p.Row)
}
