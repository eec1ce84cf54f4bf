package bmp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// A Header is what stands before the pixels.
type Header struct {
	Width, Height int
	Depth         int // bits a pixel: 1, 2, 4, 8, 16, 24 or 32
	// ICC is the colour profile, nil if there is none or if it lies beyond the
	// bytes that the header was read from.
	ICC []byte

	topDown bool
	packed  bool // run-length encoded
	offset  int64
	palette [256][4]byte // red, green, blue, 255
	masks   [4]uint32    // of red, green, blue, alpha
}

// The sizes of the header's versions, which tell them apart.
const (
	fileHeader = 14
	coreHeader = 12 // OS/2 1.x
	infoHeader = 40
	maskHeader = 52 // with masks
	alphaMask  = 56 // with one for alpha
	v4Header   = 108
	v5Header   = 124
)

// mostSide bounds what is believed.
const mostSide = 1 << 24

// The ways to store pixels.
const (
	plain       = 0
	rle8        = 1
	rle4        = 2
	masked      = 3
	maskedAlpha = 6
)

// ReadHeader reads and checks the header at the start of data. It fails for
// whatever Decode would not decode on account of its header. The error is
// io.ErrUnexpectedEOF if data does not reach to the pixels.
func ReadHeader(data []byte) (Header, error) {
	r := fields{data}
	size := r.long(14)
	if len(data) >= fileHeader+4 && size != coreHeader && size != infoHeader && size != maskHeader &&
		size != alphaMask && size != v4Header && size != v5Header {
		return Header{}, fmt.Errorf("bmp: unknown header of %d bytes", size)
	}
	if len(data) < fileHeader+int(size) || size == 0 {
		return Header{}, fmt.Errorf("bmp: header: %w", io.ErrUnexpectedEOF)
	}
	if data[0] != 'B' || data[1] != 'M' {
		return Header{}, errors.New("bmp: file does not start with BM")
	}
	h := Header{offset: int64(r.long(10))}
	compression := uint32(plain)
	if size == coreHeader {
		h.Width, h.Height, h.Depth = int(r.short(18)), int(r.short(20)), int(r.short(24))
	} else {
		height := int64(int32(r.long(22)))
		if h.topDown = height < 0; h.topDown {
			height = -height
		}
		if r.long(18) > mostSide || height > mostSide {
			return Header{}, fmt.Errorf("bmp: picture of %d x %d pixels", int32(r.long(18)), height)
		}
		h.Width, h.Height, h.Depth = int(r.long(18)), int(height), int(r.short(28))
		compression = r.long(30)
	}
	if h.Width == 0 || h.Height == 0 {
		return Header{}, fmt.Errorf("bmp: picture of %d x %d pixels", h.Width, h.Height)
	}
	if err := h.kind(compression); err != nil {
		return Header{}, err
	}
	return h, h.colors(r, size, compression)
}

// kind checks depth and compression.
func (h *Header) kind(compression uint32) error {
	depths := map[uint32][]int{plain: {1, 2, 4, 8, 16, 24, 32}, rle8: {8}, rle4: {4}, masked: {16, 32}, maskedAlpha: {16, 32}}
	h.packed = compression == rle8 || compression == rle4
	for _, d := range depths[compression] {
		if d == h.Depth {
			return nil
		}
	}
	return fmt.Errorf("bmp: %d bits a pixel with compression %d are not supported", h.Depth, compression)
}

// colors reads masks or palette, which stand between header and pixels.
func (h *Header) colors(r fields, size, compression uint32) error {
	at := int64(fileHeader + size)
	if size == infoHeader && (compression == masked || compression == maskedAlpha) {
		at += 12
		if compression == maskedAlpha {
			at += 4
		}
	}
	if h.offset < at {
		return errors.New("bmp: the pixels are said to begin within the header")
	}
	if int64(len(r.data)) < h.offset {
		// A palette is short; more is nothing that has to be seen.
		const most = fileHeader + v5Header + 4*256
		if int64(len(r.data)) < min(h.offset, most) {
			return fmt.Errorf("bmp: header: %w", io.ErrUnexpectedEOF)
		}
	}
	if size == v5Header && r.long(70) == 'M'<<24|'B'<<16|'E'<<8|'D' {
		from, length := fileHeader+int64(r.long(126)), int64(r.long(130))
		if from+length <= int64(len(r.data)) {
			h.ICC = r.data[from : from+length]
		}
	}
	switch {
	case h.Depth > 8:
		return h.readMasks(r, size, compression)
	case size == coreHeader:
		h.readPalette(r.data[at:], 3, 1<<h.Depth)
	default:
		used := int64(r.long(46))
		if used == 0 {
			used = 1 << h.Depth
		}
		h.readPalette(r.data[at:], 4, used)
	}
	return nil
}

func (h *Header) readMasks(r fields, size, compression uint32) error {
	switch {
	case compression == masked || compression == maskedAlpha:
		const at = fileHeader + infoHeader
		h.masks = [4]uint32{r.long(at), r.long(at + 4), r.long(at + 8)}
		if size >= alphaMask || compression == maskedAlpha {
			h.masks[3] = r.long(at + 12)
		}
	case h.Depth == 16:
		h.masks = [4]uint32{0x7c00, 0x3e0, 0x1f}
	default:
		h.masks = [4]uint32{0xff0000, 0xff00, 0xff}
		if size >= alphaMask { // a mask of alpha counts in any case
			h.masks[3] = r.long(fileHeader + maskHeader)
		}
	}
	for _, m := range h.masks {
		if f := fieldOf(m); f.top<<f.shift != uint64(m) {
			return fmt.Errorf("bmp: bit field %08x has gaps", m)
		}
	}
	return nil
}

// readPalette reads blue, green and red of so many colours of size bytes each,
// as far as they are there.
func (h *Header) readPalette(data []byte, size int, count int64) {
	for i := range h.palette {
		h.palette[i][3] = 255
	}
	for i := range min(count, 256, int64(len(data)/size)) {
		c := data[int(i)*size:]
		h.palette[i] = [4]byte{c[2], c[1], c[0], 255}
	}
}

func fieldOf(mask uint32) field {
	if mask == 0 {
		return field{}
	}
	return field{shift: bits.TrailingZeros32(mask), top: 1<<bits.OnesCount32(mask) - 1}
}

// rowBytes returns how many bytes a row takes that is not packed.
func (h *Header) rowBytes() int64 { return (int64(h.Width)*int64(h.Depth) + 31) / 32 * 4 }

// LeastBytes returns the size of the smallest file that can have this header.
// That of a packed picture has at least the end mark of each row; that rows may
// be skipped altogether is not granted.
func (h *Header) LeastBytes() int64 {
	if h.packed {
		return h.offset + 2*int64(h.Height)
	}
	return h.offset + h.rowBytes()*int64(h.Height)
}

// Packed says whether pixels are run-length encoded.
func (h *Header) Packed() bool { return h.packed }

// Bits returns how many bits the file stores for a channel of a pixel or, where
// there is a palette, for a pixel.
func (h *Header) Bits() int {
	switch {
	case h.Depth <= 8:
		return h.Depth
	case h.Depth == 24:
		return 8
	}
	return bits.OnesCount32(h.masks[1])
}

// fields reads the numbers of a header. Beyond its end there are zeros.
type fields struct{ data []byte }

func (f fields) short(at int) uint16 {
	if at+2 > len(f.data) {
		return 0
	}
	return binary.LittleEndian.Uint16(f.data[at:])
}

func (f fields) long(at int) uint32 {
	if at+4 > len(f.data) {
		return 0
	}
	return binary.LittleEndian.Uint32(f.data[at:])
}
