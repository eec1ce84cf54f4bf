package gltf

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/assetcook/assetcook/internal/mesh/meshopt"
)

// A Use is the purpose of data in a buffer. Vertices with the same stride share a view, and so do
// indices of the same size. Data for most other uses shares one view per use.
type Use uint8

// These are the uses of data.
const (
	Other           Use = iota // times of animations, and everything else
	Turns                      // rotations of animations, encoded for the filter Quaternion
	Steps                      // other animated values, as multiples of a power of two
	Matrices                   // inverse bind matrices of skins
	VertexData                 // vertex attributes
	Directions                 // vertex attributes in octahedral coordinates
	Coordinates                // vertex attributes that are multiples of a power of two
	TriangleIndices            // indices of triangles
	OtherIndices               // indices of lines, points and unknown primitives
	Picture                    // image; each image gets a separate view
)

// These are the values of a view's target.
const (
	arrayBuffer   = 34962 // glTF's ARRAY_BUFFER
	elementBuffer = 34963 // glTF's ELEMENT_ARRAY_BUFFER
)

// viewTarget returns the target of a view with this use, or 0 if it has none.
func (u Use) viewTarget() int {
	switch u {
	case VertexData, Directions, Coordinates:
		return arrayBuffer
	case TriangleIndices, OtherIndices:
		return elementBuffer
	}
	return 0
}

// An Output collects arrays for a new buffer and lays them out in bufferViews.
type Output struct {
	// Compression is the extension that compresses each view if this saves bytes: MeshoptEXT,
	// MeshoptKHR, or "" for none.
	Compression string
	// TurnBits is the number of bits per component of compressed Turns.
	TurnBits int

	views []*view // views, in the order of their first use
	known map[viewKind]int
	same  sharing
}

// A viewKind identifies a view. Compressed views additionally differ by component type and always
// have a stride.
type viewKind struct {
	use       Use
	stride    int // stride of vertices or size of indices; 0 for other uses
	component int32
}

// A view is one bufferView of the output.
type view struct {
	viewKind
	data   []byte
	starts []int // index of the first element of each array
}

// Append adds an array, or finds an equal array that was added before. It returns the array's view
// and its offset in the view. The offset is a multiple of four bytes, or of the size of an index.
func (o *Output) Append(ctx context.Context, u Use, a Array) (number, offset int, err error) {
	stride := a.Size
	if u.viewTarget() == arrayBuffer {
		stride = (a.Size + 3) &^ 3
	}
	number = o.viewOf(u, stride, a.Component)
	v := o.views[number]
	if u != Picture {
		var found bool
		if offset, found = o.same.findShared(v, stride, a); found {
			return number, offset, nil
		}
	}
	switch {
	case o.Compression != "" && u != Picture:
		v.padView(v.stride)
		v.starts = append(v.starts, len(v.data)/v.stride)
	case u != TriangleIndices && u != OtherIndices:
		v.padView(4)
	}
	offset = len(v.data)
	if u != Picture {
		o.same.noteArray(v, offset, a)
	}
	if stride == a.Size {
		v.data = append(v.data, a.Data...)
		return number, offset, ctx.Err()
	}
	padding := make([]byte, stride-a.Size)
	return number, offset, Chunks(ctx, a.Count, func(from, to int) error {
		for i := from; i < to; i++ {
			v.data = append(append(v.data, a.Element(i)...), padding...)
		}
		return nil
	})
}

// viewOf returns the view for a use and stride. Each image gets a new view.
func (o *Output) viewOf(u Use, stride int, component int32) int {
	k := viewKind{use: u}
	switch {
	case o.Compression != "" && u != Picture:
		k.stride, k.component = stride, component
		for u.viewTarget() == 0 && k.stride%4 != 0 {
			k.stride += stride // combine elements until their size is a multiple of 4 bytes
		}
	case u == Directions || u == Coordinates || u == VertexData:
		k.use, k.stride = VertexData, stride
	case u == Turns || u == Steps:
		k.use = Other
	case u == TriangleIndices || u == OtherIndices:
		k.use, k.stride = TriangleIndices, stride
	}
	if i, ok := o.known[k]; ok && u != Picture {
		return i
	}
	if o.known == nil {
		o.known = map[viewKind]int{}
	}
	o.known[k] = len(o.views)
	o.views = append(o.views, &view{viewKind: k})
	return len(o.views) - 1
}

// padView appends zeros until the length is a multiple of the given number of bytes.
func (v *view) padView(to int) { v.data = append(v.data, make([]byte, (to-len(v.data)%to)%to)...) }

// A Layout holds the bufferViews of an output and the bytes of its first buffer.
type Layout struct {
	Parts [][]byte // parts of the buffer; the length of each is a multiple of four bytes
	views []Object
	size  int // total size of the parts in bytes
	// unpacked is the length of the second buffer: the decompressed size of all compressed views.
	// This buffer has no bytes in the file.
	unpacked    int
	compression string // extension of the compressed views
}

// IsCompressed reports whether any view is compressed.
func (l *Layout) IsCompressed() bool { return l.unpacked > 0 }

// Enter sets bufferViews and buffers in a document.
func (l *Layout) Enter(root *Object) {
	root.SetObjects("bufferViews", l.views)
	switch {
	case l.unpacked > 0:
		root.Set("buffers", fmt.Appendf(nil, `[{"byteLength":%d},{"byteLength":%d,"extensions":{"%s":{"fallback":true}}}]`, l.size, l.unpacked, l.compression))
	case l.size > 0:
		root.Set("buffers", fmt.Appendf(nil, `[{"byteLength":%d}]`, l.size))
	default:
		root.Delete("buffers")
	}
}

// LayOut determines the offset of each view in the buffer. The output must not be used afterwards.
func (o *Output) LayOut(ctx context.Context) (Layout, error) {
	l := Layout{compression: o.Compression}
	for _, v := range o.views {
		var object Object
		packed, layout, err := o.packView(ctx, v)
		if err != nil {
			return l, err
		}
		buffer, at := 0, l.size
		if packed != nil {
			buffer, at = 1, l.unpacked
		}
		object.SetInt("buffer", buffer)
		object.SetOffset(at)
		object.SetInt("byteLength", len(v.data))
		if v.use.viewTarget() == arrayBuffer {
			object.SetInt("byteStride", v.stride)
		}
		if t := v.use.viewTarget(); t != 0 {
			object.SetInt("target", t)
		}
		if packed != nil {
			object.Set("extensions", packedView(o.Compression, l.size, len(packed), layout))
			l.unpacked += (len(v.data) + 3) &^ 3
			v.data = packed
		}
		l.views = append(l.views, object)
		v.padView(4)
		l.Parts = append(l.Parts, v.data)
		l.size += len(v.data)
		v.data = nil
	}
	return l, nil
}

// PackedSize returns the size of a separate view with an array of vertices or indices, compressed
// with the given extension.
func PackedSize(ctx context.Context, extension string, u Use, a Array) (int, error) {
	o := Output{Compression: extension}
	if _, _, err := o.Append(ctx, u, a); err != nil {
		return 0, err
	}
	l, err := o.LayOut(ctx)
	return l.size, err
}

// packedCost is the approximate number of bytes that describe a compressed view in a document.
const packedCost = 150

// packView compresses a view. It returns nil for an image, which is already compressed, and for a
// view that would not become smaller.
func (o *Output) packView(ctx context.Context, v *view) (packed []byte, l meshopt.Layout, err error) {
	if o.Compression == "" || v.use == Picture || len(v.data) == 0 || v.stride > 256 {
		return nil, l, nil
	}
	v.padView(v.stride)
	l = meshopt.Layout{Mode: meshopt.Attributes, Count: len(v.data) / v.stride, Stride: v.stride}
	if v.use == TriangleIndices || v.use == OtherIndices {
		if v.stride == 1 {
			return nil, l, nil // no compression mode supports indices of one byte
		}
		array := Array{Component: v.component, Width: 1, Count: l.Count, Size: v.stride, Data: v.data}
		l.Mode = meshopt.Indices
		if v.use == TriangleIndices && l.Count%3 == 0 {
			l.Mode = meshopt.Triangles
			packed, err = meshopt.EncodeTriangles(ctx, array.Uints(), v.starts)
		} else {
			packed, err = meshopt.EncodeIndices(ctx, array.Uints())
		}
	} else {
		var data []byte
		if data, l.Filter, err = o.filterElements(ctx, v); err == nil {
			version := 0
			if o.Compression == MeshoptKHR {
				version = 1
			}
			packed, err = meshopt.EncodeAttributes(ctx, data, v.stride, version)
		}
	}
	if err != nil || len(packed)+packedCost >= len(v.data) {
		return nil, l, err
	}
	return packed, l, nil
}

// filterElements encodes the elements of a view with the filter for its use. It uses no filter if
// decoding would not restore the exact elements.
func (o *Output) filterElements(ctx context.Context, v *view) ([]byte, meshopt.Filter, error) {
	f, bits := meshopt.None, 0
	switch v.use {
	case Directions:
		f, bits = meshopt.Octahedral, 2*v.stride
	case Turns:
		f, bits = meshopt.Quaternion, o.TurnBits
	case Steps, Coordinates:
		f = meshopt.Exponential
	default:
		return v.data, f, nil
	}
	data := slices.Clone(v.data)
	for i, start := range v.starts { // each array has a separate exponent
		end := len(data)
		if i+1 < len(v.starts) {
			end = v.starts[i+1] * v.stride
		}
		if done, err := f.Undo(ctx, data[start*v.stride:end], v.stride, bits); !done || err != nil {
			return v.data, meshopt.None, err
		}
	}
	return data, f, nil
}

// packedView returns the given compression extension of a view. The compressed bytes are in the
// first buffer, at the given offset and with the given length.
func packedView(extension string, offset, length int, l meshopt.Layout) json.RawMessage {
	var o Object
	o.SetInt("buffer", 0)
	o.SetOffset(offset)
	o.SetInt("byteLength", length)
	o.SetInt("byteStride", l.Stride)
	o.SetInt("count", l.Count)
	o.Set("mode", Quote(l.Mode.String()))
	if l.Filter != meshopt.None {
		o.Set("filter", Quote(l.Filter.String()))
	}
	return fmt.Appendf(nil, `{"%s":%s}`, extension, o.Text())
}

// A sharing finds equal arrays in a view. Exporters often write the same mesh again for each copy
// of an object.
type sharing struct {
	seed  maphash.Seed
	known map[uint64][]arrayPlace // locations of arrays, by the hash of their bytes
}

// An arrayPlace is the location of an array in a view.
type arrayPlace struct {
	view   *view
	offset int
	count  int
}

// hashArray returns the hash of an array's bytes.
func (s *sharing) hashArray(a Array) uint64 {
	if s.known == nil {
		s.seed, s.known = maphash.MakeSeed(), map[uint64][]arrayPlace{}
	}
	return maphash.Bytes(s.seed, a.Data)
}

// noteArray records the location of an array that the caller will append to a view.
func (s *sharing) noteArray(v *view, offset int, a Array) {
	key := s.hashArray(a)
	s.known[key] = append(s.known[key], arrayPlace{v, offset, a.Count})
}

// findShared returns the offset of an equal array in a view whose elements are stride bytes apart.
func (s *sharing) findShared(v *view, stride int, a Array) (offset int, ok bool) {
	for _, c := range s.known[s.hashArray(a)] {
		if c.view == v && c.count == a.Count && c.holdsArray(stride, a) {
			return c.offset, true
		}
	}
	return 0, false
}

func (c arrayPlace) holdsArray(stride int, a Array) bool {
	data := c.view.data[c.offset:]
	if stride == a.Size {
		return bytes.Equal(data[:len(a.Data)], a.Data)
	}
	for i := range a.Count {
		if !bytes.Equal(data[i*stride:][:a.Size], a.Element(i)) {
			return false
		}
	}
	return true
}
