package tiff

import (
	"bufio"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"golang.org/x/image/tiff/lzw"
)

// Compressions of strips and tiles.
const (
	plain      = 1
	fax        = 2 // and 3 and 4
	group4     = 4
	lzwPacked  = 5
	deflate    = 8
	oldDeflate = 32946
	packBits   = 32773
)

// readCompression reads the compression of strips or tiles.
func (h *Header) readCompression() error {
	if h.compression == 0 {
		h.compression = plain // some writers do so
	}
	switch h.compression {
	case plain, lzwPacked, deflate, oldDeflate, packBits:
	case fax, fax + 1, group4:
		return errors.New("tiff: fax compression is not supported; save it with LZW, Deflate or none")
	default:
		return fmt.Errorf("tiff: compression %d is not supported; save the picture with LZW, Deflate or none", h.compression)
	}
	switch p := h.dir.entryNumber(tagPredictor, 1); {
	case p == 2 && h.Bits >= 8 && h.Bits <= 32:
		h.predicted = h.compression == lzwPacked || h.compression == deflate || h.compression == oldDeflate
	case p == 3 && h.Float:
		h.split = h.compression == lzwPacked || h.compression == deflate || h.compression == oldDeflate
	case p != 1:
		return fmt.Errorf("tiff: predictor %d with samples of %d bits is not supported", p, h.Bits)
	}
	return nil
}

// ratio bounds how far packed data expand.
func (h *Header) ratio() int64 {
	switch h.compression {
	case plain:
		return 1
	case lzwPacked: // a code of 12 bits encodes fewer than 4096 bytes
		return 4096*8/12 + 1
	case deflate, oldDeflate: // a match of 258 bytes takes at least two bits
		return 1032
	}
	return 64 // PackBits: two bytes for 128
}

// packed returns the compressed bytes of the i-th strip or tile.
func (h *Header) packed(data []byte, i int) ([]byte, error) {
	offsets, sizes := tagStripOffsets, tagStripSizes
	if h.tiled {
		offsets, sizes = tagTileOffsets, tagTileSizes
	}
	if int64(i) >= h.dir.entries[offsets].count {
		return nil, errors.New("the directory has no place for it")
	}
	at := h.dir.entryAt(offsets, i, 0)
	size := h.dir.entryAt(sizes, i, int64(len(data))) // old writers leave it out
	if err := h.dir.err(); err != nil {
		return nil, err
	}
	if at > int64(len(data)) {
		return nil, io.ErrUnexpectedEOF
	}
	// Unpacking shows whether the bytes suffice.
	return data[at:min(at+size, int64(len(data)))], nil
}

// unpacker returns a reader of the rows of a strip or tile.
func (d *decoder) unpacker(packed []byte) (io.Reader, error) {
	r := &reader{d.ctx, packed, d.h.lowFirst, &d.budget}
	switch d.h.compression {
	case lzwPacked:
		return lzw.NewReader(r, lzw.MSB, 8), nil
	case deflate, oldDeflate:
		return d.inflater(r)
	case packBits:
		return &runs{r: bufio.NewReader(r)}, nil
	}
	return r, nil
}

// inflater returns a reader that decompresses r. It reuses one decompressor, which is large, for
// all strips.
func (d *decoder) inflater(r io.Reader) (io.Reader, error) {
	if old, ok := d.inflate.(zlib.Resetter); ok {
		return d.inflate, old.Reset(r, nil)
	}
	var err error
	d.inflate, err = zlib.NewReader(r)
	return d.inflate, err
}

// A reader reads bytes until the context is cancelled.
type reader struct {
	ctx      context.Context
	data     []byte
	lowFirst bool   // the bits of each byte are reversed
	budget   *int64 // bytes that all strips or tiles may still read
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if len(r.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.data)
	if *r.budget -= int64(n); *r.budget < 0 {
		return 0, errors.New("strips or tiles share their bytes; save the picture again")
	}
	r.data = r.data[n:]
	if r.lowFirst {
		for i, b := range p[:n] {
			p[i] = bits.Reverse8(b)
		}
	}
	return n, nil
}

// runs reads PackBits (TIFF 6.0, section 9): a count n of 0 to 127 and n+1 bytes, or a negative
// count -n and a byte that is repeated n+1 times; -128 is skipped.
type runs struct {
	r      *bufio.Reader
	copied int // bytes left to copy
	same   int // repetitions left of value
	value  byte
}

func (r *runs) Read(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		switch {
		case r.same > 0:
			part := p[n:min(n+r.same, len(p))]
			for i := range part {
				part[i] = r.value
			}
			n, r.same = n+len(part), r.same-len(part)
		case r.copied > 0:
			var part int
			part, err = io.ReadFull(r.r, p[n:min(n+r.copied, len(p))])
			n, r.copied = n+part, r.copied-part
		default:
			err = r.order()
		}
	}
	return n, err
}

// order reads the next count, and the byte to repeat.
func (r *runs) order() error {
	b, err := r.r.ReadByte()
	switch count := int(int8(b)); {
	case err != nil:
		return err
	case count >= 0:
		r.copied = count + 1
	case count > -128:
		r.same = 1 - count
		r.value, err = r.r.ReadByte()
	}
	return err
}
