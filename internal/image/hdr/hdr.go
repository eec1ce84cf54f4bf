// Package hdr decodes Radiance pictures (.hdr): light without an upper bound, each pixel three
// mantissas with a common exponent.
//
// The layout follows "Radiance File Formats" (Greg Ward, 1997), section "Picture File Format". Like
// nearly all readers, the package uses mantissas unchanged; Radiance itself adds a half to each, so
// that none is ever black.
package hdr

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
)

// A Picture is a decoded file whose pixels are still packed, four bytes each.
type Picture struct {
	Header
	packed []byte // in the order of the file
	light  light
}

// LeastBytes returns a lower bound of the size of files with this header.
func (h Header) LeastBytes() int64 {
	// Every encoding of a scan line has a pixel and, beyond that, at least one run.
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
func Decode(r io.Reader, size int64) (*Picture, error) {
	buffered := bufio.NewReader(r)
	h, err := ReadHeader(buffered)
	if err != nil {
		return nil, err
	}
	if size < h.LeastBytes() {
		return nil, fmt.Errorf("hdr: pixels: %w", io.ErrUnexpectedEOF)
	}
	if int64(h.Width) > math.MaxInt/4/int64(h.Height) {
		return nil, errors.New("hdr: picture is too large for this machine's addresses")
	}
	length, lines := h.Width, h.Height
	if h.columns {
		length, lines = lines, length
	}
	pix := make([]byte, 4*length*lines)
	for y := range lines {
		if err := readLine(buffered, pix[4*length*y:4*length*(y+1)]); err != nil {
			return nil, fmt.Errorf("hdr: scan line %d of %d: %w", y, lines, unexpected(err))
		}
	}
	return &Picture{Header: h, packed: pix, light: h.light()}, nil
}

// Row puts row y, counted from the top, into dst as linear light: red, green, blue and an alpha of
// 1 for each pixel. It panics if dst does not have four numbers for each pixel, or if the picture
// has no such row.
func (p *Picture) Row(dst []float32, y int) {
	if len(dst) != 4*p.Width || y < 0 || y >= p.Height {
		panic(fmt.Sprintf("hdr: row %d with room for %d numbers in a picture of %d x %d", y, len(dst), p.Width, p.Height))
	}
	// The first pixel of the row in the file, and the step to the next.
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
		p.light.of(dst, p.packed[4*at:])
	}
}

// unexpected turns io.EOF into io.ErrUnexpectedEOF.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
