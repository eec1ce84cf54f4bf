package source

import (
	stdimage "image"
	"image/color"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// TestConvertersAgreeWithAt compares every fast loop with the slow conversion through color.Color,
// even for images that do not start at 0, 0.
func TestConvertersAgreeWithAt(t *testing.T) {
	r := stdimage.Rect(3, 5, 16, 14)
	inner := stdimage.Rect(5, 7, 15, 13)
	palette := color.Palette{color.NRGBA{R: 1, G: 2, B: 3, A: 255}, color.NRGBA{R: 90, G: 80, B: 70, A: 60}, color.RGBA{R: 20, G: 30, B: 40, A: 50}}
	rgba, rgba64 := stdimage.NewRGBA(r), stdimage.NewRGBA64(r)
	nrgba, nrgba64 := stdimage.NewNRGBA(r), stdimage.NewNRGBA64(r)
	gray, gray16 := stdimage.NewGray(r), stdimage.NewGray16(r)
	cmyk, mapped := stdimage.NewCMYK(r), stdimage.NewPaletted(r, palette)
	for _, pix := range [][]byte{nrgba.Pix, nrgba64.Pix, gray.Pix, gray16.Pix, cmyk.Pix, mapped.Pix} {
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
		"NRGBA64": nrgba64.SubImage(inner), "Gray": gray.SubImage(inner), "Gray16": gray16.SubImage(inner),
		"CMYK": cmyk.SubImage(inner), "Paletted": mapped.SubImage(inner), "uniform": uniform{inner},
	}
	for name, m := range images {
		t.Run(name, func(t *testing.T) {
			got, err := straight(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			want := &pixmap.Map{W: inner.Dx(), H: inner.Dy()}
			for i := range want.W * want.H {
				reference(want, m.At(inner.Min.X+i%want.W, inner.Min.Y+i/want.W))
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// uniform is an image of one color. Its type is unknown to the package.
type uniform struct{ r stdimage.Rectangle }

func (u uniform) ColorModel() color.Model    { return color.RGBAModel }
func (u uniform) Bounds() stdimage.Rectangle { return u.r }
func (u uniform) At(int, int) color.Color    { return color.RGBA{R: 50, G: 100, B: 0, A: 100} }

// reference converts a color without the package's fast loops, and appends it to m.
func reference(m *pixmap.Map, c color.Color) {
	switch c := c.(type) {
	case color.NRGBA:
		m.Pix8 = append(m.Pix8, c.R, c.G, c.B, c.A)
	case color.Gray:
		m.Pix8 = append(m.Pix8, c.Y, c.Y, c.Y, 255)
	case color.CMYK:
		r, g, b := color.CMYKToRGB(c.C, c.M, c.Y, c.K)
		m.Pix8 = append(m.Pix8, r, g, b, 255)
	case color.RGBA:
		a := float64(c.A)
		for _, v := range []uint8{c.R, c.G, c.B} {
			m.Pix8 = append(m.Pix8, uint8(float64(v)*255/a+0.5))
		}
		m.Pix8 = append(m.Pix8, c.A)
	case color.NRGBA64:
		m.Pix16 = append(m.Pix16, c.R, c.G, c.B, c.A)
	case color.Gray16:
		m.Pix16 = append(m.Pix16, c.Y, c.Y, c.Y, 65535)
	case color.RGBA64:
		a := float64(c.A)
		for _, v := range []uint16{c.R, c.G, c.B} {
			m.Pix16 = append(m.Pix16, uint16(float64(v)*65535/a+0.5))
		}
		m.Pix16 = append(m.Pix16, c.A)
	}
}

func TestDivideRoundTrip(t *testing.T) {
	for a := range uint32(256) {
		for c := range uint32(256) {
			premultiplied := (c*a + 127) / 255
			back := dividePremultiplied(premultiplied, 0, 0, a, 255)
			if again := (uint32(back[0])*a + 127) / 255; again != premultiplied || uint32(back[3]) != a {
				t.Fatalf("color %d alpha %d: %v", c, a, back)
			}
		}
	}
	if got := dividePremultiplied(200, 0, 0, 100, 255); got != [4]byte{255, 0, 0, 100} {
		t.Errorf("more color than alpha: %v", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		c, a := uint64(rapid.Uint16().Draw(t, "c")), uint64(rapid.Uint16().Draw(t, "a"))
		premultiplied := (c*a + 32767) / 65535
		p := []uint16{uint16(premultiplied), 65535, 0, uint16(a)}
		divide16(p)
		if again := (uint64(p[0])*a + 32767) / 65535; again != premultiplied || uint64(p[3]) != a || a > 0 && p[1] != 65535 {
			t.Fatalf("color %d alpha %d: %v", c, a, p)
		}
	})
}
