package tiff

import (
	"bufio"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"golang.org/x/image/tiff/lzw"
)

// Compression methods of strips and tiles.
const (
	plain      = 1
	fax        = 2 // fax compression methods 2, 3 and 4
	group4     = 4
	lzwPacked  = 5
	deflate    = 8
	oldDeflate = 32946
	packBits   = 32773
)

// readCompression reads the compression of strips or tiles.
func (h *Header) readCompression() error {
	if h.compression == 0 {
		h.compression = plain // some writers use this value for no compression
	}
	switch h.compression {
	case plain, lzwPacked, deflate, oldDeflate, packBits:
	case fax, fax + 1, group4:
		return errors.New("tiff: fax compression is not supported; save the image with LZW, Deflate or none")
	default:
		return fmt.Errorf("tiff: compression %d is not supported; save the image with LZW, Deflate or none", h.compression)
	}
	switch p := h.dir.entryNumber(tagPredictor, 1); {
	case p == 2 && h.Bits >= 8 && h.Bits <= 32:
		h.predicted = h.compression == lzwPacked || h.compression == deflate || h.compression == oldDeflate
	case p == 3 && h.Float:
		h.split = h.compression == lzwPacked || h.compression == deflate || h.compression == oldDeflate
	case p != 1:
		return fmt.Errorf("tiff: predictor %d with samples of %d bits is not supported; save the image without predictor", p, h.Bits)
	}
	return nil
}

// packedRatio returns the maximum expansion of compressed data.
func (h *Header) packedRatio() int64 {
	switch h.compression {
	case plain:
		return 1
	case lzwPacked: // a code of 12 bits encodes fewer than 4096 bytes
		return 4096*8/12 + 1
	case deflate, oldDeflate: // a match of 258 bytes takes at least two bits
		return 1032
	}
	return 64 // PackBits expands two bytes to 128
}

// packedChunk returns the compressed bytes of the i-th strip or tile.
func (h *Header) packedChunk(data []byte, i int) ([]byte, error) {
	offsets, sizes := tagStripOffsets, tagStripSizes
	if h.tiled {
		offsets, sizes = tagTileOffsets, tagTileSizes
	}
	if int64(i) >= h.dir.entries[offsets].count {
		return nil, errors.New("the file has no offset for this strip or tile; save the image again")
	}
	at := h.dir.entryAt(offsets, i, 0)
	size := h.dir.entryAt(sizes, i, int64(len(data))) // old writers omit this tag
	if err := h.dir.shortError(); err != nil {
		return nil, err
	}
	if at > int64(len(data)) {
		return nil, io.ErrUnexpectedEOF
	}
	// The decompressor detects missing bytes.
	return data[at:min(at+size, int64(len(data)))], nil
}

// unpacker returns a reader that decompresses a strip or tile.
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

// A reader reads bytes until the context is canceled.
type reader struct {
	ctx      context.Context
	data     []byte
	lowFirst bool   // the order of bits in each byte is reversed
	budget   *int64 // number of bytes that the remaining strips or tiles may still read
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
		return 0, errors.New("strips or tiles share their bytes; save the image again")
	}
	r.data = r.data[n:]
	if r.lowFirst {
		for i, b := range p[:n] {
			p[i] = bits.Reverse8(b)
		}
	}
	return n, nil
}

// A runs decompresses PackBits (TIFF 6.0, section 9). A count n from 0 to 127 is followed by n+1
// literal bytes. A negative count -n is followed by one byte that is repeated n+1 times. -128 is
// skipped.
type runs struct {
	r      *bufio.Reader
	copied int // number of literal bytes to copy
	same   int // number of repetitions of value
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
			err = r.readRunHeader()
		}
	}
	return n, err
}

// readRunHeader reads the next count, and the byte to repeat.
func (r *runs) readRunHeader() error {
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

// addPrevious inverts horizontal differencing (TIFF 6.0, section 14): it adds to each sample the
// same sample of the previous pixel.
func (d *decoder) addPrevious() {
	if d.h.split {
		d.joinFloatBytes()
	}
	if !d.h.predicted {
		return
	}
	back := d.h.samples
	if d.h.Bits == 8 {
		for i := back; i < len(d.row); i++ {
			d.row[i] += d.row[i-back]
		}
		return
	}
	order := d.h.dir.order
	if d.h.Bits == 32 {
		for i := 4 * back; i+3 < len(d.row); i += 4 {
			order.PutUint32(d.row[i:], order.Uint32(d.row[i:])+order.Uint32(d.row[i-4*back:]))
		}
		return
	}
	for i := 2 * back; i+1 < len(d.row); i += 2 {
		order.PutUint16(d.row[i:], order.Uint16(d.row[i:])+order.Uint16(d.row[i-2*back:]))
	}
}

// joinFloatBytes reassembles the floats of a row. The row stores all high bytes, then all second
// bytes and so on. Each byte is the difference from the previous pixel.
func (d *decoder) joinFloatBytes() {
	size, back := d.h.Bits/8, d.h.samples
	for i := back; i < len(d.row); i++ {
		d.row[i] += d.row[i-back]
	}
	n := len(d.row) / size
	for i := range n {
		for b := range size {
			to := size*i + b
			if d.h.dir.order == binary.LittleEndian {
				to = size*i + size - 1 - b
			}
			d.spare[to] = d.row[b*n+i]
		}
	}
	d.row, d.spare = d.spare, d.row
}

// usedSamples returns the number of samples per pixel that Decode uses.
func (h *Header) usedSamples() int {
	colors := 1
	if h.photometric == rgb {
		colors = 3
	}
	if h.alpha != noAlpha {
		colors++
	}
	return colors
}

// gatherSamples stores the samples of the row's first width pixels in the map, starting at (x, y).
// The samples of a pixel become its values in the same order.
func (d *decoder) gatherSamples(x, y, width int) {
	count, step := min(d.h.samples, d.h.usedSamples()), d.h.samples
	at := 4 * (y*d.h.Width + x)
	if d.h.Float {
		d.gatherFloats(at, width, count)
		return
	}
	sign := 0 // inverting the sign bit maps the smallest signed value to 0
	if d.h.Signed {
		sign = 1 << (d.h.Bits - 1)
	}
	switch d.h.Bits {
	case 32: // the lower 16 bits are dropped
		for i := range width {
			for s := range count {
				d.m.Pix16[at+4*i+s] = uint16((d.h.dir.order.Uint32(d.row[4*(i*step+s):]) ^ uint32(sign)) >> 16)
			}
		}
	case 16:
		for i := range width {
			for s := range count {
				d.m.Pix16[at+4*i+s] = d.h.dir.order.Uint16(d.row[2*(i*step+s):]) ^ uint16(sign)
			}
		}
	case 8:
		for i := range width {
			for s := range count {
				d.m.Pix8[at+4*i+s] = d.row[i*step+s] ^ uint8(sign)
			}
		}
	default:
		top := byte(1<<d.h.Bits - 1)
		scale := 255 / top
		if d.h.photometric == mapped {
			scale = 1
		}
		for i := range width {
			for s := range count {
				bit := (i*step + s) * d.h.Bits
				d.m.Pix8[at+4*i+s] = d.row[bit/8] >> (8 - d.h.Bits - bit%8) & top * scale
			}
		}
	}
}

// gatherFloats stores the floats of the row's first width pixels in the map. The parameter at is
// the index of the first float in the map.
func (d *decoder) gatherFloats(at, width, count int) {
	order, step := d.h.dir.order, d.h.samples
	for i := range width {
		for s := range count {
			var v float32
			switch j := i*step + s; d.h.Bits {
			case 16:
				v = pixmap.HalfValue(order.Uint16(d.row[2*j:]))
			case 32:
				v = math.Float32frombits(order.Uint32(d.row[4*j:]))
			default:
				v = float32(math.Float64frombits(order.Uint64(d.row[8*j:])))
			}
			d.m.PixF[at+4*i+s] = d.repairs.Light(v)
		}
	}
}

// finishFloats converts the floats of a row to colors.
func (d *decoder) finishFloats(row []float32) {
	for i := 0; i < len(row); i += 4 {
		p := row[i : i+4]
		if d.h.photometric == blackIsZero {
			p[1], p[2], p[3] = p[0], p[0], p[1]
		}
		if d.h.alpha == noAlpha {
			p[3] = 1
		}
		p[3] = min(p[3], 1)
	}
	if d.h.alpha == multiplied {
		pixmap.Straighten(row)
	}
}

// finishSamples converts the samples of row y to colors.
func (d *decoder) finishSamples(y int) {
	from, to := 4*y*d.h.Width, 4*(y+1)*d.h.Width
	if d.m.PixF != nil {
		d.finishFloats(d.m.PixF[from:to])
		return
	}
	if d.m.Pix16 != nil {
		finishPixels(&d.h, d.m.Pix16[from:to], 65535)
		return
	}
	finishPixels(&d.h, d.m.Pix8[from:to], 255)
}

func finishPixels[T uint8 | uint16](h *Header, row []T, top T) {
	for ; len(row) > 0; row = row[4:] {
		p := row[:4]
		switch h.photometric {
		case whiteIsZero, blackIsZero:
			gray, a := p[0], p[1]
			if h.photometric == whiteIsZero {
				gray = top - gray
			}
			p[0], p[1], p[2], p[3] = gray, gray, gray, a
		case mapped:
			c := h.palette[p[0]]
			p[0], p[1], p[2] = T(c[0]), T(c[1]), T(c[2])
		}
		switch h.alpha {
		case noAlpha:
			p[3] = top
		case multiplied:
			divideByAlpha(p, top)
		}
	}
}

// divideByAlpha divides premultiplied colors by their alpha.
func divideByAlpha[T uint8 | uint16](p []T, top T) {
	a := uint64(p[3])
	for i, c := range p[:3] {
		if a > 0 {
			p[i] = T(min(uint64(top), (uint64(c)*uint64(top)+a/2)/a))
		}
	}
}
