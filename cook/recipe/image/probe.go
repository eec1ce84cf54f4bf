package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/image/tga"
)

// A picture is what a header says.
type picture struct {
	w, h int
	// decoder is the most bytes that decoding holds besides the source,
	// including the decoded picture.
	decoder int64
	// least is the size of the smallest file that can hold the picture, or a
	// lower bound of it. It is about valid files: none is ever smaller.
	least int64
}

func (p picture) pixels() int64 { return int64(p.w) * int64(p.h) }

// inspect reads the header at the start of data and judges it. The file is
// size bytes long; only if data is less than that can the error be recipe.ErrShortHead.
func (f fileFormat) inspect(data []byte, size int64, maxSize int) (picture, error) {
	p, err := f.probe(data)
	if errors.Is(err, recipe.ErrShortHead) && int64(len(data)) >= size {
		err = truncated(f.name, io.ErrUnexpectedEOF)
	}
	if err != nil {
		return picture{}, err
	}
	switch {
	case p.w < 1 || p.h < 1:
		return picture{}, fmt.Errorf("image is %d x %d pixels: there is nothing in it", p.w, p.h)
	case p.w > maxSize || p.h > maxSize:
		return picture{}, fmt.Errorf("image is %d x %d pixels; the limit is %d a side (max_size)", p.w, p.h, maxSize)
	case p.least > size:
		return picture{}, fmt.Errorf("%s file is truncated: %d bytes cannot hold %d x %d pixels, it takes at least %d",
			f.name, size, p.w, p.h, p.least)
	}
	return p, nil
}

// deflateRatio bounds how far zlib data can expand: a match of 258 bytes takes
// at least two bits.
const deflateRatio = 1032

// probePNG reads IHDR, which must be the first chunk.
func probePNG(data []byte) (picture, error) {
	if len(data) < 33 {
		return picture{}, recipe.ErrShortHead
	}
	if string(data[8:16]) != "\x00\x00\x00\x0dIHDR" {
		return picture{}, errors.New("PNG file does not start with an IHDR chunk")
	}
	w, h := binary.BigEndian.Uint32(data[16:]), binary.BigEndian.Uint32(data[20:])
	if w >= 1<<31 || h >= 1<<31 {
		return picture{}, fmt.Errorf("image is %d x %d pixels", w, h)
	}
	depth, colour, interlaced := int64(data[24]), data[25], data[28] != 0
	channels, ok := map[byte]int64{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
	if !ok || depth > 16 {
		return picture{}, fmt.Errorf("PNG file with unknown colour type %d of %d bits", colour, depth)
	}
	p := picture{w: int(w), h: int(h)}

	// Interlacing only adds bytes: each row is then spread over several, each
	// with its own filter byte and rounded up by itself.
	raw := int64(h) * (1 + (int64(w)*channels*depth+7)/8)
	const frame = 8 + 25 + 12 + 12 // signature, IHDR, one IDAT, IEND
	p.least = frame + (raw+deflateRatio-1)/deflateRatio

	// Grey and true colour become four channels if a tRNS chunk follows.
	decoded := int64(4)
	if colour == 3 {
		decoded = 1
	}
	if depth == 16 {
		decoded = 8
	}
	p.decoder = p.pixels()*decoded + 2*(int64(w)*8+1)
	if interlaced {
		p.decoder *= 2 // the passes are decoded as pictures of their own
	}
	return p, nil
}

// probeBMP reads the header and checks the one thing that its decoder does
// not say clearly: which of the many kinds of BMP it knows.
func probeBMP(data []byte) (picture, error) {
	if len(data) < 34 {
		return picture{}, recipe.ErrShortHead
	}
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(data[i:]) }
	w, h := int64(int32(word(18))), int64(int32(word(22)))
	depth, compression := int64(binary.LittleEndian.Uint16(data[28:])), word(30)
	if word(14) < 40 || compression != 0 && compression != 3 || depth == 16 {
		return picture{}, errors.New("this kind of BMP is not supported; save it with 24 or 32 bits a pixel and without compression, or as PNG")
	}
	h = max(h, -h) // negative: rows from the top
	if w < 0 || w > 1<<31-1 || h > 1<<31-1 {
		return picture{}, fmt.Errorf("image is %d x %d pixels", w, h)
	}
	p := picture{w: int(w), h: int(h)}
	row := (w*depth + 31) / 32 * 4
	p.least = 14 + int64(word(14)) + row*h
	p.decoder = 4*p.pixels() + row
	return p, nil
}

func probeTGA(data []byte) (picture, error) {
	if len(data) < tga.HeaderSize {
		return picture{}, recipe.ErrShortHead
	}
	h, err := tga.ReadHeader(bytes.NewReader(data))
	if err != nil {
		return picture{}, err
	}
	p := picture{w: h.Width, h: h.Height, least: h.LeastBytes()}
	p.decoder = 2*4*p.pixels() + 1<<20 // grows as it reads, by doubling
	return p, nil
}
