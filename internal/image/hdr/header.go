package hdr

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// A Header holds the properties in the text before the pixels.
type Header struct {
	Width, Height int
	// Exposure is the factor that the writer applied to red, green and blue. It is the product of
	// all EXPOSURE and COLORCORR lines. Row divides by it.
	Exposure [3]float64
	// Gamma is the root that the writer applied to the pixels; 1 means none. Row raises pixels to
	// this power.
	Gamma float64
	// Primaries is the value of the PRIMARIES line, or "" if there is none. Decode does not apply
	// it.
	Primaries string

	columns               bool // true if scan lines are columns of the image
	fromRight, fromBottom bool // true if columns start from the right, or rows from the bottom
}

// maxHeader is the maximum size of the header text in bytes.
const maxHeader = 32 << 10

// ReadHeader reads and checks a header up to the first pixel. It returns an error for every header
// that Decode would refuse. If r is a *bufio.Reader, it reads no byte beyond the header.
func ReadHeader(r io.Reader) (Header, error) {
	b, ok := r.(*bufio.Reader)
	if !ok {
		b = bufio.NewReader(r)
	}
	lines := lineReader{r: b, left: maxHeader}
	sign, err := lines.nextHeaderLine()
	if err != nil {
		return Header{}, err
	}
	if !strings.HasPrefix(sign, "#?") {
		return Header{}, errors.New("hdr: the file does not start with \"#?\"; save the image again")
	}
	h := Header{Exposure: [3]float64{1, 1, 1}, Gamma: 1}
	for {
		line, err := lines.nextHeaderLine()
		if err != nil {
			return Header{}, err
		}
		if line == "" {
			break
		}
		if err := h.applyVariable(line); err != nil {
			return Header{}, err
		}
	}
	line, err := lines.nextHeaderLine()
	if err != nil {
		return Header{}, err
	}
	return h, h.resolution(line)
}

// applyVariable applies a line of the form NAME=value. Other lines are comments, or the commands
// that created the image.
func (h *Header) applyVariable(line string) error {
	name, value, _ := strings.Cut(line, "=")
	value = strings.TrimSpace(value)
	switch name {
	case "FORMAT":
		switch value {
		case "32-bit_rle_rgbe":
			return nil
		case "32-bit_rle_xyze":
			return errors.New("hdr: colors are XYZ; convert the image to RGB with ra_xyze -r")
		}
		return fmt.Errorf("hdr: the format %.40q is not supported; save the image as RGB", value)
	case "PRIMARIES":
		h.Primaries = value
	case "EXPOSURE":
		v, err := positive(line, value)
		if err != nil {
			return err
		}
		for i := range h.Exposure {
			h.Exposure[i] *= v
		}
		return h.checkExposure()
	case "COLORCORR":
		fields := strings.Fields(value)
		if len(fields) != 3 {
			return fmt.Errorf("hdr: %.40q does not have three numbers", line)
		}
		for i, f := range fields {
			v, err := positive(line, f)
			if err != nil {
				return err
			}
			h.Exposure[i] *= v
		}
		return h.checkExposure()
	case "GAMMA":
		v, err := positive(line, value)
		const most = 10
		if err == nil && (v > most || v < 1.0/most) {
			err = fmt.Errorf("hdr: %.40q is not between %g and %d", line, 1.0/most, most)
		}
		h.Gamma = v
		return err
	}
	return nil
}

// checkExposure returns an error if the exposure is extreme, as the product of many lines may be.
func (h *Header) checkExposure() error {
	const most = 1e30
	for _, v := range h.Exposure {
		if !(v < most && v > 1/most) {
			return fmt.Errorf("hdr: the exposure of %g is out of range", v)
		}
	}
	return nil
}

func positive(line, text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 1, fmt.Errorf("hdr: %.40q is not a number above 0", line)
	}
	return v, nil
}

// resolution parses the line before the pixels, such as "-Y 480 +X 640". The line has the direction
// and the number of the scan lines, and then the direction and the number of the pixels in a scan
// line. Y points up.
func (h *Header) resolution(line string) error {
	f := strings.Fields(line)
	wrong := fmt.Errorf("hdr: resolution line is %.40q; want one like %q", line, "-Y 480 +X 640")
	if len(f) != 4 {
		return wrong
	}
	h.columns = strings.HasSuffix(f[0], "X")
	if h.columns {
		f[0], f[1], f[2], f[3] = f[2], f[3], f[0], f[1]
	}
	var errW, errH error
	h.Height, errH = strconv.Atoi(f[1])
	h.Width, errW = strconv.Atoi(f[3])
	h.fromBottom, h.fromRight = f[0] == "+Y", f[2] == "-X"
	switch {
	case errW != nil || errH != nil, f[0] != "-Y" && f[0] != "+Y", f[2] != "-X" && f[2] != "+X":
		return wrong
	case h.Width < 1 || h.Height < 1 || h.Width > math.MaxInt32 || h.Height > math.MaxInt32:
		return fmt.Errorf("hdr: header claims %d x %d pixels, which is out of range", h.Width, h.Height)
	}
	return nil
}

// A lineReader reads the lines of a text of limited length.
type lineReader struct {
	r    *bufio.Reader
	left int // number of bytes that may still be read
}

func (l *lineReader) nextHeaderLine() (string, error) {
	var line []byte
	for {
		c, err := l.r.ReadByte()
		if err != nil {
			return "", fmt.Errorf("hdr: header: %w", pixmap.UnexpectedEOF(err))
		}
		if l.left--; l.left < 0 {
			return "", fmt.Errorf("hdr: header is longer than %d bytes", maxHeader)
		}
		if c == '\n' {
			return strings.TrimSuffix(string(line), "\r"), nil
		}
		line = append(line, c)
	}
}
