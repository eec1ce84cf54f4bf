package main

import (
	"image"
	"image/color"
)

// addKartArt adds what is painted on the models.
func addKartArt(t *tree) {
	const dir = "textures/kart/"
	t.add(dir+"body.png", pngRGBA(livery(rgb{206, 44, 42}, "7")))
	t.add(dir+"body_blue.png", pngRGBA(livery(rgb{42, 92, 196}, "3")))
	t.add(dir+"body_orm.png", pngRGB(wearMap(128)))
	t.add(dir+"tyre.png", pngRGB(tyre(64)))
	t.add("textures/props/cone.png", pngRGB(coneStripes(64)))
	t.add("textures/props/crate.png", pngRGB(planks(128)))
	t.add("textures/props/barrier.tga", tgaRGBA(barrier(96, 48), tgaForm{topDown: true, runLength: true}))
	t.add("textures/props/decal.tga", tgaRGBA(skidDecal(64, 64), tgaForm{topDown: true}))
}

// The four regions of a kart's body texture, in pixels.
var (
	liveryPaint = image.Rect(0, 0, 64, 128)
	liveryPlate = image.Rect(64, 0, 128, 64)
	liveryMetal = image.Rect(64, 64, 128, 128)
)

// livery is the paint of a kart: stripes, a number plate and bare metal.
func livery(c rgb, number string) *image.NRGBA {
	img := paint(128, 128, func(x, y int) color.NRGBA {
		p := image.Pt(x, y)
		grain := fractal(x, y, 16, 128, 3, 81)>>12 - 8
		switch {
		case p.In(liveryMetal):
			brush := pick(0, y, 82, 14)
			return rgb{92, 96, 104}.plus(grain + brush).opaque()
		case p.In(liveryPaint) && (x > 20 && x < 28 || x > 36 && x < 44):
			return rgb{238, 234, 224}.plus(grain).opaque()
		case p.In(liveryPaint) && floorMod(y*2-max(x-32, 32-x), 128) < 10:
			return c.lit(150).opaque()
		}
		return c.plus(grain).lit(280 - y/2).opaque()
	})
	fill(img, liveryPlate, disc(96, 32, 27), flat(rgb{28, 28, 34}))
	fill(img, liveryPlate, disc(96, 32, 25), flat(rgb{244, 242, 234}))
	drawText(img, 96-7, 32-10, 3, rgb{28, 28, 34}, number)
	for _, x := range []int{70, 122} {
		for _, y := range []int{70, 96, 122} {
			fill(img, liveryMetal, disc(x, y, 3), flat(rgb{54, 56, 62}))
			fill(img, liveryMetal, disc(x, y, 2), flat(rgb{150, 154, 160}))
		}
	}
	return img
}

// wearMap packs occlusion, roughness and metalness, as glTF wants them.
func wearMap(size int) *image.NRGBA {
	return paint(size, size, func(x, y int) color.NRGBA {
		wear := fractal(x, y, 32, size, 5, 83) >> 8
		scratch := 0
		if fractal(x*5, y, 16, 0, 2, 84) > 52000 {
			scratch = 60
		}
		metal := scratch * 3
		rough := 90 + wear/3 + scratch
		if image.Pt(x, y).In(liveryMetal) {
			metal, rough = 235, 70+wear/2
		}
		return rgb{255 - wear/6, rough, metal}.opaque()
	})
}

// tyre is tread blocks; x runs round the wheel.
func tyre(size int) *image.NRGBA {
	return paint(size, size, func(x, y int) color.NRGBA {
		d := max(y-size/2, size/2-y)
		c := rgb{52, 52, 54}.plus(pick(x, y, 85, 12))
		switch {
		case d > size*7/16:
			c = c.lit(200)
		case floorMod(x+d/2, 8) < 2 || d < 2 || d > size/4 && d < size/4+3:
			c = c.lit(110)
		}
		return c.opaque()
	})
}

// coneStripes is orange with two white bands; y runs from the tip to the foot.
func coneStripes(size int) *image.NRGBA {
	return paint(size, size, func(x, y int) color.NRGBA {
		dirt := fractal(x, y, 16, size, 4, 86)
		c := rgb{240, 104, 28}
		if at := y * 100 / size; at > 24 && at < 42 || at > 58 && at < 76 {
			c = rgb{240, 238, 230}
		}
		return mix(c, rgb{74, 62, 52}, ramp(dirt, 40000, 80000)).opaque()
	})
}

// planks is a crate's side: boards in a frame, with nails.
func planks(size int) *image.NRGBA {
	const frame = 16
	img := paint(size, size, func(x, y int) color.NRGBA {
		u, v, board := x, y, 100
		edge := min(x, y, size-1-x, size-1-y)
		switch {
		case edge < frame && (y < frame || y >= size-frame):
			u, v, board = y, x, y/frame // the grain lies along the board
		case edge < frame:
			board = 200 + x/frame
		default:
			board = 10 + x/24
		}
		grain := fractal(u*4, v/2, 32, 0, 4, uint32(87+board))
		c := mix(rgb{128, 84, 46}, rgb{196, 146, 90}, grain>>8).plus(pick(board, 0, 88, 30) - 15)
		if edge == 0 || edge == frame || edge == frame-1 || edge > frame && x%24 == 0 {
			c = c.lit(120)
		}
		if edge > frame && edge < frame+6 {
			c = c.lit(256 - (frame+6-edge)*16) // the frame's shadow
		}
		return c.opaque()
	})
	for _, x := range []int{8, size - 8} {
		for _, y := range []int{8, size - 8} {
			fill(img, img.Bounds(), disc(x, y, 2), flat(rgb{70, 66, 62}))
		}
	}
	return img
}

// barrier is red and white slanted bands with a see-through hole at each end;
// its long flat runs suit run-length packing.
func barrier(w, h int) *image.NRGBA {
	img := paint(w, h, func(x, y int) color.NRGBA {
		c := rgb{232, 230, 224}
		if floorMod(x+y, 32) < 16 {
			c = rgb{198, 40, 36}
		}
		if y < 3 || y >= h-3 {
			c = rgb{90, 90, 96}
		}
		return c.opaque()
	})
	for y := range h {
		for _, x := range []int{8, w - 9} {
			for u := x - 4; u <= x+4; u++ {
				if (u-x)*(u-x)+(y-h/2)*(y-h/2) <= 16 {
					img.SetNRGBA(u, y, color.NRGBA{})
				}
			}
		}
	}
	return img
}

// skidDecal is a dark track with soft alpha.
func skidDecal(w, h int) *image.NRGBA {
	return paint(w, h, func(x, y int) color.NRGBA {
		middle := w/2 + sine(turn(y*600))*6>>16
		d := max(x-middle, middle-x)
		grip := fractal(x*2, y/2, 8, 0, 3, 89) >> 8
		fade := ramp(y, 0, 24) * ramp(h-y, 0, 24) / 256
		return rgb{20, 20, 22}.alpha((256 - ramp(d, 5, 16)) * between(60, grip, 230) / 256 * fade / 256)
	})
}
