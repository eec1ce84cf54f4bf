package png

import (
	"context"
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// Color types, with their numbers in the file header.
const (
	gray      = 0
	rgb       = 2
	indexed   = 3
	grayAlpha = 4
	rgba      = 6
)

// A form is a pixel format of PNG: color type, bit depth and palette.
type form struct {
	w, h    int
	color   byte
	depth   byte // number of bits per sample
	samples int  // number of samples per pixel
	palette []uint32
	row     func(dst []byte, y int) // function that writes row y to dst
}

// String describes the form for people.
func (f *form) String() string {
	if f.color == indexed {
		return fmt.Sprintf("palette of %d colors, %d bits", len(f.palette), f.depth)
	}
	name := map[byte]string{gray: "gray", rgb: "RGB", grayAlpha: "gray and alpha", rgba: "RGBA"}[f.color]
	return fmt.Sprintf("%s, %d bits", name, f.depth)
}

// packedRowBytes returns the size of a row in bytes.
func (f *form) packedRowBytes() int { return (f.w*f.samples*int(f.depth) + 7) / 8 }

// extra returns the size in bytes of the PLTE and tRNS chunks.
func (f *form) extra() int {
	if len(f.palette) == 0 {
		return 0
	}
	colors, alphas := f.chunks()
	n := 12 + len(colors)
	if len(alphas) > 0 {
		n += 12 + len(alphas)
	}
	return n
}

// chunks returns the bodies of the PLTE and tRNS chunks; tRNS is empty if all colors are opaque.
func (f *form) chunks() (colors, alphas []byte) {
	for i, c := range f.palette {
		colors = append(colors, byte(c>>16), byte(c>>8), byte(c))
		if c>>24 != 255 {
			for len(alphas) < i {
				alphas = append(alphas, 255)
			}
			alphas = append(alphas, byte(c>>24))
		}
	}
	return colors, alphas
}

// facts are the properties of an image that limit which forms can represent it.
type facts struct {
	opaque, gray bool
	wide         bool            // true if a sample needs 16 bits
	grayBits     byte            // number of bits that hold all values of a gray image, at most 8
	colors       map[uint32]bool // set of colors as alpha, red, green, blue; nil if there are more than 256 or wide is set
}

// formsOf returns the forms that can represent m; the first is probably the smallest.
func formsOf(ctx context.Context, m *pixmap.Map) ([]form, error) {
	c, err := collectFacts(ctx, m)
	if err != nil {
		return nil, err
	}
	f := form{w: m.W, h: m.H, depth: 8}
	if c.wide {
		f.depth = 16
	}
	switch {
	case c.gray && c.opaque:
		f.color, f.samples = gray, 1
		if !c.wide {
			f.depth = c.grayBits
		}
	case c.gray:
		f.color, f.samples = grayAlpha, 2
	case c.opaque:
		f.color, f.samples = rgb, 3
	default:
		f.color, f.samples = rgba, 4
	}
	f.row = plainRows(m, f)
	forms := []form{f}
	if c.colors == nil {
		return forms, nil
	}
	if p := paletteForm(m, c); p.extra()+p.h*p.packedRowBytes() < f.h*f.packedRowBytes() {
		forms = []form{p, f}
	}
	return forms, nil
}

// collectFacts returns the facts of m.
func collectFacts(ctx context.Context, m *pixmap.Map) (facts, error) {
	c := facts{opaque: true, gray: true, grayBits: 1, colors: map[uint32]bool{}}
	last, any := uint32(0), false
	for y := range m.H {
		if err := ctx.Err(); err != nil {
			return facts{}, err
		}
		for x := range m.W {
			i := 4 * (y*m.W + x)
			r, g, b, a := sampleAt(m, i), sampleAt(m, i+1), sampleAt(m, i+2), sampleAt(m, i+3)
			c.opaque = c.opaque && a == 0xffff
			c.gray = c.gray && r == g && g == b
			if !c.wide {
				c.wide = r%257 != 0 || g%257 != 0 || b%257 != 0 || a%257 != 0
			}
			if c.wide {
				c.colors = nil
				continue
			}
			for c.grayBits < 8 && (r/257)%(255/(1<<c.grayBits-1)) != 0 {
				c.grayBits *= 2
			}
			if c.colors == nil {
				continue
			}
			color := a/257<<24 | r/257<<16 | g/257<<8 | b/257
			if any && color == last {
				continue
			}
			last, any = color, true
			if c.colors[color] = true; len(c.colors) > 256 {
				c.colors = nil
			}
		}
	}
	return c, nil
}

// sampleAt returns element i of m's values as 16 bits.
func sampleAt(m *pixmap.Map, i int) uint32 {
	if m.Pix16 != nil {
		return uint32(m.Pix16[i])
	}
	return 257 * uint32(m.Pix8[i])
}

// plainRows returns the row writer for a form without a palette.
func plainRows(m *pixmap.Map, f form) func(dst []byte, y int) {
	channels := map[byte][]int{gray: {0}, rgb: {0, 1, 2}, grayAlpha: {0, 3}, rgba: {0, 1, 2, 3}}[f.color]
	return func(dst []byte, y int) {
		i := 4 * y * m.W
		switch f.depth {
		case 16:
			dst = dst[:0]
			for range m.W {
				for _, c := range channels {
					v := sampleAt(m, i+c)
					dst = append(dst, byte(v>>8), byte(v))
				}
				i += 4
			}
		case 8:
			dst = dst[:0]
			for range m.W {
				for _, c := range channels {
					dst = append(dst, byte(sampleAt(m, i+c)>>8))
				}
				i += 4
			}
		default:
			narrowSamples(dst, f.depth, m.W, func(x int) byte { return byte(sampleAt(m, i+4*x) >> (16 - f.depth)) })
		}
	}
}

// narrowSamples fills a row with samples of less than 8 bits. The first sample of a byte is in its
// high bits.
func narrowSamples(dst []byte, depth byte, n int, at func(x int) byte) {
	clear(dst)
	for x := range n {
		bit := x * int(depth)
		dst[bit/8] |= at(x) << (8 - int(depth) - bit%8)
	}
}

// paletteForm returns a form with a palette of at most 256 colors. Translucent colors come first,
// which keeps the tRNS chunk short.
func paletteForm(m *pixmap.Map, c facts) form {
	f := form{w: m.W, h: m.H, color: indexed, samples: 1, depth: 1}
	for color := range c.colors {
		f.palette = append(f.palette, color)
	}
	slices.Sort(f.palette)
	for len(f.palette) > 1<<f.depth {
		f.depth *= 2
	}
	number := make(map[uint32]byte, len(f.palette))
	for i, color := range f.palette {
		number[color] = byte(i)
	}
	f.row = func(dst []byte, y int) {
		i := 4 * y * m.W
		last, n := f.palette[0], byte(0)
		at := func(x int) byte {
			j := i + 4*x
			color := sampleAt(m, j+3)>>8<<24 | sampleAt(m, j)>>8<<16 | sampleAt(m, j+1)&0xff00 | sampleAt(m, j+2)>>8
			if color != last {
				last, n = color, number[color]
			}
			return n
		}
		if f.depth < 8 {
			narrowSamples(dst, f.depth, m.W, at)
			return
		}
		for x := range m.W {
			dst[x] = at(x)
		}
	}
	return f
}
