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
	"os"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/internal/image/bc7"
	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/image/texture"
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
	made, db, err := compare(blocks, m)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d x %d, %s, PSNR %.2f dB\n", name, m.W, m.H, quality, db)
	if err := png.Encode(f, sideBySide(m, made.Pix8)); err != nil {
		return err
	}
	return f.Close()
}

// compare returns the pixels of blocks, and how like they are to what was encoded.
func compare(blocks []byte, m *pixmap.Map) (made *pixmap.Map, db float64, err error) {
	t := &texture.Texture{Format: texture.BC7, W: m.W, H: m.H, Levels: [][]byte{blocks}}
	if made, err = cooked.Level(context.Background(), t, 0, 0); err != nil {
		return nil, 0, err
	}
	db, err = cooked.PSNR(context.Background(), t, made, m)
	return made, db, err
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
