package main

import (
	"image"
	"image/color"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// addTerrain adds the ground: stones, bricks, asphalt, grass, sand, and the
// height map of a level.
func addTerrain(t *tree) {
	const dir = "textures/terrain/"
	pebbles := pebbleHeights(512, 64)
	t.add(dir+"pebbles.png", pngRGB(pebbleColours(pebbles, 64)))
	t.add(dir+"pebbles_n.png", pngRGB(pebbles.normals(9000)))
	bricks := brickHeights(256)
	t.add(dir+"brick.png", pngRGB(brickColours(bricks)))
	t.add(dir+"brick_n.png", pngRGB(bricks.normals(40000)))
	t.add(dir+"asphalt.tga", tgaRGB(asphalt(128), tgaForm{}))
	t.add(dir+"grass.webp", encodeWebP(grass(128)))
	t.add(dir+"height.png", pngFrom(257, 257, 16, pngGrey, func(row []byte, x, y int) []byte {
		h := craterHeight(x, y)
		return append(row, byte(h>>8), byte(h))
	}))
	t.encode(dir+"sand.bmp", func(w io.Writer) error { return bmp.Encode(w, sand(99, 75)) })
	t.encode(dir+"rock_mask.tif", func(w io.Writer) error { return tiff.Encode(w, rockMask(130, 70), nil) })
}

// pebbleHeights is a field of domed stones, one per cell by cell pixels.
func pebbleHeights(size, cell int) heights {
	return makeHeights(size, func(x, y int) int {
		near, next, _ := stones(x, y, cell, size, 11)
		// The distance to the border between two stones, of at most about
		// half a cell, makes the dome; a square root makes it round.
		edge := int64(between(0, (next-near-cell*16)*372/cell, one))
		dome := root(edge * (2*one - edge)) // a quarter of a circle
		return dome*3/4 + fractal(x, y, cell/4, size, 3, 12)/24
	})
}

// pebbleColours lights the stones from the upper left.
func pebbleColours(h heights, cell int) *image.NRGBA {
	tints := []rgb{{150, 142, 132}, {172, 160, 142}, {118, 116, 120}, {138, 120, 104}, {186, 180, 170}, {104, 112, 120}, {158, 128, 110}}
	gap := rgb{46, 40, 36}
	return paint(h.size, h.size, func(x, y int) color.NRGBA {
		near, next, id := stones(x, y, cell, h.size, 11)
		c := tints[id%uint32(len(tints))]
		if id>>8%3 == 0 { // some stones have veins
			band := (fractal(x, y, 32, h.size, 2, id)*6 + x*700) >> 12 & 31
			c = mix(c.plus(26), c, between(0, band*40, 256))
		}
		c = c.plus(fractal(x, y, 8, h.size, 3, 13)>>11 - 16)
		dx, dy := h.slope(x, y)
		c = c.lit(between(110, 246-(dx+dy)/44, 350))
		return mix(gap.plus(pick(x/2, y/2, 14, 14)), c, ramp(next-near, cell*8, cell*48)).opaque()
	})
}

// brickAt finds the brick that covers a pixel: its row and column, and how far
// the pixel is from the nearest joint. Bricks are 64 by 32 pixels.
func brickAt(x, y, size int) (row, column, edge int) {
	row = floorMod(y, size) / 32
	x = floorMod(x+row%2*32, size)
	column = x / 64
	u, v := x%64, floorMod(y, 32)
	return row, column, min(u, 63-u, v, 31-v)
}

// brickHeights is a wall in running bond with worn edges.
func brickHeights(size int) heights {
	return makeHeights(size, func(x, y int) int {
		row, column, edge := brickAt(x, y, size)
		wear := fractal(x, y, 16, size, 3, 21)
		top := 42000 + pick(row, column, 22, 9000)
		t := ramp(edge*16+wear/2048-16, 20, 72)
		return (wear/4*(256-t) + (top+wear/5)*t) / 256
	})
}

func brickColours(h heights) *image.NRGBA {
	tints := []rgb{{158, 72, 52}, {142, 60, 46}, {172, 88, 60}, {128, 58, 50}, {164, 98, 74}}
	return paint(h.size, h.size, func(x, y int) color.NRGBA {
		row, column, edge := brickAt(x, y, h.size)
		wear := fractal(x, y, 16, h.size, 3, 21)
		c := tints[pick(row, column, 23, len(tints))].plus(wear>>11 - 16 + pick(x, y, 24, 12))
		mortar := rgb{168, 160, 148}.plus(wear>>12 - 8 + pick(x, y, 25, 16))
		dx, dy := h.slope(x, y)
		return mix(mortar, c, ramp(edge*16+wear/2048-16, 20, 48)).lit(between(120, 256-(dx+dy)/160, 330)).opaque()
	})
}

// asphalt is dark grit with a few cracks.
func asphalt(size int) *image.NRGBA {
	return paint(size, size, func(x, y int) color.NRGBA {
		c := rgb{70, 70, 74}.plus(fractal(x, y, 32, size, 2, 31)>>12 - 8 + pick(x, y, 32, 22))
		if pick(x, y, 33, 40) == 0 {
			c = c.plus(44)
		}
		bend := fractal(x, y, 16, size, 4, 35) >> 11
		near, next, _ := stones(x+bend, y-bend, 64, size, 34)
		whole := ramp(fractal(x, y, 64, size, 2, 36), 30000, 36000) // cracks heal here
		c = mix(rgb{30, 30, 34}, c, min(256, ramp(next-near, 60, 500)+whole))
		return c.opaque()
	})
}

// grass is short strokes of green over earth.
func grass(size int) *image.NRGBA {
	img := paint(size, size, func(x, y int) color.NRGBA {
		return mix(rgb{52, 74, 30}, rgb{74, 98, 40}, fractal(x, y, 16, size, 3, 41)>>8).opaque()
	})
	for i := range 2600 {
		x, y := pick(i, 0, 42, size), pick(i, 1, 42, size)
		c := mix(rgb{70, 112, 38}, rgb{148, 182, 76}, pick(i, 2, 42, 256))
		lean := pick(i, 3, 42, 5) - 2
		for step := range 4 + pick(i, 4, 42, 4) {
			img.SetNRGBA(floorMod(x+lean*step/4, size), floorMod(y-step, size), c.lit(170+step*14).opaque())
		}
	}
	return img
}

// sand has wind ripples; its odd width makes padded rows in a BMP.
func sand(w, h int) *image.NRGBA {
	return paint(w, h, func(x, y int) color.NRGBA {
		bend := fractal(x, y, 32, 0, 3, 51) / 3
		ripple := sine(turn(y*6000+x*900+bend)) * 18 >> 16
		return rgb{206, 178, 126}.plus(ripple + pick(x, y, 52, 18) - 9).opaque()
	})
}

// craterHeight is the ground of the Crater Loop level: hills with three
// craters, 0..65535.
func craterHeight(x, y int) int {
	z := 16000 + fractal(x, y, 64, 0, 6, 61)/2
	for _, c := range []struct{ x, y, r int }{{80, 92, 46}, {184, 150, 62}, {70, 206, 26}} {
		d := root(int64((x-c.x)*(x-c.x)+(y-c.y)*(y-c.y))*65536) / c.r // 256 at the rim
		switch {
		case d < 256:
			z += d*d*26000/65536 - 14000
		case d < 400:
			z += (400 - d) * (400 - d) * 12000 / (144 * 144)
		}
	}
	return between(0, z, 65535)
}

// rockMask says where stones may grow: white on steep ground.
func rockMask(w, h int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			u, v := x*256/w, y*256/h
			dx := craterHeight(u+2, v) - craterHeight(u-2, v)
			dy := craterHeight(u, v+2) - craterHeight(u, v-2)
			img.SetGray(x, y, color.Gray{Y: byte8(root(int64(dx)*int64(dx)+int64(dy)*int64(dy)) / 24)})
		}
	}
	return img
}
