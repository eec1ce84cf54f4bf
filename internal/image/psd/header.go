package psd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// A Header describes the merged image.
type Header struct {
	Width, Height int
	Bits          int // bits per channel: 8, 16 or 32
	// ICC is the color profile. It is nil if the file has none, or if the profile is not within the
	// data passed to ReadHeader.
	ICC []byte

	large       bool // true for a .psb file, which has longer size fields
	channels    int
	mode        int
	palette     []byte // color table: all reds, then greens, then blues
	transparent int    // palette index of the transparent color; -1 for none
	layers      int
	onWhite     bool // true if layer colors are blended with white; the first extra channel is the transparency of the layers
	noMerged    bool
	complete    bool // true if the data passed to ReadHeader includes the start of the merged image
	image       int  // offset of the merged image in the file
}

// These are the supported color modes.
const (
	bitmap  = 0
	gray    = 1
	indexed = 2
	rgb     = 3
)

const mostSide = 300_000

// ReadHeader reads and checks the header of a file that starts with data. The error is
// io.ErrUnexpectedEOF if data is too short for the size and kind of the image. Resources and layers
// may be large, so ReadHeader reads only the parts that data contains.
func ReadHeader(data []byte) (Header, error) {
	const fixed = 26
	if len(data) < fixed {
		return Header{}, fmt.Errorf("psd: header: %w", io.ErrUnexpectedEOF)
	}
	be := binary.BigEndian
	version := be.Uint16(data[4:])
	if string(data[:4]) != "8BPS" || version != 1 && version != 2 {
		return Header{}, errors.New("psd: file does not start like a Photoshop file")
	}
	height, width := be.Uint32(data[14:]), be.Uint32(data[18:])
	h := Header{large: version == 2, channels: int(be.Uint16(data[12:])), Bits: int(be.Uint16(data[22:])),
		mode: int(be.Uint16(data[24:])), transparent: -1}
	if width < 1 || height < 1 || width > mostSide || height > mostSide {
		return Header{}, fmt.Errorf("psd: header claims %d x %d pixels, which is out of range", width, height)
	}
	h.Width, h.Height = int(width), int(height)
	if err := h.checkMode(); err != nil {
		return Header{}, err
	}
	c := &cursor{data: data, at: fixed}
	colors, ok := c.sizedSection(4)
	if !ok {
		return Header{}, fmt.Errorf("psd: header: %w", io.ErrUnexpectedEOF)
	}
	if h.palette = colors; h.mode == indexed && len(colors) < 768 {
		return Header{}, fmt.Errorf("psd: the palette has %d bytes, want 768; save the image again", len(colors))
	}
	resources, ok := c.sizedSection(4)
	h.readResources(resources)
	if !ok {
		return h, nil
	}
	layers, ok := c.sizedSection(h.wideSize())
	h.readLayers(layers)
	h.complete, h.image = ok, c.at
	return h, nil
}

// checkMode returns an error for unsupported kinds of images.
func (h *Header) checkMode() error {
	switch {
	case h.mode == bitmap || h.Bits == 1:
		return errors.New("psd: bitmaps are not supported; save the image as grayscale")
	case h.mode == 4:
		return errors.New("psd: CMYK is not supported; save the image as RGB")
	case h.mode == 9:
		return errors.New("psd: Lab is not supported; save the image as RGB")
	case h.mode != gray && h.mode != indexed && h.mode != rgb:
		return fmt.Errorf("psd: color mode %d is not supported; save the image as RGB", h.mode)
	case h.Bits != 8 && h.Bits != 16 && h.Bits != 32, h.mode == indexed && h.Bits != 8:
		return fmt.Errorf("psd: channels of %d bits are not supported; save the image with 8 or 16 bits", h.Bits)
	case h.channels < h.colorChannels() || h.channels > 56:
		return fmt.Errorf("psd: the image has %d channels, but its color mode needs %d; save it again", h.channels, h.colorChannels())
	}
	return nil
}

// colorChannels returns the number of color channels.
func (h *Header) colorChannels() int {
	if h.mode == rgb {
		return 3
	}
	return 1
}

// Alpha reports whether the image has a channel after the colors.
func (h *Header) Alpha() bool { return h.mode != indexed && h.channels > h.colorChannels() }

// Ignored returns the number of channels that are neither colors nor alpha.
func (h *Header) Ignored() int {
	used := h.colorChannels()
	if h.Alpha() {
		used++
	}
	return h.channels - used
}

// Layered reports whether the alpha is the transparency of the layers.
func (h *Header) Layered() bool { return h.onWhite && h.Alpha() }

// wideSize returns the length of those size fields that are longer in .psb files.
func (h *Header) wideSize() int {
	if h.large {
		return 8
	}
	return 4
}

// readResources reads the image resources that Decode needs.
func (h *Header) readResources(data []byte) {
	const profile, transparency, versionInfo = 1039, 1047, 1057
	for c := (&cursor{data: data}); ; {
		head, ok := c.takeWhole(6)
		if !ok || string(head[:4]) != "8BIM" {
			return
		}
		name, ok := c.takeWhole(1)
		if !ok {
			return
		}
		c.takeWhole(int64(name[0]) | 1) // the name with its length byte is padded to an even size
		value, ok := c.sizedSection(4)
		if !ok {
			return
		}
		if len(value)%2 == 1 {
			c.takeWhole(1)
		}
		switch binary.BigEndian.Uint16(head[4:]) {
		case profile:
			h.ICC = value
		case transparency:
			if len(value) >= 2 {
				h.transparent = int(binary.BigEndian.Uint16(value))
			}
		case versionInfo:
			h.noMerged = len(value) >= 5 && value[4] == 0
		}
	}
}

// readLayers reads the number of layers. If it is negative, the first extra channel of the merged
// image is the transparency of the layers. In files with more than 8 bits per channel, layers are
// in a separate block.
func (h *Header) readLayers(data []byte) {
	c := &cursor{data: data}
	info, ok := c.sizedSection(h.wideSize())
	h.countLayers(info)
	if !ok {
		return
	}
	if _, ok = c.sizedSection(4); !ok { // skip the global layer mask
		return
	}
	for {
		head, ok := c.takeWhole(8)
		if !ok || string(head[:4]) != "8BIM" && string(head[:4]) != "8B64" {
			return
		}
		key, wide := string(head[4:]), 4
		switch key {
		case "LMsk", "Lr16", "Lr32", "Layr", "Mt16", "Mt32", "Mtrn", "Alph", "FMsk", "lnk2", "FEid", "FXid", "PxSD":
			wide = h.wideSize()
		}
		value, ok := c.sizedSection(wide)
		switch key {
		case "Lr16", "Lr32", "Layr":
			h.countLayers(value)
		case "Mt16", "Mt32", "Mtrn":
			h.onWhite = true
		}
		if !ok {
			return
		}
		c.takeWhole(int64(-len(value) & 3))
	}
}

func (h *Header) countLayers(info []byte) {
	if len(info) < 2 {
		return
	}
	n := int(int16(binary.BigEndian.Uint16(info)))
	h.onWhite = h.onWhite || n < 0
	h.layers = max(h.layers, n, -n)
}

// Depth returns the depth of the map that Decode returns.
func (h *Header) Depth() pixmap.Depth {
	return map[int]pixmap.Depth{8: pixmap.Bits8, 16: pixmap.Bits16, 32: pixmap.Float}[h.Bits]
}

// channelRowBytes returns the size in bytes of a row of one channel.
func (h *Header) channelRowBytes() int { return h.Width * h.Bits / 8 }

// LeastBytes returns a lower bound for the size of files with this header.
func (h *Header) LeastBytes() int64 {
	const ratio = 1032 // maximum expansion of ZIP, where a match of 258 bytes takes at least two bits
	return 26 + 3*4 + 2 + int64(h.channelRowBytes())*int64(h.Height)*int64(h.channels)/ratio
}

// Memory returns an upper bound on the bytes that Decode holds at once, excluding the file.
func (h *Header) Memory() int64 {
	const unpacker = 128 << 10
	return 4*int64(h.channelRowBytes())*int64(h.Height) + 2*int64(h.channelRowBytes()) + unpacker
}

// A cursor reads data sequentially.
type cursor struct {
	data []byte
	at   int
}

// takeWhole returns the next n bytes, or fewer at the end of the data. whole reports whether there
// were n bytes.
func (c *cursor) takeWhole(n int64) (b []byte, whole bool) {
	rest := c.data[c.at:]
	whole = n <= int64(len(rest))
	b = rest[:min(n, int64(len(rest)))]
	c.at += len(b)
	return b, whole
}

// sizedSection reads a size field of the given number of bytes and returns the section after it.
func (c *cursor) sizedSection(wide int) (b []byte, whole bool) {
	size, ok := c.takeWhole(int64(wide))
	if !ok {
		return nil, false
	}
	n := int64(binary.BigEndian.Uint32(size))
	if wide == 8 {
		n = int64(min(binary.BigEndian.Uint64(size), 1<<62))
	}
	return c.takeWhole(n)
}
