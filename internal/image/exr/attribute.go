package exr

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// A cursor reads the headers of a file from front to back.
type cursor struct {
	data []byte
	at   int
}

// take returns the next n bytes.
func (c *cursor) take(n int) ([]byte, error) {
	if n < 0 {
		return nil, fmt.Errorf("size of %d bytes", n)
	}
	if n > len(c.data)-c.at {
		return nil, io.ErrUnexpectedEOF
	}
	c.at += n
	return c.data[c.at-n : c.at], nil
}

// text returns the bytes up to the next zero.
func (c *cursor) text() (string, error) {
	const longest = 255
	rest := c.data[c.at:]
	n := bytes.IndexByte(rest[:min(len(rest), longest+1)], 0)
	switch {
	case n < 0 && len(rest) > longest:
		return "", fmt.Errorf("name is longer than %d bytes", longest)
	case n < 0:
		return "", io.ErrUnexpectedEOF
	}
	c.at += n + 1
	return string(rest[:n]), nil
}

// An attribute is a named value.
type attribute struct {
	name, kind string
	value      []byte
}

// next returns the next attribute; its name is empty at the end of a list.
func (c *cursor) next() (a attribute, err error) {
	if a.name, err = c.text(); err != nil || a.name == "" {
		return a, err
	}
	if a.kind, err = c.text(); err != nil {
		return a, err
	}
	size, err := c.take(4)
	if err != nil {
		return a, err
	}
	if a.value, err = c.take(int(int32(binary.LittleEndian.Uint32(size)))); err != nil {
		return a, fmt.Errorf("%s: %w", a.name, err)
	}
	return a, nil
}

// readAttributes reads the attributes of a part and returns their number.
func (h *Header) readAttributes(c *cursor) (n int, err error) {
	var data, display bool
	for ; ; n++ {
		a, err := c.next()
		if err != nil {
			return n, err
		}
		if a.name == "" {
			break
		}
		data, display = data || a.name == "dataWindow", display || a.name == "displayWindow"
		if err := h.set(a); err != nil {
			return n, fmt.Errorf("%s: %w", a.name, err)
		}
	}
	switch {
	case n == 0 && h.multipart: // the end of the list of parts
		return 0, nil
	case h.channels == nil || h.compression == 0xff || !data || !display:
		return n, errors.New("channels, compression, dataWindow or displayWindow is missing")
	}
	return n, nil
}

// set stores an attribute ("OpenEXR File Layout", section "Predefined Attribute Types").
func (h *Header) set(a attribute) error {
	least, known := map[string]int{"channels": 1, "compression": 1, "dataWindow": 16, "displayWindow": 16,
		"tiles": 9, "chunkCount": 4, "chromaticities": 32}[a.name]
	if known && len(a.value) < least {
		return fmt.Errorf("%d bytes, want %d", len(a.value), least)
	}
	le := binary.LittleEndian
	switch a.name {
	case "channels":
		return h.readChannels(a.value)
	case "compression":
		h.compression = a.value[0]
	case "dataWindow":
		h.data = readWindow(a.value)
	case "displayWindow":
		h.display = readWindow(a.value)
	case "tiles":
		h.tileW, h.tileH = int(min(le.Uint32(a.value), mostSide)), int(min(le.Uint32(a.value[4:]), mostSide))
	case "chunkCount":
		h.chunksDeclared = int64(le.Uint32(a.value))
	case "type":
		h.kind = string(bytes.TrimRight(a.value, "\x00"))
	case "chromaticities":
		h.Primaries = readPrimaries(a.value)
	}
	return nil
}

func readWindow(b []byte) window {
	at := func(i int) int32 { return int32(binary.LittleEndian.Uint32(b[4*i:])) }
	return window{at(0), at(1), at(2), at(3)}
}

// readPrimaries describes chromaticities; "" for Rec. 709.
func readPrimaries(b []byte) string {
	rec709 := [8]float64{0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329}
	var got [8]float64
	same := true
	for i := range got {
		got[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		same = same && math.Abs(got[i]-rec709[i]) < 0.002
	}
	if same {
		return ""
	}
	return fmt.Sprintf("%.4g", got[:])
}
