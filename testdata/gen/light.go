package main

import (
	"image"
	"image/color"
)

// The sky as light instead of colours: what no picture of 8 bits can hold, since
// the sun is ten thousand times as bright as the air beside it.

// radiance is light in 256ths of the white of a screen, without an upper end.
type radiance [3]int64

// direction points from the eye; its length does not matter, but should be at
// least 1000 for the sake of precision. Up is +y, ahead +z.
type direction struct{ x, y, z int64 }

// sunward points to the sun of the sky's pictures: ahead, half right, a third up.
var sunward = direction{2900, 2600, 5600}

// skyLight is a clear sky with a low sun over dark ground.
func skyLight(d direction) radiance {
	length := int64(root(d.x*d.x + d.y*d.y + d.z*d.z))
	up := int(d.y * 256 / length)
	if up < 0 { // ground, darker the steeper the view
		return radiance{30, 28, 24}.times(256+int64(up)/2, 256)
	}
	c := skyColour(256 - up)
	light := radiance{int64(c[0]), int64(c[1]), int64(c[2])}.times(int64(c[1]), 220)
	sun := int64(root(sunward.x*sunward.x + sunward.y*sunward.y + sunward.z*sunward.z))
	// 65536 times the cosine of the angle to the sun.
	near := (d.x*sunward.x + d.y*sunward.y + d.z*sunward.z) * one / (length * sun)
	if near > 65300 { // within five degrees
		return radiance{2_400_000, 2_200_000, 1_800_000}
	}
	halo := max(0, near-62000) // within nineteen
	return light.plus(radiance{420, 380, 300}.times(halo*halo, 3536*3536))
}

// times is the light multiplied by n/of.
func (l radiance) times(n, of int64) radiance {
	for i := range l {
		l[i] = l[i] * n / of
	}
	return l
}

func (l radiance) plus(m radiance) radiance {
	for i := range l {
		l[i] += m[i]
	}
	return l
}

// exposed is the light as a camera shows it: with the root as its curve, and
// what is brighter than white cut off.
func (l radiance) exposed() color.NRGBA {
	return rgb{root(l[0] * 256), root(l[1] * 256), root(l[2] * 256)}.opaque()
}

// panorama is the sky all around, w by w/2 pixels: left to right from behind over
// left, ahead and right to behind, top to bottom from zenith to nadir.
func panorama(w int) func(x, y int) radiance {
	return func(x, y int) radiance {
		around := turn((x*2+1)*int(fullTurn)/(2*w)) + fullTurn/2
		down := turn((y*2 + 1) * int(fullTurn) / (2 * w))
		flat := int64(sine(down))
		return skyLight(direction{
			x: flat * int64(sine(around)) >> 16,
			y: int64(cosine(down)),
			z: flat * int64(cosine(around)) >> 16,
		})
	}
}

// skyCross is the sky as a cube map cut open, as crossRay has it; what belongs to no
// face is black.
func skyCross(side int) *image.NRGBA {
	return paint(4*side, 3*side, func(x, y int) color.NRGBA {
		d, ok := crossRay(side, x, y)
		if !ok {
			return color.NRGBA{A: 255}
		}
		return skyLight(direction{d.x * 1024, d.y * 1024, d.z * 1024}).exposed()
	})
}

// crossRay returns where a pixel of a cube map looks that is cut open: four faces by
// three of side by side pixels, -x +z +x -z in the middle, +y above and -y below +z.
// Half a pixel is 1, the faces are side away from the eye. Some pixels are on no face.
func crossRay(side, x, y int) (_ direction, ok bool) {
	n := int64(side)
	u, v := int64(x%side*2+1)-n, int64(y%side*2+1)-n // right and down on the face
	switch (image.Point{x / side, y / side}) {
	case image.Point{1, 0}:
		return direction{u, n, v}, true
	case image.Point{0, 1}:
		return direction{-n, -v, u}, true
	case image.Point{1, 1}:
		return direction{u, -v, n}, true
	case image.Point{2, 1}:
		return direction{n, -v, -u}, true
	case image.Point{3, 1}:
		return direction{-u, -v, -n}, true
	case image.Point{1, 2}:
		return direction{u, -n, -v}, true
	}
	return direction{}, false
}
