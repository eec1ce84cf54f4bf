// Package meshopt is the codec of the glTF extensions EXT_meshopt_compression and
// KHR_meshopt_compression: vertices, keyframes and indices in fewer bytes, each view of
// a buffer by itself, made to be packed further by gzip or zstd and to be read fast.
//
//	attributes.go       elements of 4, 8 ... 256 bytes, as differences of their bytes
//	triangles.go        decoding indices of triangles, and all other indices both ways
//	trianglesencode.go  encoding indices of triangles
//	filters.go          conversions of decoded elements: directions, rotations, floats
//
// Appendices A and B of the two specifications define the formats. Version 1 of the
// attributes and the filter for colors, which only KHR_meshopt_compression has, can be
// read.
//
// A decoder allocates at most 1024 times the size of its input, checked beforehand.
package meshopt

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
)

// A Mode is the encoding of a compressed view.
type Mode uint8

const (
	Attributes Mode = iota
	Triangles
	Indices
)

// A Filter is the last step of decoding attributes.
type Filter uint8

const (
	None Filter = iota
	Octahedral
	Quaternion
	Exponential
	Color
)

var modeNames = []string{"ATTRIBUTES", "TRIANGLES", "INDICES"}
var filterNames = []string{"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"}

// String returns the name of a mode in a document.
func (m Mode) String() string { return modeNames[m] }

// String returns the name of a filter in a document.
func (f Filter) String() string { return filterNames[f] }

// ParseMode returns the mode of a name.
func ParseMode(name string) (Mode, error) {
	for i, n := range modeNames {
		if n == name {
			return Mode(i), nil
		}
	}
	return 0, fmt.Errorf("mode %.40q, want ATTRIBUTES, TRIANGLES or INDICES", name)
}

// ParseFilter returns the filter of a name, None for "".
func ParseFilter(name string) (Filter, error) {
	for i, n := range filterNames {
		if n == name {
			return Filter(i), nil
		}
	}
	if name == "" {
		return None, nil
	}
	return 0, fmt.Errorf("filter %.40q is not known", name)
}

// A Layout is a document's description of a compressed view.
type Layout struct {
	Mode   Mode
	Filter Filter
	Count  int // elements
	Stride int // bytes of an element
}

// Check returns an error for a layout that the extension forbids.
func (l Layout) Check() error {
	attributes := l.Mode == Attributes
	switch {
	case l.Count < 1 || l.Count > 1<<31-1:
		return fmt.Errorf("count is %d", l.Count)
	case attributes && (l.Stride < 4 || l.Stride > 256 || l.Stride%4 != 0):
		return fmt.Errorf("byteStride is %d, want a multiple of 4 from 4 to 256", l.Stride)
	case !attributes && l.Stride != 2 && l.Stride != 4:
		return fmt.Errorf("byteStride of indices is %d, want 2 or 4", l.Stride)
	case l.Mode == Triangles && l.Count%3 != 0:
		return fmt.Errorf("%d indices of triangles, want a multiple of 3", l.Count)
	case !attributes && l.Filter != None:
		return fmt.Errorf("mode %v with filter %v", l.Mode, l.Filter)
	case (l.Filter == Octahedral || l.Filter == Color) && l.Stride != 4 && l.Stride != 8,
		l.Filter == Quaternion && l.Stride != 8:
		return fmt.Errorf("filter %v with a byteStride of %d", l.Filter, l.Stride)
	}
	return nil
}

// Size returns how many bytes a view of the layout has.
func (l Layout) Size() int64 { return int64(l.Count) * int64(l.Stride) }

// Decode returns the bytes of a view, Size of them.
func Decode(ctx context.Context, data []byte, l Layout) ([]byte, error) {
	if err := l.Check(); err != nil {
		return nil, err
	}
	switch l.Mode {
	case Triangles:
		indices, err := DecodeTriangles(ctx, data, l.Count)
		return packIndices(indices, l.Stride), err
	case Indices:
		indices, err := DecodeIndices(ctx, data, l.Count)
		return packIndices(indices, l.Stride), err
	}
	view, err := DecodeAttributes(ctx, data, l.Count, l.Stride)
	if err != nil {
		return nil, err
	}
	return view, l.Filter.Apply(ctx, view, l.Stride)
}

// packIndices writes indices of 2 or 4 bytes. The high half of larger ones is dropped, as the
// specification has it.
func packIndices(indices []uint32, stride int) []byte {
	data := make([]byte, 0, len(indices)*stride)
	for _, v := range indices {
		if stride == 2 {
			data = binary.LittleEndian.AppendUint16(data, uint16(v))
		} else {
			data = binary.LittleEndian.AppendUint32(data, v)
		}
	}
	return data
}

var (
	errShort = errors.New("compressed data ends early")
	errLong  = errors.New("compressed data continues after its end")
)

// pace is the number of elements between two checks of the context.
const pace = 1 << 14
