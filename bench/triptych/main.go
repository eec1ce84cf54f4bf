// Command triptych shows how a texture format changes an image. It writes a PNG with three images
// side by side: the source, the image as a graphics card shows it, and the difference, amplified
// eight times.
//
//	go run ./bench/triptych -format astc6x6 -o brick.png testdata/assets/textures/terrain/brick.png
//
// Transparent pixels are shown over gray. With -normal, the image holds unit vectors: the third
// coordinate is computed for formats that do not store it.
package main

import (
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/image/texenc"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// A work holds the settings for showing an image.
type work struct {
	format  texture.Format
	quality texenc.Quality
	normal  bool
	side    int // size of the square in the middle that is shown; 0 shows all
}

func main() {
	format := flag.String("format", "bc7", "the target format, as in recipe image")
	quality := flag.String("quality", "normal", "fast, normal or best")
	out := flag.String("o", "triptych.png", "the `file` to write")
	var w work
	flag.BoolVar(&w.normal, "normal", false, "the picture is a normal map")
	flag.IntVar(&w.side, "side", 0, "show the middle `pixels` only; 0 shows all")
	flag.Parse()
	var ok bool
	w.quality, ok = map[string]texenc.Quality{"fast": texenc.Fast, "normal": texenc.Normal, "best": texenc.Best}[*quality]
	var err error
	if w.format, err = texture.ParseFormat(*format); err != nil || !ok || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "triptych: want one picture, a known format and a known quality")
		os.Exit(2)
	}
	if err := w.runWork(flag.Arg(0), *out); err != nil {
		fmt.Fprintf(os.Stderr, "triptych: %v\n", err)
		os.Exit(1)
	}
}

func (w *work) runWork(name, out string) error {
	ctx := context.Background()
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	decode := source.Decode
	if w.normal {
		decode = source.DecodeData
	}
	m, _, err := decode(ctx, data, strings.ToLower(filepath.Ext(name)), 8192)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if m.Depth() != pixmap.Bits8 {
		return fmt.Errorf("%s: want a picture of 8 bits", name)
	}
	srgb := !w.normal && w.format.HasSRGB()
	blocks, err := texenc.Encode(ctx, w.format, m, texenc.Options{Quality: w.quality, SRGB: srgb})
	if err != nil {
		return err
	}
	t := &texture.Texture{Format: w.format, SRGB: srgb, W: m.W, H: m.H, Levels: [][]byte{blocks}}
	was := cooked.Prepared{Images: []*pixmap.Map{m}}
	if w.normal {
		was.Role = role.Normal
	}
	found, err := was.Measure(ctx, t)
	if err != nil {
		return err
	}
	made, err := cooked.Level(ctx, t, 0, 0)
	if err != nil {
		return err
	}
	if made, err = pixmap.Convert(ctx, made, pixmap.Bits8, pixmap.Data); err != nil {
		return err
	}
	fmt.Printf("%s: %d x %d, %v, PSNR %.2f dB", name, m.W, m.H, w.format, found.PSNR)
	if w.normal {
		fmt.Printf(", mean angle %.2f degrees", found.Angle)
		point(m.Pix8)
		point(made.Pix8)
	}
	fmt.Println()
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := png.Encode(f, sideBySide(m, made.Pix8, w.side)); err != nil {
		return err
	}
	return f.Close()
}

// point computes the z coordinates of unit vectors.
func point(pix []byte) {
	for i := 0; i < len(pix); i += 4 {
		x, y := float64(pix[i])/127.5-1, float64(pix[i+1])/127.5-1
		pix[i+2], pix[i+3] = byte(127.5*(1+math.Sqrt(max(0, 1-x*x-y*y)))), 255
	}
}

const (
	gap      = 8
	backdrop = 128
	times    = 8 // amplification factor of the difference
)

// sideBySide draws the three images. It uses the middle of each image, or all of it if side is 0.
func sideBySide(m *pixmap.Map, cooked []byte, side int) image.Image {
	w, h := m.W, m.H
	if side > 0 {
		w, h = min(w, side), min(h, side)
	}
	left, top := (m.W-w)/2, (m.H-h)/2
	img := image.NewRGBA(image.Rect(0, 0, 3*w+2*gap, h))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	over := func(pix []byte, c int) int {
		a := int(pix[3])
		return (int(pix[c])*a + backdrop*(255-a) + 127) / 255
	}
	for y := range h {
		for x := range w {
			at := 4 * ((top+y)*m.W + left + x)
			was, is := m.Pix8[at:], cooked[at:]
			var a, b, d [3]uint8
			for c := range 3 {
				av, bv := over(was, c), over(is, c)
				a[c], b[c], d[c] = uint8(av), uint8(bv), uint8(min(255, times*max(av-bv, bv-av)))
			}
			for i, v := range [][3]uint8{a, b, d} {
				img.SetRGBA(x+i*(w+gap), y, color.RGBA{v[0], v[1], v[2], 255})
			}
		}
	}
	return img
}
