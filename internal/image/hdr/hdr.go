// Package hdr decodes Radiance images (.hdr), whose light has no upper bound. Each pixel has three
// mantissas with a common exponent.
//
// The layout follows "Radiance File Formats" (Greg Ward, 1997), section "Image File Format". Like
// nearly all readers, the package uses mantissas unchanged. Radiance itself adds a half to each, so
// that no value is ever black.
package hdr

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/assetcook/assetcook/internal/detmath"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// An Image is a decompressed file whose pixels are still encoded, four bytes each.
type Image struct {
	Header
	packed []byte // encoded pixels in file order
	light  light
}

// LeastBytes returns a lower bound for the size of files with this header.
func (h Header) LeastBytes() int64 {
	// A scan line takes at least 8 bytes: one pixel and one run. A line of a single pixel takes 4.
	lines, length := int64(h.Height), h.Width
	if h.columns {
		lines, length = int64(h.Width), h.Height
	}
	if length == 1 {
		return 4 * lines
	}
	return 8 * lines
}

// Decode decodes a file of size bytes. A file that is too short for its header is refused before
// anything is allocated.
func Decode(r io.Reader, size int64) (*Image, error) {
	buffered := bufio.NewReader(r)
	h, err := ReadHeader(buffered)
	if err != nil {
		return nil, err
	}
	if err := pixmap.CheckPixels(size, h.LeastBytes(), h.Width, h.Height, 4); err != nil {
		return nil, fmt.Errorf("hdr: %w", err)
	}
	length, lines := h.Width, h.Height
	if h.columns {
		length, lines = lines, length
	}
	pix := make([]byte, 4*length*lines)
	for y := range lines {
		if err := readLine(buffered, pix[4*length*y:4*length*(y+1)]); err != nil {
			return nil, fmt.Errorf("hdr: scan line %d of %d: %w", y, lines, pixmap.UnexpectedEOF(err))
		}
	}
	return &Image{Header: h, packed: pix, light: h.lightTable()}, nil
}

// Row stores row y, counted from the top, in dst. A pixel has red, green and blue as linear light,
// and an alpha of 1. Row panics if dst does not have four elements per pixel, or if the image has
// no row y.
func (p *Image) Row(dst []float32, y int) {
	if len(dst) != 4*p.Width || y < 0 || y >= p.Height {
		panic(fmt.Sprintf("hdr: the buffer of row %d has %d values, which does not suit an image of %d x %d", y, len(dst), p.Width, p.Height))
	}
	// x is the column of the row's first pixel in the file. step is the index difference between
	// adjacent pixels of the row.
	x, step := 0, 1
	if p.fromRight {
		x, step = p.Width-1, -1
	}
	if p.fromBottom {
		y = p.Height - 1 - y
	}
	at := y*p.Width + x
	if p.columns {
		at, step = x*p.Height+y, step*p.Height
	}
	for ; len(dst) > 0; dst, at = dst[4:], at+step {
		p.light.putLight(dst, p.packed[4*at:])
	}
}

// Only scan lines of these lengths can be stored channel by channel.
const (
	leastByChannel = 8
	mostByChannel  = 1<<15 - 1
)

// readLine reads the next scan line. In the file, a scan line is stored channel by channel or, in
// older files, pixel by pixel.
func readLine(r *bufio.Reader, line []byte) error {
	pixels := len(line) / 4
	if pixels >= leastByChannel && pixels <= mostByChannel {
		sign, err := r.Peek(4)
		if err != nil {
			return err
		}
		// No pixel starts with these bytes, because the largest mantissa is never below 128.
		if sign[0] == 2 && sign[1] == 2 && sign[2] < 128 {
			if length := int(sign[2])<<8 | int(sign[3]); length != pixels {
				return fmt.Errorf("the scan line has %d pixels, want %d; save the image again", length, pixels)
			}
			_, _ = r.Discard(len(sign))
			return readPlanes(r, line)
		}
	}
	return readPixels(r, line)
}

// readPlanes reads all reds, then all greens, blues and exponents. Each channel consists of
// packets. A packet has a count up to 128 and as many values, or a higher count and one value that
// is repeated count-128 times.
func readPlanes(r *bufio.Reader, line []byte) error {
	for c := range 4 {
		for at := c; at < len(line); {
			count, err := r.ReadByte()
			if err != nil {
				return err
			}
			n, same := int(count), count > 128
			if same {
				n -= 128
			}
			if left := (len(line) - at + 3) / 4; n == 0 || n > left {
				return fmt.Errorf("a run has %d pixels, but the row has only %d more; save the image again", n, left)
			}
			var v byte
			for i := range n {
				if i == 0 || !same {
					if v, err = r.ReadByte(); err != nil {
						return err
					}
				}
				line[at] = v
				at += 4
			}
		}
	}
	return nil
}

// readPixels reads pixels of four bytes. Mantissas of 1, 1, 1 repeat the previous pixel; the
// exponent is the count. If several repetitions follow each other, the counts are multiplied by 1,
// 256, 65536 and so on.
func readPixels(r *bufio.Reader, line []byte) error {
	var p [4]byte
	for at, shift := 0, 0; at < len(line); {
		if _, err := io.ReadFull(r, p[:]); err != nil {
			return err
		}
		if p[0] != 1 || p[1] != 1 || p[2] != 1 {
			at += copy(line[at:], p[:])
			shift = 0
			continue
		}
		if at == 0 {
			return errors.New("the scan line starts with a repetition; save the image again")
		}
		if shift > 24 {
			return errors.New("a repetition is too long; save the image again")
		}
		left := int64(len(line)-at) / 4
		n := int64(p[3]) << shift
		if n > left {
			return fmt.Errorf("a repetition has %d pixels, but the row has only %d more; save the image again", n, left)
		}
		for end := at + 4*int(n); at < end; at += 4 {
			copy(line[at:], line[at-4:at])
		}
		shift += 8
	}
	return nil
}

// A light holds tables that convert encoded pixels to floats. A value is the product of the entries
// for the mantissa and the exponent.
type light struct {
	mantissa [256]float64
	exponent [256][3]float64 // factors of red, green and blue for each exponent
}

// lightTable returns the table for images with this header. Light is (mantissa * 2^(exponent-136))
// ^ gamma / exposure; an exponent of 0 is black.
func (h *Header) lightTable() light {
	var l light
	for i := range 256 {
		l.mantissa[i] = detmath.Pow(float64(i), h.Gamma)
		if i == 0 {
			continue
		}
		unit := detmath.Pow(math.Ldexp(1, i-136), h.Gamma)
		for c, e := range h.Exposure {
			l.exponent[i][c] = min(1e300, unit/e) // the limit keeps the factor finite, so that 0 times the factor is 0
		}
	}
	return l
}

// putLight converts the first pixel of the slice packed to light and stores it at the start of dst.
// Light beyond float32 becomes the largest float32 instead of infinity.
func (l *light) putLight(dst []float32, packed []byte) {
	_, _ = dst[3], packed[3]
	scale := &l.exponent[packed[3]]
	for c := range 3 {
		dst[c] = float32(min(math.MaxFloat32, l.mantissa[packed[c]]*scale[c]))
	}
	dst[3] = 1
}
