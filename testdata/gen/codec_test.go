package main

import (
	"bytes"
	"compress/zlib"
	"image"
	"image/color"
	"image/png"
	"io"
	"testing"

	"golang.org/x/image/webp"
	"pgregory.net/rapid"
)

// someBytes draws data with the repetitions that make copies.
func someBytes(t *rapid.T) []byte {
	var data []byte
	for _, part := range rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 1, 40), 0, 8).Draw(t, "parts") {
		data = append(data, bytes.Repeat(part, rapid.IntRange(1, 60).Draw(t, "times"))...)
	}
	return data
}

// somePicture draws a picture of few or many colours.
func somePicture(t *rapid.T) *image.NRGBA {
	w, h := rapid.IntRange(1, 40).Draw(t, "w"), rapid.IntRange(1, 24).Draw(t, "h")
	colours := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) color.NRGBA {
		v := rapid.Uint32().Draw(t, "colour")
		return color.NRGBA{uint8(v >> 24), uint8(v >> 16), uint8(v >> 8), uint8(v)}
	}), 1, 300).Draw(t, "colours")
	seed := rapid.Uint32().Draw(t, "seed")
	return paint(w, h, func(x, y int) color.NRGBA { return colours[pick(x, y, seed, len(colours))] })
}

func inflate(t interface{ Fatal(...any) }, data []byte) []byte {
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestZlibRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := someBytes(t)
		if got := inflate(t, compressZlib(data)); !bytes.Equal(got, data) {
			t.Fatalf("got %x, want %x", got, data)
		}
	})
}

func TestZlibBlocks(t *testing.T) {
	// Too even to have copies, so every byte is a token.
	var data []byte
	for i := range blockTokens*2 + 1 {
		data = append(data, byte(hash(i, 0, 1)))
	}
	for _, n := range []int{0, 1, 2, blockTokens - 1, blockTokens, blockTokens + 1, len(data)} {
		if got := inflate(t, compressZlib(data[:n])); !bytes.Equal(got, data[:n]) {
			t.Errorf("%d bytes do not come back", n)
		}
	}
	zeros := make([]byte, 1<<20)
	packed := compressZlib(zeros)
	if got := inflate(t, packed); !bytes.Equal(got, zeros) {
		t.Error("a million zeros do not come back")
	}
	if len(packed) > 2000 {
		t.Errorf("a million zeros take %d bytes, want long copies", len(packed))
	}
}

// TestPrefixCodeLimit uses counts that grow like Fibonacci's, the deepest tree.
func TestPrefixCodeLimit(t *testing.T) {
	counts := make([]int, 40)
	a, b := 1, 1
	for i := range counts {
		counts[i] = a
		a, b = b, a+b
	}
	for _, limit := range []uint8{7, 15} {
		sum := 0
		for s, n := range newPrefixCode(counts, limit).length {
			if n == 0 || n > limit {
				t.Errorf("limit %d: symbol %d has %d bits", limit, s, n)
				continue
			}
			sum += 1 << (limit - n)
		}
		if sum != 1<<limit {
			t.Errorf("limit %d: the code fills %d of %d, want all", limit, sum, 1<<limit)
		}
	}
}

func TestWebPRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := somePicture(t)
		got, err := webp.Decode(bytes.NewReader(encodeWebP(want)))
		if err != nil {
			t.Fatal(err)
		}
		samePixels(t, got, want)
	})
}

func TestPNGRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := somePicture(t)
		got, err := png.Decode(bytes.NewReader(pngRGBA(want)))
		if err != nil {
			t.Fatal(err)
		}
		samePixels(t, got, want)
		for i := 3; i < len(want.Pix); i += 4 {
			want.Pix[i] = 255
		}
		if got, err = png.Decode(bytes.NewReader(pngRGB(want))); err != nil {
			t.Fatal(err)
		}
		samePixels(t, got, want)
	})
}

// TestPNGPalette goes through all depths, with widths that leave a part of the
// last byte empty.
func TestPNGPalette(t *testing.T) {
	for _, colours := range []int{1, 2, 3, 4, 5, 16, 17, 256} {
		var palette color.Palette
		for i := range colours {
			palette = append(palette, color.NRGBA{uint8(i), 7, uint8(255 - i), uint8(min(255, 100+i))})
		}
		img := image.NewPaletted(image.Rect(0, 0, 13, 5), palette)
		for i := range img.Pix {
			img.Pix[i] = uint8(pick(i, 0, 1, colours))
		}
		got, err := png.Decode(bytes.NewReader(pngPalette(img)))
		if err != nil {
			t.Fatalf("%d colours: %v", colours, err)
		}
		samePixels(t, got, img)
	}
}

func TestTGARoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		img := somePicture(t)
		form := tgaForm{topDown: rapid.Bool().Draw(t, "topDown"), runLength: rapid.Bool().Draw(t, "runLength")}
		samePixels(t, decodeTGA(t, tgaRGBA(img, form)), img)
		for i := 3; i < len(img.Pix); i += 4 {
			img.Pix[i] = 255
		}
		samePixels(t, decodeTGA(t, tgaRGB(img, form)), img)

		grey := image.NewGray(img.Rect)
		mapped := image.NewPaletted(img.Rect, color.Palette{color.NRGBA{1, 2, 3, 255}, color.NRGBA{40, 50, 60, 255}})
		for i := range grey.Pix {
			grey.Pix[i] = img.Pix[i*4]
			mapped.Pix[i] = img.Pix[i*4] % 2
		}
		samePixels(t, decodeTGA(t, tgaGrey8(grey, form)), grey)
		samePixels(t, decodeTGA(t, tgaPalette(mapped, form)), mapped)
	})
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

// samePixels compares without premultiplying, which would lose the colour of
// transparent pixels.
func samePixels(t fataler, got, want image.Image) {
	t.Helper()
	if got.Bounds().Size() != want.Bounds().Size() {
		t.Fatalf("size is %v, want %v", got.Bounds().Size(), want.Bounds().Size())
	}
	straight := func(img image.Image, x, y int) color.NRGBA {
		return color.NRGBAModel.Convert(img.At(img.Bounds().Min.X+x, img.Bounds().Min.Y+y)).(color.NRGBA)
	}
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			if g, w := straight(got, x, y), straight(want, x, y); g != w {
				t.Fatalf("pixel %d,%d is %v, want %v", x, y, g, w)
			}
		}
	}
}

// decodeTGA reads the forms that the generator writes.
func decodeTGA(t fataler, data []byte) *image.NRGBA {
	t.Helper()
	const footer = 26
	if len(data) < 18+footer || !bytes.HasSuffix(data, []byte("TRUEVISION-XFILE.\x00")) {
		t.Fatalf("no version 2 TGA file")
	}
	head := data[:18]
	w, h := int(head[12])|int(head[13])<<8, int(head[14])|int(head[15])<<8
	step := int(head[16]) / 8
	body := data[18 : len(data)-footer]
	table := body[:(int(head[5])|int(head[6])<<8)*int(head[7])/8]
	body = body[len(table):]
	if head[2]&8 != 0 {
		var plain []byte
		for len(body) > 0 {
			n := int(body[0])&127 + 1
			if (len(plain)/step%w)+n > w {
				t.Fatalf("a packet of %d pixels crosses the end of a row", n)
			}
			if body[0]&128 != 0 {
				plain = append(plain, bytes.Repeat(body[1:1+step], n)...)
				n = 1
			} else {
				plain = append(plain, body[1:1+n*step]...)
			}
			body = body[1+n*step:]
		}
		body = plain
	}
	if len(body) != w*h*step {
		t.Fatalf("%d bytes of pixels, want %d", len(body), w*h*step)
	}
	return paint(w, h, func(x, y int) color.NRGBA {
		if head[17]&0x20 == 0 {
			y = h - 1 - y
		}
		p := body[(y*w+x)*step:][:step]
		switch head[2] &^ 8 {
		case 1:
			p = table[int(p[0])*3:][:3]
		case 3:
			return color.NRGBA{p[0], p[0], p[0], 255}
		}
		if len(p) == 4 {
			return color.NRGBA{p[2], p[1], p[0], p[3]}
		}
		return color.NRGBA{p[2], p[1], p[0], 255}
	})
}
