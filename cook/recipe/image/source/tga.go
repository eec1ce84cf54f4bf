package source

import (
	"bytes"
	"context"
	"fmt"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/image/pixel"
	"github.com/assetcook/assetcook/cook/recipe/image/tga"
)

func probeTGA(data []byte, _ int64) (header, error) {
	if len(data) < tga.HeaderSize {
		return header{}, recipe.ErrShortHead
	}
	h, err := tga.ReadHeader(bytes.NewReader(data))
	if err != nil {
		// Nothing but its name says that the file is a TGA at all.
		return header{}, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	p := header{w: h.Width, h: h.Height, least: h.LeastBytes(), bits: h.Bits(), shared: true}
	p.decoder = 2*4*p.pixels() + 1<<20 // grows as it reads, by doubling
	return p, nil
}

func decodeTGA(ctx context.Context, data []byte, h header) (*pixel.Map, error) {
	return library{tga.DecodeConfig, tga.Decode}.pixels(ctx, data, h)
}
