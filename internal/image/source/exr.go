package source

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/image/exr"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

func probeEXR(data []byte, _ int64) (header, error) {
	h, err := exr.ReadHeader(data)
	if err != nil {
		return header{}, shortHead(err)
	}
	p := header{w: h.Width, h: h.Height, depth: pixmap.Float, bits: h.Bits, shared: true,
		decoder: h.Memory(), least: h.LeastBytes()}
	if h.Primaries != "" {
		p.profile = "chromaticities " + h.Primaries
	}
	if h.Parts > 1 {
		p.notes = append(p.notes, fmt.Sprintf("the first picture of %d parts", h.Parts))
	}
	if h.Ignored > 0 {
		layer := "the layer without a name"
		if h.Layer != "" {
			layer = fmt.Sprintf("layer %q", h.Layer)
		}
		p.notes = append(p.notes, fmt.Sprintf("%s; %d other channels are not read", layer, h.Ignored))
	}
	return p, nil
}

func decodeEXR(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	m, repairs, err := exr.Decode(ctx, data)
	h.notes = append(h.notes, repaired(repairs)...)
	return m, err
}

// repaired says what was made of numbers that are no light.
func repaired(r pixmap.Repairs) (notes []string) {
	for _, note := range []struct {
		n    int
		said string
	}{
		{r.Negative, "numbers below 0 became 0"},
		{r.Infinite, "infinite numbers became 65504"},
		{r.NaN, "numbers that are NaN became 0"},
	} {
		if note.n > 0 {
			notes = append(notes, fmt.Sprintf("%d %s", note.n, note.said))
		}
	}
	return notes
}
