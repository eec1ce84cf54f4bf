package source

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/fileformat"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/tga"
)

func probeTGA(data []byte, _ int64) (header, error) {
	if len(data) < tga.HeaderSize {
		return header{}, fileformat.ErrShortHead
	}
	h, err := tga.ReadHeader(data)
	if err != nil {
		// Nothing but its name says that the file is a TGA at all.
		return header{}, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	p := header{w: h.Width, h: h.Height, least: h.LeastBytes(), bits: h.Bits(), shared: true}
	p.decoder = p.mapBytes()
	return p, nil
}

func decodeTGA(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	p, err := tga.Decode(ctx, data)
	if err != nil {
		return nil, err
	}
	switch p.Alpha {
	case tga.Undeclared:
		h.notes = append(h.notes, "alpha: the header counts 0 bits, but it is not 0 everywhere, so it is alpha (export it with 8 bits of alpha, or without any, to say so)")
	case tga.Zero:
		h.notes = append(h.notes, "alpha: the header counts 0 bits, and it is 0 everywhere, so all is opaque")
	}
	return &pixmap.Map{W: p.Width, H: p.Height, Pix8: p.Pix}, nil
}
