// Package tga decodes Truevision TGA images: color-mapped, true-color and grayscale, uncompressed
// or run-length encoded, with 8 to 32 bits per pixel and the origin at any corner.
//
// The layout follows "Truevision TGA File Format Specification", version 2.0. The format has no
// magic number, so nearly any file could be a TGA. Of the data after the pixels (developer area,
// extension area, footer), the package reads only the meaning of alpha.
package tga

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// HeaderSize is the minimum number of bytes that ReadHeader needs.
const HeaderSize = 18

// A Header is the header at the start of a file.
type Header struct {
	Width, Height int
	Depth         int // bits per pixel: 8, 15, 16, 24 or 32
	kind          kind
	packed        bool // true if pixels are run-length encoded
	alphaBits     int
	rightToLeft   bool
	topDown       bool
	idSize        int

	mapFirst, mapSize int // index of the first color in the map, and number of colors
	mapDepth          int // bits per color of the map; 0 without a color map
}

type kind byte

const (
	mapped    kind = 1
	trueColor kind = 2
	gray      kind = 3
)

// ReadHeader reads and checks the header at the start of a file. It returns an error for every
// header that Decode would refuse.
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
		return Header{}, errors.New("tga: the file has no image (image type 0); save it again")
	case h.kind < mapped || h.kind > gray:
		return Header{}, fmt.Errorf("tga: image type %d is unknown; save the image again", b[2])
	case b[1] > 1:
		return Header{}, fmt.Errorf("tga: color map type %d is unknown; save the image again", b[1])
	case b[17]>>6 != 0:
		return Header{}, errors.New("tga: interleaved rows are not supported; save the image without interleaving")
	case h.Width == 0 || h.Height == 0:
		return Header{}, fmt.Errorf("tga: header claims %d x %d pixels, which is out of range", h.Width, h.Height)
	}
	if b[1] == 1 {
		h.mapFirst, h.mapSize, h.mapDepth = word(3), word(5), int(b[7])
	}
	return h, h.checkSupported()
}

func (h *Header) checkSupported() error {
	depths := map[kind][]int{mapped: {8, 16}, trueColor: {15, 16, 24, 32}, gray: {8, 16}}
	if !slices.Contains(depths[h.kind], h.Depth) {
		return fmt.Errorf("tga: image type %d with %d bits per pixel is not supported; save the image with 24 or 32 bits", h.kind, h.Depth)
	}
	if h.kind == mapped && h.mapSize == 0 {
		return errors.New("tga: the color-mapped image has no color map; save the image as RGB")
	}
	// A true-color image may have an unused color map.
	if h.mapSize > 0 && !slices.Contains([]int{15, 16, 24, 32}, h.mapDepth) {
		return fmt.Errorf("tga: a color map of %d bits per color is not supported; save the image as RGB", h.mapDepth)
	}
	if h.alphaBits > 8 {
		return fmt.Errorf("tga: header claims %d bits of alpha, which is out of range", h.alphaBits)
	}
	return nil
}

// Bits returns the number of bits per channel or, in a color-mapped image, per pixel.
func (h Header) Bits() int {
	switch {
	case h.kind == mapped:
		return h.Depth
	case h.kind == trueColor && h.Depth <= 16:
		return 5
	}
	return 8
}

// LeastBytes returns the size of the smallest possible file with this header.
func (h Header) LeastBytes() int64 {
	pixels, size := int64(h.Width)*int64(h.Height), int64((h.Depth+7)/8)
	before := int64(HeaderSize+h.idSize) + int64(h.mapSize)*int64((h.mapDepth+7)/8)
	if h.packed {
		return before + (pixels+maxRun-1)/maxRun*(1+size)
	}
	return before + pixels*size
}

// maxRun is the maximum number of pixels in a run-length packet.
const maxRun = 128

// An Image is a decoded file.
type Image struct {
	Width, Height int
	Pix           []byte // red, green, blue and straight alpha, in rows from the top left
	Alpha         Alpha
}

// Alpha says how Decode interpreted the alpha bytes.
type Alpha byte

const (
	Declared   Alpha = iota // the header declares alpha bits, or the file has no alpha bytes
	Undeclared              // the header declares no alpha bits, but some alpha is not 0, so Decode kept alpha
	Zero                    // the header declares no alpha bits, and alpha is 0 everywhere, so Decode made the image opaque
)

// Decode decodes a whole file.
func Decode(ctx context.Context, data []byte) (*Image, error) {
	h, err := ReadHeader(data)
	if err != nil {
		return nil, err
	}
	if err := pixmap.CheckPixels(int64(len(data)), h.LeastBytes(), h.Width, h.Height, 4); err != nil {
		return nil, fmt.Errorf("tga: %w", err)
	}
	d := decoder{ctx: ctx, data: data[HeaderSize+h.idSize:], header: h}
	if err := d.readColorMap(); err != nil {
		return nil, err
	}
	pix, err := d.readAllPixels()
	if err != nil {
		return nil, err
	}
	arrange(pix, h)
	p := &Image{Width: h.Width, Height: h.Height, Pix: pix}
	if h.alphaBits == 0 && h.alphaByte() {
		p.Alpha = judgeAlpha(pix)
	}
	if p.Alpha == Declared && isMultiplied(data) {
		divideByAlpha(pix)
	}
	return p, nil
}

// isMultiplied reports whether the extension area says that colors are multiplied by alpha.
func isMultiplied(data []byte) bool {
	const footer, sign, attributes, multiplied = 26, "TRUEVISION-XFILE.\x00", 494, 4
	if len(data) < HeaderSize+footer || string(data[len(data)-len(sign):]) != sign {
		return false
	}
	at := int64(binary.LittleEndian.Uint32(data[len(data)-footer:])) + attributes
	return at > HeaderSize && at < int64(len(data)-footer) && data[at] == multiplied
}

// divideByAlpha divides colors by alpha if the file stores them multiplied by alpha.
func divideByAlpha(pix []byte) {
	for i := 0; i < len(pix); i += 4 {
		if alpha := int(pix[i+3]); alpha > 0 && alpha < 255 {
			for c := range 3 {
				pix[i+c] = byte(min(255, (2*255*int(pix[i+c])+alpha)/(2*alpha)))
			}
		}
	}
}

// alphaByte reports whether pixels, or colors of the map, have an alpha byte.
func (h *Header) alphaByte() bool {
	switch h.kind {
	case gray:
		return h.Depth == 16
	case mapped:
		return h.mapDepth == 32
	}
	return h.Depth == 32
}

// A texel is red, green, blue and straight alpha of one pixel.
type texel [4]byte

type decoder struct {
	ctx    context.Context
	data   []byte // data that is not read yet
	header Header
	colors []texel // color map of a color-mapped image
}

// readAllPixels reads all pixels in file order.
func (d *decoder) readAllPixels() ([]byte, error) {
	total := 4 * d.header.Width * d.header.Height
	pix := make([]byte, 0, total)
	for len(pix) < total {
		if err := d.ctx.Err(); err != nil {
			return nil, err
		}
		count, same, err := d.packet((total - len(pix)) / 4)
		if err == nil && same {
			pix, err = d.appendRun(pix, count)
		} else if err == nil {
			pix, err = d.appendPixels(pix, count)
		}
		if err != nil {
			return nil, fmt.Errorf("tga: after %d of %d pixels: %w", len(pix)/4, total/4, err)
		}
	}
	return pix, nil
}

// takeFromFile returns the next n bytes of the file.
func (d *decoder) takeFromFile(n int) ([]byte, error) {
	if n > len(d.data) {
		return nil, io.ErrUnexpectedEOF
	}
	b := d.data[:n]
	d.data = d.data[n:]
	return b, nil
}

// packet returns the number of pixels in the next packet, and whether they are all equal. In
// uncompressed images, a packet is one row.
func (d *decoder) packet(left int) (count int, same bool, err error) {
	if !d.header.packed {
		return min(left, d.header.Width), false, nil
	}
	b, err := d.takeFromFile(1)
	if err != nil {
		return 0, false, err
	}
	if count = int(b[0]&127) + 1; count > left {
		return 0, false, fmt.Errorf("a packet has %d pixels, but the image has only %d more; save the image again", count, left)
	}
	return count, b[0]&128 != 0, nil
}

// appendRun reads one pixel and appends it count times.
func (d *decoder) appendRun(pix []byte, count int) ([]byte, error) {
	start := len(pix)
	pix, err := d.appendPixels(pix, 1)
	if err != nil {
		return pix, err
	}
	for range count - 1 {
		pix = append(pix, pix[start:start+4]...)
	}
	return pix, nil
}

// appendPixels reads count pixels and appends them to pix.
func (d *decoder) appendPixels(pix []byte, count int) ([]byte, error) {
	size := (d.header.Depth + 7) / 8
	raw, err := d.takeFromFile(count * size)
	if err != nil {
		return pix, err
	}
	if d.header.kind == trueColor && size > 2 {
		return appendColors(pix, raw, size), nil
	}
	for ; len(raw) > 0; raw = raw[size:] {
		t, err := d.readTexel(raw[:size])
		if err != nil {
			return pix, err
		}
		pix = append(pix, t[:]...)
	}
	return pix, nil
}

// appendColors appends colors of 3 or 4 bytes each: blue, green, red, alpha. It is a fast variant
// of appendPixels for most images.
func appendColors(pix, raw []byte, size int) []byte {
	for ; len(raw) >= size; raw = raw[size:] {
		a := byte(255)
		if size == 4 {
			a = raw[3]
		}
		pix = append(pix, raw[2], raw[1], raw[0], a)
	}
	return pix
}

func (d *decoder) readTexel(raw []byte) (texel, error) {
	switch d.header.kind {
	case gray:
		t := texel{raw[0], raw[0], raw[0], 255}
		if len(raw) == 2 {
			t[3] = raw[1]
		}
		return t, nil
	case mapped:
		index := int(raw[0])
		if len(raw) == 2 {
			index |= int(raw[1]) << 8
		}
		i := index - d.header.mapFirst
		if i < 0 || i >= len(d.colors) {
			return texel{}, fmt.Errorf("color %d is not in the color map; save the image again", index)
		}
		return d.colors[i], nil
	}
	return d.storedTexel(raw, d.header.Depth), nil
}

// readColorMap reads the color map, if there is one.
func (d *decoder) readColorMap() error {
	size := (d.header.mapDepth + 7) / 8
	raw, err := d.takeFromFile(d.header.mapSize * size)
	if err != nil {
		return fmt.Errorf("tga: color map: %w", err)
	}
	if d.header.kind != mapped {
		return nil
	}
	d.colors = make([]texel, d.header.mapSize)
	for i := range d.colors {
		d.colors[i] = d.storedTexel(raw[i*size:(i+1)*size], d.header.mapDepth)
	}
	return nil
}

// storedTexel decodes a stored color of 2, 3 or 4 bytes. In 2 bytes, blue, green and red have five
// bits each, and alpha has one. Otherwise each has a byte. Many writers declare alpha bits for
// 15-bit colors, which have no alpha. The top bit of a 16-bit color is alpha only if the header
// declares it.
func (d *decoder) storedTexel(raw []byte, depth int) texel {
	t := texel{3: 255}
	if len(raw) == 2 {
		v := int(raw[0]) | int(raw[1])<<8
		t[0], t[1], t[2] = five(v>>10), five(v>>5), five(v)
		if d.header.alphaBits > 0 && depth != 15 && v>>15 == 0 {
			t[3] = 0
		}
		return t
	}
	t[0], t[1], t[2] = raw[2], raw[1], raw[0]
	if len(raw) == 4 {
		t[3] = raw[3]
	}
	return t
}

// five scales the low five bits of v to 8 bits. It turns 31 into 255.
func five(v int) byte {
	v &= 31
	return byte(v<<3 | v>>2)
}

// arrange reorders pixels from file order, which may start at any corner, to rows from the top
// left.
func arrange(pix []byte, h Header) {
	stride := 4 * h.Width
	if !h.topDown {
		row := make([]byte, stride)
		for top, bottom := 0, len(pix)-stride; top < bottom; top, bottom = top+stride, bottom-stride {
			copy(row, pix[top:top+stride])
			copy(pix[top:top+stride], pix[bottom:bottom+stride])
			copy(pix[bottom:bottom+stride], row)
		}
	}
	if h.rightToLeft {
		for row := pix; len(row) > 0; row = row[stride:] {
			for l, r := 0, stride-4; l < r; l, r = l+4, r-4 {
				a, b := [4]byte(row[l:]), [4]byte(row[r:])
				copy(row[l:], b[:])
				copy(row[r:], a[:])
			}
		}
	}
}

// judgeAlpha checks whether alpha bytes are meaningful if the header declares no alpha bits. As in
// most programs, they are meaningless if all are 0.
func judgeAlpha(pix []byte) Alpha {
	least, most := byte(255), byte(0)
	for i := 3; i < len(pix); i += 4 {
		least, most = min(least, pix[i]), max(most, pix[i])
	}
	switch {
	case most == 0:
		for i := 3; i < len(pix); i += 4 {
			pix[i] = 255
		}
		return Zero
	case least == 255:
		return Declared // every pixel is opaque, with or without alpha
	}
	return Undeclared
}
