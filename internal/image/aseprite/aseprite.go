// Package aseprite decodes the first frame of Aseprite files (.ase, .aseprite). It blends the
// visible RGBA, grayscale or indexed layers as Aseprite does.
//
// The layout follows "Aseprite File Format (.ase/.aseprite) Specifications". The errors for
// tilemaps, and for groups with an opacity or blend mode, say how to change the file.
package aseprite

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// A Header is the header at the start of a file.
type Header struct {
	Width, Height int
	Bits          int // bits per pixel: 8, 16 or 32
	Frames        int
	// PixelWidth and PixelHeight are the aspect ratio of a pixel, 1 and 1 for square pixels.
	PixelWidth, PixelHeight int

	flags       uint32
	transparent byte
}

// headerSize is the offset of the first frame.
const headerSize = 128

// ReadHeader reads and checks the file header at the start of data. The error is
// io.ErrUnexpectedEOF if data is too short.
func ReadHeader(data []byte) (Header, error) {
	if len(data) < headerSize {
		return Header{}, fmt.Errorf("aseprite: header: %w", io.ErrUnexpectedEOF)
	}
	le := binary.LittleEndian
	h := Header{
		Frames: int(le.Uint16(data[6:])), Width: int(le.Uint16(data[8:])), Height: int(le.Uint16(data[10:])),
		Bits: int(le.Uint16(data[12:])), flags: le.Uint32(data[14:]), transparent: data[28],
		PixelWidth: int(data[34]), PixelHeight: int(data[35]),
	}
	if h.PixelWidth == 0 || h.PixelHeight == 0 {
		h.PixelWidth, h.PixelHeight = 1, 1
	}
	switch {
	case le.Uint16(data[4:]) != 0xa5e0:
		return Header{}, errors.New("aseprite: file does not start like an Aseprite file")
	case h.Bits != 8 && h.Bits != 16 && h.Bits != 32:
		return Header{}, fmt.Errorf("aseprite: pixels have %d bits, want 8, 16 or 32", h.Bits)
	case h.Frames == 0:
		return Header{}, errors.New("aseprite: file has no frame")
	}
	return h, nil
}

// Memory returns an upper bound on the bytes that Decode holds at once, excluding the file.
func (h *Header) Memory() int64 {
	const others = 1 << 20 // memory for a row, the decompressor and the layer records
	return 4*int64(h.Width)*int64(h.Height) + others
}

// Decode decodes the first frame of a whole file, and returns its color profile, if any. It
// allocates up to Header.Memory bytes, so check the header first.
func Decode(ctx context.Context, data []byte) (m *pixmap.Map, icc []byte, err error) {
	h, err := ReadHeader(data)
	if err != nil {
		return nil, nil, err
	}
	f := frame{h: h}
	if err := f.readFrameChunks(data[headerSize:]); err != nil {
		return nil, nil, fmt.Errorf("aseprite: %w", err)
	}
	// Cels are sorted from the bottom layer to the top. A cel's z-index moves it up or down by a
	// number of layers.
	slices.SortStableFunc(f.cels, func(a, b cel) int {
		return cmp.Or(cmp.Compare(a.layer+a.z, b.layer+b.z), cmp.Compare(a.z, b.z))
	})
	m = pixmap.New(h.Width, h.Height, pixmap.Bits8)
	for _, c := range f.cels {
		if !f.layers[c.layer].visible {
			continue
		}
		if err := f.drawCel(ctx, m, c); err != nil {
			return nil, nil, fmt.Errorf("aseprite: layer %d: %w", c.layer, err)
		}
	}
	return m, f.icc, ctx.Err()
}

func (h *Header) pixelByteCount() int { return h.Bits / 8 }

// A frame holds the content of the first frame's chunks.
type frame struct {
	h       Header
	palette [256][4]byte
	newer   bool // true if the palette is from a new palette chunk, which has alpha
	layers  []layer
	around  []int // indices of the groups around the last layer, outermost first, and of the layer itself
	cels    []cel
	icc     []byte
}

type layer struct {
	visible    bool // true if the layer and all its groups are visible
	background bool
	tilemap    bool
	mode       int
	opacity    byte
	group      bool
	level      int
}

// A cel is the image of one layer in the frame.
type cel struct {
	layer, z int
	x, y     int
	opacity  byte
	packed   bool
	w, h     int
	data     []byte
}

// These are the types of chunks.
const (
	chunkOldPalette   = 0x0004
	chunkOlderPalette = 0x0011
	chunkLayer        = 0x2004
	chunkCel          = 0x2005
	chunkProfile      = 0x2007
	chunkPalette      = 0x2019
)

// readFrameChunks reads all chunks of the frame at the start of data.
func (f *frame) readFrameChunks(data []byte) error {
	le := binary.LittleEndian
	if len(data) < 16 {
		return fmt.Errorf("frame: %w", io.ErrUnexpectedEOF)
	}
	size, chunks := int64(le.Uint32(data)), int(le.Uint32(data[12:]))
	if le.Uint16(data[4:]) != 0xf1fa {
		return errors.New("no frame follows the header; save the file again")
	}
	if chunks == 0 {
		chunks = int(le.Uint16(data[6:]))
	}
	if size > int64(len(data)) {
		return fmt.Errorf("frame: %w", io.ErrUnexpectedEOF)
	}
	if size < 16 {
		return fmt.Errorf("a frame claims %d bytes, which is out of range; save the file again", size)
	}
	for i := range f.palette {
		f.palette[i] = [4]byte{3: 255}
	}
	rest := data[16:size]
	for range chunks {
		if len(rest) < 6 {
			return fmt.Errorf("chunk: %w", io.ErrUnexpectedEOF)
		}
		size := int64(le.Uint32(rest))
		if size < 6 || size > int64(len(rest)) {
			return fmt.Errorf("a chunk claims %d of the %d bytes of its frame; save the file again", size, len(rest))
		}
		c := cursor{data: rest[6:size]}
		if err := f.readChunk(int(le.Uint16(rest[4:])), &c); err != nil {
			return err
		}
		if c.short {
			return fmt.Errorf("chunk %#x: %w", le.Uint16(rest[4:]), io.ErrUnexpectedEOF)
		}
		rest = rest[size:]
	}
	return nil
}

func (f *frame) readChunk(kind int, c *cursor) error {
	switch kind {
	case chunkOldPalette, chunkOlderPalette:
		if !f.newer {
			f.oldPalette(c, kind == chunkOlderPalette)
		}
	case chunkPalette:
		f.newPalette(c)
	case chunkLayer:
		return f.readLayer(c)
	case chunkCel:
		return f.readCel(c)
	case chunkProfile:
		const embedded = 2
		if kind := c.uint16LE(); kind == embedded {
			c.skip(2 + 4 + 8)
			f.icc = c.takeUpTo(int64(c.uint32LE()))
		}
	}
	return nil
}

// oldPalette reads an old palette chunk. Colors have 8 bits per channel, or 6 in the oldest files.
func (f *frame) oldPalette(c *cursor, six bool) {
	at := 0
	for range c.uint16LE() {
		at += int(c.byteOrZero())
		n := int(c.byteOrZero())
		if n == 0 {
			n = 256
		}
		for range n {
			color := c.takeUpTo(3)
			if at > 255 || c.short {
				return
			}
			for i, v := range color {
				if six {
					v = v&63<<2 | v&63>>4
				}
				f.palette[at][i] = v
			}
			at++
		}
	}
}

func (f *frame) newPalette(c *cursor) {
	f.newer = true
	c.skip(4)
	first, last := int64(c.uint32LE()), int64(c.uint32LE())
	c.skip(8)
	for i := first; i <= last && i < 256 && !c.short; i++ {
		const named = 1
		flags := c.uint16LE()
		if color := c.takeUpTo(4); len(color) == 4 {
			f.palette[i] = [4]byte(color)
		}
		if flags&named != 0 {
			c.skip(int64(c.uint16LE()))
		}
	}
}

// readLayer reads the next layer. The attributes of a group apply to the layers that follow it in
// the group.
func (f *frame) readLayer(c *cursor) error {
	const (
		visible    = 1
		background = 8
		reference  = 64 // flag of a reference layer, which is not drawn
		opacities  = 1  // header flag: layer opacity is valid
		groups     = 2  // header flag: the opacity and blend mode of groups are valid
		most       = 1 << 16
	)
	flags, kind, level := c.uint16LE(), c.uint16LE(), int(c.uint16LE())
	c.skip(4)
	l := layer{visible: flags&visible != 0 && flags&reference == 0, background: flags&background != 0,
		mode: int(c.uint16LE()), opacity: c.byteOrZero(), group: kind == 1, tilemap: kind == 2, level: level}
	if len(f.layers) == most {
		return errors.New("the frame has too many layers; merge layers")
	}
	if f.h.flags&opacities == 0 {
		l.opacity = 255
	}
	for n := len(f.around); n > 0 && f.layers[f.around[n-1]].level >= level; n-- {
		f.around = f.around[:n-1]
	}
	if n := len(f.around); n > 0 {
		l.visible = l.visible && f.layers[f.around[n-1]].visible
	}
	f.around = append(f.around, len(f.layers))
	if l.group && l.visible && f.h.flags&groups != 0 && (l.mode != 0 || l.opacity != 255) {
		return errors.New("a group of layers has an opacity or a blend mode; set these in its layers, or merge the group")
	}
	if l.mode >= len(modes) {
		return fmt.Errorf("blend mode %d is not supported; merge the layer", l.mode)
	}
	f.layers = append(f.layers, l)
	return nil
}

// readCel reads the position and the data of a cel.
func (f *frame) readCel(p *cursor) error {
	const (
		raw     = 0
		linked  = 1
		packed  = 2
		tilemap = 3
	)
	c := cel{layer: int(p.uint16LE()), x: int(int16(p.uint16LE())), y: int(int16(p.uint16LE())), opacity: p.byteOrZero()}
	kind := p.uint16LE()
	c.z = int(int16(p.uint16LE()))
	p.skip(5)
	switch {
	case p.short:
		return nil
	case c.layer >= len(f.layers) || f.layers[c.layer].group:
		return fmt.Errorf("an image belongs to layer %d, which does not exist; save the file again", c.layer)
	case !f.layers[c.layer].visible:
		return nil
	case kind == tilemap || f.layers[c.layer].tilemap:
		return errors.New("tilemap layers are not supported; convert them to ordinary layers")
	case kind == linked:
		return errors.New("the first frame links to an image of another frame; unlink the cel")
	case kind != raw && kind != packed:
		return fmt.Errorf("a cel has the unknown type %d; save the file again", kind)
	}
	c.packed, c.w, c.h = kind == packed, int(p.uint16LE()), int(p.uint16LE())
	c.data = p.data
	f.cels = append(f.cels, c)
	return nil
}

// A cursor reads data sequentially. Reads beyond the end return 0.
type cursor struct {
	data  []byte
	short bool
}

// takeUpTo returns the next n bytes, or fewer at the end of the data.
func (c *cursor) takeUpTo(n int64) []byte {
	if n > int64(len(c.data)) {
		c.short, n = true, int64(len(c.data))
	}
	b := c.data[:n]
	c.data = c.data[n:]
	return b
}

func (c *cursor) skip(n int64) { c.takeUpTo(n) }

func (c *cursor) byteOrZero() byte {
	if b := c.takeUpTo(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (c *cursor) uint16LE() uint16 { return uint16(c.byteOrZero()) | uint16(c.byteOrZero())<<8 }

func (c *cursor) uint32LE() uint32 { return uint32(c.uint16LE()) | uint32(c.uint16LE())<<16 }
