package image

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	stdimage "image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// A sample is a small file of some kind and what must come of it.
type sample struct {
	name, file string
	data       []byte
	w, h       int
	pix        []byte
	slack      int // how far a lossy format may be off
}

// samples returns files of every kind, as others write them.
func samples(t testing.TB) []sample {
	t.Helper()
	colours := stdimage.NewNRGBA(stdimage.Rect(0, 0, 5, 3))
	noise(colours.Pix, true)
	grey := stdimage.NewGray(stdimage.Rect(0, 0, 5, 3))
	noise(grey.Pix, false)
	grey16 := stdimage.NewGray16(grey.Rect)
	wide := stdimage.NewNRGBA64(grey.Rect)
	noise(grey16.Pix, false)
	noise(wide.Pix, false)
	alpha := stdimage.NewNRGBA(colours.Rect)
	noise(alpha.Pix, false)
	flat := stdimage.NewNRGBA(stdimage.Rect(0, 0, 20, 12)) // no detail to lose
	draw.Draw(flat, flat.Rect, stdimage.NewUniform(color.NRGBA{R: 200, G: 40, B: 10, A: 255}), stdimage.Point{}, draw.Src)
	palette := color.Palette{color.NRGBA{R: 9, G: 8, B: 7, A: 255}, color.NRGBA{R: 250, G: 1, B: 99, A: 255}}
	mapped := stdimage.NewPaletted(stdimage.Rect(0, 0, 3, 2), palette)
	mapped.Pix = []byte{0, 1, 1, 1, 0, 0}

	list := []sample{
		exact("png", encodePNG(t, colours), colours),
		exact("png alpha", encodePNG(t, alpha), alpha),
		exact("png grey", encodePNG(t, grey), grey),
		exact("png grey 16", encodePNG(t, grey16), grey16),
		exact("png 16", encodePNG(t, wide), wide),
		exact("png mapped", encodePNG(t, mapped), mapped),
		exact("bmp", encodeBMP(t, colours), colours),
		exact("bmp mapped", encodeBMP(t, mapped), mapped),
		exact("tiff", encodeTIFF(t, colours, nil), colours),
		exact("tiff alpha", encodeTIFF(t, alpha, nil), alpha),
		exact("tiff deflate", encodeTIFF(t, alpha, &tiff.Options{Compression: tiff.Deflate, Predictor: true}), alpha),
		exact("tiff 16", encodeTIFF(t, wide, nil), wide),
		exact("tiff grey 16", encodeTIFF(t, grey16, nil), grey16),
		exact("tiff mapped", encodeTIFF(t, mapped, nil), mapped),
		exact("gif", encodeGIF(t, mapped), mapped),
		{name: "jpeg", data: encodeJPEG(t, flat), w: 20, h: 12, pix: flat.Pix, slack: 3},
		{name: "jpeg grey", data: encodeJPEG(t, stdimage.NewGray(stdimage.Rect(0, 0, 9, 9))), w: 9, h: 9, pix: bytes.Repeat([]byte{0, 0, 0, 255}, 81)},
		{name: "jpeg progressive", data: progressiveJPEG(19, 9), w: 19, h: 9, pix: bytes.Repeat([]byte{128, 128, 128, 255}, 19*9)},
	}
	list = append(list, webpSamples(t)...)
	tga := append([]byte{2: 2, 12: 2, 14: 1, 16: 32, 17: 0x28}, 3, 2, 1, 4, 7, 6, 5, 8)
	list = append(list, sample{name: "tga", file: "a.TGA", data: tga, w: 2, h: 1, pix: []byte{1, 2, 3, 4, 5, 6, 7, 8}})
	for i := range list {
		if list[i].file == "" {
			list[i].file = "a.bin"
		}
	}
	return list
}

// exact is a sample of a lossless format. It takes the expected bytes from
// package color, one pixel at a time.
func exact(name string, data []byte, m stdimage.Image) sample {
	b := m.Bounds()
	s := sample{name: name, data: data, w: b.Dx(), h: b.Dy()}
	for y := range s.h {
		for x := range s.w {
			if c, ok := m.At(x, y).(color.NRGBA); ok {
				s.pix = append(s.pix, c.R, c.G, c.B, c.A)
				continue
			}
			c := color.NRGBA64Model.Convert(m.At(x, y)).(color.NRGBA64)
			for _, v := range []uint16{c.R, c.G, c.B, c.A} {
				s.pix = append(s.pix, byte((int(v)*2+257)/514))
			}
		}
	}
	return s
}

// webpSamples are files of cwebp 1.2.4: a lossy one, one with alpha and a
// lossless one.
func webpSamples(t testing.TB) []sample {
	const red = "2034000000d001009d012a0800080000c01225a00274ba01f80003b000fef85f7fff779bf69ebda7afea67ffdbe1fee3cbf6f87ffb76400000"
	unhex := func(s string) []byte {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	lossy := unhex("524946464000000057454250565038" + red)
	alpha := unhex("524946466600000057454250565038580a00000010000000070000070000414c50480c000000010ff0a0ff888850f888fe07565038" + red)
	lossless := unhex("524946461c000000574542505650384c100000002f0240000018e42be8df43abffe1380e")
	var opaque, half []byte
	for i := range 64 {
		opaque = append(opaque, 200, 40, 10, 255)
		half = append(half, 200, 40, 10, []byte{255, 64}[i%8/4])
	}
	a, b := []byte{250, 0, 90, 255}, []byte{10, 200, 30, 255}
	return []sample{
		{name: "webp", data: lossy, w: 8, h: 8, pix: opaque, slack: 3},
		{name: "webp alpha", data: alpha, w: 8, h: 8, pix: half, slack: 3},
		{name: "webp lossless", data: lossless, w: 3, h: 2, pix: bytes.Join([][]byte{a, b, a, b, a, b}, nil)},
	}
}

// progressiveJPEG makes a picture of uniform grey of three components at
// 4:2:0, whose only scan says one bit for each block: as before.
func progressiveJPEG(w, h int) []byte {
	out := []byte("\xff\xd8\xff\xdb\x00\x43\x00")
	out = append(out, bytes.Repeat([]byte{1}, 64)...) // quantisation
	out = append(out, "\xff\xc2\x00\x11\x08"...)
	out = binary.BigEndian.AppendUint16(out, uint16(h))
	out = binary.BigEndian.AppendUint16(out, uint16(w))
	out = append(out, "\x03\x01\x22\x00\x02\x11\x00\x03\x11\x00"...)
	out = append(out, "\xff\xc4\x00\x14\x00\x01"...) // one code of one bit: 0
	out = append(out, make([]byte, 16)...)
	out = append(out, "\xff\xda\x00\x0c\x03\x01\x00\x02\x00\x03\x00\x00\x00\x00"...)
	blocks := (w + 15) / 16 * ((h + 15) / 16) * 6
	out = append(out, make([]byte, (blocks+7)/8)...)
	return append(out, "\xff\xd9"...)
}

func encodePNG(t testing.TB, m stdimage.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, m) })
}

func encodeJPEG(t testing.TB, m stdimage.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, m, &jpeg.Options{Quality: 100}) })
}

func encodeGIF(t testing.TB, m *stdimage.Paletted) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return gif.Encode(b, m, nil) })
}

func encodeBMP(t testing.TB, m stdimage.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return bmp.Encode(b, m) })
}

func encodeTIFF(t testing.TB, m stdimage.Image, o *tiff.Options) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return tiff.Encode(b, m, o) })
}

func encoded(t testing.TB, encode func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
