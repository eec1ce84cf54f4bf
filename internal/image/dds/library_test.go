//go:build amd64 || arm64

// Package bcn, which decodes the blocks in this file, does not build on 32-bit machines.

package dds

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texenc"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/woozymasta/bcn"
)

// TestLibraryReads checks that another library reads the same levels from files that this package
// wrote.
func TestLibraryReads(t *testing.T) {
	formats := map[texture.Format]bcn.Format{
		texture.BC1: bcn.FormatBC1, texture.BC1A: bcn.FormatBC1, texture.BC3: bcn.FormatBC3, texture.BC4: bcn.FormatBC4,
		texture.BC5: bcn.FormatBC5, texture.BC6H: bcn.FormatBC6HU, texture.BC7: bcn.FormatBC7, texture.R8: bcn.FormatR8,
		texture.RG8: bcn.FormatRG8, texture.RGBA8: bcn.FormatRGBA8, texture.RGB10A2: bcn.FormatRGB10A2,
	}
	for _, f := range texture.Formats() {
		if _, ok := formats[f]; !ok { // skip formats that the library or this package does not know
			continue
		}
		for _, cube := range []bool{false, true} {
			tex := &texture.Texture{Format: f, W: 9, H: 9, Cube: cube}
			for i := range texture.MaxLevels(9, 9) {
				w, h := texture.LevelSize(9, 9, i)
				level := make([]byte, int64(tex.Images())*f.Bytes(w, h))
				for j := range level {
					level[j] = byte(i + j*j>>3)
				}
				tex.Levels = append(tex.Levels, level)
			}
			got, err := bcn.ReadDDS(bytes.NewReader(encode(t, tex)))
			if err != nil {
				t.Errorf("%v, cube %v: %v", f, cube, err)
				continue
			}
			if got.Format != formats[f] || got.Width != 9 || got.Height != 9 || len(got.Faces) != tex.Images() {
				t.Errorf("%v: it reads %v of %d x %d pixels with %d faces", f, got.Format, got.Width, got.Height, len(got.Faces))
				continue
			}
			for i := range tex.Levels {
				var level []byte
				for _, face := range got.Faces {
					level = append(level, face.Mipmaps[i]...)
				}
				if !bytes.Equal(level, tex.Levels[i]) {
					t.Errorf("%v, cube %v: level %d differs", f, cube, i)
				}
			}
		}
	}
}

// TestLibraryDecodes checks that the library decodes images of each format to pixels similar to the
// source, in the channels that the format stores.
func TestLibraryDecodes(t *testing.T) {
	const w, h = 50, 30
	m := pixmap.New(w, h, pixmap.Bits8)
	for y := range h {
		for x := range w {
			copy(m.Pix8[4*(w*y+x):], []byte{byte(5 * x), byte(8 * y), byte(200 - 3*x), byte(255 - 4*y)})
		}
	}
	for _, tc := range []struct {
		format texture.Format
		least  float64 // minimum PSNR in dB
	}{
		{texture.BC1, 35}, {texture.BC3, 36.5}, {texture.BC4, 45}, {texture.BC5, 45}, {texture.BC7, 38},
		{texture.R8, 99}, {texture.RG8, 99}, {texture.RGBA8, 99}, {texture.RGB10A2, 99},
	} {
		data, err := texenc.Encode(t.Context(), tc.format, m, texenc.Options{Quality: texenc.Normal})
		if err != nil {
			t.Fatal(err)
		}
		file := encode(t, &texture.Texture{Format: tc.format, W: w, H: h, Levels: [][]byte{data}})
		_, got, err := bcn.DecodeDDS(bytes.NewReader(file))
		if err != nil {
			t.Errorf("%v: %v", tc.format, err)
			continue
		}
		channels := tc.format.Channels()
		if tc.format == texture.RGB10A2 {
			channels = "rgb" // 2-bit alpha differs too much from 8-bit alpha
		}
		sum, n := 1e-9, 0
		for i, v := range got.Pix {
			if strings.IndexByte(channels, "rgba"[i%4]) >= 0 {
				d := float64(v) - float64(m.Pix8[i])
				sum += d * d
				n++
			}
		}
		if like := 10 * math.Log10(255*255*float64(n)/sum); like < tc.least {
			t.Errorf("%v: %.2f dB, want %.2f", tc.format, like, tc.least)
		}
	}
}

// TestLibraryDecodesLight checks that the library decodes BC6H blocks to nearly the values of the
// source.
func TestLibraryDecodesLight(t *testing.T) {
	m := pixmap.New(8, 8, pixmap.Float)
	for i := range m.PixF {
		m.PixF[i] = float32(i/4) / 8
	}
	data, err := texenc.Encode(t.Context(), texture.BC6H, m, texenc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file, err := bcn.ReadDDS(bytes.NewReader(encode(t, &texture.Texture{Format: texture.BC6H, W: 8, H: 8, Levels: [][]byte{data}})))
	if err != nil {
		t.Fatal(err)
	}
	got, err := bcn.DecodeBC6HFloat32(file.Faces[0].Mipmaps[0], 8, 8, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if want := m.PixF[i/3*4]; math.Abs(float64(v-want)) > 0.3+0.18*float64(want) {
			t.Errorf("number %d is %v, want %v", i, v, want)
		}
	}
}
