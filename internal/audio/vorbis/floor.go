package vorbis

import "errors"

// A floor is the rough shape of a channel's spectrum.
type floor interface {
	// read reads a packet's curve. It returns false if there is none, so that
	// the channel is silent.
	read(r *bitReader, books []codebook, c *curve) bool
	// apply multiplies a spectrum with a curve that was read.
	apply(c *curve, spectrum []float32)
}

// A curve is what a packet says of one channel's floor.
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
