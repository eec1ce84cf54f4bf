// Package exr decodes OpenEXR images, whose light has no upper bound. Values may be half-precision
// floats, floats or integers, in rows or tiles. They may be uncompressed or compressed by RLE, ZIP,
// PIZ, PXR24, B44 or DWA.
//
// The layout follows "OpenEXR File Layout" and "Technical Introduction to OpenEXR" (Academy
// Software Foundation). The compression methods follow the second document and files of the
// reference library. If a file has several parts, the first part with a flat image is decoded. If
// this part has several layers, the layer without a name is decoded, otherwise the first. Deep
// pixels and subsampled channels are refused with errors that say what to do.
package exr

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// Decode decodes the pixels of the display window of a whole file. Pixels outside of the data
// window are black and, if there is alpha, transparent. Files store premultiplied colors, which
// Decode divides by alpha unless alpha is 0. Decode allocates up to Header.Memory bytes, so check
// the header first.
func Decode(ctx context.Context, data []byte) (*pixmap.Map, pixmap.Repairs, error) {
	h, err := ReadHeader(data)
	if err != nil {
		return nil, pixmap.Repairs{}, err
	}
	if err := pixmap.CheckPixels(int64(len(data)), h.LeastBytes(), h.Width, h.Height, 64); err != nil {
		return nil, pixmap.Repairs{}, fmt.Errorf("exr: %w", err)
	}
	d := decoder{data: data, h: h, m: pixmap.New(h.Width, h.Height, pixmap.Float), budget: int64(len(data))}
	d.unpacker = newUnpacker(&h)
	if h.colors[3] < 0 {
		for i := 3; i < len(d.m.PixF); i += 4 {
			d.m.PixF[i] = 1
		}
	}
	across, down := h.gridOfChunks()
	for i := range across * down {
		if err := ctx.Err(); err != nil {
			return nil, pixmap.Repairs{}, err
		}
		if err := d.placeChunk(i, i%across, i/across); err != nil {
			return nil, pixmap.Repairs{}, fmt.Errorf("exr: strip or tile %d of %d: %w", i, across*down, pixmap.UnexpectedEOF(err))
		}
	}
	return d.m, d.repairs, nil
}

type decoder struct {
	unpacker
	data    []byte
	h       Header
	m       *pixmap.Map
	budget  int64 // number of bytes in chunks that may still be decoded
	repairs pixmap.Repairs
}

// placeChunk decodes chunk i, a strip or tile, into the given column and line of the grid. The
// chunk's header repeats its position, which must be the same.
func (d *decoder) placeChunk(i, column, line int64) error {
	le, h := binary.LittleEndian, &d.h
	entry := h.table + 8*i
	if entry+8 > int64(len(d.data)) {
		return io.ErrUnexpectedEOF
	}
	place := le.Uint64(d.data[entry:])
	if place == 0 {
		return fmt.Errorf("a strip or tile is missing; save the image again: %w", io.ErrUnexpectedEOF)
	}
	if place > uint64(len(d.data)) {
		return io.ErrUnexpectedEOF
	}
	top := int64(h.data.minY) + line*int64(h.tileH)
	want := []int32{int32(top)}
	if h.tiled {
		want = []int32{int32(column), int32(line), 0, 0} // column and line of the tile; both level numbers are 0
	}
	if h.multipart {
		want = append([]int32{int32(h.part)}, want...)
	}
	c := &cursor{data: d.data, at: int(place)}
	head, err := c.takeBytes(4*len(want) + 4)
	if err != nil {
		return err
	}
	for j, v := range want {
		if got := int32(le.Uint32(head[4*j:])); got != v {
			return fmt.Errorf("a strip or tile has number %d, want %d; save the image again", got, v)
		}
	}
	packed, err := c.takeBytes(int(int32(le.Uint32(head[4*len(want):]))))
	if err != nil {
		return err
	}
	if d.budget -= int64(len(packed)); d.budget < 0 {
		return errors.New("strips or tiles share their bytes; save the image again")
	}
	left := int64(h.data.minX) + column*int64(h.tileW)
	w, l := min(int64(h.tileW), int64(h.data.maxX)+1-left), min(int64(h.tileH), int64(h.data.maxY)+1-top)
	raw, err := d.unpackChunk(h.compression, packed, int(w), int(l))
	if err != nil {
		return err
	}
	d.placePixels(raw, left, top, int(w), int(l))
	return nil
}

// placePixels stores the visible pixels in the map.
func (d *decoder) placePixels(raw []byte, left, top int64, w, l int) {
	stride := int(d.h.pixelBytes()) * w
	skip := int(max(0, min(int64(w), int64(d.h.display.minX)-left)))
	end := int(max(0, min(int64(w), int64(d.h.display.maxX)+1-left)))
	for y := range l {
		row := top + int64(y) - int64(d.h.display.minY)
		if row < 0 || row >= int64(d.h.Height) || skip >= end {
			continue
		}
		x := left + int64(skip) - int64(d.h.display.minX)
		pix := d.m.PixF[4*(row*int64(d.h.Width)+x):][:4*(end-skip)]
		for slot, i := range d.h.colors {
			if i < 0 || d.h.gray() && (slot == 1 || slot == 2) {
				continue
			}
			at := 0
			for _, c := range d.channels[:i] {
				at += c.kind.numberSize() * w
			}
			c := d.channels[i]
			d.putNumbers(pix[slot:], raw[y*stride+at+skip*c.kind.numberSize():], c.kind, end-skip)
		}
		for i := 0; d.h.gray() && i < len(pix); i += 4 {
			pix[i+1], pix[i+2] = pix[i], pix[i]
		}
		if d.h.colors[3] >= 0 {
			pixmap.Straighten(pix)
		}
	}
}

// putNumbers stores n values of a channel in every fourth element of dst.
func (d *decoder) putNumbers(dst []float32, src []byte, k kind, n int) {
	for i := range n {
		var v float32
		switch k {
		case half:
			v = pixmap.HalfValue(binary.LittleEndian.Uint16(src[2*i:]))
		case float:
			v = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
		default:
			v = float32(binary.LittleEndian.Uint32(src[4*i:]))
		}
		dst[4*i] = d.repairs.Light(v)
	}
}

// A channel is one value of each pixel.
type channel struct {
	name   string
	kind   kind
	linear bool // the flag pLinear; B44 does not transform linear channels
}

// A kind is the format of a channel's values.
type kind int32

// These are the kinds, numbered as in files.
const (
	whole kind = iota
	half
	float
)

// numberSize returns the size of a value in bytes.
func (k kind) numberSize() int {
	if k == half {
		return 2
	}
	return 4
}

// readChannelList reads the list of channels. An entry has the name, the kind, the flag for
// perceptually linear values, and the subsampling in x and y.
func (h *Header) readChannelList(b []byte) error {
	h.channels = []channel{}
	for c := (&cursor{data: b}); ; {
		name, err := c.textToZero()
		if err != nil {
			return errors.New("the list of channels is cut off; save the image again")
		}
		if name == "" {
			return nil
		}
		b, err := c.takeBytes(16)
		if err != nil {
			return errors.New("the list of channels is cut off; save the image again")
		}
		at := func(i int) int32 { return int32(binary.LittleEndian.Uint32(b[i:])) }
		k := kind(at(0))
		switch {
		case k < whole || k > float:
			return fmt.Errorf("channel %q has the unknown pixel type %d; save the image again", name, k)
		case at(8) != 1 || at(12) != 1:
			return fmt.Errorf("channel %q is subsampled by %d x %d, which is not supported; save the image as RGB", name, at(8), at(12))
		case len(h.channels) == mostChannels:
			return fmt.Errorf("the file has more than %d channels; save fewer channels", mostChannels)
		}
		h.channels = append(h.channels, channel{name, k, b[4] != 0})
	}
}

// chooseChannels selects the channels that become colors. It prefers the layer without a name, then
// the first layer with red, green and blue, then the first gray layer. If an image has only one
// channel, it is gray, and the channel may have any name.
func (h *Header) chooseChannels() error {
	find := func(layer string, names ...string) (at [4]int, ok bool) {
		at = [4]int{-1, -1, -1, -1}
		for i, c := range h.channels {
			for slot, name := range names {
				if c.name == layer+name {
					at[slot] = i
				}
			}
		}
		return at, at[0] >= 0 && at[1] >= 0 && at[2] >= 0
	}
	layers := []string{""}
	for _, c := range h.channels {
		if i := strings.LastIndexByte(c.name, '.'); i >= 0 && c.name[:i+1] != layers[len(layers)-1] {
			layers = append(layers, c.name[:i+1])
		}
	}
	gray := func(at [4]int) [4]int { return [4]int{at[0], at[0], at[0], at[3]} }
	for _, layer := range layers {
		rgb, ok := find(layer, "R", "G", "B", "A")
		y, _ := find(layer, "Y", "", "", "A")
		switch {
		case ok:
			return h.chooseLayer(layer, rgb)
		case layer == "" && y[0] >= 0:
			return h.chooseLayer(layer, gray(y))
		}
	}
	for _, layer := range layers {
		if y, _ := find(layer, "Y", "", "", "A"); y[0] >= 0 {
			return h.chooseLayer(layer, gray(y))
		}
	}
	if len(h.channels) == 1 {
		return h.chooseLayer("", [4]int{0, 0, 0, -1})
	}
	var names []string
	for _, c := range h.channels[:min(len(h.channels), 8)] {
		names = append(names, c.name)
	}
	return fmt.Errorf("no layer has the channels R, G and B, or Y; the file has %s; save the image as RGB", strings.Join(names, ", "))
}

// chooseLayer selects a layer and its color channels.
func (h *Header) chooseLayer(layer string, colors [4]int) error {
	h.Layer, h.colors = strings.TrimSuffix(layer, "."), colors
	used := map[int]bool{}
	for _, i := range colors {
		if i >= 0 {
			used[i] = true
			h.Bits = max(h.Bits, 8*h.channels[i].kind.numberSize())
		}
	}
	h.Ignored = len(h.channels) - len(used)
	return nil
}
