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
)

// side is the width and height of a crop.
const side = 512

// A crop is a part of a picture of the game SuperTuxKart, by its path in the
// folder that Debian's supertuxkart-data calls data.
type crop struct {
	kind string
	path string
	x, y int
}

// normalMap is the kind of crops whose colors are vectors.
const normalMap = "normal map"

// crops are ten of different kinds.
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

// A picture is a crop's pixels, RGBA row by row.
type picture struct {
	crop
	pix   []byte
	alpha bool // some pixel is not opaque
}

// load reads the crops from the folder of the game's data.
func load(data string) ([]picture, error) {
	var pictures []picture
	for _, c := range crops {
		pix, err := c.read(filepath.Join(data, filepath.FromSlash(c.path)))
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

func (c *crop) read(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	img, _, err := image.Decode(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	from := img.Bounds().Min.Add(image.Pt(c.x, c.y))
	if !(image.Rectangle{from, from.Add(image.Pt(side, side))}).In(img.Bounds()) {
		return nil, fmt.Errorf("%s: no %dx%d pixels from %d, %d", name, side, side, c.x, c.y)
	}
	to := image.NewNRGBA(image.Rect(0, 0, side, side))
	// image/draw goes through premultiplied colors; pixels that have none are copied.
	if straight, ok := img.(*image.NRGBA); ok {
		for y := range side {
			copy(to.Pix[y*to.Stride:][:4*side], straight.Pix[straight.PixOffset(from.X, from.Y+y):])
		}
	} else {
		draw.Draw(to, to.Rect, img, from, draw.Src)
	}
	return to.Pix, nil
}
