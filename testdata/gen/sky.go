package main

import (
	"image"
	"image/color"
	"image/jpeg"
	"io"

	"golang.org/x/image/tiff"
)

// addSky adds what stands above the track.
func addSky(t *tree) {
	const dir = "textures/sky/"
	t.encode(dir+"day.jpg", func(w io.Writer) error {
		return jpeg.Encode(w, daySky(512, 256), &jpeg.Options{Quality: 88})
	})
	t.encode(dir+"clouds.jpg", func(w io.Writer) error {
		return jpeg.Encode(w, clouds(256), &jpeg.Options{Quality: 80})
	})
	t.add(dir+"stars.png", pngPalette(stars(256)))
	t.add(dir+"planet.png", pngRGBA(planet(240, 168)))
	t.encode(dir+"nebula.tiff", func(w io.Writer) error { return tiff.Encode(w, nebula(160, 120), nil) })
	t.add(dir+"sun.hdr", encodeHDR(64, 32, panorama(64)))
	t.add(dir+"cross.png", pngRGB(skyCross(32)))
	t.add(dir+"ramp.png", pngRGB(paint(1, 256, func(_, y int) color.NRGBA { return skyColour(y).opaque() })))
}

// skyColour is the clear sky from the top (0) to the horizon (256).
func skyColour(y int) rgb {
	if y < 160 {
		return mix(rgb{38, 84, 170}, rgb{120, 176, 232}, y*256/160)
	}
	return mix(rgb{120, 176, 232}, rgb{252, 226, 190}, (y-160)*256/96)
}

// daySky is clouds over a ridge of hills, with a low sun.
func daySky(w, h int) *image.NRGBA {
	return paint(w, h, func(x, y int) color.NRGBA {
		c := skyColour(y * 256 / h)
		dx, dy := int64(x-w*3/4), int64(y-h*3/5)
		sun := root(dx*dx + dy*dy)
		c = mix(rgb{255, 244, 214}, c, ramp(sun, 0, 110))
		c = mix(rgb{255, 252, 240}, c, ramp(sun, 12, 15))
		// Clouds get flatter towards the horizon.
		v := y * 3 / 2 * (h + y) / h
		cloud := fractal(x, v, 128, 0, 7, 91)
		light := fractal(x+6, v+9, 128, 0, 7, 91)
		white := rgb{250, 248, 244}.plus(between(-46, (cloud-light)/220-10, 6))
		c = mix(c, white, ramp(cloud, 31000, 42000)*(256-ramp(y, h*5/8, h*7/8))/256)
		for i, base := range []int{h * 13 / 16, h * 7 / 8, h * 15 / 16} {
			ridge := base - fractal(x, i*1000, 128>>i, 0, 6, 92)*36/65536 + 14
			if y >= ridge {
				c = mix(rgb{120, 150, 170}, rgb{52, 88, 62}, i*128).plus(fractal(x, y, 4, 0, 2, 93)>>13 - 4)
			}
		}
		return c.opaque()
	})
}

// clouds is a tiling grey mask.
func clouds(size int) *image.Gray {
	img := image.NewGray(square(size))
	for i := range img.Pix {
		n := fractal(i%size, i/size, 64, size, 6, 94)
		img.Pix[i] = byte8(ramp(n, 22000, 46000))
	}
	return img
}

func square(size int) image.Rectangle { return image.Rect(0, 0, size, size) }

// stars are points of sixteen colours on black.
func stars(size int) *image.Paletted {
	palette := color.Palette{color.NRGBA{6, 8, 20, 255}}
	for i := range 5 {
		for _, c := range []rgb{{255, 255, 255}, {170, 200, 255}, {255, 214, 170}} {
			palette = append(palette, c.lit(256-i*44).opaque())
		}
	}
	img := image.NewPaletted(square(size), palette)
	for i := range 520 {
		x, y := pick(i, 0, 95, size), pick(i, 1, 95, size)
		tint := uint8(pick(i, 2, 95, 3))
		dim := uint8(pick(i, 3, 95, 5))
		img.SetColorIndex(x, y, 1+dim*3+tint)
		if i%26 != 0 {
			continue
		}
		for d := 0; d < 4; d++ { // a large star has rays
			for _, p := range []image.Point{{d, 0}, {-d, 0}, {0, d}, {0, -d}} {
				img.SetColorIndex(floorMod(x+p.X, size), floorMod(y+p.Y, size), 1+uint8(d)*3+tint)
			}
		}
	}
	return img
}

// planet is a lit ball in a tilted ring, on nothing.
func planet(w, h int) *image.NRGBA {
	const radius = 62
	cx, cy := w/2, h/2
	ring := func(x, y int) (r, depth int) {
		dx, dy := x-cx, y-cy
		along := scale(dx, 62000) - scale(dy, 21200) // tilted by some 19 degrees
		across := scale(dy, 62000) + scale(dx, 21200)
		return root(int64(along)*int64(along) + int64(across)*int64(across)*14), across
	}
	drawRing := func(img *image.NRGBA, front bool) {
		for y := range h {
			for x := range w {
				r, depth := ring(x, y)
				if r < 76 || r > 112 || front != (depth >= 0) {
					continue
				}
				a := min((r-76)*80, (112-r)*80, 235)
				if r > 93 && r < 97 {
					a /= 5
				}
				c := mix(rgb{226, 206, 168}, rgb{150, 128, 118}, pick(r, 0, 96, 256))
				img.SetNRGBA(x, y, over(c.alpha(a*(140+pick(r, 1, 96, 100))/256), img.NRGBAAt(x, y)))
			}
		}
	}
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	drawRing(img, false)
	fill(img, img.Bounds(), disc(cx, cy, radius), func(x, y int) color.NRGBA {
		dx, dy := x-cx, y-cy
		dz := root(int64(radius*radius - dx*dx - dy*dy))
		// Bands that swirl, bent to the ball by the depth of the point.
		bend := fractal(dx*96/(dz+48)+400, dy*2+400, 32, 0, 5, 97)
		band := sine(turn(dy*1700+dx*500+bend/2))>>9 + 128
		c := mix(rgb{196, 112, 74}, rgb{240, 208, 156}, between(0, band, 256))
		light := (-dx*5-dy*6+dz*7)*256/(radius*10) + 20
		c = c.lit(between(14, light, 290))
		return mix(rgb{255, 220, 190}.lit(between(20, light, 256)), c, ramp(dz, 4, 26)).opaque()
	})
	drawRing(img, true)
	return img
}

// nebula is coloured gas with a few stars.
func nebula(w, h int) *image.NRGBA {
	return paint(w, h, func(x, y int) color.NRGBA {
		warp := fractal(x, y, 64, 0, 3, 98) >> 11
		a := fractal(x+warp, y-warp, 64, 0, 6, 99)
		b := fractal(x-warp, y+warp, 32, 0, 6, 100)
		c := mix(rgb{8, 6, 24}, rgb{150, 44, 130}, ramp(a, 24000, 56000))
		c = mix(c, rgb{60, 170, 210}, ramp(b, 32000, 62000))
		if pick(x, y, 101, 160) == 0 {
			c = mix(c, rgb{255, 255, 255}, 80+pick(x, y, 102, 170))
		}
		return c.opaque()
	})
}
