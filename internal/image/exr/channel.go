package exr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// A channel is one number of each pixel.
type channel struct {
	name   string
	kind   kind
	linear bool // B44 keeps its numbers unchanged
}

// A kind is the format of a channel's numbers.
type kind int32

// The kinds, numbered as in files.
const (
	whole kind = iota
	half
	float
)

// size returns the size of a number in bytes.
func (k kind) size() int {
	if k == half {
		return 2
	}
	return 4
}

// readChannels reads the list of channels: name, kind, whether it is perceptually linear, and the
// columns and rows that share a number.
func (h *Header) readChannels(b []byte) error {
	h.channels = []channel{}
	for c := (&cursor{data: b}); ; {
		name, err := c.text()
		if err != nil {
			return errors.New("list of channels has no end")
		}
		if name == "" {
			return nil
		}
		b, err := c.take(16)
		if err != nil {
			return errors.New("list of channels has no end")
		}
		at := func(i int) int32 { return int32(binary.LittleEndian.Uint32(b[i:])) }
		k := kind(at(0))
		switch {
		case k < whole || k > float:
			return fmt.Errorf("channel %q has numbers of kind %d", name, k)
		case at(8) != 1 || at(12) != 1:
			return fmt.Errorf("channel %q has one number for %d x %d pixels, which is not supported; save the picture as RGB", name, at(8), at(12))
		case len(h.channels) == mostChannels:
			return fmt.Errorf("more than %d channels", mostChannels)
		}
		h.channels = append(h.channels, channel{name, k, b[4] != 0})
	}
}

// chooseChannels decides which channels become colors: the layer without a name, else the first
// layer with red, green and blue, else the first gray layer. A picture with only one channel is
// gray, whatever the channel's name.
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
			return h.choose(layer, rgb)
		case layer == "" && y[0] >= 0:
			return h.choose(layer, gray(y))
		}
	}
	for _, layer := range layers {
		if y, _ := find(layer, "Y", "", "", "A"); y[0] >= 0 {
			return h.choose(layer, gray(y))
		}
	}
	if len(h.channels) == 1 {
		return h.choose("", [4]int{0, 0, 0, -1})
	}
	var names []string
	for _, c := range h.channels[:min(len(h.channels), 8)] {
		names = append(names, c.name)
	}
	return fmt.Errorf("no layer has the channels R, G and B, or Y; there are %s", strings.Join(names, ", "))
}

// choose selects a layer and its color channels.
func (h *Header) choose(layer string, colors [4]int) error {
	h.Layer, h.colors = strings.TrimSuffix(layer, "."), colors
	used := map[int]bool{}
	for _, i := range colors {
		if i >= 0 {
			used[i] = true
			h.Bits = max(h.Bits, 8*h.channels[i].kind.size())
		}
	}
	h.Ignored = len(h.channels) - len(used)
	return nil
}
