package source

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

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// A sample is a small file and the expected image.
type sample struct {
	name, ext string
	data      []byte
	want      *pixmap.Map
	slack     int // largest difference that is tolerated, for lossy formats
}

// samples returns files of every format.
func samples(t testing.TB) []sample {
	t.Helper()
	colors := stdimage.NewNRGBA(stdimage.Rect(0, 0, 5, 3))
	noise(colors.Pix, true)
	gray := stdimage.NewGray(stdimage.Rect(0, 0, 5, 3))
	noise(gray.Pix, false)
	gray16 := stdimage.NewGray16(gray.Rect)
	wide := stdimage.NewNRGBA64(gray.Rect)
	noise(gray16.Pix, false)
	noise(wide.Pix, false)
	alpha := stdimage.NewNRGBA(colors.Rect)
	noise(alpha.Pix, false)
	alpha.Pix[7] = 0                                       // color whose alpha is 0, which decoding must preserve
	flat := stdimage.NewNRGBA(stdimage.Rect(0, 0, 20, 12)) // uniform image, which lossy formats preserve
	draw.Draw(flat, flat.Rect, stdimage.NewUniform(color.NRGBA{R: 200, G: 40, B: 10, A: 255}), stdimage.Point{}, draw.Src)
	palette := color.Palette{color.NRGBA{R: 9, G: 8, B: 7, A: 255}, color.NRGBA{R: 250, G: 1, B: 99, A: 255}}
	mapped := stdimage.NewPaletted(stdimage.Rect(0, 0, 3, 2), palette)
	mapped.Pix = []byte{0, 1, 1, 1, 0, 0}
	hidden := stdimage.NewPaletted(mapped.Rect, color.Palette{palette[0], color.NRGBA{R: 250, G: 1, B: 99}})
	hidden.Pix = mapped.Pix

	list := []sample{
		exact("png", encodePNG(t, colors), colors),
		exact("png alpha", encodePNG(t, alpha), alpha),
		exact("png gray", encodePNG(t, gray), gray),
		exact("png gray 16", encodePNG(t, gray16), gray16),
		exact("png 16", encodePNG(t, wide), wide),
		exact("png mapped", encodePNG(t, mapped), mapped),
		exact("png mapped alpha", encodePNG(t, hidden), hidden),
		exact("bmp", encodeBMP(t, colors), colors),
		exact("bmp mapped", encodeBMP(t, mapped), mapped),
		exact("tiff", encodeTIFF(t, colors, nil), colors),
		exact("tiff alpha", encodeTIFF(t, alpha, nil), alpha),
		exact("tiff deflate", encodeTIFF(t, alpha, &tiff.Options{Compression: tiff.Deflate, Predictor: true}), alpha),
		exact("tiff 16", encodeTIFF(t, wide, nil), wide),
		exact("tiff gray 16", encodeTIFF(t, gray16, nil), gray16),
		exact("tiff mapped", encodeTIFF(t, mapped, nil), mapped),
		exact("gif", encodeGIF(t, mapped), mapped),
		{name: "jpeg", data: encodeJPEG(t, flat), want: map8(20, 12, flat.Pix), slack: 3},
		{name: "jpeg gray", data: encodeJPEG(t, stdimage.NewGray(stdimage.Rect(0, 0, 9, 9))), want: map8(9, 9, bytes.Repeat([]byte{0, 0, 0, 255}, 81))},
		{name: "jpeg progressive", data: progressiveJPEG(19, 9), want: map8(19, 9, bytes.Repeat([]byte{128, 128, 128, 255}, 19*9))},
		{name: "tga", ext: ".tga", data: append([]byte{2: 2, 12: 2, 14: 1, 16: 32, 17: 0x28}, 3, 2, 1, 4, 7, 6, 5, 8), want: map8(2, 1, []byte{1, 2, 3, 4, 5, 6, 7, 8})},
		{name: "qoi", data: []byte("qoif\x00\x00\x00\x02\x00\x00\x00\x01\x04\x00\xff\x01\x02\x03\x04\xc0\x00\x00\x00\x00\x00\x00\x00\x01"), want: map8(2, 1, []byte{1, 2, 3, 4, 1, 2, 3, 4})},
		{name: "hdr", data: []byte("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n\x80\x40\x00\x81\x80\x40\x00\x83"),
			want: &pixmap.Map{W: 2, H: 1, PixF: []float32{1, 0.5, 0, 1, 4, 2, 0, 1}}},
	}
	list = append(list, webpSamples(t)...)
	list = append(list, sample{name: "exr", data: encodeEXR(2, 1, 0, 0, 0x3800, 0, 0x4000, 0x3c00, 0),
		want: &pixmap.Map{W: 2, H: 1, PixF: []float32{1, 0, 0, 1, 0, 2, 0.5, 1}}})
	list = append(list, sample{name: "psd", data: append([]byte("8BPS\x00\x01\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x01\x00\x00\x00\x02\x00\x08\x00\x03"),
		append(make([]byte, 14), 1, 2, 3, 4, 5, 6)...), want: map8(2, 1, []byte{1, 3, 5, 255, 2, 4, 6, 255})})
	list = append(list, sample{name: "aseprite", data: onePixelHigh(), want: map8(2, 1, []byte{1, 2, 3, 4, 5, 6, 7, 8})})
	for i := range list {
		if list[i].ext == "" {
			list[i].ext = ".bin"
		}
	}
	return list
}

// onePixelHigh returns an Aseprite file of one row with a layer of two pixels.
func onePixelHigh() []byte {
	layer := []byte("\x18\x00\x00\x00\x04\x20\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\x00\x00\x00\x00\x00")
	cel := []byte("\x22\x00\x00\x00\x05\x20\x00\x00\x00\x00\x00\x00\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x01\x00\x01\x02\x03\x04\x05\x06\x07\x08")
	file := append([]byte{4: 0xe0, 5: 0xa5, 6: 1, 8: 2, 10: 1, 12: 32, 14: 1}, make([]byte, 113)...)
	file = append(file, 74, 0, 0, 0, 0xfa, 0xf1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	return append(append(file, layer...), cel...)
}

// encodeEXR makes an image of one strip. Each row holds all blues, then all greens, then all reds.
// The parameter halves holds the values in file order.
func encodeEXR(w, h int, compression byte, halves ...uint16) []byte {
	le := binary.LittleEndian
	attribute := func(b []byte, name, kind string, value ...byte) []byte {
		b = append(b, name+"\x00"+kind+"\x00"...)
		return append(le.AppendUint32(b, uint32(len(value))), value...)
	}
	var channels, window []byte
	for _, name := range "BGR" {
		channels = append(channels, byte(name), 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0)
	}
	for _, v := range []int{0, 0, w - 1, h - 1} {
		window = le.AppendUint32(window, uint32(v))
	}
	b := []byte("\x76\x2f\x31\x01\x02\x00\x00\x00")
	b = attribute(b, "channels", "chlist", append(channels, 0)...)
	b = attribute(b, "compression", "compression", compression)
	b = attribute(b, "dataWindow", "box2i", window...)
	b = append(attribute(b, "displayWindow", "box2i", window...), 0)
	b = le.AppendUint64(b, uint64(len(b)+8))
	b = le.AppendUint32(append(b, 0, 0, 0, 0), uint32(2*len(halves)))
	for _, v := range halves {
		b = le.AppendUint16(b, v)
	}
	return b
}

func map8(w, h int, pix []byte) *pixmap.Map { return &pixmap.Map{W: w, H: h, Pix8: pix} }

// exact returns a sample of a lossless format. It computes the expected values with package color,
// one pixel at a time.
func exact(name string, data []byte, m stdimage.Image) sample {
	b := m.Bounds()
	s := sample{name: name, data: data, want: &pixmap.Map{W: b.Dx(), H: b.Dy()}}
	for i := range s.want.W * s.want.H {
		switch c := m.At(i%s.want.W, i/s.want.W).(type) {
		case color.NRGBA:
			s.want.Pix8 = append(s.want.Pix8, c.R, c.G, c.B, c.A)
		case color.Gray:
			s.want.Pix8 = append(s.want.Pix8, c.Y, c.Y, c.Y, 255)
		default:
			n := color.NRGBA64Model.Convert(c).(color.NRGBA64)
			s.want.Pix16 = append(s.want.Pix16, n.R, n.G, n.B, n.A)
		}
	}
	return s
}

// webpSamples returns files made by cwebp 1.2.4: a lossy one, one with alpha and a lossless one.
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
		{name: "webp", data: lossy, want: map8(8, 8, opaque), slack: 3},
		{name: "webp alpha", data: alpha, want: map8(8, 8, half), slack: 3},
		{name: "webp lossless", data: lossless, want: map8(3, 2, bytes.Join([][]byte{a, b, a, b, a, b}, nil))},
	}
}

// animatedWebP returns an animation on a canvas of w by h pixels. It has a frame of 8 by 8 pixels
// for each number in places. The number is even and is the frame's x and y. Frames with and without
// alpha alternate.
func animatedWebP(t testing.TB, w, h int, places ...byte) []byte {
	chunk := func(name string, body []byte) []byte {
		b := append([]byte(name), binary.LittleEndian.AppendUint32(nil, uint32(len(body)))...)
		return append(append(b, body...), make([]byte, len(body)%2)...)
	}
	stills := webpSamples(t)
	file := append([]byte("RIFF____WEBP"), chunk("VP8X", []byte{webpAnimated, 0, 0, 0, byte(w - 1), 0, 0, byte(h - 1), 0, 0})...)
	file = append(file, chunk("ANIM", make([]byte, 6))...)
	for i, place := range places {
		still := stills[1].data[12+18:]
		if i%2 == 1 {
			still = stills[0].data[12:]
		}
		file = append(file, chunk("ANMF", append([]byte{place / 2, 0, 0, place / 2, 0, 0, 7, 0, 0, 7, 0, 0, 100, 0, 0, 0}, still...))...)
	}
	binary.LittleEndian.PutUint32(file[4:], uint32(len(file)-8))
	return file
}

// progressiveJPEG makes an image of uniform gray with three components at 4:2:0. Its only scan has
// one bit per block, which means that the block equals the previous block.
func progressiveJPEG(w, h int) []byte {
	out := []byte("\xff\xd8\xff\xdb\x00\x43\x00")
	out = append(out, bytes.Repeat([]byte{1}, 64)...) // quantization table
	out = append(out, "\xff\xc2\x00\x11\x08"...)
	out = binary.BigEndian.AppendUint16(out, uint16(h))
	out = binary.BigEndian.AppendUint16(out, uint16(w))
	out = append(out, "\x03\x01\x22\x00\x02\x11\x00\x03\x11\x00"...)
	out = append(out, "\xff\xc4\x00\x14\x00\x01"...) // the only code is one 0 bit
	out = append(out, make([]byte, 16)...)
	out = append(out, "\xff\xda\x00\x0c\x03\x01\x00\x02\x00\x03\x00\x00\x00\x00"...)
	blocks := (w + 15) / 16 * ((h + 15) / 16) * 6
	out = append(out, make([]byte, (blocks+7)/8)...)
	return append(out, "\xff\xd9"...)
}

// noise fills pix with pseudorandom bytes. If opaque is set, every fourth byte is 255.
func noise(pix []byte, opaque bool) {
	state := uint32(1)
	for i := range pix {
		state = state*1664525 + 1013904223
		if pix[i] = byte(state >> 24); opaque && i%4 == 3 {
			pix[i] = 255
		}
	}
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
