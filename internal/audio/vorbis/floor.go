package vorbis

import (
	"errors"
	"math"

	"github.com/assetcook/assetcook/internal/detmath"
)

// A floor is the rough shape of a channel's spectrum.
type floor interface {
	// read reads a packet's curve. It returns false if the packet has none, so that the channel is
	// silent.
	read(r *bitReader, books []codebook, c *curve) bool
	// apply multiplies a spectrum by a curve.
	apply(c *curve, spectrum []float32)
}

// A curve is one channel's floor in a packet.
type curve struct {
	heights   [maxPoints]int // of type 1: of the points
	amplitude uint64         // of type 0
	cosines   []float64      // of type 0: of the line spectral frequencies
}

func (d *decoder) readFloor(r *bitReader) (floor, error) {
	switch r.bits(16) {
	case 0:
		return d.readFloor0(r)
	case 1:
		return d.readFloor1(r)
	}
	return nil, errors.New("an unknown floor type")
}

// A floor0 is the envelope of a linear predictor, given by its line spectral frequencies: floor
// type 0 (section 6), which only the first encoders used.
type floor0 struct {
	order    int
	bits     uint    // of the amplitude
	offset   float64 // dB
	books    []int
	places   int      // number of places on the bark scale
	placesOf [2][]int // by line of short and long blocks
}

func (d *decoder) readFloor0(r *bitReader) (*floor0, error) {
	f := &floor0{order: int(r.bits(8))}
	rate := float64(r.bits(16))
	f.places = int(r.bits(16))
	f.bits = uint(r.bits(6))
	f.offset = float64(r.bits(8))
	f.books = make([]int, r.bits(4)+1)
	if f.order == 0 || rate == 0 || f.places == 0 || f.bits == 0 {
		return nil, errors.New("a floor that is empty")
	}
	for i := range f.books {
		f.books[i] = int(r.bits(8))
		if f.books[i] >= len(d.books) || !d.books[f.books[i]].isVector {
			return nil, errors.New("a floor refers to a missing codebook")
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

// bark converts a frequency in Hz to the bark scale of hearing.
func bark(hz float64) float64 {
	return float64(13.1*detmath.Atan(0.00074*hz)) + float64(2.24*detmath.Atan(1.85e-8*hz*hz)) + float64(1e-4*hz)
}

// read implements floor.
func (f *floor0) read(r *bitReader, books []codebook, c *curve) bool {
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
		for _, v := range book.vector(r) {
			sum = float64(v) + last
			c.cosines = append(c.cosines, detmath.CosPi(sum/math.Pi))
		}
		last = sum
	}
	return !r.short
}

// apply implements floor (section 6.2.3).
func (f *floor0) apply(c *curve, spectrum []float32) {
	places := f.placesOf[0]
	if len(spectrum) != len(places) {
		places = f.placesOf[1]
	}
	full := math.Ldexp(1, int(f.bits)) - 1
	height := float64(c.amplitude) * f.offset / full
	for i := 0; i < len(spectrum); {
		place := places[i]
		db := height/math.Sqrt(f.power(c, detmath.CosPi(float64(place)/float64(f.places)))) - f.offset
		gain := float32(detmath.Gain(db))
		for ; i < len(spectrum) && places[i] == place; i++ {
			spectrum[i] *= gain
		}
	}
}

// power returns the predictor's power at the frequency whose cosine is w.
func (f *floor0) power(c *curve, w float64) float64 {
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
