//go:build amd64 || arm64

package main

import (
	"fmt"
	"image"
	"image/draw"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"path/filepath"
	"strings"
)

// side is the width and height of a crop.
const side = 512

// A crop is a part of a picture of the game SuperTuxKart, by its path in the directory data of
// Debian's supertuxkart-data.
type crop struct {
	kind string
	path string
	x, y int
}

// normalMap is the kind of crop whose colors are vectors.
const normalMap = "normal map"

// crops are ten crops of different kinds.
var crops = []crop{
	{"photo, ground", "tracks/black_forest/grass_forestFloor_big.jpg", 256, 256},
	{"photo, wall", "tracks/black_forest/brick_wall_06.jpg", 128, 128},
	{"foliage, alpha", "library/stklib_autumnTree_d/tree_d.png", 256, 256},
	{"leaf, alpha", "textures/stktex_lowPalmLeaf_a.png", 0, 0},
	{"user interface, alpha", "skins/cartoon/dialog.png", 0, 0},
	{"painted kart", "karts/wilber/wilber_diffuse_1.png", 256, 256},
	{normalMap, "textures/stk_generic_grassB_Normal.png", 256, 256},
	{"signs and letters", "textures/stktex_metroMap_a.png", 256, 0},
	{"sky, gradient", "tracks/xr591/SKY0004.png", 256, 256},
	{"smoke, alpha", "textures/gfx_mud_a.png", 0, 0},
}

// smooth are pictures with smooth alpha, and user interfaces; small ones are combined into a
// sheet. A path that ends in a slash is a directory, whose pictures are put side by side.
var smooth = []crop{
	{"halo", "textures/stk_headlight_halo_a.png", 0, 0},
	{"cone of light", "textures/stk_conelight_a.png", 0, 0},
	{"flame", "textures/gfx_rocketFlame_a.png", 0, 0},
	{"particles", "textures/gfx_bubble_a.png", 0, 0},
	{"streaks", "textures/slipstream.png", 0, 0},
	{"glass", "textures/stk_glassPanel_a.png", 0, 0},
	{"icons", "gui/icons/", 0, 0},
	{"user interface, glass", "skins/peach/", 0, 0},
	{"user interface, glass", "skins/ocean/", 0, 0},
	{"user interface, glass", "skins/ruby/", 0, 0},
}

// A picture is a crop's pixels, RGBA row by row.
type picture struct {
	crop
	pix   []byte
	alpha bool // some pixel is transparent
}

// loadPictures reads the crops from the directory of the game's data.
func loadPictures(data string, crops []crop) ([]picture, error) {
	var pictures []picture
	for _, c := range crops {
		read := c.readCrop
		if strings.HasSuffix(c.path, "/") {
			read = sheet
		}
		pix, err := read(filepath.Join(data, filepath.FromSlash(c.path)))
		if err != nil {
			return nil, err
		}
		p := picture{crop: c, pix: pix}
		for i := 3; i < len(pix); i += 4 {
			p.alpha = p.alpha || pix[i] != 255
		}
		pictures = append(pictures, p)
	}
	return pictures, nil
}

func (c *crop) readCrop(name string) ([]byte, error) {
	img, err := decode(name)
	if err != nil {
		return nil, err
	}
	from := img.Bounds().Min.Add(image.Pt(c.x, c.y))
	if !(image.Rectangle{from, from.Add(image.Pt(side, side))}).In(img.Bounds()) {
		return nil, fmt.Errorf("%s: no %dx%d pixels from %d, %d", name, side, side, c.x, c.y)
	}
	to := image.NewNRGBA(image.Rect(0, 0, side, side))
	paste(to, to.Rect, img, from)
	return to.Pix, nil
}

// sheet puts the PNG pictures of a directory side by side, row after row in the order of their
// names, until one does not fit. Each block of 4x4 pixels has pixels of only one picture.
func sheet(folder string) ([]byte, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.png"))
	if err != nil {
		return nil, err
	}
	to := image.NewNRGBA(image.Rect(0, 0, side, side))
	var at image.Point
	below := 0
	for _, name := range names {
		img, err := decode(name)
		if err != nil {
			return nil, err
		}
		size := img.Bounds().Size().Add(image.Pt(3, 3))
		size = image.Pt(size.X&^3, size.Y&^3)
		if at.X+size.X > side {
			at = image.Pt(0, below)
		}
		if at.X+size.X > side || at.Y+size.Y > side {
			break
		}
		paste(to, image.Rectangle{at, at.Add(img.Bounds().Size())}, img, img.Bounds().Min)
		below = max(below, at.Y+size.Y)
		at.X += size.X
	}
	if below == 0 {
		return nil, fmt.Errorf("%s: no pictures", folder)
	}
	return to.Pix, nil
}

func decode(name string) (image.Image, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	img, _, err := image.Decode(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return img, nil
}

// paste draws a part of a picture. image/draw uses premultiplied colors, so unpremultiplied
// pixels are copied instead.
func paste(to *image.NRGBA, where image.Rectangle, img image.Image, from image.Point) {
	straight, ok := img.(*image.NRGBA)
	if !ok {
		draw.Draw(to, where, img, from, draw.Src)
		return
	}
	for y := range where.Dy() {
		row := to.Pix[to.PixOffset(where.Min.X, where.Min.Y+y):][:4*where.Dx()]
		copy(row, straight.Pix[straight.PixOffset(from.X, from.Y+y):])
	}
}
