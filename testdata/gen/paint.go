package main

import (
	"image"
	"image/color"
)

// rgb is a colour with 8 bits per channel, kept in ints so that it can be
// computed with before it is limited to 0..255.
type rgb [3]int

// mix goes from a (t = 0) to b (t = 256).
func mix(a, b rgb, t int) rgb {
	for i := range a {
		a[i] += (b[i] - a[i]) * t / 256
	}
	return a
}

// lit multiplies the colour by light/256.
func (c rgb) lit(light int) rgb {
	for i := range c {
		c[i] = c[i] * light / 256
	}
	return c
}

// plus adds the same amount to each channel.
func (c rgb) plus(d int) rgb {
	for i := range c {
		c[i] += d
	}
	return c
}

// alpha limits the channels and gives them an opacity of 0..255.
func (c rgb) alpha(a int) color.NRGBA {
	return color.NRGBA{byte8(c[0]), byte8(c[1]), byte8(c[2]), byte8(a)}
}

func (c rgb) opaque() color.NRGBA { return c.alpha(255) }

func byte8(v int) uint8 { return uint8(between(0, v, 255)) }

// paint makes a w by h picture from a function of the pixel.
func paint(w, h int, at func(x, y int) color.NRGBA) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, at(x, y))
		}
	}
	return img
}

// shape says whether a point is inside; the point is in eighths of a pixel.
type shape func(u, v int) bool

// coverage counts how many of 16 samples of the pixel lie in the shape.
func (s shape) coverage(x, y int) int {
	n := 0
	for v := y*8 + 1; v < y*8+8; v += 2 {
		for u := x*8 + 1; u < x*8+8; u += 2 {
			if s(u, v) {
				n++
			}
		}
	}
	return n
}

// disc is a filled circle; centre and radius are in pixels.
func disc(cx, cy, r int) shape { return ellipse(cx, cy, r, r) }

// ellipse is a filled upright ellipse; all lengths are in pixels.
func ellipse(cx, cy, rx, ry int) shape {
	return func(u, v int) bool {
		dx, dy := int64(u-cx*8)*int64(ry), int64(v-cy*8)*int64(rx)
		limit := int64(rx) * int64(ry) * 8
		return dx*dx+dy*dy <= limit*limit
	}
}

// box is a filled rectangle; all lengths are in pixels.
func box(x0, y0, x1, y1 int) shape {
	return func(u, v int) bool { return u >= x0*8 && u < x1*8 && v >= y0*8 && v < y1*8 }
}

// without is the part of s that is not in hole.
func (s shape) without(hole shape) shape {
	return func(u, v int) bool { return s(u, v) && !hole(u, v) }
}

// fill blends the shape, coloured by at, over the part r of the picture.
func fill(img *image.NRGBA, r image.Rectangle, s shape, at func(x, y int) color.NRGBA) {
	r = r.Intersect(img.Bounds())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if n := s.coverage(x, y); n > 0 {
				c := at(x, y)
				c.A = uint8(int(c.A) * n / 16)
				img.SetNRGBA(x, y, over(c, img.NRGBAAt(x, y)))
			}
		}
	}
}

// flat is a constant colour for fill.
func flat(c rgb) func(x, y int) color.NRGBA {
	return func(int, int) color.NRGBA { return c.opaque() }
}

// over puts a above b; both have straight, not premultiplied, alpha.
func over(a, b color.NRGBA) color.NRGBA {
	wa := int(a.A) * 255
	wb := int(b.A) * (255 - int(a.A))
	w := wa + wb
	if w == 0 {
		return color.NRGBA{}
	}
	blend := func(p, q uint8) uint8 { return uint8((int(p)*wa + int(q)*wb + w/2) / w) }
	return color.NRGBA{blend(a.R, b.R), blend(a.G, b.G), blend(a.B, b.B), uint8((w + 127) / 255)}
}

// heights is a square height field that repeats at its edges; values are
// 0..65535.
type heights struct {
	size int
	z    []int
}

func makeHeights(size int, at func(x, y int) int) heights {
	h := heights{size, make([]int, size*size)}
	for i := range h.z {
		h.z[i] = at(i%size, i/size)
	}
	return h
}

// at reads the field at any point; coordinates wrap.
func (h heights) at(x, y int) int {
	return h.z[floorMod(y, h.size)*h.size+floorMod(x, h.size)]
}

// slope returns how steeply the field falls towards +x and towards +y.
func (h heights) slope(x, y int) (dx, dy int) {
	return h.at(x-1, y) - h.at(x+1, y), h.at(x, y-1) - h.at(x, y+1)
}

// normals turns the field into a tangent-space normal map in the OpenGL
// convention (green points up the picture). A larger flatness gives a flatter
// map: it is the height step per two pixels that leans 45 degrees.
func (h heights) normals(flatness int) *image.NRGBA {
	return paint(h.size, h.size, func(x, y int) color.NRGBA {
		dx, dy := h.slope(x, y)
		dy = -dy
		length := root(int64(dx)*int64(dx) + int64(dy)*int64(dy) + int64(flatness)*int64(flatness))
		channel := func(v int) int { return (v*254/length + 256) / 2 }
		return rgb{channel(dx), channel(dy), channel(flatness)}.opaque()
	})
}
