package pixmap

import (
	"context"
	"math"
)

// Content describes the pixels of an image.
type Content struct {
	// Opaque is set if alpha is 1 everywhere.
	Opaque bool
	// One names the only channel with content: "rrr1" is an opaque gray image, "r001" has only red,
	// "111a" has an alpha over white, and "0001" is black. One is empty if several channels have
	// content.
	One string
	// Blue is set if blue is constant.
	Blue bool
	// Gray is the fraction of pixels, from 0 to 1, whose red, green and blue differ by at most an
	// eighth. JPEG compression causes errors of this size in gray images. Red is the fraction of
	// pixels whose green and blue are at most an eighth.
	Gray, Red float64
	// Flat is the fraction of pixels that equal the previous pixel.
	Flat float64
	// Apart is set if two of red, green and blue are uncorrelated. This means that their
	// correlation is below 0.5, or that only one of them has a standard deviation of at least half
	// of 1/255. Apart is false for maps of floats.
	Apart bool
	// Colors is the number of distinct pixel values, including alpha. It is at most one more than
	// the limit passed to Analyse.
	Colors int
	// Fine is set if a map of 16 bits has values that do not fit in 8 bits. For a map of floats, it
	// is set if values do not fit in half-precision floats.
	Fine bool
	// Bright is the fraction of pixels, from 0 to 1, that have a color above 1. Only maps of floats
	// have such pixels.
	Bright float64
	Vectors
}

// Vectors measures how much an image looks like a normal map, whose red, green and blue are x, y
// and z from -1 (stored as 0) to 1 (stored as 1). Black pixels, as between the pieces of an
// unwrapped model, do not count.
type Vectors struct {
	// Unit is the fraction of pixels, from 0 to 1, whose vector points out of the surface (z > 0)
	// and has a length of 1 within 6 %. Near is the same fraction, but with a tolerance of 30 %.
	Unit, Near float64
	// Sphere is the fraction of pixels whose vector has length 1 within 6 % in any direction. It
	// does not count pixels whose vector has length 0.
	Sphere float64
	// Tilt is the larger of the mean vector's x and y. It is near 0 for a normal map, because its
	// vectors point in all directions.
	Tilt float64
}

// Analyse reads all pixels of m. It counts distinct pixel values up to maxColors.
func Analyse(ctx context.Context, m *Map, maxColors int) (Content, error) {
	a := analysis{limit: maxColors, top: 1}
	switch m.Depth() {
	case Bits8:
		a.top = 255
	case Bits16:
		a.top = 65535
	}
	a.scale, a.first = 2/float64(a.top), pixelAt(m, 0)
	a.analyzePixel(a.first)
	err := eachRow(ctx, m, func(from, to int) {
		switch m.Depth() {
		case Float:
			analyzeRow(&a, m.PixF[from:to])
		case Bits16:
			analyzeRow(&a, m.Pix16[from:to])
		default:
			analyzeRow(&a, m.Pix8[from:to])
		}
	})
	if err != nil {
		return Content{}, err
	}
	return a.summarize(), nil
}

// An analysis holds the results for the pixels read so far.
type analysis struct {
	top    float32
	scale  float64 // factor that maps the range [0, top] to [0, 2]
	first  [4]float32
	varies [4]bool    // channels whose values differ between pixels
	differ [4][4]bool // pairs of channels that differ in some pixel
	limit  int
	seen   map[[4]float32]struct{}

	last    [4]float32
	runs    int // number of repetitions of the last pixel that are not counted yet
	fine    bool
	pixels  int
	gray    int
	red     int
	bright  int
	sums    sums
	vectors int
	unit    int
	near    int
	points  int // number of vectors whose length is not 0
	sphere  int
	changes int // number of pixels that differ from the previous pixel
	sumX    float64
	sumY    float64
}

// analyzeRow analyzes a row. It skips pixels that equal the previous pixel, because images have
// many of them.
func analyzeRow[T uint8 | uint16 | float32](a *analysis, row []T) {
	for i := 0; i+4 <= len(row); i += 4 {
		p := row[i : i+4 : i+4]
		if q := [4]float32{float32(p[0]), float32(p[1]), float32(p[2]), float32(p[3])}; q != a.last {
			a.countRepeats()
			a.analyzePixel(q)
		}
		a.runs++
	}
}

// analyzePixel analyzes a pixel that differs from the previous one.
func (a *analysis) analyzePixel(p [4]float32) {
	a.last = p
	a.changes++
	for c, v := range p {
		a.varies[c] = a.varies[c] || v != a.first[c]
		a.fine = a.fine || a.top == 65535 && uint32(v)%257 != 0 || a.top == 1 && !isHalf(v)
	}
	a.differ[0][1] = a.differ[0][1] || p[0] != p[1]
	a.differ[0][2] = a.differ[0][2] || p[0] != p[2]
	a.differ[0][3] = a.differ[0][3] || p[0] != p[3]
	a.differ[1][2] = a.differ[1][2] || p[1] != p[2]
	a.differ[1][3] = a.differ[1][3] || p[1] != p[3]
	a.differ[2][3] = a.differ[2][3] || p[2] != p[3]
	if len(a.seen) <= a.limit {
		if a.seen == nil {
			a.seen = make(map[[4]float32]struct{}, a.limit+1)
		}
		a.seen[p] = struct{}{}
	}
}

// isHalf reports whether a half float can hold v.
func isHalf(v float32) bool {
	bits := math.Float32bits(v)
	switch exponent := int(bits>>23&0xff) - 127; {
	case exponent > 15:
		return false
	case exponent < -14: // 0, or a subnormal half float
		v *= 1 << 24
		return v == float32(math.Trunc(float64(v)))
	}
	return bits&(1<<13-1) == 0
}

// countRepeats counts the last pixel and its repetitions.
func (a *analysis) countRepeats() {
	p, n := a.last, a.runs
	a.runs = 0
	a.pixels += n
	if max(p[0], p[1], p[2])-min(p[0], p[1], p[2]) <= a.top/8 {
		a.gray += n
	}
	if max(p[1], p[2]) <= a.top/8 {
		a.red += n
	}
	if max(p[0], p[1], p[2]) > a.top {
		a.bright += n
	}
	if n > 0 && a.top > 1 {
		a.sums.addToSums(p, uint64(n), a.top > 255)
	}
	if n == 0 || p[0] == 0 && p[1] == 0 && p[2] == 0 {
		return
	}
	x := float64(float64(p[0])*a.scale) - 1
	y := float64(float64(p[1])*a.scale) - 1
	z := float64(float64(p[2])*a.scale) - 1
	a.vectors += n
	a.sumX += float64(x * float64(n))
	a.sumY += float64(y * float64(n))
	square := float64(x*x) + float64(y*y) + float64(z*z)
	isUnit := math.Abs(square-1) < 0.12
	if square > 0.02 {
		a.points += n
	}
	if isUnit {
		a.sphere += n
	}
	if z <= 0 {
		return
	}
	if isUnit {
		a.unit += n
	}
	if square > 0.49 && square < 1.69 {
		a.near += n
	}
}

func (a *analysis) summarize() Content {
	a.countRepeats()
	c := Content{Opaque: !a.varies[3] && a.first[3] == a.top, One: a.onlyChannel(), Blue: !a.varies[2], Colors: len(a.seen), Apart: a.sums.uncorrelated(), Fine: a.fine}
	if n := float64(a.pixels); n > 0 {
		c.Gray, c.Red, c.Flat = float64(a.gray)/n, float64(a.red)/n, 1-float64(a.changes-1)/n
		c.Bright = float64(a.bright) / n
	}
	if n := float64(a.vectors); n > 0 {
		c.Vectors = Vectors{
			Unit: float64(a.unit) / n, Near: float64(a.near) / n,
			Tilt: max(math.Abs(a.sumX), math.Abs(a.sumY)) / n,
		}
	}
	if n := float64(a.points); n > 0 {
		c.Sphere = float64(a.sphere) / n
	}
	return c
}

// Sums holds the sums for the correlations of red, green and blue at 8 bits.
type sums struct {
	pixels  uint64
	of      [3]uint64
	squares [3]uint64
	product [3]uint64 // sums of the products of each channel with the next channel
}

func (s *sums) addToSums(p [4]float32, n uint64, deep bool) {
	v := [3]uint64{uint64(p[0]), uint64(p[1]), uint64(p[2])}
	s.pixels += n
	for i := range v {
		if deep {
			v[i] >>= 8
		}
	}
	for i, x := range v {
		s.of[i] += n * x
		s.squares[i] += n * x * x
		s.product[i] += n * x * v[(i+1)%3]
	}
}

// uncorrelated computes Content.Apart.
func (s *sums) uncorrelated() bool {
	const least = 0.25 // smallest variance of a varying channel
	n := float64(s.pixels)
	mean := func(sum uint64) float64 { return float64(sum) / n }
	variance := func(i int) float64 { return mean(s.squares[i]) - float64(mean(s.of[i])*mean(s.of[i])) }
	for i := range s.of {
		j := (i + 1) % 3
		one, other := variance(i), variance(j)
		if one < least || other < least {
			if max(one, other) >= least {
				return true
			}
			continue
		}
		covariance := mean(s.product[i]) - float64(mean(s.of[i])*mean(s.of[j]))
		if covariance <= 0 || float64(4*covariance*covariance) < float64(one*other) {
			return true
		}
	}
	return false
}

// onlyChannel computes Content.One.
func (a *analysis) onlyChannel() string {
	var word [4]byte
	carrier := -1 // first channel that is not constantly 0 or 1
	for c := range word {
		switch {
		case !a.varies[c] && a.first[c] == 0:
			word[c] = '0'
		case !a.varies[c] && a.first[c] == a.top:
			word[c] = '1'
		case carrier < 0:
			carrier = c
			word[c] = "rgba"[c]
		case a.differ[carrier][c]:
			return ""
		default:
			word[c] = "rgba"[carrier]
		}
	}
	return string(word[:])
}

// Gray sets red, green and blue of m to their luma, with the weights of JPEG (BT.601). It leaves
// maps of floats unchanged.
func Gray(ctx context.Context, m *Map) error {
	return eachRow(ctx, m, func(from, to int) {
		for i := from; i < to; i += 4 {
			switch {
			case m.Pix8 != nil:
				p := m.Pix8[i : i+3 : i+3]
				y := uint8(luma(uint32(p[0]), uint32(p[1]), uint32(p[2])))
				p[0], p[1], p[2] = y, y, y
			case m.Pix16 != nil:
				p := m.Pix16[i : i+3 : i+3]
				y := uint16(luma(uint32(p[0]), uint32(p[1]), uint32(p[2])))
				p[0], p[1], p[2] = y, y, y
			}
		}
	})
}

// luma weights the channels by 0.299, 0.587 and 0.114, in units of 1/65536. Values have up to 16
// bits.
func luma(r, g, b uint32) uint32 {
	return uint32((uint64(r)*19595 + uint64(g)*38470 + uint64(b)*7471 + 1<<15) >> 16)
}

// pixelAt returns the i-th pixel.
func pixelAt(m *Map, i int) [4]float32 {
	var p [4]float32
	for c := range p {
		switch m.Depth() {
		case Float:
			p[c] = m.PixF[4*i+c]
		case Bits16:
			p[c] = float32(m.Pix16[4*i+c])
		default:
			p[c] = float32(m.Pix8[4*i+c])
		}
	}
	return p
}

// Opaque reports whether alpha is 1 everywhere.
func Opaque(ctx context.Context, m *Map) (bool, error) {
	opaque := true
	err := eachRow(ctx, m, func(from, to int) {
		for i := from + 3; i < to && opaque; i += 4 {
			switch m.Depth() {
			case Float:
				opaque = m.PixF[i] >= 1
			case Bits16:
				opaque = m.Pix16[i] == 65535
			default:
				opaque = m.Pix8[i] == 255
			}
		}
	})
	return opaque, err
}
