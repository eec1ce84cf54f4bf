package vorbis

import (
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/assetcook/assetcook/internal/detmath"
)

// A floor is an encoding of the spectral envelope of a channel.
type floor interface {
	// readCurve reads a packet's envelope. It returns false if the packet has none, which means
	// that the channel is silent.
	readCurve(r *bitReader, books []codebook, c *curve) bool
	// applyCurve multiplies a spectrum by an envelope.
	applyCurve(c *curve, spectrum []float32)
}

// A curve is the envelope of one channel in a packet.
type curve struct {
	heights   [maxPoints]int // heights of the points of a type 1 floor
	amplitude uint64         // amplitude of the envelope in a type 0 floor
	cosines   []float64      // line spectral frequencies of a type 0 floor
}

func (d *decoder) readFloor(r *bitReader) (floor, error) {
	switch r.bits(16) {
	case 0:
		return d.readFloor0(r)
	case 1:
		return d.readFloor1(r)
	}
	return nil, errors.New("a floor has an unknown type; the file is damaged")
}

// A floor0 is a floor of type 0 (section 6), which only the first encoders used: the envelope of a
// linear predictor, given by its line spectral frequencies.
type floor0 struct {
	order    int
	bits     uint    // number of bits of the amplitude
	offset   float64 // offset of the amplitude in dB
	books    []int
	places   int      // number of positions on the bark scale
	placesOf [2][]int // position of each line in short and long blocks
}

func (d *decoder) readFloor0(r *bitReader) (*floor0, error) {
	f := &floor0{order: int(r.bits(8))}
	rate := float64(r.bits(16))
	f.places = int(r.bits(16))
	f.bits = uint(r.bits(6))
	f.offset = float64(r.bits(8))
	f.books = make([]int, r.bits(4)+1)
	if f.order == 0 || rate == 0 || f.places == 0 || f.bits == 0 {
		return nil, errors.New("a floor is empty; the file is damaged")
	}
	for i := range f.books {
		f.books[i] = int(r.bits(8))
		if f.books[i] >= len(d.books) || !d.books[f.books[i]].isVector {
			return nil, errors.New("a floor refers to a missing codebook; the file is damaged")
		}
	}
	for size, block := range d.block {
		n := block / 2
		f.placesOf[size] = make([]int, n)
		for i := range n {
			b := bark(rate*float64(i)/float64(2*n)) * float64(f.places) / bark(rate/2)
			f.placesOf[size][i] = min(f.places-1, int(math.Floor(b)))
		}
	}
	return f, nil
}

// bark converts a frequency in Hz to the psychoacoustic bark scale.
func bark(hz float64) float64 {
	return float64(13.1*detmath.Atan(0.00074*hz)) + float64(2.24*detmath.Atan(1.85e-8*hz*hz)) + float64(1e-4*hz)
}

// readCurve implements the interface floor.
func (f *floor0) readCurve(r *bitReader, books []codebook, c *curve) bool {
	low := min(f.bits, 32)
	c.amplitude = uint64(r.bits(low)) | uint64(r.bits(f.bits-low))<<low
	if c.amplitude == 0 {
		return false
	}
	number := int(r.bits(ilog(uint32(len(f.books)))))
	if number >= len(f.books) {
		return false
	}
	book := &books[f.books[number]]
	c.cosines = c.cosines[:0]
	last := 0.0
	for len(c.cosines) < f.order && !r.short {
		sum := 0.0
		for _, v := range book.readVector(r) {
			sum = float64(v) + last
			c.cosines = append(c.cosines, detmath.CosPi(sum/math.Pi))
		}
		last = sum
	}
	return !r.short
}

// applyCurve implements the interface floor (section 6.2.3).
func (f *floor0) applyCurve(c *curve, spectrum []float32) {
	places := f.placesOf[0]
	if len(spectrum) != len(places) {
		places = f.placesOf[1]
	}
	full := math.Ldexp(1, int(f.bits)) - 1
	height := float64(c.amplitude) * f.offset / full
	for i := 0; i < len(spectrum); {
		place := places[i]
		db := height/math.Sqrt(f.powerAt(c, detmath.CosPi(float64(place)/float64(f.places)))) - f.offset
		gain := float32(detmath.Gain(db))
		for ; i < len(spectrum) && places[i] == place; i++ {
			spectrum[i] *= gain
		}
	}
}

// powerAt returns the predictor's power at the frequency whose cosine is w.
func (f *floor0) powerAt(c *curve, w float64) float64 {
	p, q := (1-w)/2, (1+w)/2
	if f.order%2 == 1 {
		p, q = 1-float64(w*w), 0.25
	}
	for j, v := range c.cosines[:f.order] {
		factor := 4 * float64((v-w)*(v-w))
		if j%2 == 1 {
			p *= factor
		} else {
			q *= factor
		}
	}
	return float64(p) + float64(q)
}

// A floor1 is a floor of type 1 (section 7), a curve of line segments.
type floor1 struct {
	partitions []uint8 // class of each partition
	classes    []floorClass
	multiplier int
	x          []int // positions of the curve's points, in stream order
	sorted     []int // indices of x, sorted by position
	low, high  []int // indices of the nearest earlier points on both sides, for points from x[2] on
}

const maxPoints = 65

type floorClass struct {
	dimensions int
	subclasses uint
	master     int
	books      []int // index of each codebook; -1 means none
}

func (d *decoder) readFloor1(r *bitReader) (*floor1, error) {
	f := &floor1{partitions: make([]uint8, r.bits(5))}
	classes := 0
	for i := range f.partitions {
		f.partitions[i] = uint8(r.bits(4))
		classes = max(classes, int(f.partitions[i])+1)
	}
	f.classes = make([]floorClass, classes)
	for i := range f.classes {
		c := &f.classes[i]
		c.dimensions = int(r.bits(3)) + 1
		c.subclasses = uint(r.bits(2))
		if c.subclasses > 0 {
			c.master = int(r.bits(8))
		}
		c.books = make([]int, 1<<c.subclasses)
		for j := range c.books {
			c.books[j] = int(r.bits(8)) - 1
		}
		if slices.Max(append(c.books, c.master)) >= len(d.books) {
			return nil, errors.New("a floor refers to a missing codebook; the file is damaged")
		}
	}
	f.multiplier = int(r.bits(2)) + 1
	width := uint(r.bits(4))
	f.x = []int{0, 1 << width}
	for _, class := range f.partitions {
		for range f.classes[class].dimensions {
			f.x = append(f.x, int(r.bits(width)))
		}
	}
	if len(f.x) > maxPoints {
		return nil, errors.New("a floor has too many points; the file is damaged")
	}
	return f, f.sortPoints()
}

// sortPoints finds the neighbors of each point and sorts the points.
func (f *floor1) sortPoints() error {
	f.low, f.high = make([]int, len(f.x)), make([]int, len(f.x))
	for i := range f.x {
		f.sorted = append(f.sorted, i)
		high := 1
		for j := range i {
			switch {
			case f.x[j] == f.x[i]:
				return errors.New("a floor has two points at the same place; the file is damaged")
			case f.x[j] < f.x[i] && f.x[j] >= f.x[f.low[i]]:
				f.low[i] = j
			case f.x[j] > f.x[i] && f.x[j] <= f.x[high]:
				high = j
			}
		}
		f.high[i] = high
	}
	slices.SortFunc(f.sorted, func(a, b int) int { return f.x[a] - f.x[b] })
	return nil
}

// ranges are the numbers of possible heights of a point, by multiplier.
var ranges = [...]int{256, 128, 86, 64}

// readCurve reads the curve of one packet. It returns false if the packet has no curve, which means
// that the channel is silent.
func (f *floor1) readCurve(r *bitReader, books []codebook, c *curve) bool {
	if !r.readFlag() {
		return false
	}
	y := &c.heights
	width := ilog(uint32(ranges[f.multiplier-1] - 1))
	y[0], y[1] = int(r.bits(width)), int(r.bits(width))
	i := 2
	for _, class := range f.partitions {
		class := &f.classes[class]
		choice := 0
		if class.subclasses > 0 {
			choice = books[class.master].readCodeEntry(r)
		}
		for range class.dimensions {
			y[i] = 0
			if book := class.books[choice&(1<<class.subclasses-1)]; book >= 0 {
				y[i] = books[book].readCodeEntry(r)
			}
			choice >>= class.subclasses
			i++
		}
	}
	return !r.short
}

// applyCurve multiplies a spectrum by a curve (section 7.2.4).
func (f *floor1) applyCurve(c *curve, spectrum []float32) {
	y := &c.heights
	used := f.unwrap(y)
	gains := floorGains()
	gain := func(y int) float32 { return gains[min(max(y, 0), 255)] }

	x0, y0 := 0, y[0]*f.multiplier
	for _, i := range f.sorted[1:] {
		if !used[i] {
			continue
		}
		x1, y1 := f.x[i], y[i]*f.multiplier
		// Draw the line with Bresenham's algorithm, which uses integers.
		step, width := (y1-y0)/(x1-x0), x1-x0
		rest, sign := abs(y1-y0)-abs(step)*width, 1
		if y1 < y0 {
			sign = -1
		}
		height, err := y0, 0
		for x := x0; x < min(x1, len(spectrum)); x++ {
			spectrum[x] *= gain(height)
			height += step
			if err += rest; err >= width {
				err -= width
				height += sign
			}
		}
		x0, y0 = x1, y1
	}
	for x := x0; x < len(spectrum); x++ {
		spectrum[x] *= gain(y0)
	}
}

// unwrap converts the differences from predictions to heights. It also reports for each point
// whether the curve contains it.
func (f *floor1) unwrap(y *[maxPoints]int) (used [maxPoints]bool) {
	used[0], used[1] = true, true
	for i := 2; i < len(f.x); i++ {
		low, high := f.low[i], f.high[i]
		predicted := lineHeight(f.x[low], y[low], f.x[high], y[high], f.x[i])
		v := y[i]
		used[i] = v != 0
		y[i] = predicted
		if v == 0 {
			continue
		}
		used[low], used[high] = true, true
		above, below := ranges[f.multiplier-1]-predicted, predicted
		switch room := 2 * min(above, below); {
		case v >= room && above > below:
			y[i] = v - below + predicted
		case v >= room:
			y[i] = predicted - v + above - 1
		case v%2 == 1:
			y[i] = predicted - (v+1)/2
		default:
			y[i] = predicted + v/2
		}
	}
	return used
}

// lineHeight returns the height at x of the line through two points (section 9.2.6), rounded
// towards the first point.
func lineHeight(x0, y0, x1, y1, x int) int {
	off := abs(y1-y0) * (x - x0) / (x1 - x0)
	if y1 < y0 {
		return y0 - off
	}
	return y0 + off
}

func abs(x int) int { return max(x, -x) }

// floorGains is the table in section 10.1 of the specification, within 6e-8. Its entries are equal
// steps in decibels, up to 0 dB.
var floorGains = sync.OnceValue(func() *[256]float32 {
	g := new([256]float32)
	for i := range g {
		g[i] = float32(detmath.Gain(float64(i-255) * 0.54687498))
	}
	return g
})
