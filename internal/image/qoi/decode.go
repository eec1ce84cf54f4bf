package qoi

import (
	"bufio"
	"fmt"
	"io"
)

// A pixel is red, green, blue and straight alpha.
type pixel [4]byte

// slot is where a pixel is remembered.
func (p pixel) slot() byte { return (p[0]*3 + p[1]*5 + p[2]*7 + p[3]*11) % 64 }

type decoder struct {
	r    *bufio.Reader
	pix  []byte    // its capacity is the whole picture
	last pixel     // the pixel before
	seen [64]pixel // what was last in each slot
}

// pixels reads all pixels. A byte tells by its upper bits what it means; those
// of all ones are tags, of which two are taken from the longest runs.
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
		case b>>6 == 2: // a difference of green, and those of red and blue from it
			var more byte
			more, err = d.r.ReadByte()
			green := b&63 - 32
			p[0] += green + more>>4 - 8
			p[1] += green
			p[2] += green + more&15 - 8
		default: // the same again
			run = int(b&63) + 1
		}
		if err != nil {
			return err
		}
		if left := (cap(d.pix) - len(d.pix)) / 4; run > left {
			return fmt.Errorf("a run of %d pixels where %d are left", run, left)
		}
		d.last, d.seen[p.slot()] = p, p
		for range run {
			d.pix = append(d.pix, p[:]...)
		}
	}
	return nil
}
