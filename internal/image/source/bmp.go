package source

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	stdimage "image"
	"image/color"
	"io"
	"slices"

	"golang.org/x/image/bmp"

	"github.com/assetcook/assetcook/internal/fileformat"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// A bitmap is the header of a BMP file (Microsoft, "Bitmap Storage"). The supported kinds are those
// found in games: palettes, 24 and 32 bits with a byte per channel, and run-length encoded 8 bits.
// Errors for other kinds say how to change the file.
type bitmap struct {
	w, h    int
	topDown bool
	depth   int // bits per pixel
	packed  bool
	order   [4]int // byte positions of red, green, blue and alpha in a pixel; -1 for none
	maybe   bool   // alpha may be unused, because this compression ignores masks
	palette []byte // color table: blue, green, red and an unused byte per color
	offset  int64  // offset of the pixels in the file
}

const (
	bmpFileHeader  = 14
	bmpInfoHeader  = 40
	bmpMasks       = bmpFileHeader + bmpInfoHeader // offset of the masks: inside longer headers, otherwise directly after the header
	bmpAlphaHeader = 56                            // size of the smallest header with an alpha mask
	bmpV4Header    = 108
)

// readBitmap reads the BMP header at the start of data.
func readBitmap(data []byte) (bitmap, error) {
	if len(data) < bmpFileHeader+bmpInfoHeader {
		return bitmap{}, fileformat.ErrShortHead
	}
	long := func(at int) uint32 {
		if at+4 > len(data) {
			return 0
		}
		return binary.LittleEndian.Uint32(data[at:])
	}
	size, depth, compression := long(14), int(binary.LittleEndian.Uint16(data[28:])), long(30)
	unsupported := func(what string, args ...any) (bitmap, error) {
		return bitmap{}, fmt.Errorf("BMP file with "+what+" is not supported; save it as PNG", args...)
	}
	if !slices.Contains([]uint32{bmpInfoHeader, 52, bmpAlphaHeader, 64, bmpV4Header, 124}, size) {
		return unsupported("a header of %d bytes", size)
	}
	at := int(bmpFileHeader + size)
	if len(data) < at {
		return bitmap{}, fileformat.ErrShortHead
	}
	width, height := int64(int32(long(18))), int64(int32(long(22)))
	b := bitmap{topDown: height < 0, depth: depth, offset: int64(long(10)), order: [4]int{2, 1, 0, -1}}
	const plain, rle8, masked, maskedAlpha = 0, 1, 3, 6
	switch {
	case compression == plain && (depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 24 || depth == 32):
		if size > bmpInfoHeader && long(bmpMasks+12) == 0xff000000 {
			b.order[3], b.maybe = 3, true
		}
	case compression == rle8 && depth == 8 && !b.topDown:
		b.packed = true
	case (compression == masked || compression == maskedAlpha) && depth == 32:
		for c := range b.order {
			b.order[c] = slices.Index([]uint32{0xff, 0xff00, 0xff0000, 0xff000000}, long(bmpMasks+4*c))
		}
		if compression == masked && size < bmpAlphaHeader { // the header has no alpha mask
			b.order[3] = -1
		}
		if min(b.order[0], b.order[1], b.order[2]) < 0 {
			return unsupported("channel masks that do not have 8 bits")
		}
	default:
		return unsupported("%d bits per pixel and compression %d", depth, compression)
	}
	if height < 0 {
		height = -height
	}
	if width < 1 || height < 1 || width > 1<<24 || height > 1<<24 {
		return bitmap{}, fmt.Errorf("the BMP file claims %d x %d pixels, which is out of range", width, height)
	}
	b.w, b.h = int(width), int(height)
	if depth <= 8 {
		colors := int64(long(46))
		if colors == 0 || colors > 1<<depth {
			colors = 1 << depth
		}
		colors = min(colors, max(0, b.offset-int64(at))/4)
		if int64(len(data)) < int64(at)+4*colors {
			return bitmap{}, fileformat.ErrShortHead
		}
		b.palette = data[at : at+int(4*colors)]
	}
	if b.offset < int64(at) || depth <= 8 && len(b.palette) == 0 {
		return bitmap{}, errors.New("the pixel offset of the BMP file is inside its header or palette; save the image again")
	}
	return b, nil
}

func probeBMP(data []byte, _ int64) (header, error) {
	b, err := readBitmap(data)
	if err != nil {
		return header{}, err
	}
	p := header{w: b.w, h: b.h, bits: min(b.depth, 8), shared: b.depth > 8, decoder: int64(b.w) * int64(b.h), profile: bmpProfile(data)}
	if b.depth > 8 {
		p.decoder *= 4
	}
	// This is only a lower bound, because a run-length encoded image can skip whole rows.
	p.least = b.offset + 2*int64(b.h)
	if !b.packed {
		p.least = b.offset + (int64(b.w)*int64(b.depth)+31)/32*4*int64(b.h)
	}
	return p, nil
}

// bmpProfile describes the color profile in a header of version 5, or returns "" if there is none.
func bmpProfile(data []byte) string {
	const embedded, linked = "DEBM", "KNIL" // tags in file order, the least significant byte first
	if binary.LittleEndian.Uint32(data[14:]) < 124 {
		return ""
	}
	switch kind := string(data[70:74]); kind {
	case linked:
		return "ICC profile in another file"
	case embedded:
		at, size := int64(bmpFileHeader)+int64(binary.LittleEndian.Uint32(data[126:])), int64(binary.LittleEndian.Uint32(data[130:]))
		return judgeProfile(data[min(at, int64(len(data))):min(at+size, int64(len(data)))], "")
	}
	return ""
}

func decodeBMP(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	b, err := readBitmap(data)
	if err != nil {
		return nil, err
	}
	if b.packed {
		img, err := b.unpackRLE(ctx, data[b.offset:])
		if err != nil {
			return nil, err
		}
		return straight(ctx, img)
	}
	// The library supports only some headers, and requires that the pixels directly follow the
	// header.
	head := b.plainHeader()
	read := func() io.Reader {
		return io.MultiReader(bytes.NewReader(head), &reader{ctx, bytes.NewReader(data[b.offset:])})
	}
	m, err := library{
		func(io.Reader) (stdimage.Config, error) { return bmp.DecodeConfig(read()) },
		func(io.Reader) (stdimage.Image, error) { return bmp.Decode(read()) },
	}.decodeToMap(ctx, data, h)
	if err != nil || b.depth < 32 {
		return m, err
	}
	if b.maybe && !anyOpaque(m.Pix8) {
		b.order[3] = -1
	}
	if b.order == [4]int{2, 1, 0, 3} {
		return m, nil
	}
	for i := 0; i < len(m.Pix8); i += 4 {
		p := m.Pix8[i : i+4 : i+4]
		file := [4]byte{p[2], p[1], p[0], p[3]}
		p[0], p[1], p[2], p[3] = file[b.order[0]], file[b.order[1]], file[b.order[2]], 255
		if b.order[3] >= 0 {
			p[3] = file[b.order[3]]
		}
	}
	return m, nil
}

// anyOpaque reports whether any pixel is not fully transparent.
func anyOpaque(pix []uint8) bool {
	for i := 3; i < len(pix); i += 4 {
		if pix[i] != 0 {
			return true
		}
	}
	return false
}

// plainHeader returns a header that the library supports, and the palette. With this header, the
// library keeps all four bytes of a pixel.
func (b *bitmap) plainHeader() []byte {
	size, height := bmpInfoHeader, int32(b.h)
	if b.depth == 32 {
		size = bmpV4Header
	}
	if b.topDown {
		height = -height
	}
	head := append(make([]byte, bmpFileHeader+size), b.palette...)
	copy(head, "BM")
	le := binary.LittleEndian
	le.PutUint32(head[10:], uint32(len(head)))
	le.PutUint32(head[14:], uint32(size))
	le.PutUint32(head[18:], uint32(b.w))
	le.PutUint32(head[22:], uint32(height))
	le.PutUint16(head[26:], 1)
	le.PutUint16(head[28:], uint16(b.depth))
	le.PutUint32(head[46:], uint32(len(b.palette)/4))
	return head
}

// unpackRLE decodes run-length encoded pixels, which are pairs of bytes. A pair is a run length and
// a value. After a length of 0, the second byte is a command: end of row, end of image, move right
// and up, or a count of literal pixels that follow.
func (b *bitmap) unpackRLE(ctx context.Context, data []byte) (*stdimage.Paletted, error) {
	const endOfRow, endOfBitmap, step = 0, 1, 2
	img := stdimage.NewPaletted(stdimage.Rect(0, 0, b.w, b.h), make(color.Palette, len(b.palette)/4))
	for i := range img.Palette {
		c := b.palette[4*i:]
		img.Palette[i] = color.NRGBA{c[2], c[1], c[0], 255}
	}
	take := func(n int) []byte {
		if n > len(data) {
			return nil
		}
		part := data[:n]
		data = data[n:]
		return part
	}
	x, y := 0, 0
	for orders := 0; y < b.h; orders++ {
		if orders%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		order := take(2)
		if order == nil {
			return nil, io.ErrUnexpectedEOF
		}
		row := img.Pix[(b.h-1-y)*b.w:][x:b.w]
		count, v := int(order[0]), order[1]
		switch {
		case count == 0 && v == endOfRow:
			x, y = 0, y+1
			continue
		case count == 0 && v == endOfBitmap:
			return img, nil
		case count == 0 && v == step:
			way := take(2)
			if way == nil {
				return nil, io.ErrUnexpectedEOF
			}
			if x, y = x+int(way[0]), y+int(way[1]); x > b.w || y > b.h {
				return nil, fmt.Errorf("the compressed data leads outside the image, to column %d of row %d; save the image again", x, y)
			}
			continue
		}
		pixels := order[1:]
		if count == 0 {
			if pixels = take(int(v) + int(v)%2); pixels == nil { // literals are padded to an even number of bytes
				return nil, io.ErrUnexpectedEOF
			}
			count, pixels = int(v), pixels[:v]
		}
		count = min(count, len(row)) // some encoders round the last count up
		for i := range count {
			index := pixels[i%len(pixels)]
			if int(index) >= len(img.Palette) {
				return nil, fmt.Errorf("color %d is not in the palette; save the image again", index)
			}
			row[i] = index
		}
		x += count
	}
	return img, nil
}
