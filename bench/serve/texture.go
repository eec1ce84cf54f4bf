package main

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"time"
)

// writeAssets makes a tree with small JSON files. The texture comes with the first save.
func (b *bench) writeAssets(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	text := fmt.Sprintf("[[rule]]\nmatch = \"*.png\"\nrecipe = \"image\"\nformat = %q\nquality = \"fast\"\n", b.format)
	if err := os.WriteFile(filepath.Join(dir, "cook.toml"), []byte(text), 0o666); err != nil {
		return err
	}
	for i := range b.assets {
		folder := filepath.Join(dir, fmt.Sprint(i/100))
		err := errors.Join(os.MkdirAll(folder, 0o777), os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.json", i)), fmt.Appendf(nil, "{\"n\": %d}\n", i), 0o666))
		if err != nil {
			return err
		}
	}
	return nil
}

// saveTexture saves a new version of the texture by a rename, and returns the time before it.
func (b *bench) saveTexture(dir string, n int) (time.Time, error) {
	tmp := filepath.Join(dir, "painted.png")
	f, err := os.Create(tmp)
	if err != nil {
		return time.Time{}, err
	}
	err = errors.Join((&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(f, paint(b.pixels, n)), f.Close())
	begin := time.Now()
	return begin, errors.Join(err, os.Rename(tmp, filepath.Join(dir, "assets", "painted.png")))
}

// paint returns a texture like stone, with a stroke of a brush that moves with n.
func paint(size, n int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			v := uint32(0)
			for octave := range uint32(5) {
				cell := uint32(128) >> octave
				v += smoothNoise(uint32(x), uint32(y), cell, octave) >> (octave + 1)
			}
			c := color.NRGBA{uint8(40 + v*3/4), uint8(40 + v*2/3), uint8(50 + v/2), 255}
			if d := (y - size/2 - n); d*d+(x-size/2)*(x-size/2)/16 < size {
				c.R, c.G = c.G, c.R/2
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

// smoothNoise returns a value of 0 to 255 between random values at the corners of square cells.
func smoothNoise(x, y, cell, seed uint32) uint32 {
	corner := func(i, j uint32) uint32 {
		h := i*0x9e3779b1 ^ j*0x85ebca77 ^ seed*0xc2b2ae3d
		h = (h ^ h>>15) * 0x2c1b3c6d
		return (h ^ h>>12) & 255
	}
	i, j, fx, fy := x/cell, y/cell, x%cell, y%cell
	above := corner(i, j)*(cell-fx) + corner(i+1, j)*fx
	below := corner(i, j+1)*(cell-fx) + corner(i+1, j+1)*fx
	return (above*(cell-fy) + below*fy) / (cell * cell)
}
