package source

import (
	"bytes"
	"context"
	"strconv"
	"strings"

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
	if h.Primaries != "" && !namesSRGB(h.Primaries) {
		p.profile = "primaries " + h.Primaries
	}
	return p, nil
}

// namesSRGB reports whether a line has the primaries of sRGB: red, green, blue and white.
func namesSRGB(line string) bool {
	fields := strings.Fields(line)
	var got [8]float64
	if len(fields) != len(got) {
		return false
	}
	for i, f := range fields {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return false
		}
		got[i] = v
	}
	return sRGBPrimaries(got)
}

func decodeHDR(ctx context.Context, data []byte, _ *header) (*pixmap.Map, error) {
	p, err := hdr.Decode(&reader{ctx, bytes.NewReader(data)}, int64(len(data)))
	if err != nil {
		return nil, err
	}
	return fill(ctx, pixmap.New(p.Width, p.Height, pixmap.Float), p.Row)
}
