package source

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// transposed is the first orientation whose rows are stored as columns.
const transposed = 5

// upright returns m turned upright. Orientations are the values of EXIF 2.3, tag 0x0112, which name
// the sides of the stored picture's first row and first column. Values other than 2 to 8 change
// nothing.
func upright(ctx context.Context, m *pixmap.Map, orientation int) (*pixmap.Map, error) {
	if orientation < 2 || orientation > 8 {
		return m, nil
	}
	w, h := m.W, m.H
	if orientation >= transposed {
		w, h = h, w
	}
	out := pixmap.New(w, h, m.Depth())
	// Pixel (0, 0) of out is pixel start of m. A step to the right or down in out moves by that
	// many pixels in m.
	start, right, down := 0, 1, m.W
	last, bottom := m.W-1, (m.H-1)*m.W // of the first row, of the first column
	switch orientation {
	case 2: // top, right
		start, right = last, -1
	case 3: // bottom, right
		start, right, down = bottom+last, -1, -m.W
	case 4: // bottom, left
		start, down = bottom, -m.W
	case 5: // left, top
		right, down = m.W, 1
	case 6: // right, top
		start, right, down = bottom, -m.W, 1
	case 7: // right, bottom
		start, right, down = bottom+last, -m.W, -1
	case 8: // left, bottom
		start, right, down = last, m.W, -1
	}
	for y := range h {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from, to := start+y*down, y*w
		switch {
		case m.Pix8 != nil:
			turnRow(out.Pix8[4*to:4*(to+w)], m.Pix8, from, right)
		case m.Pix16 != nil:
			turnRow(out.Pix16[4*to:4*(to+w)], m.Pix16, from, right)
		default:
			turnRow(out.PixF[4*to:4*(to+w)], m.PixF, from, right)
		}
	}
	return out, nil
}

// turnRow fills dst with every step-th pixel of src, starting at pixel from.
func turnRow[T any](dst, src []T, from, step int) {
	for ; len(dst) > 0; dst = dst[4:] {
		copy(dst[:4], src[4*from:4*from+4])
		from += step
	}
}

// exifOrientation returns the orientation of an EXIF block, 1 to 8, or 1 if the block has none or
// is damaged. A block is a small TIFF file (EXIF 2.3, section 4.5). The signature that JPEG puts
// before it is optional.
func exifOrientation(block []byte) int {
	block = bytes.TrimPrefix(block, []byte("Exif\x00\x00"))
	if len(block) < 8 {
		return 1
	}
	var order binary.ByteOrder
	switch string(block[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 1
	}
	at := uint64(order.Uint32(block[4:]))
	if at+2 > uint64(len(block)) {
		return 1
	}
	entries, count := block[at+2:], order.Uint16(block[at:])
	// Each entry has a tag, a type, a count, and the value if it is short enough.
	for ; count > 0 && len(entries) >= 12; entries, count = entries[12:], count-1 {
		const orientation, short = 0x0112, 3
		if order.Uint16(entries) != orientation {
			continue
		}
		v := order.Uint16(entries[8:])
		if order.Uint16(entries[2:]) != short || order.Uint32(entries[4:]) != 1 || v < 1 || v > 8 {
			return 1
		}
		return int(v)
	}
	return 1
}
