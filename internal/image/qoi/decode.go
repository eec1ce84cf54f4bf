package qoi

import (
	"bufio"
	"fmt"
	"io"
)

// A pixel is red, green, blue and straight alpha.
type pixel [4]byte

// slot returns the index of the pixel in decoder.seen.
func (p pixel) slot() byte { return (p[0]*3 + p[1]*5 + p[2]*7 + p[3]*11) % 64 }

type decoder struct {
	r    *bufio.Reader
	pix  []byte    // has capacity for the whole picture
	last pixel     // the previous pixel
	seen [64]pixel // the last pixel of each slot
}

// pixels reads all pixels. The upper two bits of a byte are its operation; two tags replace the
// longest runs.
func (d *decoder) pixels() error {
	const (
		tagRGB  = 0xfe
		tagRGBA = 0xff
	)
	for len(d.pix) < cap(d.pix) {
		b, err := d.r.ReadByte()
		if err != nil {
			return err
		}
		p, run := d.last, 1
		switch {
		case b == tagRGB:
			_, err = io.ReadFull(d.r, p[:3])
		case b == tagRGBA:
			_, err = io.ReadFull(d.r, p[:4])
		case b>>6 == 0: // a pixel seen before
			p = d.seen[b]
		case b>>6 == 1: // a small difference
			p[0] += b>>4&3 - 2
			p[1] += b>>2&3 - 2
			p[2] += b&3 - 2
		case b>>6 == 2: // differences of green, and of red and blue from green
			var more byte
			more, err = d.r.ReadByte()
			green := b&63 - 32
			p[0] += green + more>>4 - 8
			p[1] += green
			p[2] += green + more&15 - 8
		default: // the same pixel again
			run = int(b&63) + 1
		}
		if err != nil {
			return err
		}
		if left := (cap(d.pix) - len(d.pix)) / 4; run > left {
			return fmt.Errorf("a run of %d pixels, but only %d are left", run, left)
		}
		d.last, d.seen[p.slot()] = p, p
		for range run {
			d.pix = append(d.pix, p[:]...)
		}
	}
	return nil
}
