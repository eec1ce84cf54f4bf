// Package tiff decodes the first page of a TIFF file. It supports grayscale, palette and RGB images
// with 1 to 32 bits per channel or floats, with or without alpha. They may be in strips or tiles,
// and uncompressed or compressed by LZW, Deflate or PackBits.
//
// The layout follows "TIFF Revision 6.0" (Adobe, 1992) and its supplements. The third technical
// note describes predicted floats. The package refuses kinds that games do not ship: CMYK, separate
// planes, JPEG and fax compression, and BigTIFF. The errors say how to change the file.
package tiff

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// Decode decodes the first page of a whole file without applying Orientation. Channels of up to
// eight bits become 8-bit, other integers 16-bit, and floats become linear light. The smallest
// value of signed samples becomes 0. Premultiplied colors are divided by their alpha. Decode
// allocates up to Header.Memory bytes, so check the header first.
func Decode(ctx context.Context, data []byte) (*pixmap.Map, pixmap.Repairs, error) {
	h, err := ReadHeader(data)
	if err != nil {
		return nil, pixmap.Repairs{}, err
	}
	d, err := decodePage(ctx, data, h)
	if err != nil {
		return nil, pixmap.Repairs{}, err
	}
	return d.m, d.repairs, nil
}

// decodePage decodes a file whose header is h.
func decodePage(ctx context.Context, data []byte, h Header) (*decoder, error) {
	if err := pixmap.CheckPixels(int64(len(data)), h.LeastBytes(), h.Width, h.Height, 64); err != nil {
		return nil, fmt.Errorf("tiff: %w", err)
	}
	d := &decoder{ctx: ctx, data: data, h: h, m: pixmap.New(h.Width, h.Height, h.Depth()), row: make([]byte, h.chunkRowBytes())}
	if h.split {
		d.spare = make([]byte, len(d.row))
	}
	across, down := h.chunkGrid()
	// The budget allows for strips that share no bytes, except for 4 KiB that each decompressor
	// reads ahead.
	d.budget = 2*int64(len(data)) + int64(across*down)*4096
	for i := range across * down {
		if err := d.decodeChunk(i%across, i/across, i); err != nil {
			return nil, fmt.Errorf("tiff: strip or tile %d of %d: %w", i, across*down, err)
		}
	}
	for y := range h.Height {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d.finishSamples(y)
	}
	return d, nil
}

// A decoder first stores the samples of each pixel unchanged in the map. Then it converts the
// samples to a color.
type decoder struct {
	ctx  context.Context
	data []byte
	h    Header
	m    *pixmap.Map
	row  []byte // buffer for a row of a strip or tile

	inflate io.Reader // decompressor for all strips; nil until needed
	budget  int64
	spare   []byte // buffer for another row; nil until needed
	repairs pixmap.Repairs
}

// decodeChunk decodes strip or tile i of the file into the given column and line of the grid.
func (d *decoder) decodeChunk(column, line, i int) error {
	packed, err := d.h.packedChunk(d.data, i)
	if err != nil {
		return err
	}
	left, top := column*d.h.chunkW, line*d.h.chunkH
	width, height := min(d.h.chunkW, d.h.Width-left), min(d.h.chunkH, d.h.Height-top)
	r, err := d.unpacker(packed)
	if err != nil {
		return err
	}
	for y := top; y < top+height; y++ {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		if _, err := io.ReadFull(r, d.row); err != nil {
			return fmt.Errorf("row %d: %w", y, pixmap.UnexpectedEOF(err))
		}
		d.addPrevious()
		d.gatherSamples(left, y, width)
	}
	return nil
}

// A directory maps the tags of a page to its entries.
type directory struct {
	data    []byte
	order   binary.ByteOrder
	entries map[int]entry
	// short is set when a value is requested that is beyond the end of the data.
	short *bool
}

// An entry is a list of integers.
type entry struct {
	size   int // number of bytes per value: 1, 2 or 4
	count  int64
	values []byte // the values, which are completely within the data
}

// readFirstDirectory reads the first directory of a file.
func readFirstDirectory(data []byte) (directory, error) {
	torn := fmt.Errorf("tiff: directory: %w", io.ErrUnexpectedEOF)
	if len(data) < 8 {
		return directory{}, torn
	}
	if sign := string(data[:4]); sign == "II+\x00" || sign == "MM\x00+" {
		return directory{}, errors.New("tiff: BigTIFF is not supported; save the image as an ordinary TIFF")
	}
	d := directory{data: data, order: byteOrder(string(data[:4])), entries: map[int]entry{}, short: new(bool)}
	if d.order == nil {
		return directory{}, errors.New("tiff: the file is not a TIFF image, which starts with II* or MM")
	}
	at := int64(d.order.Uint32(data[4:]))
	if at+2 > int64(len(data)) {
		return directory{}, torn
	}
	count := int64(d.order.Uint16(data[at:]))
	if at+2+12*count > int64(len(data)) {
		return directory{}, torn
	}
	for i := range count {
		d.addEntry(data[at+2+12*i:])
	}
	return d, nil
}

// Pages returns the number of images in a file, without previews and masks. It stops at a directory
// that is damaged or that it has already read.
func Pages(data []byte) (pages int) {
	const mostPages, preview, mask = 1 << 12, 1, 4
	order := byteOrder(string(data[:min(4, len(data))]))
	if order == nil || len(data) < 8 {
		return 0
	}
	seen := map[int64]bool{}
	for at := int64(order.Uint32(data[4:])); at != 0 && !seen[at] && len(seen) < mostPages; {
		seen[at] = true
		if at+2 > int64(len(data)) {
			break
		}
		end := at + 2 + 12*int64(order.Uint16(data[at:]))
		if end+4 > int64(len(data)) {
			break
		}
		d := directory{data: data, order: order, entries: map[int]entry{}, short: new(bool)}
		for entry := at + 2; entry < end; entry += 12 {
			d.addEntry(data[entry:])
		}
		if d.entryNumber(tagSubfile, 0)&(preview|mask) == 0 {
			pages++
		}
		at = int64(order.Uint32(data[end:]))
	}
	return pages
}

// addEntry adds an entry. It holds a tag, a type, a count, and the values. If the values are too
// long, it holds their offset instead. If a tag occurs several times, the first entry is used.
func (d *directory) addEntry(raw []byte) {
	tag, count := int(d.order.Uint16(raw)), int64(d.order.Uint32(raw[4:]))
	size, ok := map[uint16]int{1: 1, 3: 2, 4: 4, 7: 1}[d.order.Uint16(raw[2:])]
	if _, double := d.entries[tag]; !ok || double {
		return
	}
	e := entry{size: size, count: count, values: raw[8:12]}
	if int64(size)*count > 4 {
		at := min(int64(d.order.Uint32(raw[8:])), int64(len(d.data)))
		e.values = d.data[at:min(at+int64(size)*count, int64(len(d.data)))]
	}
	d.entries[tag] = e
}

// entryNumber returns the first value of a tag. If the tag is missing, it returns the given default
// value.
func (d *directory) entryNumber(tag int, otherwise int64) int64 { return d.entryAt(tag, 0, otherwise) }

// entryAt returns value i of a tag. If the tag has fewer values, it returns the given default
// value.
func (d *directory) entryAt(tag, i int, otherwise int64) int64 {
	e := d.entries[tag]
	if int64(i) >= e.count {
		return otherwise
	}
	if (i+1)*e.size > len(e.values) {
		*d.short = true
		return otherwise
	}
	v := e.values[i*e.size:]
	switch e.size {
	case 1:
		return int64(v[0])
	case 2:
		return int64(d.order.Uint16(v))
	}
	return int64(d.order.Uint32(v))
}

// entryBytes returns the bytes of a tag, or nil if the data is truncated.
func (d *directory) entryBytes(tag int) []byte {
	e := d.entries[tag]
	if e.size != 1 || int64(len(e.values)) < e.count {
		return nil
	}
	return e.values[:e.count]
}

// shortError returns an error if a requested value was beyond the data.
func (d *directory) shortError() error {
	if *d.short {
		return fmt.Errorf("tiff: directory: %w", io.ErrUnexpectedEOF)
	}
	return nil
}
