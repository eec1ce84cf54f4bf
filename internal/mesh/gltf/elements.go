package gltf

import (
	"context"
	"encoding/binary"
	"fmt"
)

// Load reads the buffers of a checked document and prepares it for edits. chunk is the content of
// the first buffer if that buffer has no URI. read returns at most the given number of bytes from
// the start of a file. Load calls read once per URI.
func (d *Document) Load(ctx context.Context, chunk []byte, read func(name string, most int64) ([]byte, error)) error {
	longest := map[string]int64{}
	for i := range d.Buffers {
		if b := &d.Buffers[i]; b.URI != nil && !IsDataURI(*b.URI) {
			longest[*b.URI] = max(longest[*b.URI], b.ByteLength)
		}
	}
	files := map[string][]byte{}
	d.Data = make([][]byte, len(d.Buffers))
	for i := range d.Buffers {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := &d.Buffers[i]
		var err error
		switch {
		case b.URI == nil && i == 0:
			d.Data[i] = chunk
		case b.URI == nil: // an extension provides the bytes
		case IsDataURI(*b.URI):
			d.Data[i], _, err = DataURI(*b.URI)
		case files[*b.URI] != nil:
			d.Data[i] = files[*b.URI]
		default:
			var name string
			if name, err = FileOfURI(*b.URI); err == nil {
				d.Data[i], err = read(name, longest[*b.URI])
				files[*b.URI] = d.Data[i]
			}
		}
		if err != nil {
			return fmt.Errorf("buffer %d: %w", i, err)
		}
		if d.Data[i] != nil && int64(len(d.Data[i])) < b.ByteLength {
			return fmt.Errorf("buffer %d became shorter while it was read", i)
		}
	}
	var err error
	d.Root, err = ParseObject(d.Text)
	return err
}

// Objects returns one of the document's lists of objects, such as "nodes".
func (d *Document) Objects(list string) ([]Object, error) {
	objects, err := d.Root.Objects(list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", list, err)
	}
	return objects, nil
}

// View returns the bytes of a view, decompressed.
func (d *Document) View(view int32) ([]byte, error) {
	if data, ok := d.unpacked[view]; ok {
		return data, nil
	}
	v := &d.BufferViews[view]
	buffer := d.Data[*v.Buffer]
	if buffer == nil {
		return nil, fmt.Errorf("bufferView %d: buffer %d has no uri, so it has no bytes", view, *v.Buffer)
	}
	return buffer[v.ByteOffset:][:v.ByteLength:v.ByteLength], nil
}

// Shape returns an accessor's array without its elements.
func (d *Document) Shape(accessor int32) Array {
	a := &d.Accessors[accessor]
	return Array{
		Component: a.ComponentType, Normalized: a.Normalized, Count: int(a.Count),
		Width: Components(a.Type), Size: ElementSize(a.ComponentType, a.Type),
	}
}

// First returns the first n elements of an accessor, which must have at least n. If the accessor
// has no view, all elements are zero.
func (d *Document) First(ctx context.Context, accessor int32, n int) (Array, error) {
	to := func(at int) int {
		if at >= n {
			return -1
		}
		return at
	}
	array, err := d.gatherElements(ctx, accessor, n, func(i int) int { return i })
	if err != nil {
		return array, err
	}
	return array, d.replaceSparse(ctx, accessor, array, to)
}

// Dense returns the elements in an accessor's view, ignoring its sparse elements. The accessor must
// have a view.
func (d *Document) Dense(ctx context.Context, accessor int32) (Array, error) {
	return d.gatherElements(ctx, accessor, int(d.Accessors[accessor].Count), func(i int) int { return i })
}

// Gather returns the elements with the given indices, in that order. place holds the new index of
// each element of the accessor, or Nowhere for omitted elements.
func (d *Document) Gather(ctx context.Context, accessor int32, elements, place []uint32) (Array, error) {
	array, err := d.gatherElements(ctx, accessor, len(elements), func(i int) int { return int(elements[i]) })
	if err != nil {
		return array, err
	}
	return array, d.replaceSparse(ctx, accessor, array, func(at int) int {
		if place[at] == Nowhere {
			return -1
		}
		return int(place[at])
	})
}

// gatherElements returns an array of count elements, where from(i) is the index of element i in the
// accessor's view.
func (d *Document) gatherElements(ctx context.Context, accessor int32, count int, from func(int) int) (Array, error) {
	a := &d.Accessors[accessor]
	array := d.Shape(accessor)
	array.Count = count
	array.Data = make([]byte, count*array.Size)
	if a.BufferView == nil {
		return array, nil
	}
	view, err := d.View(*a.BufferView)
	if err != nil {
		return array, fmt.Errorf("accessor %d: %w", accessor, err)
	}
	stride := array.Size
	if s := d.BufferViews[*a.BufferView].ByteStride; s != nil {
		stride = int(*s)
	}
	view = view[a.ByteOffset:]
	return array, Chunks(ctx, count, func(first, end int) error {
		for i := first; i < end; i++ {
			copy(array.Element(i), view[from(i)*stride:])
		}
		return nil
	})
}

// replaceSparse writes the sparse elements of an accessor to array. The function to maps an element
// of the accessor to its index in array; a negative index omits the element.
func (d *Document) replaceSparse(ctx context.Context, accessor int32, array Array, to func(int) int) error {
	s := d.Accessors[accessor].Sparse
	if s == nil {
		return nil
	}
	indices, values, err := d.Sparse(accessor)
	if err != nil {
		return err
	}
	return Chunks(ctx, indices.Count, func(first, end int) error {
		for i := first; i < end; i++ {
			at := uintAt(indices.Data, i, indices.Size)
			if here := to(int(at)); here >= 0 {
				copy(array.Element(here), values.Element(i))
			}
		}
		return nil
	})
}

// Sparse returns the sparse elements of an accessor and their indices. Both refer to the bytes of
// the buffers.
func (d *Document) Sparse(accessor int32) (indices, values Array, err error) {
	s := d.Accessors[accessor].Sparse
	n := int(s.Count)
	size := ComponentSize(s.Indices.ComponentType)
	indices = Array{Component: s.Indices.ComponentType, Width: 1, Count: n, Size: size}
	values = d.Shape(accessor)
	values.Count = n
	for _, part := range []struct {
		array  *Array
		view   int32
		offset int64
	}{{&indices, *s.Indices.BufferView, s.Indices.ByteOffset}, {&values, *s.Values.BufferView, s.Values.ByteOffset}} {
		view, err := d.View(part.view)
		if err != nil {
			return indices, values, fmt.Errorf("accessor %d: %w", accessor, err)
		}
		view = view[part.offset:]
		part.array.Data = view[:min(len(view), n*part.array.Size)]
	}
	for i := range n {
		at := uintAt(indices.Data, i, indices.Size)
		switch {
		case int64(at) >= d.Accessors[accessor].Count:
			return indices, values, fmt.Errorf("accessor %d: sparse index %d is beyond its %d elements", accessor, at, d.Accessors[accessor].Count)
		case i > 0 && at <= uintAt(indices.Data, i-1, indices.Size):
			return indices, values, fmt.Errorf("accessor %d: sparse indices do not increase at %d", accessor, i)
		}
	}
	return indices, values, nil
}

// uintAt returns element i of a list of unsigned integers of size bytes each.
func uintAt(list []byte, i, size int) uint32 {
	switch size {
	case 1:
		return uint32(list[i])
	case 2:
		return uint32(binary.LittleEndian.Uint16(list[2*i:]))
	}
	return binary.LittleEndian.Uint32(list[4*i:])
}

// A Picker reads the triangles, lines or points of primitives and the vertices that they use. A
// primitive with few triangles takes little time even if its accessors have many vertices.
type Picker struct {
	doc   *Document
	place []uint32 // new index of each used vertex; Nowhere for all vertices between Forget and Pick
}

// NewPicker returns a picker for a document whose buffers are loaded.
func NewPicker(doc *Document) *Picker { return &Picker{doc: doc} }

// A Picked is the result of reading a primitive.
type Picked struct {
	Indices  []uint32 // indices of the corners; strips and fans become triangles
	Elements []uint32 // indices of vertices in their accessors, in order of first use
}

// Pick reads the given number of corners from the start of a primitive. Call Forget before the next
// Pick, even after an error.
func (p *Picker) Pick(ctx context.Context, of *Primitive, corners int) (Picked, error) {
	var picked Picked
	count := int(p.doc.Accessors[of.Attributes["POSITION"]].Count)
	var err error
	if picked.Indices, err = p.readCorners(ctx, of, corners, count); err != nil {
		return picked, err
	}
	if of.Topology() >= Triangles {
		if picked.Indices, err = AsTriangles(ctx, picked.Indices, of.Topology()); err != nil {
			return picked, err
		}
	}
	for len(p.place) < count {
		p.place = append(p.place, Nowhere)
	}
	picked.Elements, err = Compact(ctx, picked.Indices, p.place)
	return picked, err
}

// Forget prepares the picker for the next primitive.
func (p *Picker) Forget(picked Picked) {
	for _, v := range picked.Elements {
		p.place[v] = Nowhere
	}
}

// Gather returns the elements of an attribute's accessor for the picked vertices.
func (p *Picker) Gather(ctx context.Context, picked Picked, accessor int32) (Array, error) {
	return p.doc.Gather(ctx, accessor, picked.Elements, p.place)
}

// readCorners returns the first n indices of a primitive, or 0 to n-1 without indices.
func (p *Picker) readCorners(ctx context.Context, of *Primitive, n, vertices int) ([]uint32, error) {
	if of.Indices == nil {
		indices := make([]uint32, n)
		for i := range indices {
			indices[i] = uint32(i)
		}
		return indices, nil
	}
	array, err := p.doc.First(ctx, *of.Indices, n)
	if err != nil {
		return nil, err
	}
	indices := array.Uints()
	return indices, Chunks(ctx, n, func(from, to int) error {
		for i, v := range indices[from:to] {
			if int64(v) >= int64(vertices) {
				return fmt.Errorf("index %d refers to vertex %d, but there are only %d", from+i, v, vertices)
			}
		}
		return nil
	})
}
