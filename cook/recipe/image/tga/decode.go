package tga

import (
	"bufio"
	"fmt"
	"io"
)

// A texel is one pixel: red, green, blue, straight alpha.
type texel [4]byte

type decoder struct {
	r      *bufio.Reader
	header Header
	colors []texel // of a colour-mapped picture
	raw    [4096]byte
}

// firstChunk is how many bytes of pixels are allocated before any was read.
const firstChunk = 1 << 20

// pixels reads all pixels in the order of the file.
func (d *decoder) pixels() ([]byte, error) {
	total := 4 * d.header.Width * d.header.Height
	pix := make([]byte, 0, min(total, firstChunk))
	for len(pix) < total {
		pix = reserve(pix, total)
		count, same, err := d.packet((total-len(pix))/4, (cap(pix)-len(pix))/4)
		if err == nil && same {
			pix, err = d.run(pix, count)
		} else if err == nil {
			pix, err = d.texels(pix, count)
		}
		if err != nil {
			return nil, fmt.Errorf("tga: after %d of %d pixels: %w", len(pix)/4, total/4, unexpected(err))
		}
	}
	return pix, nil
}

// reserve makes room for the longest run, or for all that is still to come.
func reserve(pix []byte, total int) []byte {
	if room := min(4*maxRun, total-len(pix)); cap(pix)-len(pix) >= room {
		return pix
	}
	grown := make([]byte, len(pix), min(total, 2*cap(pix)))
	copy(grown, pix)
	return grown
}

// packet returns how many pixels come next and whether they are all the same.
// The file still holds left pixels, and there is room for so many of them.
func (d *decoder) packet(left, room int) (count int, same bool, err error) {
	if !d.header.packed {
		return min(left, room), false, nil
	}
	b, err := d.r.ReadByte()
	if err != nil {
		return 0, false, err
	}
	if count = int(b&127) + 1; count > left {
		return 0, false, fmt.Errorf("a packet of %d pixels where %d are left", count, left)
	}
	return count, b&128 != 0, nil
}

// run reads one pixel and appends it so many times.
func (d *decoder) run(pix []byte, count int) ([]byte, error) {
	start := len(pix)
	pix, err := d.texels(pix, 1)
	if err != nil {
		return pix, err
	}
	for range count - 1 {
		pix = append(pix, pix[start:start+4]...)
	}
	return pix, nil
}

// texels reads so many pixels and appends them to pix.
func (d *decoder) texels(pix []byte, count int) ([]byte, error) {
	size := (d.header.Depth + 7) / 8
	for count > 0 {
		n := min(count, len(d.raw)/size)
		raw := d.raw[:n*size]
		if _, err := io.ReadFull(d.r, raw); err != nil {
			return pix, err
		}
		if d.header.kind == trueColor && size > 2 {
			pix = appendColors(pix, raw, size, size == 4 && d.header.alphaBits > 0)
			count -= n
			continue
		}
		for ; len(raw) > 0; raw = raw[size:] {
			t, err := d.texel(raw[:size])
			if err != nil {
				return pix, err
			}
			pix = append(pix, t[:]...)
		}
		count -= n
	}
	return pix, nil
}

// appendColors appends colours of 3 or 4 bytes each: blue, green, red, alpha.
// It does what texel does for most pictures, faster.
func appendColors(pix, raw []byte, size int, alpha bool) []byte {
	for ; len(raw) >= size; raw = raw[size:] {
		a := byte(255)
		if alpha {
			a = raw[3]
		}
		pix = append(pix, raw[2], raw[1], raw[0], a)
	}
	return pix
}

func (d *decoder) texel(raw []byte) (texel, error) {
	switch d.header.kind {
	case grey:
		t := texel{raw[0], raw[0], raw[0], 255}
		if len(raw) == 2 && d.header.alphaBits > 0 {
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
			return texel{}, fmt.Errorf("colour %d is not in the colour map", index)
		}
		return d.colors[i], nil
	}
	return colorOf(raw, d.header.hasAlpha(d.header.Depth)), nil
}

// hasAlpha says whether colours of the given depth carry alpha. The header
// gives the number of alpha bits, but many writers leave one behind for
// colours of 15 bits, which have no room for it.
func (h *Header) hasAlpha(depth int) bool { return h.alphaBits > 0 && depth != 15 }

// readMap reads the colour map, if there is one.
func readMap(r io.Reader, h Header) ([]texel, error) {
	raw := make([]byte, h.mapSize*((h.mapDepth+7)/8))
	if _, err := io.ReadFull(r, raw); err != nil {
		return nil, fmt.Errorf("tga: colour map: %w", unexpected(err))
	}
	if h.kind != mapped {
		return nil, nil
	}
	size := len(raw) / h.mapSize
	colors := make([]texel, h.mapSize)
	for i := range colors {
		colors[i] = colorOf(raw[i*size:(i+1)*size], h.hasAlpha(h.mapDepth))
	}
	return colors, nil
}

// colorOf takes a stored colour of 2, 3 or 4 bytes apart: five bits each of
// blue, green, red and one of alpha, or a byte each.
func colorOf(raw []byte, alpha bool) texel {
	t := texel{3: 255}
	if len(raw) == 2 {
		v := int(raw[0]) | int(raw[1])<<8
		t[0], t[1], t[2] = five(v>>10), five(v>>5), five(v)
		if alpha && v>>15 == 0 {
			t[3] = 0
		}
		return t
	}
	t[0], t[1], t[2] = raw[2], raw[1], raw[0]
	if alpha && len(raw) == 4 {
		t[3] = raw[3]
	}
	return t
}

// five widens the low five bits of v so that 31 becomes 255.
func five(v int) byte {
	v &= 31
	return byte(v<<3 | v>>2)
}

// arrange brings pixels in the order of the file, which starts at any corner,
// into rows from the top left.
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
