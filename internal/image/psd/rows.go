package psd

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Compressions of the merged picture.
const (
	plain = iota
	packBits
	zip
	zipPredicted
)

// rows reads the rows of all channels, one channel after another.
type rows struct {
	h       *Header
	packing uint16
	data    []byte    // the rest of the file
	sizes   []byte    // sizes of the remaining packed rows
	wide    int       // length of such a size
	inflate io.Reader // of ZIP
	row     []byte
	spare   []byte
}

// newRows starts at the merged picture.
func newRows(h *Header, data []byte) (*rows, error) {
	c := &cursor{data: data, at: h.image}
	packing, ok := c.take(2)
	if !ok {
		return nil, io.ErrUnexpectedEOF
	}
	r := &rows{h: h, packing: binary.BigEndian.Uint16(packing), row: make([]byte, h.rowBytes()), wide: h.wide() / 2}
	switch r.packing {
	case plain:
	case packBits:
		if r.sizes, ok = c.take(int64(r.wide) * int64(h.channels) * int64(h.Height)); !ok {
			return nil, io.ErrUnexpectedEOF
		}
	case zip, zipPredicted:
		z, err := zlib.NewReader(bytes.NewReader(data[c.at:]))
		if err != nil {
			return nil, unexpected(err)
		}
		r.inflate, r.spare = z, make([]byte, len(r.row))
	default:
		return nil, fmt.Errorf("unknown compression %d", r.packing)
	}
	r.data = data[c.at:]
	return r, nil
}

// next returns the next row, which is valid until the next call.
func (r *rows) next() ([]byte, error) {
	switch r.packing {
	case plain:
		if len(r.data) < len(r.row) {
			return nil, io.ErrUnexpectedEOF
		}
		row := r.data[:len(r.row)]
		r.data = r.data[len(r.row):]
		return row, nil
	case packBits:
		size := int64(binary.BigEndian.Uint16(r.sizes))
		if r.wide == 4 {
			size = int64(binary.BigEndian.Uint32(r.sizes))
		}
		r.sizes = r.sizes[r.wide:]
		if size > int64(len(r.data)) {
			return nil, io.ErrUnexpectedEOF
		}
		err := unpackBits(r.row, r.data[:size])
		r.data = r.data[size:]
		return r.row, err
	}
	if _, err := io.ReadFull(r.inflate, r.row); err != nil {
		return nil, err
	}
	if r.packing == zipPredicted {
		r.unpredict()
	}
	return r.row, nil
}

// unpredict adds to each number of the row the number before. Floats are predicted bytewise, all
// high bytes first.
func (r *rows) unpredict() {
	row := r.row
	if r.h.Bits == 16 {
		for i := 2; i < len(row); i += 2 {
			binary.BigEndian.PutUint16(row[i:], binary.BigEndian.Uint16(row[i:])+binary.BigEndian.Uint16(row[i-2:]))
		}
		return
	}
	for i := 1; i < len(row); i++ {
		row[i] += row[i-1]
	}
	if r.h.Bits == 32 {
		for i := range r.h.Width {
			for b := range 4 {
				r.spare[4*i+b] = row[b*r.h.Width+i]
			}
		}
		r.row, r.spare = r.spare, r.row
	}
}

// unpackBits fills dst from runs: a count n of 0 to 127 and n+1 bytes, or a negative count -n and a
// byte that is repeated n+1 times; -128 is skipped.
func unpackBits(dst, packed []byte) error {
	tooMuch := errors.New("too many pixels")
	for len(packed) > 0 {
		n := int(int8(packed[0]))
		packed = packed[1:]
		switch {
		case n >= 0:
			n++
			if n > len(packed) {
				return io.ErrUnexpectedEOF
			}
			if n > len(dst) {
				return tooMuch
			}
			copy(dst, packed[:n])
			packed, dst = packed[n:], dst[n:]
		case n > -128:
			n = 1 - n
			if len(packed) == 0 {
				return io.ErrUnexpectedEOF
			}
			if n > len(dst) {
				return tooMuch
			}
			for i := range dst[:n] {
				dst[i] = packed[0]
			}
			packed, dst = packed[1:], dst[n:]
		}
	}
	if len(dst) > 0 {
		return io.ErrUnexpectedEOF
	}
	return nil
}
