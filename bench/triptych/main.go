// Command triptych shows what BC7 does to a picture: the source, what a graphics card
// will show, and the difference, eight times as strong, side by side in one PNG.
//
//	go run ./bench/triptych -quality normal -o brick.png testdata/assets/textures/terrain/brick.png
//
// Transparent pixels are shown over gray.
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

	"github.com/assetcook/assetcook/internal/image/bc7"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/source"
)

func main() {
	quality := flag.String("quality", "normal", "fast, normal or best")
	out := flag.String("o", "triptych.png", "the `file` to write")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "triptych: want one picture")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *quality, *out); err != nil {
		fmt.Fprintf(os.Stderr, "triptych: %v\n", err)
		os.Exit(1)
	}
}

func run(name, quality, out string) error {
	q, ok := map[string]bc7.Quality{"fast": bc7.Fast, "normal": bc7.Normal, "best": bc7.Best}[quality]
	if !ok {
		return fmt.Errorf("there is no quality %q", quality)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	m, _, err := source.Decode(context.Background(), data, strings.ToLower(filepath.Ext(name)), 8192)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if m.Depth() != pixmap.Bits8 {
		return fmt.Errorf("%s: want a picture of 8 bits", name)
	}
	blocks := make([]byte, bc7.Size(m.W, m.H))
	if err := bc7.Encode(context.Background(), blocks, m.Pix8, m.W, m.H, bc7.Options{Quality: q}); err != nil {
		return err
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer f.Close()
	cooked := decode(blocks, m.W, m.H)
	fmt.Printf("%s: %d x %d, %s, PSNR %.2f dB over all channels\n", name, m.W, m.H, quality, psnr(m.Pix8, cooked))
	if err := png.Encode(f, sideBySide(m, cooked)); err != nil {
		return err
	}
	return f.Close()
}

// decode returns the pixels of blocks as RGBA.
func decode(blocks []byte, w, h int) []byte {
	pix := make([]byte, 4*w*h)
	across := (w + 3) / 4
	for i := range len(blocks) / 16 {
		var texels [64]byte
		bc7.DecodeBlock(&texels, (*[16]byte)(blocks[16*i:]))
		for n := range 16 {
			x, y := i%across*4+n%4, i/across*4+n/4
			if x < w && y < h {
				copy(pix[4*(y*w+x):], texels[4*n:4*n+4])
			}
		}
	}
	return pix
}

func psnr(a, b []byte) float64 {
	sum := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += d * d
	}
	return 10 * math.Log10(255*255*float64(len(a))/sum)
}

const (
	gap      = 8
	backdrop = 128
	times    = 8 // factor of the difference picture
)

func sideBySide(m *pixmap.Map, cooked []byte) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, 3*m.W+2*gap, m.H))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	over := func(pix []byte, c int) int {
		a := int(pix[3])
		return (int(pix[c])*a + backdrop*(255-a) + 127) / 255
	}
	for y := range m.H {
		for x := range m.W {
			was, is := m.Pix8[4*(y*m.W+x):], cooked[4*(y*m.W+x):]
			var a, b, d [3]uint8
			for c := range 3 {
				av, bv := over(was, c), over(is, c)
				a[c], b[c], d[c] = uint8(av), uint8(bv), uint8(min(255, times*max(av-bv, bv-av)))
			}
			for i, v := range [][3]uint8{a, b, d} {
				img.SetRGBA(x+i*(m.W+gap), y, color.RGBA{v[0], v[1], v[2], 255})
			}
		}
	}
	return img
}
