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

// A Use is the purpose of data in a buffer. Vertices of one stride share a view, so do
// indices of one size, and all data of another use.
type Use uint8

// The uses of data.
const (
	Other           Use = iota // times of animations, and the rest
	Turns                      // rotations of animations, from the filter Quaternion
	Steps                      // other animated values, with steps of a power of two
	Matrices                   // inverse bind matrices of skins
	VertexData                 // attributes
	Directions                 // attributes in octahedral coordinates
	TriangleIndices            // three a triangle
	OtherIndices               // indices of lines, points and unknown primitives
	Picture                    // has a view of its own
)

// The targets of views.
const (
	arrayBuffer   = 34962 // ARRAY_BUFFER
	elementBuffer = 34963 // ELEMENT_ARRAY_BUFFER
)

// viewTarget returns the target of a view for the use, 0 for none.
func (u Use) viewTarget() int {
	switch u {
	case VertexData, Directions:
		return arrayBuffer
	case TriangleIndices, OtherIndices:
		return elementBuffer
	}
	return 0
}

// An Output collects arrays for a new buffer and lays them out in bufferViews.
type Output struct {
	// Compress packs each view by EXT_meshopt_compression if that saves bytes.
	Compress bool
	// TurnBits is the precision of Turns when compressed.
	TurnBits int

	views []*view // in the order of their first use
	known map[viewKind]int
	same  sharing
}

// A viewKind identifies a view. Compressed views are also apart by component type, and
// always have a stride.
type viewKind struct {
	use       Use
	stride    int // stride of vertices or size of indices; 0 for other uses
	component int32
}

// A view is one bufferView of the output.
type view struct {
	viewKind
	data   []byte
	starts []int // start of each array, in elements
}

// Append adds an array unless an equal one exists, and returns its view and offset. The
// offset is a multiple of four bytes, or of the size of an index.
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
	case o.Compress && u != Picture:
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

// viewOf returns the view of a use and stride, a new one for each image.
func (o *Output) viewOf(u Use, stride int, component int32) int {
	k := viewKind{use: u}
	switch {
	case o.Compress && u != Picture:
		k.stride, k.component = stride, component
		for u.viewTarget() == 0 && k.stride%4 != 0 {
			k.stride += stride // several small elements form one
		}
	case u == Directions || u == VertexData:
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

// padView appends zeros up to a multiple of to bytes.
func (v *view) padView(to int) { v.data = append(v.data, make([]byte, (to-len(v.data)%to)%to)...) }

// A Layout is the bufferViews of an output and the bytes of its first buffer.
type Layout struct {
	Parts [][]byte // parts of the buffer, each a multiple of four bytes
	views []Object
	size  int // size of all parts
	// unpacked is the length of the second buffer, which holds no bytes: the size of all
	// compressed views when unpacked.
	unpacked int
}

// IsCompressed reports whether a view is in a packed form.
func (l *Layout) IsCompressed() bool { return l.unpacked > 0 }

// Enter writes the bufferViews and buffers of a document.
func (l *Layout) Enter(root *Object) {
	root.SetObjects("bufferViews", l.views)
	switch {
	case l.unpacked > 0:
		root.Set("buffers", fmt.Appendf(nil, `[{"byteLength":%d},{"byteLength":%d,"extensions":{"%s":{"fallback":true}}}]`, l.size, l.unpacked, MeshoptEXT))
	case l.size > 0:
		root.Set("buffers", fmt.Appendf(nil, `[{"byteLength":%d}]`, l.size))
	default:
		root.Delete("buffers")
	}
}

// LayOut lays the views out. The output must not be used afterwards.
func (o *Output) LayOut(ctx context.Context) (Layout, error) {
	var l Layout
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
		if at > 0 {
			object.SetInt("byteOffset", at)
		}
		object.SetInt("byteLength", len(v.data))
		if v.use.viewTarget() == arrayBuffer {
			object.SetInt("byteStride", v.stride)
		}
		if t := v.use.viewTarget(); t != 0 {
			object.SetInt("target", t)
		}
		if packed != nil {
			object.Set("extensions", packedView(l.size, len(packed), layout))
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

// packedCost is about how many bytes a document needs to describe a compressed view.
const packedCost = 150

// packView compresses a view. It returns nil for an image, which is compressed by itself,
// and for a view that would not become smaller.
func (o *Output) packView(ctx context.Context, v *view) (packed []byte, l meshopt.Layout, err error) {
	if !o.Compress || v.use == Picture || len(v.data) == 0 || v.stride > 256 {
		return nil, l, nil
	}
	v.padView(v.stride)
	l = meshopt.Layout{Mode: meshopt.Attributes, Count: len(v.data) / v.stride, Stride: v.stride}
	if v.use == TriangleIndices || v.use == OtherIndices {
		if v.stride == 1 {
			return nil, l, nil // neither mode has indices of one byte
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
			packed, err = meshopt.EncodeAttributes(ctx, data, v.stride)
		}
	}
	if err != nil || len(packed)+packedCost >= len(v.data) {
		return nil, l, err
	}
	return packed, l, nil
}

// filterElements encodes the elements of a view for its filter. It uses no filter if decoding would
// not restore the same elements.
func (o *Output) filterElements(ctx context.Context, v *view) ([]byte, meshopt.Filter, error) {
	f, bits := meshopt.None, 0
	switch v.use {
	case Directions:
		f, bits = meshopt.Octahedral, 2*v.stride
	case Turns:
		f, bits = meshopt.Quaternion, o.TurnBits
	case Steps:
		f = meshopt.Exponential
	default:
		return v.data, f, nil
	}
	data := slices.Clone(v.data)
	for i, start := range v.starts { // each array has steps of its own
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

// packedView returns the extension of a view with length packed bytes at an offset of the
// first buffer.
func packedView(offset, length int, l meshopt.Layout) json.RawMessage {
	var o Object
	o.SetInt("buffer", 0)
	if offset > 0 {
		o.SetInt("byteOffset", offset)
	}
	o.SetInt("byteLength", length)
	o.SetInt("byteStride", l.Stride)
	o.SetInt("count", l.Count)
	o.Set("mode", Quote(l.Mode.String()))
	if l.Filter != meshopt.None {
		o.Set("filter", Quote(l.Filter.String()))
	}
	return fmt.Appendf(nil, `{"%s":%s}`, MeshoptEXT, o.Text())
}

// A sharing finds arrays that a view already holds: exporters write the mesh of each copy
// of an object anew.
type sharing struct {
	seed  maphash.Seed
	known map[uint64][]arrayPlace // places by the hash of the bytes
}

// An arrayPlace is the place of an array in a view.
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

// noteArray records the place of an array that the caller will append to a view.
func (s *sharing) noteArray(v *view, offset int, a Array) {
	key := s.hashArray(a)
	s.known[key] = append(s.known[key], arrayPlace{v, offset, a.Count})
}

// findShared returns the offset of an equal array in a view, with elements stride bytes
// apart.
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
