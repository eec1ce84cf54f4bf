package image

import (
	stdimage "image"
	"image/color"
	"testing"
)

// Every fast loop gives what the slow way over color.Color gives, on pictures
// that do not start at 0, 0.
func TestConvertersAgreeWithAt(t *testing.T) {
	r := stdimage.Rect(3, 5, 16, 14)
	inner := stdimage.Rect(5, 7, 15, 13)
	palette := color.Palette{color.NRGBA{R: 1, G: 2, B: 3, A: 255}, color.NRGBA{R: 90, G: 80, B: 70, A: 60}, color.RGBA{R: 20, G: 30, B: 40, A: 50}}
	rgba, rgba64 := stdimage.NewRGBA(r), stdimage.NewRGBA64(r)
	nrgba, nrgba64 := stdimage.NewNRGBA(r), stdimage.NewNRGBA64(r)
	grey, grey16 := stdimage.NewGray(r), stdimage.NewGray16(r)
	cmyk, mapped := stdimage.NewCMYK(r), stdimage.NewPaletted(r, palette)
	for _, pix := range [][]byte{nrgba.Pix, nrgba64.Pix, grey.Pix, grey16.Pix, cmyk.Pix, mapped.Pix} {
		noise(pix, false)
	}
	for i := range mapped.Pix {
		mapped.Pix[i] %= 3
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			rgba.Set(x, y, nrgba.At(x, y))
			rgba64.Set(x, y, nrgba64.At(x, y))
		}
	}
	images := map[string]stdimage.Image{
		"RGBA": rgba.SubImage(inner), "RGBA64": rgba64.SubImage(inner), "NRGBA": nrgba.SubImage(inner),
		"NRGBA64": nrgba64.SubImage(inner), "Gray": grey.SubImage(inner), "Gray16": grey16.SubImage(inner),
		"CMYK": cmyk.SubImage(inner), "Paletted": mapped.SubImage(inner),
	}
	for _, ratio := range []stdimage.YCbCrSubsampleRatio{
		stdimage.YCbCrSubsampleRatio444, stdimage.YCbCrSubsampleRatio422, stdimage.YCbCrSubsampleRatio420,
		stdimage.YCbCrSubsampleRatio440, stdimage.YCbCrSubsampleRatio411, stdimage.YCbCrSubsampleRatio410,
	} {
		m := stdimage.NewNYCbCrA(r, ratio)
		for _, plane := range [][]byte{m.Y, m.Cb, m.Cr, m.A} {
			noise(plane, false)
		}
		images["YCbCr "+ratio.String()] = m.YCbCr.SubImage(inner)
		images["NYCbCrA "+ratio.String()] = m.SubImage(inner)
	}
	for name, m := range images {
		t.Run(name, func(t *testing.T) {
			got, err := straight(t.Context(), m, inner.Dx(), inner.Dy(), false)
			if err != nil {
				t.Fatal(err)
			}
			for i := range len(got) / 4 {
				at := m.At(inner.Min.X+i%inner.Dx(), inner.Min.Y+i/inner.Dx())
				if c, g := reference(at), [4]byte(got[4*i:]); c != g {
					t.Fatalf("pixel %d is %v, want %v", i, g, c)
				}
			}
		})
	}
}

// reference turns a colour into straight bytes.
func reference(c color.Color) [4]byte {
	switch c := c.(type) {
	case color.NRGBA:
		return [4]byte{c.R, c.G, c.B, c.A}
	case color.NRGBA64:
		return [4]byte{round16(uint32(c.R)), round16(uint32(c.G)), round16(uint32(c.B)), round16(uint32(c.A))}
	case color.YCbCr:
		r, g, b := color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
		return [4]byte{r, g, b, 255}
	case color.NYCbCrA:
		r, g, b := color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
		return [4]byte{r, g, b, c.A}
	case color.CMYK:
		r, g, b := color.CMYKToRGB(c.C, c.M, c.Y, c.K)
		return [4]byte{r, g, b, 255}
	}
	r, g, b, a := c.RGBA()
	return straight8(r, g, b, a, 65535)
}

// Whatever a picture is, the slow way takes it.
func TestUnknownImageType(t *testing.T) {
	got, err := straight(t.Context(), stdimage.NewUniform(color.RGBA{R: 50, G: 100, B: 0, A: 100}), 2, 1, false)
	if want := "\x80\xff\x00\x64\x80\xff\x00\x64"; err != nil || string(got) != want {
		t.Errorf("pixels %x, error %v; want %x", got, err, want)
	}
}

func TestStraight8RoundTrip(t *testing.T) {
	for a := range uint32(256) {
		for c := range uint32(256) {
			// What is premultiplied to a colour comes back to that colour.
			premultiplied := (c*a + 127) / 255
			back := straight8(premultiplied, 0, 0, a, 255)
			if again := (uint32(back[0])*a + 127) / 255; again != premultiplied || uint32(back[3]) != a {
				t.Fatalf("colour %d alpha %d: %v", c, a, back)
			}
		}
	}
	if got := straight8(200, 0, 0, 100, 255); got != [4]byte{255, 0, 0, 100} {
		t.Errorf("more colour than alpha: %v", got)
	}
}

func TestReducedRange(t *testing.T) {
	k := reducedRange()
	for _, tc := range []struct{ y, cb, cr, r, g, b uint8 }{
		{16, 128, 128, 0, 0, 0}, {235, 128, 128, 255, 255, 255}, {0, 128, 128, 0, 0, 0}, {255, 128, 128, 255, 255, 255},
		{81, 90, 240, 254, 0, 0}, // red of BT.601 colour bars, as rounded there
		{126, 128, 128, 128, 128, 128},
	} {
		if r, g, b := k.rgb(tc.y, tc.cb, tc.cr); r != tc.r || g != tc.g || b != tc.b {
			t.Errorf("%d %d %d is %d %d %d, want %d %d %d", tc.y, tc.cb, tc.cr, r, g, b, tc.r, tc.g, tc.b)
		}
	}
}
