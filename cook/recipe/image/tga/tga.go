// Package tga decodes Truevision TGA pictures: colour-mapped, true-colour and
// grey ones, plain or run-length encoded, of 8 to 32 bits a pixel and any
// corner as their origin.
//
// The layout follows "Truevision TGA File Format Specification", version 2.0.
// The format has no magic number, so this package does not register itself
// with package image: nearly any file would be taken for a TGA. What follows
// the pixels (developer area, extension area, footer) is not read.
package tga

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
)

// HeaderSize is how many bytes ReadHeader needs.
const HeaderSize = 18

// A Header is what the first bytes of a file say of it.
type Header struct {
	Width, Height int
	Depth         int // bits a pixel: 8, 15, 16, 24 or 32
	kind          kind
	packed        bool // run-length encoded
	alphaBits     int
	rightToLeft   bool
	topDown       bool
	idSize        int

	mapFirst, mapSize int // the index of the first colour, and how many
	mapDepth          int // bits a colour; 0 without a colour map
}

type kind byte

const (
	mapped    kind = 1
	trueColor kind = 2
	grey      kind = 3
)

// ReadHeader reads and checks a header. It fails for whatever Decode would not
// decode on account of its header.
func ReadHeader(r io.Reader) (Header, error) {
	var b [HeaderSize]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return Header{}, fmt.Errorf("tga: header: %w", unexpected(err))
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
		return Header{}, errors.New("tga: file holds no picture (image type 0)")
	case h.kind < mapped || h.kind > grey:
		return Header{}, fmt.Errorf("tga: unknown image type %d", b[2])
	case b[1] > 1:
		return Header{}, fmt.Errorf("tga: unknown colour map type %d", b[1])
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
	depths := map[kind][]int{mapped: {8, 16}, trueColor: {15, 16, 24, 32}, grey: {8, 16}}
	if !oneOf(h.Depth, depths[h.kind]) {
		return fmt.Errorf("tga: image type %d with %d bits a pixel is not supported", h.kind, h.Depth)
	}
	if h.kind == mapped && h.mapSize == 0 {
		return errors.New("tga: colour-mapped picture without a colour map")
	}
	// A true-colour picture may carry a map that it does not use.
	if h.mapSize > 0 && !oneOf(h.mapDepth, []int{15, 16, 24, 32}) {
		return fmt.Errorf("tga: colour map of %d bits a colour is not supported", h.mapDepth)
	}
	if h.alphaBits > 8 {
		return fmt.Errorf("tga: %d bits of alpha", h.alphaBits)
	}
	return nil
}

// Bits returns how many bits the file stores for a channel of a pixel or, in a
// colour-mapped picture, for a pixel.
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

// maxRun is how many pixels one packet of run-length encoding can stand for.
const maxRun = 128

// DecodeConfig returns a picture's size without decoding it.
func DecodeConfig(r io.Reader) (image.Config, error) {
	h, err := ReadHeader(r)
	return image.Config{ColorModel: color.NRGBAModel, Width: h.Width, Height: h.Height}, err
}

// Decode decodes a picture into an *image.NRGBA. Alpha counts only as far as
// the header says that there is any. Memory grows with what r delivers, not
// with what the header claims: at most 512 bytes for one of r's.
func Decode(r io.Reader) (image.Image, error) {
	h, err := ReadHeader(r)
	if err != nil {
		return nil, err
	}
	if int64(h.Width)*int64(h.Height) > math.MaxInt/4 {
		return nil, errors.New("tga: picture is too large for this machine's addresses")
	}
	buffered := bufio.NewReader(r)
	if _, err := io.CopyN(io.Discard, buffered, int64(h.idSize)); err != nil {
		return nil, fmt.Errorf("tga: image ID: %w", unexpected(err))
	}
	colors, err := readMap(buffered, h)
	if err != nil {
		return nil, err
	}
	d := decoder{r: buffered, header: h, colors: colors}
	pix, err := d.pixels()
	if err != nil {
		return nil, err
	}
	arrange(pix, h)
	return &image.NRGBA{Pix: pix, Stride: 4 * h.Width, Rect: image.Rect(0, 0, h.Width, h.Height)}, nil
}

func oneOf(n int, list []int) bool {
	for _, v := range list {
		if v == n {
			return true
		}
	}
	return false
}

// unexpected says that the end of the file is not where it should be.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
