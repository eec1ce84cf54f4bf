package source

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/fileformat"
	"github.com/assetcook/assetcook/internal/image/aseprite"
	"github.com/assetcook/assetcook/internal/image/exr"
	"github.com/assetcook/assetcook/internal/image/hdr"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/psd"
	"github.com/assetcook/assetcook/internal/image/qoi"
	"github.com/assetcook/assetcook/internal/image/tga"
	"github.com/assetcook/assetcook/internal/image/tiff"
)

// probeAseprite reads the header. A file without a visible layer is a transparent image, so even a
// tiny file may be valid.
func probeAseprite(data []byte, _ int64) (header, error) {
	h, err := aseprite.ReadHeader(data)
	if err != nil {
		return header{}, shortHead(err)
	}
	p := header{w: h.Width, h: h.Height, bits: min(8, h.Bits), decoder: h.Memory(), shared: true, frames: h.Frames}
	if h.PixelWidth != h.PixelHeight {
		p.notes = append(p.notes, fmt.Sprintf("the pixel aspect ratio %d:%d is ignored", h.PixelWidth, h.PixelHeight))
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
		p.notes = append(p.notes, fmt.Sprintf("the file has %d parts, but only the first image is used", h.Parts))
	}
	if h.Ignored > 0 {
		layer := "the layer without a name"
		if h.Layer != "" {
			layer = fmt.Sprintf("layer %q", h.Layer)
		}
		p.notes = append(p.notes, fmt.Sprintf("%s; %d other channels are ignored", layer, h.Ignored))
	}
	return p, nil
}

func decodeEXR(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	m, repairs, err := exr.Decode(ctx, data)
	h.lost = repairNotes(repairs)
	return m, err
}

// repairNotes returns notes on the invalid light values that were replaced.
func repairNotes(r pixmap.Repairs) (notes []string) {
	for _, note := range []struct {
		n    int
		text string
	}{
		{r.Negative, "values below 0 were set to 0"},
		{r.Infinite, "infinite values were set to 65504"},
		{r.NaN, "NaN values were set to 0"},
	} {
		if note.n > 0 {
			notes = append(notes, fmt.Sprintf("%d %s", note.n, note.text))
		}
	}
	return notes
}

func probeHDR(data []byte, _ int64) (header, error) {
	h, err := hdr.ReadHeader(bytes.NewReader(data))
	if err != nil {
		return header{}, shortHead(err)
	}
	p := header{w: h.Width, h: h.Height, depth: pixmap.Float, bits: 8, least: h.LeastBytes()}
	p.decoder = 4 * p.pixelCountOf() // memory for the compressed rows
	if h.Primaries != "" && !namesSRGB(h.Primaries) {
		p.profile = "primaries " + h.Primaries
	}
	return p, nil
}

// namesSRGB reports whether a line lists the primaries of sRGB: red, green, blue and white.
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
	return fillMap(ctx, pixmap.New(p.Width, p.Height, pixmap.Float), p.Row)
}

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
		p.notes = append(p.notes, "alpha: the first channel after the colors")
	}
	if n := h.Ignored(); n > 0 {
		p.notes = append(p.notes, fmt.Sprintf("%d channels besides colors and alpha are ignored; save each as an image", n))
	}
	return p, nil
}

func decodePSD(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	m, repairs, err := psd.Decode(ctx, data)
	h.lost = repairNotes(repairs)
	return m, err
}

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

func probeTGA(data []byte, _ int64) (header, error) {
	if len(data) < tga.HeaderSize {
		return header{}, fileformat.ErrShortHead
	}
	h, err := tga.ReadHeader(data)
	if err != nil {
		// Only its extension shows that a file is a TGA.
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
		h.notes = append(h.notes, "alpha: used, although the header says 0 bits of alpha, because some values are not 0 (export the image with 8 bits of alpha, or without alpha)")
	case tga.Zero:
		h.notes = append(h.notes, "alpha: none, because the header says 0 bits of alpha and all values are 0")
	}
	return &pixmap.Map{W: p.Width, H: p.Height, Pix8: p.Pix}, nil
}

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
		p.notes = append(p.notes, "signed samples: the smallest value becomes 0, and 0 becomes one half")
	}
	if h.Bits == 32 && !h.Float {
		p.notes = append(p.notes, "samples of 32 bits: only the upper 16 bits are kept; save the image with floats to keep more")
	}
	if h.Ignored > 0 {
		p.notes = append(p.notes, fmt.Sprintf("%d samples per pixel besides colors and alpha are ignored; save each as an image", h.Ignored))
	}
	return p, nil
}

func decodeTIFF(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	h.frames = tiff.Pages(data)
	m, repairs, err := tiff.Decode(ctx, data)
	h.lost = repairNotes(repairs)
	return m, err
}
