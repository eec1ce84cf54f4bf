// Package qoi decodes images in the "Quite OK Image" format.
//
// The layout follows "The Quite OK Image Format for Fast, Lossless
// Compression", specification version 1.0 of 5 January 2022.
package qoi

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"math"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// HeaderSize is the number of bytes that ReadHeader needs.
const HeaderSize = 14

// A Header is the header at the start of a file.
type Header struct {
	Width, Height int
	// Channels is 3 or 4, where 4 means that alpha is meaningful. The decoder keeps the alpha of
	// the pixels in both cases.
	Channels int
	// Linear is set if colors are linear light. Otherwise they are sRGB with linear alpha. The
	// decoder does not convert colors.
	Linear bool
}

// ReadHeader reads and checks a header. It returns an error for every header that Decode would
// refuse.
func ReadHeader(r io.Reader) (Header, error) {
	var b [HeaderSize]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return Header{}, fmt.Errorf("qoi: header: %w", pixmap.UnexpectedEOF(err))
	}
	w, h := binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])
	switch {
	case string(b[:4]) != "qoif":
		return Header{}, errors.New("qoi: the file does not start with \"qoif\"")
	case w == 0 || h == 0 || w > math.MaxInt32 || h > math.MaxInt32:
		return Header{}, fmt.Errorf("qoi: header claims %d x %d pixels, which is out of range", w, h)
	case b[12] != 3 && b[12] != 4:
		return Header{}, fmt.Errorf("qoi: header claims %d channels, want 3 or 4", b[12])
	case b[13] > 1:
		return Header{}, fmt.Errorf("qoi: color space %d is not supported; save the image again", b[13])
	}
	return Header{Width: int(w), Height: int(h), Channels: int(b[12]), Linear: b[13] == 1}, nil
}

// maxRun is the maximum number of pixels that one byte can encode.
const maxRun = 62

// LeastBytes returns the size of the smallest possible file with this header.
func (h Header) LeastBytes() int64 {
	pixels := int64(h.Width) * int64(h.Height) // the product is less than 2^62
	return HeaderSize + (pixels-1)/maxRun + 1 + int64(len(end))
}

// end is the end marker after the last pixel.
const end = "\x00\x00\x00\x00\x00\x00\x00\x01"

// Decode decodes a file of size bytes to red, green, blue and alpha, row by row from the top. A
// file that is too short for its header is refused before anything is allocated.
func Decode(r io.Reader, size int64) (*image.NRGBA, error) {
	buffered := bufio.NewReader(r)
	h, err := ReadHeader(buffered)
	if err != nil {
		return nil, err
	}
	if err := pixmap.CheckPixels(size, h.LeastBytes(), h.Width, h.Height, 4); err != nil {
		return nil, fmt.Errorf("qoi: %w", err)
	}
	img := image.NewNRGBA(image.Rect(0, 0, h.Width, h.Height))
	d := decoder{r: buffered, last: pixel{3: 255}, pix: img.Pix[:0]}
	if err := d.readRuns(); err != nil {
		return nil, fmt.Errorf("qoi: after %d of %d pixels: %w", len(d.pix)/4, len(img.Pix)/4, pixmap.UnexpectedEOF(err))
	}
	var tail [len(end)]byte
	if _, err := io.ReadFull(buffered, tail[:]); err != nil {
		return nil, fmt.Errorf("qoi: end: %w", pixmap.UnexpectedEOF(err))
	}
	if string(tail[:]) != end {
		return nil, errors.New("qoi: the file has data after its last pixel; save the image again")
	}
	return img, nil
}

// A pixel is red, green, blue and straight alpha.
type pixel [4]byte

// seenSlot returns the index of the pixel in decoder.seen.
func (p pixel) seenSlot() byte { return (p[0]*3 + p[1]*5 + p[2]*7 + p[3]*11) % 64 }

type decoder struct {
	r    *bufio.Reader
	pix  []byte // decoded pixels, with capacity for the whole image
	last pixel
	seen [64]pixel // latest pixel of each hash
}

// readRuns decodes all pixels. The upper two bits of a byte select its operation. The two bytes
// that would be the longest runs are tags for whole pixels.
func (d *decoder) readRuns() error {
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
		case b>>6 == 0: // index of a pixel that was seen before
			p = d.seen[b]
		case b>>6 == 1: // small difference from the previous pixel
			p[0] += b>>4&3 - 2
			p[1] += b>>2&3 - 2
			p[2] += b&3 - 2
		case b>>6 == 2: // difference of green, and of red and blue relative to green
			var more byte
			more, err = d.r.ReadByte()
			green := b&63 - 32
			p[0] += green + more>>4 - 8
			p[1] += green
			p[2] += green + more&15 - 8
		default: // repetitions of the previous pixel
			run = int(b&63) + 1
		}
		if err != nil {
			return err
		}
		if left := (cap(d.pix) - len(d.pix)) / 4; run > left {
			return fmt.Errorf("a run has %d pixels, but the image has only %d more; save the image again", run, left)
		}
		d.last, d.seen[p.seenSlot()] = p, p
		for range run {
			d.pix = append(d.pix, p[:]...)
		}
	}
	return nil
}
