package main

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"io"

	"golang.org/x/image/bmp"
)

// addInterface adds what is drawn over the race.
func addInterface(t *tree) {
	const dir = "textures/ui/"
	t.add(dir+"white.png", pngRGBA(paint(1, 1, func(int, int) color.NRGBA { return color.NRGBA{255, 255, 255, 255} })))
	t.add(dir+"start banner.png", pngRGBA(banner(333, 57)))
	t.add(dir+"shadow.png", pngFrom(64, 64, 8, pngGreyAlpha, func(row []byte, x, y int) []byte {
		dx, dy := int64(x*2-63), int64(y*2-63)
		return append(row, 16, byte8(200-ramp(root(dx*dx+dy*dy), 8, 62)*200/256))
	}))
	t.add(dir+"badge.qoi", encodeQOI(badge(64)))
	t.encode(dir+"photo_finish.jpg", func(w io.Writer) error {
		var b bytes.Buffer
		err := jpeg.Encode(&b, turnLeft(photoFinish(96, 128)), &jpeg.Options{Quality: 90})
		if err == nil {
			_, err = w.Write(withOrientation(b.Bytes(), turnedRight))
		}
		return err
	})
	t.add(dir+"trophy.webp", encodeWebP(trophy(96, 112)))
	t.add(dir+"vignette.tga", tgaGrey8(vignette(120, 68), tgaForm{}))
	t.add(dir+"flag.tga", tgaPalette(chequeredFlag(72, 48), tgaForm{runLength: true}))
	t.encode(dir+"spinner.gif", func(w io.Writer) error { return gif.EncodeAll(w, spinner(40)) })
	t.encode(dir+"minimap.gif", func(w io.Writer) error { return gif.Encode(w, minimap(96), nil) })
	t.encode(dir+"radar.bmp", func(w io.Writer) error { return bmp.Encode(w, radar(64)) })
}

// banner hangs over the start: checks at both ends, the name in between. Its
// name has a space and its sizes are odd, as happens.
func banner(w, h int) *image.NRGBA {
	img := paint(w, h, func(x, y int) color.NRGBA {
		end := min(x, w-1-x)
		sag := sine(turn(x*int(fullTurn)/2/w)) * 5 >> 16 // the lower edge hangs in a bow
		switch {
		case y >= h-6+sag:
			return color.NRGBA{}
		case y < 4 || y >= h-10+sag:
			return rgb{212, 166, 58}.opaque()
		case end < 40 && (end/8+y/8)%2 == 0:
			return rgb{20, 20, 24}.opaque()
		case end < 40:
			return rgb{244, 242, 236}.opaque()
		}
		return mix(rgb{188, 38, 44}, rgb{128, 22, 36}, y*256/h).opaque()
	})
	const name = "PEBBLE GRAND PRIX"
	x := (w - textWidth(name, 2)) / 2
	drawText(img, x+1, 19, 2, rgb{70, 10, 20}, name)
	drawText(img, x, 18, 2, rgb{252, 240, 208}, name)
	return img
}

// trophy is a gold cup.
func trophy(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	c := w / 2
	gold := func(x, _ int) color.NRGBA {
		gleam := max(0, 256-max(x-c+14, c-14-x)*14)
		return mix(mix(rgb{250, 204, 76}, rgb{156, 96, 24}, ramp(x, c-22, c+34)), rgb{255, 248, 214}, gleam).opaque()
	}
	cup := shape(func(u, v int) bool {
		y, x := v-12*8, u-c*8
		if y < 0 || y > 52*8 {
			return false
		}
		half := root(int64(52*8-y)*5*52) + 24 // round below, steep above
		return x > -half && x < half
	})
	for _, side := range []int{-1, 1} {
		handle := ellipse(c+side*30, 30, 14, 16).without(ellipse(c+side*30, 30, 9, 11))
		fill(img, img.Bounds(), handle, gold)
	}
	fill(img, img.Bounds(), cup, gold)
	fill(img, img.Bounds(), ellipse(c, 12, 41, 5), gold)
	fill(img, img.Bounds(), ellipse(c, 12, 37, 3), flat(rgb{116, 70, 18}))
	fill(img, img.Bounds(), box(c-4, 62, c+4, 86), gold)
	fill(img, img.Bounds(), ellipse(c, 70, 9, 4), gold)
	fill(img, img.Bounds(), ellipse(c, 88, 18, 6), gold)
	fill(img, img.Bounds(), box(c-26, 90, c+26, 106), flat(rgb{54, 40, 36}))
	fill(img, img.Bounds(), box(c-14, 94, c+14, 102), gold)
	return img
}

// badge is a round enamel pin for who wins without a bump.
func badge(size int) *image.NRGBA {
	img := image.NewNRGBA(square(size))
	c := size / 2
	fill(img, img.Bounds(), disc(c, c, c-1), func(x, y int) color.NRGBA {
		return mix(rgb{238, 214, 140}, rgb{132, 92, 36}, (x+y)*128/size).opaque()
	})
	fill(img, img.Bounds(), disc(c, c, c-5), flat(rgb{26, 74, 112}))
	fill(img, img.Bounds(), disc(c, c, c-6), func(_, y int) color.NRGBA {
		return mix(rgb{64, 142, 190}, rgb{28, 82, 128}, y*256/size).opaque()
	})
	drawText(img, (size-textWidth("GP", 3))/2, (size-7*3)/2, 3, rgb{246, 240, 220}, "GP")
	return img
}

// photoFinish is a picture of the line on the ground and the winner's number, held
// upright.
func photoFinish(w, h int) *image.NRGBA {
	img := paint(w, h, func(x, y int) color.NRGBA {
		line := floorMod(x-y/8, w) / 8
		switch {
		case y < h/4:
			return skyColour(y * 1024 / h).opaque()
		case line < 3 && (line+y/8)%2 == 0:
			return rgb{236, 234, 228}.opaque()
		case line < 3:
			return rgb{24, 24, 28}.opaque()
		}
		return rgb{84, 82, 84}.plus(pick(x, y, 120, 14)).opaque()
	})
	fill(img, img.Bounds(), disc(w*5/8, h*5/8, 26), flat(rgb{206, 44, 42}))
	fill(img, img.Bounds(), disc(w*5/8, h*5/8, 18), flat(rgb{244, 242, 234}))
	drawText(img, w*5/8-7, h*5/8-10, 3, rgb{28, 28, 34}, "7")
	return img
}

// vignette darkens the corners.
func vignette(w, h int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			dx, dy := int64(x*2-w)*1024/int64(w), int64(y*2-h)*1024/int64(h)
			img.SetGray(x, y, color.Gray{Y: byte8(255 - ramp(root(dx*dx+dy*dy), 620, 1500)*200/256)})
		}
	}
	return img
}

// chequeredFlag has a wave, in sixteen greys.
func chequeredFlag(w, h int) *image.Paletted {
	var palette color.Palette
	for i := range 16 {
		palette = append(palette, rgb{i * 17, i * 17, i*16 + 15}.opaque())
	}
	img := image.NewPaletted(image.Rect(0, 0, w, h), palette)
	for y := range h {
		for x := range w {
			wave := sine(turn(x * 1500))
			v := y + wave*3>>16
			grey := 12
			if (x/8+floorMod(v, 48)/8)%2 == 0 {
				grey = 3
			}
			img.SetColorIndex(x, y, uint8(between(0, grey+wave*3>>16, 15)))
		}
	}
	return img
}

// spinner is an animated ring of dots.
func spinner(size int) *gif.GIF {
	palette := color.Palette{color.NRGBA{}}
	for i := range 7 {
		palette = append(palette, rgb{255, 214 - i*8, 110 - i*12}.lit(256-i*28).opaque())
	}
	g := &gif.GIF{}
	const dots = 8
	for frame := range dots {
		img := image.NewPaletted(square(size), palette)
		for dot := range dots {
			a := turn(dot) * fullTurn / dots
			cx, cy := size*4+scale(size*3, sine(a)), size*4-scale(size*3, cosine(a))
			age := floorMod(frame-dot, dots)
			r := 30 - age*2
			for y := range size {
				for x := range size {
					dx, dy := x*8+4-cx, y*8+4-cy
					if dx*dx+dy*dy < r*r {
						img.SetColorIndex(x, y, uint8(min(age, 6)+1))
					}
				}
			}
		}
		g.Image = append(g.Image, img)
		g.Delay = append(g.Delay, 8)
		g.Disposal = append(g.Disposal, gif.DisposalBackground)
	}
	return g
}

// minimap is the Crater Loop from above.
func minimap(size int) *image.Paletted {
	palette := color.Palette{}
	for i := range 6 {
		palette = append(palette, mix(rgb{62, 80, 58}, rgb{186, 176, 150}, i*51).opaque())
	}
	road := uint8(len(palette))
	palette = append(palette, rgb{52, 52, 58}.opaque(), rgb{250, 220, 90}.opaque())
	img := image.NewPaletted(square(size), palette)
	for y := range size {
		for x := range size {
			z := craterHeight(x*256/size, y*256/size)
			img.SetColorIndex(x, y, uint8(between(0, (z-12000)/7000, 5)))
		}
	}
	const steps = 2048
	for i := range steps {
		x, y := loopPoint(levels[1], i, steps)
		px, py := (x+loopExtent)*size/(2*loopExtent), (y+loopExtent)*size/(2*loopExtent)
		for dy := -2; dy <= 2; dy++ {
			for dx := -2; dx <= 2; dx++ {
				if dx*dx+dy*dy <= 5 {
					img.SetColorIndex(px+dx, py+dy, road)
				}
			}
		}
	}
	x, y := loopPoint(levels[1], 0, steps) // the start lies to the right of the middle
	for d := -4; d <= 4; d++ {
		img.SetColorIndex((x+loopExtent)*size/(2*loopExtent)+d, (y+loopExtent)*size/(2*loopExtent), road+1)
	}
	return img
}

// radar is rings and a sweep in 256 greens.
func radar(size int) *image.Paletted {
	var palette color.Palette
	for i := range 256 {
		palette = append(palette, rgb{i / 6, i, i / 3}.opaque())
	}
	img := image.NewPaletted(square(size), palette)
	for y := range size {
		for x := range size {
			dx, dy := x*2-size+1, y*2-size+1
			r := root(int64(dx*dx+dy*dy) * 16)
			v := 24
			if m := r % 80; m < 7 {
				v = 120
			}
			if dx > 0 && dy < 0 { // the sweep fades over a quarter turn
				v += dx * 180 / (dx - dy)
			}
			if r > size*4-6 {
				v = 0
			}
			img.SetColorIndex(x, y, byte8(v))
		}
	}
	return img
}
