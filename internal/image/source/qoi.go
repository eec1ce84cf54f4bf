package source

import (
	"bytes"
	"context"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/qoi"
)

func probeQOI(data []byte, _ int64) (header, error) {
	h, err := qoi.ReadHeader(bytes.NewReader(data))
	if err != nil {
		return header{}, shortHead(err)
	}
	p := header{w: h.Width, h: h.Height, bits: 8, least: h.LeastBytes(), shared: true}
	p.decoder = p.mapBytes()
	if h.Linear {
		p.profile = "linear light (color space 1)"
	}
	return p, nil
}

func decodeQOI(ctx context.Context, data []byte, _ *header) (*pixmap.Map, error) {
	img, err := qoi.Decode(&reader{ctx, bytes.NewReader(data)}, int64(len(data)))
	if err != nil {
		return nil, err
	}
	return straight(ctx, img)
}
