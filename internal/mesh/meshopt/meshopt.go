// Package meshopt encodes and decodes the glTF extensions EXT_meshopt_compression and
// KHR_meshopt_compression. They compress vertices, keyframes and indices, each view of a buffer
// separately. The result decodes fast and can be compressed further by gzip or zstd.
//
//	attributes.go        decoding of elements of 4, 8 ... 256 bytes, stored as byte differences
//	attributesencode.go  encoding of elements
//	triangles.go         decoding of triangle indices; encoding and decoding of other indices
//	trianglesencode.go   encoding of triangle indices
//	filters.go           filters of decoded elements: directions, rotations, floats
//
// Appendices A and B of the two specifications define the formats. Only KHR_meshopt_compression has
// version 1 of the attributes and the filter for colors. The filter rounds most colors, so it is
// decoded but never encoded.
//
// Before it allocates, a decoder checks that the output is at most 1024 times the size of its
// input.
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

// A Filter transforms attributes after decoding.
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

// String returns the name of the mode in glTF documents.
func (m Mode) String() string { return modeNames[m] }

// String returns the name of the filter in glTF documents.
func (f Filter) String() string { return filterNames[f] }

// ParseMode returns the mode with the given name.
func ParseMode(name string) (Mode, error) {
	for i, n := range modeNames {
		if n == name {
			return Mode(i), nil
		}
	}
	return 0, fmt.Errorf("mode %.40q, want ATTRIBUTES, TRIANGLES or INDICES", name)
}

// ParseFilter returns the filter with the given name; "" means None.
func ParseFilter(name string) (Filter, error) {
	for i, n := range filterNames {
		if n == name {
			return Filter(i), nil
		}
	}
	if name == "" {
		return None, nil
	}
	return 0, fmt.Errorf("filter %.40q is unknown", name)
}

// A Layout is a document's description of a compressed view.
type Layout struct {
	Mode   Mode
	Filter Filter
	Count  int // number of elements
	Stride int // number of bytes per element
}

// Check returns an error for a layout that the extension forbids.
func (l Layout) Check() error {
	attributes := l.Mode == Attributes
	switch {
	case l.Count < 1 || l.Count > 1<<31-1:
		return fmt.Errorf("the count is %d, want at least 1", l.Count)
	case attributes && (l.Stride < 4 || l.Stride > 256 || l.Stride%4 != 0):
		return fmt.Errorf("byteStride is %d, want a multiple of 4 from 4 to 256", l.Stride)
	case !attributes && l.Stride != 2 && l.Stride != 4:
		return fmt.Errorf("byteStride of indices is %d, want 2 or 4", l.Stride)
	case l.Mode == Triangles && l.Count%3 != 0:
		return fmt.Errorf("the number of triangle indices is %d, want a multiple of 3", l.Count)
	case !attributes && l.Filter != None:
		return fmt.Errorf("mode %v does not allow filter %v", l.Mode, l.Filter)
	case (l.Filter == Octahedral || l.Filter == Color) && l.Stride != 4 && l.Stride != 8,
		l.Filter == Quaternion && l.Stride != 8:
		return fmt.Errorf("filter %v does not allow a byteStride of %d", l.Filter, l.Stride)
	}
	return nil
}

// Size returns the number of bytes in a view with this layout.
func (l Layout) Size() int64 { return int64(l.Count) * int64(l.Stride) }

// Decode returns the Size bytes of a view.
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

// packIndices encodes indices as 2 or 4 bytes each. The high half of larger indices is dropped, as
// the specification requires.
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
	errShort = errors.New("the compressed data is truncated; export the model again")
	errLong  = errors.New("there are extra bytes after the compressed data; export the model again")
)

// pace is the number of elements between two checks of the context.
const pace = 1 << 14
