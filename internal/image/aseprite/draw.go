package aseprite

import (
	"bytes"
	"compress/zlib"
	"context"
	"io"
	"math"
	"slices"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// drawCel blends a cel onto the image. It keeps only one row of the cel in memory, because a cel
// may be much larger than the image.
func (f *frame) drawCel(ctx context.Context, m *pixmap.Map, c cel) error {
	l := &f.layers[c.layer]
	opacity := mul(int(c.opacity), int(l.opacity))
	var r io.Reader = bytes.NewReader(c.data)
	if c.packed {
		z, err := zlib.NewReader(r)
		if err != nil {
			return pixmap.UnexpectedEOF(err)
		}
		r = z
	}
	row := make([]byte, c.w*f.h.pixelByteCount())
	for y := range c.h {
		if err := ctx.Err(); err != nil {
			return err
		}
		if c.y+y >= m.H {
			return nil // the remaining rows of the cel are below the image
		}
		if _, err := io.ReadFull(r, row); err != nil {
			return pixmap.UnexpectedEOF(err)
		}
		if c.y+y < 0 {
			continue
		}
		for x := max(0, -c.x); x < min(c.w, m.W-c.x); x++ {
			below := m.Pix8[4*((c.y+y)*m.W+c.x+x):][:4]
			copy(below, blendColors([4]byte(below), f.pixelColor(row[x*f.h.pixelByteCount():], l), opacity, l.mode))
		}
	}
	return nil
}

// pixelColor returns the color of the pixel at the start of pix.
func (f *frame) pixelColor(pix []byte, l *layer) [4]byte {
	switch f.h.Bits {
	case 32:
		return [4]byte(pix)
	case 16:
		return [4]byte{pix[0], pix[0], pix[0], pix[1]}
	}
	if pix[0] == f.h.transparent && !l.background {
		return [4]byte{}
	}
	return f.palette[pix[0]]
}

// mul multiplies a and b, where 255 stands for 1, and rounds the product.
func mul(a, b int) int {
	t := a*b + 128
	return (t>>8 + t) >> 8
}

// blendColors blends the color above onto the color below with the layer's mode. The mode has less
// effect if the lower color is more transparent.
func blendColors(below, above [4]byte, opacity, mode int) []byte {
	normal := blendOver(below, above, opacity)
	if mode == 0 || below[3] == 0 {
		return normal[:]
	}
	made := modes[mode].blend([3]byte(below[:3]), [3]byte(above[:3]))
	mixed := blendOver(below, [4]byte{made[0], made[1], made[2], above[3]}, opacity)
	whole := mixShares(normal, mixed, int(below[3]))
	whole = mixShares(whole, mixed, mul(int(below[3]), mul(int(above[3]), opacity)))
	return whole[:]
}

// blendOver composites one color over another in normal mode.
func blendOver(below, above [4]byte, opacity int) [4]byte {
	alpha := mul(int(above[3]), opacity)
	switch {
	case below[3] == 0:
		above[3] = byte(alpha)
		return above
	case above[3] == 0:
		return below
	}
	sum := int(below[3]) + alpha - mul(int(below[3]), alpha)
	for i := range 3 {
		below[i] = byte(int(below[i]) + (int(above[i])-int(below[i]))*alpha/sum)
	}
	below[3] = byte(sum)
	return below
}

// mixShares interpolates between two colors. A share of 0 gives a, and a share of 255 gives b.
func mixShares(a, b [4]byte, share int) [4]byte {
	alpha := int(a[3]) + mul(int(b[3])-int(a[3]), share)
	if alpha == 0 {
		return [4]byte{}
	}
	var m [4]byte
	for i := range 3 {
		switch {
		case a[3] == 0:
			m[i] = b[i]
		case b[3] == 0:
			m[i] = a[i]
		default:
			m[i] = byte(int(a[i]) + mul(int(b[i])-int(a[i]), share))
		}
	}
	m[3] = byte(alpha)
	return m
}

// A blendMode has one of two functions of the lower and the upper color. Without a function, the
// upper color is the result.
type blendMode struct {
	channel func(b, s int) int     // applies to each channel
	color   func(b, s light) light // applies to the whole color
}

// modes holds the blend modes by number. The formulas are from W3C, "Compositing and Blending Level
// 1". The last three modes have their usual formulas, rounded as in Aseprite.
var modes = [...]blendMode{
	{},
	{channel: mul},
	{channel: screen},
	{channel: func(b, s int) int { return hardLight(s, b) }},
	{channel: func(b, s int) int { return min(b, s) }},
	{channel: func(b, s int) int { return max(b, s) }},
	{channel: dodge},
	{channel: burn},
	{channel: hardLight},
	{channel: softLight},
	{channel: func(b, s int) int { return max(b-s, s-b) }},
	{channel: func(b, s int) int { return b + s - 2*mul(b, s) }},
	{color: func(b, s light) light { return s.saturate(b.saturation()).lit(b.lumaOf()) }},
	{color: func(b, s light) light { return b.saturate(s.saturation()).lit(b.lumaOf()) }},
	{color: func(b, s light) light { return s.lit(b.lumaOf()) }},
	{color: func(b, s light) light { return b.lit(s.lumaOf()) }},
	{channel: func(b, s int) int { return min(b+s, 255) }},
	{channel: func(b, s int) int { return max(b-s, 0) }},
	{channel: divideMode},
}

// blend returns the blended color.
func (m *blendMode) blend(below, above [3]byte) (c [3]byte) {
	switch {
	case m.channel != nil:
		for i := range c {
			c[i] = byte(m.channel(int(below[i]), int(above[i])))
		}
	case m.color != nil:
		var b, s light
		for i := range c {
			b[i], s[i] = float64(below[i])/255, float64(above[i])/255
		}
		for i, v := range m.color(b, s) {
			c[i] = byte(255 * v)
		}
	default:
		c = above
	}
	return c
}

// divide255 divides a by b, where 255 stands for 1, and rounds the quotient.
func divide255(a, b int) int { return (a*255 + b/2) / b }

func screen(b, s int) int { return b + s - mul(b, s) }

func hardLight(b, s int) int {
	if s < 128 {
		return mul(b, 2*s)
	}
	return screen(b, 2*s-255)
}

func dodge(b, s int) int {
	switch s = 255 - s; {
	case b == 0:
		return 0
	case b >= s:
		return 255
	}
	return divide255(b, s)
}

func burn(b, s int) int {
	switch b = 255 - b; {
	case b == 0:
		return 255
	case b >= s:
		return 0
	}
	return 255 - divide255(b, s)
}

func divideMode(b, s int) int {
	switch {
	case b == 0:
		return 0
	case b >= s:
		return 255
	}
	return divide255(b, s)
}

// softLight computes in floating point. Products are converted explicitly so that no processor
// fuses a multiply and an add.
func softLight(below, above int) int {
	b, s := float64(below)/255, float64(above)/255
	d := math.Sqrt(b)
	if b <= 0.25 {
		d = float64((float64((float64(16*b)-12)*b) + 4) * b)
	}
	r := b - float64((1-2*s)*b*(1-b))
	if s > 0.5 {
		r = b + float64((2*s-1)*(d-b))
	}
	return int(float64(r*255) + 0.5)
}

// A light is a color with channels from 0 to 1.
type light [3]float64

func (c light) lumaOf() float64 {
	return float64(float64(0.3*c[0])+float64(0.59*c[1])) + float64(0.11*c[2])
}

func (c light) saturation() float64 { return slices.Max(c[:]) - slices.Min(c[:]) }

// saturate returns the color with the given saturation. As in Aseprite, one of two equal channels
// may stay unchanged.
func (c light) saturate(to float64) light {
	low, middle, high := c.rankChannels()
	least, most := c[low], c[high]
	if most <= least {
		c[middle], c[high] = 0, 0
	} else {
		c[middle] = float64((c[middle]-least)*to) / (most - least)
		c[high] = to
	}
	c[low] = 0
	return c
}

// rankChannels returns the indices of the lowest, middle and highest channel. If channels are
// equal, it may return an index twice.
func (c light) rankChannels() (low, middle, high int) {
	r, g, b := c[0], c[1], c[2]
	switch {
	case r < min(g, b):
		low = 0
	case g < b:
		low = 1
	default:
		low = 2
	}
	switch {
	case r > max(g, b):
		high = 0
	case g > b:
		high = 1
	default:
		high = 2
	}
	switch {
	case r > g && g > b, r <= g && g <= b:
		middle = 1
	case r > g && r > b, r <= g && b > r:
		middle = 2
	default:
		middle = 0
	}
	return low, middle, high
}

// lit returns the color with the given luma. It moves the color toward gray if a channel is out of
// range.
func (c light) lit(luma float64) light {
	d := luma - c.lumaOf()
	for i := range c {
		c[i] += d
	}
	l, least, most := c.lumaOf(), slices.Min(c[:]), slices.Max(c[:])
	for i, v := range c {
		if least < 0 {
			v = l + float64((v-l)*l)/(l-least)
		}
		if most > 1 {
			v = l + float64((v-l)*(1-l))/(most-l)
		}
		c[i] = v
	}
	return c
}
