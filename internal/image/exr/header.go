package exr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// A Header is what a file says of the part whose picture Decode returns.
type Header struct {
	// Width and Height are the size of the display window, which is the picture.
	Width, Height int
	// Bits is the size of the largest channel that is read: 16 or 32.
	Bits int
	// Layer names the layer that is read, "" for the one without a name.
	Layer string
	// Ignored is how many channels of the part are not read.
	Ignored int
	// Parts is how many parts the file has.
	Parts int
	// Primaries are the chromaticities of red, green, blue and white as x and y
	// each, in words for people. It is empty for those of Rec. 709 and where the
	// file does not tell.
	Primaries string

	display, data  window
	compression    byte
	channels       []channel // all of the part, in the order of the file
	colors         [4]int    // index of the channel of red, green, blue and alpha; -1 for none
	tiled          bool
	tileW, tileH   int
	part           int
	multipart      bool
	table          int64 // where the list of chunks stands in the file
	chunksDeclared int64 // by the chunkCount attribute; 0 if there is none
	kind           string
}

// A window is a rectangle of pixels, its maximum included.
type window struct{ minX, minY, maxX, maxY int32 }

func (w window) width() int64  { return int64(w.maxX) - int64(w.minX) + 1 }
func (w window) height() int64 { return int64(w.maxY) - int64(w.minY) + 1 }

// intersects reports whether the windows have a pixel in common.
func (w window) intersects(v window) bool {
	return w.minX <= v.maxX && v.minX <= w.maxX && w.minY <= v.maxY && v.minY <= w.maxY
}

// Bounds on what is believed.
const (
	mostSide     = 1 << 24
	mostChannels = 1 << 10
	mostParts    = 1 << 10
	mostTiles    = 1 << 16 // each costs tables of its own, however little is in it
	mostAround   = 64      // times the pixels that are stored, of those that are shown
)

// The flags beside the version ("OpenEXR File Layout", section "Version Field").
const (
	flagTiled     = 0x200
	flagLongNames = 0x400
	flagDeep      = 0x800
	flagMultipart = 0x1000
)

var magic = [4]byte{0x76, 0x2f, 0x31, 0x01}

// ReadHeader reads and checks the headers at the start of a file. It fails for
// whatever Decode would not decode on account of them. The error is
// io.ErrUnexpectedEOF if data ends before they do.
func ReadHeader(data []byte) (Header, error) {
	if len(data) < 8 {
		return Header{}, fmt.Errorf("exr: header: %w", io.ErrUnexpectedEOF)
	}
	if [4]byte(data) != magic {
		return Header{}, errors.New("exr: file does not start with the magic number of OpenEXR")
	}
	version := binary.LittleEndian.Uint32(data[4:])
	if version&0xff != 2 {
		return Header{}, fmt.Errorf("exr: version %d of the format is not known", version&0xff)
	}
	if rest := version &^ (0xff | flagTiled | flagLongNames | flagDeep | flagMultipart); rest != 0 {
		return Header{}, fmt.Errorf("exr: flags %#x are not known", rest)
	}
	headers, err := readParts(&cursor{data: data, at: 8}, version&flagMultipart != 0)
	if err != nil {
		return Header{}, fmt.Errorf("exr: header: %w", err)
	}
	h, err := choosePart(headers, version)
	if err != nil {
		return Header{}, fmt.Errorf("exr: %w", err)
	}
	for _, step := range []func() error{h.checkWindows, h.chooseChannels, h.checkLayout} {
		if err := step(); err != nil {
			return Header{}, fmt.Errorf("exr: %w", err)
		}
	}
	return h, nil
}

// readParts reads the headers of all parts. Each list of attributes ends with an
// empty name, and a file of many parts with an empty list.
func readParts(c *cursor, multipart bool) (headers []Header, err error) {
	for len(headers) < mostParts {
		h := Header{compression: 0xff, part: len(headers), multipart: multipart}
		n, err := h.readAttributes(c)
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
		return nil, fmt.Errorf("%d parts", len(headers))
	}
	for i := range headers {
		headers[i].table, headers[i].Parts = int64(c.at), len(headers)
	}
	return headers, nil
}

// choosePart returns the header of the first part that is a flat picture. The
// lists of chunks follow the headers, in the order of the parts.
func choosePart(headers []Header, version uint32) (Header, error) {
	if !headers[0].multipart {
		h := headers[0]
		if version&flagDeep != 0 {
			return Header{}, errors.New("deep pixels are not supported; flatten the picture and save it again")
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
			return Header{}, fmt.Errorf("part %d has no chunkCount", h.part)
		}
		skipped += h.chunksDeclared
	}
	return Header{}, errors.New("no part is a flat picture; flatten the picture and save it again")
}

// checkWindows judges the data window and the display window.
func (h *Header) checkWindows() error {
	for name, w := range map[string]window{"data window": h.data, "display window": h.display} {
		if w.width() < 1 || w.height() < 1 || w.width() > mostSide || w.height() > mostSide {
			return fmt.Errorf("%s of %d x %d pixels", name, w.width(), w.height())
		}
	}
	h.Width, h.Height = int(h.display.width()), int(h.display.height())
	switch {
	case !h.data.intersects(h.display):
		return errors.New("data window lies outside of the display window: there is nothing in the picture")
	case h.display.width()*h.display.height()/mostAround > h.data.width()*h.data.height():
		return fmt.Errorf("display window has more than %d times the pixels of the data window; crop the picture to what it shows", mostAround)
	}
	return nil
}

// checkLayout judges how the picture is cut up and packed.
func (h *Header) checkLayout() error {
	if err := h.checkCompression(); err != nil {
		return err
	}
	if h.tiled && (h.tileW < 1 || h.tileH < 1) {
		return fmt.Errorf("tiles of %d x %d pixels", h.tileW, h.tileH)
	}
	if h.tiled {
		h.tileW, h.tileH = int(min(int64(h.tileW), h.data.width())), int(min(int64(h.tileH), h.data.height()))
	} else {
		h.tileW, h.tileH = int(h.data.width()), int(min(int64(h.linesOfChunk()), h.data.height()))
	}
	if across, down := h.grid(); h.tiled && across*down > mostTiles {
		return fmt.Errorf("%d tiles; at most %d are unpacked, save the picture with larger ones", across*down, mostTiles)
	}
	if h.chunkBytes(h.tileW, h.tileH) > math.MaxInt32 {
		return fmt.Errorf("strips or tiles of %d bytes", h.chunkBytes(h.tileW, h.tileH))
	}
	return nil
}

// gray reports whether one channel is all of the colors.
func (h *Header) gray() bool { return h.colors[0] == h.colors[1] }

// pixelBytes returns the size of a pixel with all of its channels.
func (h *Header) pixelBytes() (n int64) {
	for _, c := range h.channels {
		n += int64(c.kind.size())
	}
	return n
}

// chunkBytes returns the unpacked size of a strip or tile.
func (h *Header) chunkBytes(w, l int) int64 { return int64(w) * int64(l) * h.pixelBytes() }

// grid returns how many strips or tiles there are beside and below each other.
func (h *Header) grid() (across, down int64) {
	return (h.data.width() + int64(h.tileW) - 1) / int64(h.tileW), (h.data.height() + int64(h.tileH) - 1) / int64(h.tileH)
}

// LeastBytes returns a lower bound of the size of files with this header.
func (h *Header) LeastBytes() int64 {
	const place, head = 8, 8 // in the list, and before the pixels
	across, down := h.grid()
	return h.table + across*down*(place+head) + h.data.width()*h.data.height()*h.pixelBytes()/h.ratio()
}

// Memory returns the most bytes that Decode holds at once besides the file.
func (h *Header) Memory() int64 {
	const tables = 4 << 20 // of Huffman codes and inflation
	return 16*int64(h.Width)*int64(h.Height) + 3*h.chunkBytes(h.tileW, h.tileH) + tables
}
