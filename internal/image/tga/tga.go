// Package tga decodes Truevision TGA pictures: color-mapped, true-color and gray ones, plain or
// run-length encoded, of 8 to 32 bits a pixel and with the origin at any corner.
//
// The layout follows "Truevision TGA File Format Specification", version 2.0. The format has no
// magic number: nearly any file could be a TGA. The data after the pixels (developer area,
// extension area, footer) is not read.
package tga

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
)

// HeaderSize is the least number of bytes that ReadHeader needs.
const HeaderSize = 18

// A Header describes a file; it is its first bytes.
type Header struct {
	Width, Height int
	Depth         int // bits a pixel: 8, 15, 16, 24 or 32
	kind          kind
	packed        bool // run-length encoded
	alphaBits     int
	rightToLeft   bool
	topDown       bool
	idSize        int

	mapFirst, mapSize int // the index of the first color, and their number
	mapDepth          int // bits a color; 0 without a color map
}

type kind byte

const (
	mapped    kind = 1
	trueColor kind = 2
	gray      kind = 3
)

// ReadHeader reads and checks the header at the start of a file. It fails for every header that
// Decode would refuse.
func ReadHeader(b []byte) (Header, error) {
	if len(b) < HeaderSize {
		return Header{}, fmt.Errorf("tga: header: %w", io.ErrUnexpectedEOF)
	}
	word := func(i int) int { return int(b[i]) | int(b[i+1])<<8 }
	h := Header{
		Width: word(12), Height: word(14), Depth: int(b[16]),
		kind: kind(b[2] &^ 8), packed: b[2]&8 != 0,
		alphaBits: int(b[17] & 15), rightToLeft: b[17]&16 != 0, topDown: b[17]&32 != 0,
		idSize: int(b[0]),
	}
	switch {
	case b[2] == 0:
		return Header{}, errors.New("tga: file without a picture (image type 0)")
	case h.kind < mapped || h.kind > gray:
		return Header{}, fmt.Errorf("tga: unknown image type %d", b[2])
	case b[1] > 1:
		return Header{}, fmt.Errorf("tga: unknown color map type %d", b[1])
	case b[17]>>6 != 0:
		return Header{}, errors.New("tga: interleaved rows are not supported")
	case h.Width == 0 || h.Height == 0:
		return Header{}, fmt.Errorf("tga: picture of %d x %d pixels", h.Width, h.Height)
	}
	if b[1] == 1 {
		h.mapFirst, h.mapSize, h.mapDepth = word(3), word(5), int(b[7])
	}
	return h, h.check()
}

func (h *Header) check() error {
	depths := map[kind][]int{mapped: {8, 16}, trueColor: {15, 16, 24, 32}, gray: {8, 16}}
	if !oneOf(h.Depth, depths[h.kind]) {
		return fmt.Errorf("tga: image type %d with %d bits a pixel is not supported", h.kind, h.Depth)
	}
	if h.kind == mapped && h.mapSize == 0 {
		return errors.New("tga: color-mapped picture without a color map")
	}
	// A true-color picture may have an unused color map.
	if h.mapSize > 0 && !oneOf(h.mapDepth, []int{15, 16, 24, 32}) {
		return fmt.Errorf("tga: color map of %d bits a color is not supported", h.mapDepth)
	}
	if h.alphaBits > 8 {
		return fmt.Errorf("tga: %d bits of alpha", h.alphaBits)
	}
	return nil
}

// Bits returns how many bits the file stores for a channel of a pixel or, in a
// color-mapped picture, for a pixel.
func (h Header) Bits() int {
	switch {
	case h.kind == mapped:
		return h.Depth
	case h.kind == trueColor && h.Depth <= 16:
		return 5
	}
	return 8
}

// LeastBytes returns the size of the smallest file that can have this header.
func (h Header) LeastBytes() int64 {
	pixels, size := int64(h.Width)*int64(h.Height), int64((h.Depth+7)/8)
	before := int64(HeaderSize+h.idSize) + int64(h.mapSize)*int64((h.mapDepth+7)/8)
	if h.packed {
		return before + (pixels+maxRun-1)/maxRun*(1+size)
	}
	return before + pixels*size
}

// maxRun is the most pixels of a run-length packet.
const maxRun = 128

// A Picture is a decoded file.
type Picture struct {
	Width, Height int
	Pix           []byte // red, green, blue and straight alpha, in rows from the top left
	Alpha         Alpha
}

// Alpha says whether bytes of alpha agree with the header.
type Alpha byte

const (
	Declared   Alpha = iota // the header declares its bits, or there is none
	Undeclared              // undeclared, but not 0 everywhere: it was kept
	Zero                    // undeclared and 0 everywhere: it was made opaque
)

// Decode decodes a whole file.
func Decode(ctx context.Context, data []byte) (*Picture, error) {
	h, err := ReadHeader(data)
	if err != nil {
		return nil, err
	}
	if int64(len(data)) < h.LeastBytes() {
		return nil, fmt.Errorf("tga: pixels: %w", io.ErrUnexpectedEOF)
	}
	if int64(h.Width)*int64(h.Height) > math.MaxInt/4 {
		return nil, errors.New("tga: picture is too large for this machine's addresses")
	}
	d := decoder{ctx: ctx, data: data[HeaderSize+h.idSize:], header: h}
	if err := d.readMap(); err != nil {
		return nil, err
	}
	pix, err := d.pixels()
	if err != nil {
		return nil, err
	}
	arrange(pix, h)
	p := &Picture{Width: h.Width, Height: h.Height, Pix: pix}
	if h.alphaBits == 0 && h.alphaByte() {
		p.Alpha = judgeAlpha(pix)
	}
	return p, nil
}

// alphaByte reports whether pixels or colors of the map have an alpha byte.
func (h *Header) alphaByte() bool {
	switch h.kind {
	case gray:
		return h.Depth == 16
	case mapped:
		return h.mapDepth == 32
	}
	return h.Depth == 32
}

func oneOf(n int, list []int) bool {
	for _, v := range list {
		if v == n {
			return true
		}
	}
	return false
}
