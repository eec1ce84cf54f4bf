package source

import (
	stdimage "image"
	"testing"

	"golang.org/x/image/tiff"
)

// BenchmarkDecode decodes a noisy image of 1024 x 1024 pixels from each format.
func BenchmarkDecode(b *testing.B) {
	const side = 1024
	m := stdimage.NewNRGBA(stdimage.Rect(0, 0, side, side))
	noise(m.Pix, true)
	for i := range side * side {
		x, y := i%side, i/side
		for c, v := range []int{x / 4, y / 4, (x + y) / 8} {
			m.Pix[4*i+c] = byte(v) + m.Pix[4*i+c]&7
		}
	}
	tga := append([]byte{2: 2, 12: side & 255, side >> 8, side & 255, side >> 8, 32, 0}, m.Pix...)
	hdr := []byte("#?RADIANCE\n\n-Y 1024 +X 1024\n")
	for i := 0; i < len(m.Pix); i += 4 {
		hdr = append(hdr, m.Pix[i]|128, m.Pix[i+1], m.Pix[i+2], 130) // the pixel does not repeat the previous one
	}
	for _, f := range []struct {
		name string
		data []byte
	}{
		{"png", encodePNG(b, m)}, {"png-gamma", withChunk(encodePNG(b, m), "gAMA", "\x00\x01\x86\xa0")},
		{"jpeg", encodeJPEG(b, m)}, {"jpeg-turned", withEXIF(encodeJPEG(b, m), exifBlock('I', 6))},
		{"bmp", encodeBMP(b, m)}, {"tiff", encodeTIFF(b, m, nil)}, {"tga", tga}, {"qoi", qoiRuns(side)}, {"hdr", hdr},
		{"tiff-deflate", encodeTIFF(b, m, &tiff.Options{Compression: tiff.Deflate, Predictor: true})},
	} {
		b.Run(f.name, func(b *testing.B) {
			b.SetBytes(4 * side * side)
			for b.Loop() {
				if _, _, err := Decode(b.Context(), f.data, ".tga", side); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
