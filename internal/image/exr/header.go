package exr

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// A Header describes the part of a file that Decode decodes.
type Header struct {
	// Width and Height are the size of the display window, which is the decoded image.
	Width, Height int
	// Bits is the size of the largest decoded channel: 16 or 32.
	Bits int
	// Layer names the decoded layer, "" for the unnamed layer.
	Layer string
	// Ignored is the number of channels of the part that are not decoded.
	Ignored int
	// Parts is the number of parts in the file.
	Parts int
	// Primaries lists the chromaticities x and y of red, green, blue and white. It is empty for
	// Rec. 709, and if the file has no chromaticities.
	Primaries string

	display, data  window
	compression    byte
	channels       []channel // all channels of the part, in file order
	colors         [4]int    // indices of the red, green, blue and alpha channels; -1 for none
	tiled          bool
	tileW, tileH   int
	part           int
	multipart      bool
	table          int64 // offset of the chunk table
	chunksDeclared int64 // value of the chunkCount attribute, or 0
	kind           string
}

// A window is a rectangle of pixels, including the pixels at its maximum coordinates.
type window struct{ minX, minY, maxX, maxY int32 }

func (w window) windowWidth() int64 { return int64(w.maxX) - int64(w.minX) + 1 }
func (w window) height() int64      { return int64(w.maxY) - int64(w.minY) + 1 }

// intersects reports whether the windows have a pixel in common.
func (w window) intersects(v window) bool {
	return w.minX <= v.maxX && v.minX <= w.maxX && w.minY <= v.maxY && v.minY <= w.maxY
}

// Limits against hostile files.
const (
	mostSide     = 1 << 24
	mostChannels = 1 << 10
	mostParts    = 1 << 10
	mostTiles    = 1 << 16 // maximum number of tiles; even a nearly empty tile has its own tables
	mostAround   = 64      // maximum ratio of displayed pixels to stored pixels
)

// Flags in the version field ("OpenEXR File Layout", section "Version Field").
const (
	flagTiled     = 0x200
	flagLongNames = 0x400
	flagDeep      = 0x800
	flagMultipart = 0x1000
)

var magic = [4]byte{0x76, 0x2f, 0x31, 0x01}

// ReadHeader reads and checks the headers at the start of a file. It returns an error for all
// headers that Decode would refuse. The error is io.ErrUnexpectedEOF if data is truncated.
func ReadHeader(data []byte) (Header, error) {
	if len(data) < 8 {
		return Header{}, fmt.Errorf("exr: header: %w", io.ErrUnexpectedEOF)
	}
	if [4]byte(data) != magic {
		return Header{}, errors.New("exr: file does not start with the magic number of OpenEXR")
	}
	version := binary.LittleEndian.Uint32(data[4:])
	if version&0xff != 2 {
		return Header{}, fmt.Errorf("exr: version %d of the format is not supported; save the image again", version&0xff)
	}
	if rest := version &^ (0xff | flagTiled | flagLongNames | flagDeep | flagMultipart); rest != 0 {
		return Header{}, fmt.Errorf("exr: the flags %#x are not supported; save the image again", rest)
	}
	headers, err := readPartHeaders(&cursor{data: data, at: 8}, version&flagMultipart != 0)
	if err != nil {
		return Header{}, fmt.Errorf("exr: header: %w", err)
	}
	h, err := choosePart(headers, version)
	if err != nil {
		return Header{}, fmt.Errorf("exr: %w", err)
	}
	for _, step := range []func() error{h.checkWindows, h.chooseChannels, h.checkChunkSizes} {
		if err := step(); err != nil {
			return Header{}, fmt.Errorf("exr: %w", err)
		}
	}
	return h, nil
}

// readPartHeaders reads the headers of all parts. An empty name ends each list of attributes, and
// an empty list ends a multi-part file.
func readPartHeaders(c *cursor, multipart bool) (headers []Header, err error) {
	for len(headers) < mostParts {
		h := Header{compression: 0xff, part: len(headers), multipart: multipart}
		n, err := h.readPartAttributes(c)
		if err != nil {
			return nil, err
		}
		if n == 0 && multipart {
			break
		}
		if headers = append(headers, h); !multipart {
			break
		}
	}
	if len(headers) == 0 || len(headers) == mostParts {
		return nil, fmt.Errorf("the file has more than %d parts; save the parts as separate files", len(headers))
	}
	for i := range headers {
		headers[i].table, headers[i].Parts = int64(c.at), len(headers)
	}
	return headers, nil
}

// choosePart returns the header of the first part that is a flat image. The chunk tables of all
// parts follow the headers, in the same order.
func choosePart(headers []Header, version uint32) (Header, error) {
	if !headers[0].multipart {
		h := headers[0]
		if version&flagDeep != 0 {
			return Header{}, errors.New("deep pixels are not supported; flatten the image and save it again")
		}
		h.tiled = version&flagTiled != 0
		return h, nil
	}
	skipped := int64(0)
	for _, h := range headers {
		if h.kind == "scanlineimage" || h.kind == "tiledimage" {
			h.tiled = h.kind == "tiledimage"
			h.table += 8 * skipped
			return h, nil
		}
		if h.chunksDeclared < 1 {
			return Header{}, fmt.Errorf("part %d has no chunkCount attribute; save the image again", h.part)
		}
		skipped += h.chunksDeclared
	}
	return Header{}, errors.New("no part is a flat image; flatten the image and save it again")
}

// checkWindows returns an error if the data window or the display window is invalid or too large.
func (h *Header) checkWindows() error {
	for name, w := range map[string]window{"data window": h.data, "display window": h.display} {
		if w.windowWidth() < 1 || w.height() < 1 || w.windowWidth() > mostSide || w.height() > mostSide {
			return fmt.Errorf("the %s has %d x %d pixels, which is out of range", name, w.windowWidth(), w.height())
		}
	}
	h.Width, h.Height = int(h.display.windowWidth()), int(h.display.height())
	switch {
	case !h.data.intersects(h.display):
		return errors.New("the data window is outside the display window, so the image is empty; save the image again")
	case h.display.windowWidth()*h.display.height()/mostAround > h.data.windowWidth()*h.data.height():
		return fmt.Errorf("the display window has more than %d times the pixels of the data window; crop the image to its content", mostAround)
	}
	return nil
}

// checkChunkSizes returns an error for unsupported tiles, strips and compression methods.
func (h *Header) checkChunkSizes() error {
	if err := h.checkCompression(); err != nil {
		return err
	}
	if h.tiled && (h.tileW < 1 || h.tileH < 1) {
		return fmt.Errorf("tiles have %d x %d pixels, which is out of range", h.tileW, h.tileH)
	}
	if h.tiled {
		h.tileW, h.tileH = int(min(int64(h.tileW), h.data.windowWidth())), int(min(int64(h.tileH), h.data.height()))
	} else {
		h.tileW, h.tileH = int(h.data.windowWidth()), int(min(int64(h.linesOfChunk()), h.data.height()))
	}
	if across, down := h.gridOfChunks(); h.tiled && across*down > mostTiles {
		return fmt.Errorf("there are %d tiles, but the limit is %d; save the image with larger tiles", across*down, mostTiles)
	}
	if h.chunkBytes(h.tileW, h.tileH) > math.MaxInt32 {
		return fmt.Errorf("strips or tiles have %d bytes, which is too large; save the image with smaller tiles", h.chunkBytes(h.tileW, h.tileH))
	}
	return nil
}

// gray reports whether red, green and blue are the same channel.
func (h *Header) gray() bool { return h.colors[0] == h.colors[1] }

// pixelBytes returns the size of a pixel with all of its channels.
func (h *Header) pixelBytes() (n int64) {
	for _, c := range h.channels {
		n += int64(c.kind.numberSize())
	}
	return n
}

// chunkBytes returns the decompressed size of a strip or tile.
func (h *Header) chunkBytes(w, l int) int64 { return int64(w) * int64(l) * h.pixelBytes() }

// gridOfChunks returns the number of columns and rows of strips or tiles.
func (h *Header) gridOfChunks() (across, down int64) {
	return (h.data.windowWidth() + int64(h.tileW) - 1) / int64(h.tileW), (h.data.height() + int64(h.tileH) - 1) / int64(h.tileH)
}

// LeastBytes returns a lower bound for the size of files with this header.
func (h *Header) LeastBytes() int64 {
	const place, head = 8, 8 // bytes per chunk in the chunk table, and in the header of a chunk
	across, down := h.gridOfChunks()
	return h.table + across*down*(place+head) + h.data.windowWidth()*h.data.height()*h.pixelBytes()/h.expansionRatio()
}

// Memory returns an upper bound on the bytes that Decode holds at once, excluding the file.
func (h *Header) Memory() int64 {
	const tables = 4 << 20 // tables of Huffman codes and of DEFLATE
	memory := 16*int64(h.Width)*int64(h.Height) + 3*h.chunkBytes(h.tileW, h.tileH) + tables
	if h.compression == dwaa || h.compression == dwab { // the waves and means of whole blocks, which are decoded through bytes
		memory += 10 * int64((h.tileW+7)/8*8) * int64((h.tileH+7)/8*8) * int64(len(h.channels))
	}
	return memory
}

// A cursor reads the headers of a file sequentially.
type cursor struct {
	data []byte
	at   int
}

// takeBytes returns the next n bytes.
func (c *cursor) takeBytes(n int) ([]byte, error) {
	if n < 0 {
		return nil, fmt.Errorf("an attribute claims %d bytes, which is out of range; save the image again", n)
	}
	if n > len(c.data)-c.at {
		return nil, io.ErrUnexpectedEOF
	}
	c.at += n
	return c.data[c.at-n : c.at], nil
}

// textToZero returns the bytes before the next zero byte.
func (c *cursor) textToZero() (string, error) {
	const longest = 255
	rest := c.data[c.at:]
	n := bytes.IndexByte(rest[:min(len(rest), longest+1)], 0)
	switch {
	case n < 0 && len(rest) > longest:
		return "", fmt.Errorf("a name is longer than %d bytes; save the image again", longest)
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

// nextAttribute returns the next attribute; its name is empty at the end of a list.
func (c *cursor) nextAttribute() (a attribute, err error) {
	if a.name, err = c.textToZero(); err != nil || a.name == "" {
		return a, err
	}
	if a.kind, err = c.textToZero(); err != nil {
		return a, err
	}
	size, err := c.takeBytes(4)
	if err != nil {
		return a, err
	}
	if a.value, err = c.takeBytes(int(int32(binary.LittleEndian.Uint32(size)))); err != nil {
		return a, fmt.Errorf("%s: %w", a.name, err)
	}
	return a, nil
}

// readPartAttributes reads the attributes of a part and returns their number.
func (h *Header) readPartAttributes(c *cursor) (n int, err error) {
	var data, display bool
	for ; ; n++ {
		a, err := c.nextAttribute()
		if err != nil {
			return n, err
		}
		if a.name == "" {
			break
		}
		data, display = data || a.name == "dataWindow", display || a.name == "displayWindow"
		if err := h.setAttribute(a); err != nil {
			return n, fmt.Errorf("%s: %w", a.name, err)
		}
	}
	switch {
	case n == 0 && h.multipart: // an empty name ends the list of parts
		return 0, nil
	case h.channels == nil || h.compression == 0xff || !data || !display:
		return n, errors.New("the attribute channels, compression, dataWindow or displayWindow is missing; save the image again")
	}
	return n, nil
}

// setAttribute stores an attribute ("OpenEXR File Layout", section "Predefined Attribute Types").
func (h *Header) setAttribute(a attribute) error {
	least, known := map[string]int{"channels": 1, "compression": 1, "dataWindow": 16, "displayWindow": 16,
		"tiles": 9, "chunkCount": 4, "chromaticities": 32}[a.name]
	if known && len(a.value) < least {
		return fmt.Errorf("the attribute has %d bytes, want %d; save the image again", len(a.value), least)
	}
	le := binary.LittleEndian
	switch a.name {
	case "channels":
		return h.readChannelList(a.value)
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

// readPrimaries formats chromaticities; it returns "" for Rec. 709.
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
