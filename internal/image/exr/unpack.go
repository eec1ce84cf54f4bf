package exr

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// Compression methods of strips and tiles, numbered as in files.
const (
	plain = iota
	rle
	zips
	zip
	piz
	pxr24
	b44
	b44a
	dwaa
	dwab
)

// checkCompression returns an error for unsupported compression methods.
func (h *Header) checkCompression() error {
	switch {
	case h.compression > dwab:
		return fmt.Errorf("compression %d is not supported; save the image with ZIP or PIZ", h.compression)
	case h.compression != b44 && h.compression != b44a:
		return nil
	}
	for _, c := range h.channels {
		if c.linear && c.kind == half {
			return fmt.Errorf("channel %q uses B44 compression of logarithms, which is not supported; save the image with ZIP or PIZ", c.name)
		}
	}
	return nil
}

// linesOfChunk returns the number of rows per strip.
func (h *Header) linesOfChunk() int {
	switch h.compression {
	case zip, pxr24:
		return 16
	case piz, b44, b44a, dwaa:
		return 32
	case dwab:
		return 256
	}
	return 1
}

// expansionRatio returns an upper bound for the ratio of decompressed to compressed size.
func (h *Header) expansionRatio() int64 {
	switch h.compression {
	case plain:
		return 1
	case rle: // two bytes expand to 128
		return 64
	case zips, zip: // a match of 258 bytes takes at least two bits
		return 1032
	case pxr24: // three bytes expand to four
		return 1376
	case b44, b44a: // three bytes expand to sixteen values
		return 11
	case dwaa, dwab: // a code of one bit and a count of eight bits expand to 255 blocks of 64 values
		return 1 << 15
	}
	return 512 // PIZ: a code of one bit and a count of eight bits expand to 255 values
}

// An unpacker decompresses strips and tiles and reuses its memory.
type unpacker struct {
	channels []channel
	raw, mid []byte // buffers for the largest strip or tile; nil if unused
	inflate  io.ReadCloser
	piz      *pizTables

	runs         []byte   // buffer of DWA
	waves, means []uint16 // values of the blocks of DWA
}

// newUnpacker allocates buffers for the largest strip or tile.
func newUnpacker(h *Header) unpacker {
	u, room := unpacker{channels: h.channels}, h.chunkBytes(h.tileW, h.tileH)
	if h.compression != plain {
		u.raw = make([]byte, room)
	}
	switch h.compression {
	case rle, zips, zip, pxr24, dwaa, dwab:
		u.mid = make([]byte, room)
	case piz:
		u.piz = &pizTables{numbers: make([]uint16, room/2)}
	}
	return u
}

// unpackChunk decompresses a strip or tile of w by l pixels. A row has all little-endian values of
// the first channel, then of the next channel, and so on. The result is valid until the next call.
func (u *unpacker) unpackChunk(compression byte, packed []byte, w, l int) ([]byte, error) {
	size := 0
	for _, c := range u.channels {
		size += w * l * c.kind.numberSize()
	}
	if compression == plain || len(packed) >= size { // data that compression would not shrink is stored as is
		if len(packed) != size {
			return nil, fmt.Errorf("the unpacked pixels have %d bytes, want %d; save the image again", len(packed), size)
		}
		return packed, nil
	}
	raw := u.raw[:size]
	switch compression {
	case piz:
		return raw, u.unpackPIZ(raw, packed, w, l)
	case b44, b44a:
		return raw, u.unpackB44(raw, packed, w, l)
	case dwaa, dwab:
		return raw, u.unpackDWA(raw, packed, w, l)
	}
	mid := u.mid[:size]
	switch compression {
	case rle:
		if err := unpackRuns(mid, packed); err != nil {
			return nil, err
		}
		mergeHalves(raw, mid)
		return raw, nil
	case zips, zip:
		if err := u.inflated(mid, packed); err != nil {
			return nil, err
		}
		mergeHalves(raw, mid)
		return raw, nil
	}
	return raw, u.unpackPXR24(raw, mid, packed, w, l)
}

// inflated decompresses the slice packed into dst, which must have exactly the decompressed size.
func (u *unpacker) inflated(dst, packed []byte) (err error) {
	r := bytes.NewReader(packed)
	if old, ok := u.inflate.(zlib.Resetter); ok {
		err = old.Reset(r, nil)
	} else {
		u.inflate, err = zlib.NewReader(r)
	}
	if err != nil {
		return pixmap.UnexpectedEOF(err)
	}
	if _, err := io.ReadFull(u.inflate, dst); err != nil {
		return pixmap.UnexpectedEOF(err)
	}
	if n, _ := u.inflate.Read(make([]byte, 1)); n > 0 {
		return errors.New("the compressed data has too many pixels; save the image again")
	}
	return nil
}

// unpackRuns decompresses runs into dst. A count n from 0 to 127 is followed by one byte that is
// repeated n+1 times. A negative count is followed by -n literal bytes.
func unpackRuns(dst, packed []byte) error {
	for len(dst) > 0 {
		if len(packed) < 2 {
			return io.ErrUnexpectedEOF
		}
		n := int(int8(packed[0]))
		packed = packed[1:]
		if n < 0 {
			n = -n
			if n > len(packed) {
				return io.ErrUnexpectedEOF
			}
			if n > len(dst) {
				return errors.New("the compressed data has too many pixels; save the image again")
			}
			copy(dst, packed[:n])
			packed, dst = packed[n:], dst[n:]
			continue
		}
		if n++; n > len(dst) {
			return errors.New("the compressed data has too many pixels; save the image again")
		}
		for i := range dst[:n] {
			dst[i] = packed[0]
		}
		packed, dst = packed[1:], dst[n:]
	}
	if len(packed) > 0 {
		return errors.New("the compressed data has too many pixels; save the image again")
	}
	return nil
}

// mergeHalves inverts the transformation that precedes RLE and ZIP. Each byte is the difference
// from the previous byte, plus 128. The first half of the bytes belongs at even positions.
func mergeHalves(dst, split []byte) {
	for i := 1; i < len(split); i++ {
		split[i] += split[i-1] - 128
	}
	middle := (len(split) + 1) / 2
	for i := range dst {
		dst[i] = split[i&1*middle+i>>1]
	}
}

// unpackPXR24 decompresses PXR24. For each row of a channel, the data holds the differences of
// neighbors: all high bytes, then all next bytes and so on. Floats lack their lowest byte.
func (u *unpacker) unpackPXR24(raw, mid, packed []byte, w, l int) error {
	stored := func(k kind) int { return map[kind]int{half: 2, float: 3, whole: 4}[k] }
	size := 0
	for _, c := range u.channels {
		size += w * l * stored(c.kind)
	}
	if err := u.inflated(mid[:size], packed); err != nil {
		return err
	}
	for range l {
		for _, c := range u.channels {
			n, sum := stored(c.kind), uint32(0)
			for i := range w {
				d := uint32(0)
				for plane := range n {
					d = d<<8 | uint32(mid[plane*w+i])
				}
				if c.kind == float {
					d <<= 8
				}
				if sum += d; c.kind == half {
					binary.LittleEndian.PutUint16(raw[2*i:], uint16(sum))
				} else {
					binary.LittleEndian.PutUint32(raw[4*i:], sum)
				}
			}
			raw, mid = raw[c.kind.numberSize()*w:], mid[n*w:]
		}
	}
	return nil
}

// unpackB44 decompresses B44 and B44A, channel by channel. Half-precision floats are in blocks of 4
// by 4; other values are stored unchanged.
func (u *unpacker) unpackB44(raw, packed []byte, w, l int) error {
	stride, left := 0, 0
	for _, c := range u.channels {
		stride += w * c.kind.numberSize()
	}
	for _, c := range u.channels {
		size := w * c.kind.numberSize()
		if c.kind != half {
			if len(packed) < size*l {
				return io.ErrUnexpectedEOF
			}
			for y := range l {
				copy(raw[y*stride+left:], packed[y*size:(y+1)*size])
			}
			packed = packed[size*l:]
		} else {
			for y := 0; y < l; y += 4 {
				for x := 0; x < w; x += 4 {
					block, n, err := unpackBlock(packed)
					if err != nil {
						return err
					}
					packed = packed[n:]
					for i := range min(4, l-y) {
						for j := range min(4, w-x) {
							binary.LittleEndian.PutUint16(raw[(y+i)*stride+left+2*(x+j):], block[4*i+j])
						}
					}
				}
			}
		}
		left += size
	}
	if len(packed) > 0 {
		return errors.New("the compressed data has too many pixels; save the image again")
	}
	return nil
}

// unpackBlock decodes the first block of b and returns its size: 14 bytes, or 3 if all values are
// equal. The first value is stored in full. Each other value is a difference of six bits, where 32
// means 0, times a power of two. In the first column it is the difference from the value above,
// elsewhere from the value to the left.
func unpackBlock(b []byte) (block [16]uint16, n int, err error) {
	if len(b) < 3 {
		return block, 0, io.ErrUnexpectedEOF
	}
	first := uint16(b[0])<<8 | uint16(b[1])
	if b[2] >= 13<<2 {
		for i := range block {
			block[i] = ordered(first)
		}
		return block, 3, nil
	}
	if len(b) < 14 {
		return block, 0, io.ErrUnexpectedEOF
	}
	shift := b[2] >> 2
	bit := 16 + 6 // bit position of the next difference
	step := func(from uint16) uint16 {
		pair := uint16(b[bit/8]) << 8
		if bit/8+1 < 14 {
			pair |= uint16(b[bit/8+1])
		}
		d := pair >> (10 - bit%8) & 63
		bit += 6
		return from + d<<shift - 32<<shift
	}
	block[0] = first
	for i := 4; i < 16; i += 4 {
		block[i] = step(block[i-4])
	}
	for column := range 3 {
		for i := column; i < 16; i += 4 {
			block[i+1] = step(block[i])
		}
	}
	for i, v := range block {
		block[i] = ordered(v)
	}
	return block, 14, nil
}

// ordered converts a B44 value to the bits of a half-precision float. B44 values count from the
// smallest float to the largest.
func ordered(v uint16) uint16 {
	if v&0x8000 != 0 {
		return v & 0x7fff
	}
	return ^v
}
