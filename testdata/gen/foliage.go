package main

import (
	"image"
	"image/color"
)

// addFoliage adds plants, whose alpha cuts them out.
func addFoliage(t *tree) {
	const dir = "textures/foliage/"
	t.add(dir+"leaf.png", pngRGBA(singleLeaf(128)))
	t.add(dir+"bush.png", pngRGBA(bush(200, 140)))
	t.add(dir+"fern.webp", encodeWebP(fern(96, 117)))
}

// leaf draws one leaf; length and width in pixels, tip points where heading says.
func leaf(img *image.NRGBA, cx, cy, length, width int, heading turn, c rgb) {
	sin, cos := sine(heading), cosine(heading)
	// along and across are in eighths of a pixel from the middle of the leaf.
	local := func(u, v int) (along, across int) {
		u, v = u-cx*8, v-cy*8
		return scale(u, cos) + scale(v, sin), scale(v, cos) - scale(u, sin)
	}
	inside := shape(func(u, v int) bool {
		along, across := local(u, v)
		across = max(across, -across)
		half := length * 4
		if along <= -half || along >= half {
			return false
		}
		if across < 5 {
			return true // the stalk and the midrib reach both ends
		}
		// A parabola that is fuller near the stalk than near the tip.
		body := width * 4 * (half*half - along*along) / (half * half)
		return across < body-body*along/(half*3)
	})
	r := length/2 + 2
	fill(img, image.Rect(cx-r, cy-r, cx+r, cy+r), inside, func(x, y int) color.NRGBA {
		along, across := local(x*8+4, y*8+4)
		side := max(across, -across)
		shade := c.plus(along*24/(length*4) + fractal(x, y, 8, 0, 2, 71)>>12 - 8)
		if across > 0 {
			shade = shade.lit(225) // one half lies in the shade of the midrib
		}
		spacing := max(length, 24)
		vein := floorMod(along-side*3/4, spacing) - spacing/2
		shade = shade.plus(max(0, 9-max(vein, -vein)) * 3)
		return shade.plus(max(0, 12-side) * 5).opaque()
	})
}

func singleLeaf(size int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	leaf(img, size/2, size/2, size*5/4, size*5/9, -fullTurn/8, rgb{86, 150, 58})
	return img
}

// bush piles leaves into a dome, dark ones first.
func bush(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	const leaves = 190
	for i := range leaves {
		heading := turn(pick(i, 0, 72, int(fullTurn)))
		reach := root(int64(pick(i, 1, 72, 65536))) // 0..255, even over the disc
		x := w/2 + scale(cosine(heading), reach*(w/2-24)*256)>>16
		y := h/2 + scale(sine(heading), reach*(h/2-22)*256)>>16
		c := mix(rgb{34, 74, 36}, rgb{110, 168, 66}, i*256/leaves).plus(pick(i, 2, 72, 24) - 12)
		leaf(img, x, y, 36+pick(i, 3, 72, 10), 17, heading+turn(pick(i, 4, 72, 9000)), c)
	}
	return img
}

// fern is one frond: leaflets in pairs along a bent stem.
func fern(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	const pairs = 13
	for i := range pairs {
		x := w/2 + scale(10, sine(turn(i)*fullTurn/(2*pairs)))
		y := h - 8 - i*(h-16)/pairs
		length := 42 - i*32/pairs
		c := mix(rgb{40, 96, 48}, rgb{130, 186, 82}, i*256/pairs)
		tilt := turn(2600 + i*500)
		leaf(img, x+length/2-1, y-length/8, length, 9, -tilt, c)
		leaf(img, x-length/2+1, y-length/8, length, 9, fullTurn/2+tilt, c.lit(230))
		stem := disc(x, y, 2)
		fill(img, image.Rect(x-3, y-3, x+3, y+3), stem, flat(rgb{96, 120, 56}))
		fill(img, image.Rect(x-2, y-10, x+2, y+2), box(x-1, y-9, x+1, y+2), flat(rgb{96, 120, 56}))
	}
	return img
}
