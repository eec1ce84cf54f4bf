package source

import (
	"bytes"
	"context"

	"github.com/assetcook/assetcook/internal/image/hdr"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

func probeHDR(data []byte, _ int64) (header, error) {
	h, err := hdr.ReadHeader(bytes.NewReader(data))
	if err != nil {
		return header{}, shortHead(err)
	}
	p := header{w: h.Width, h: h.Height, depth: pixmap.Float, bits: 8, least: h.LeastBytes()}
	p.decoder = 4 * p.pixels() // packed
	if h.Primaries != "" {
		p.profile = "primaries " + h.Primaries
	}
	return p, nil
}

func decodeHDR(ctx context.Context, data []byte, _ *header) (*pixmap.Map, error) {
	p, err := hdr.Decode(&reader{ctx, bytes.NewReader(data)}, int64(len(data)))
	if err != nil {
		return nil, err
	}
	return fill(ctx, pixmap.New(p.Width, p.Height, pixmap.Float), p.Row)
}
