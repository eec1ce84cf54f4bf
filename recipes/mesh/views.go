package mesh

import (
	"context"
	"encoding/json"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// A use is what data in a buffer is for: vertices of one stride, indices of one size and
// all of another use share a view.
type use uint8

const (
	other    use = iota // times of animations, and all else
	turns               // of animations, as the filter Quaternion makes them
	floats              // of animations, with steps of a power of two
	matrices            // of skins
	vertices
	directions // of vertices, in octahedral coordinates
	indices    // of triangles
	loose      // indices of others, or of it is not known what
	image      // has a view of its own
)

// The targets of views.
const (
	arrayBuffer   = 34962 // ARRAY_BUFFER
	elementBuffer = 34963 // ELEMENT_ARRAY_BUFFER
)

// target returns the number that says so in a bufferView, 0 for none.
func (u use) target() int {
	switch u {
	case vertices, directions:
		return arrayBuffer
	case indices, loose:
		return elementBuffer
	}
	return 0
}

// A viewKind is what views have to themselves: a use, and the stride of vertices or the
// size of indices, in bytes, 0 for all other uses. What is compressed is apart by the
// kind of numbers as well, and always has a stride.
type viewKind struct {
	use       use
	stride    int
	component int32
}

// A view is one bufferView of the output.
type view struct {
	viewKind
	data   []byte
	starts []int // of each array, in elements
}

// views are the bufferViews of the output, in the order of their first use.
type views struct {
	compress bool
	bits     int // of turns
	list     []*view
	known    map[viewKind]int
	same     sharing
}

// appendArray appends an array, unless the same one is there, and returns its view and where it
// starts there, at a multiple of four bytes, or of the size of an index.
func (vs *views) appendArray(ctx context.Context, u use, a gltf.Array) (number, offset int, err error) {
	stride := a.Size
	if u.target() == arrayBuffer {
		stride = (a.Size + 3) &^ 3
	}
	number = vs.viewOf(u, stride, a.Component)
	v := vs.list[number]
	if u != image {
		var found bool
		if offset, found = vs.same.findShared(v, stride, a); found {
			return number, offset, nil
		}
	}
	switch {
	case vs.compress && u != image:
		v.pad(v.stride)
		v.starts = append(v.starts, len(v.data)/v.stride)
	case u != indices && u != loose:
		v.pad(4)
	}
	offset = len(v.data)
	if u != image {
		vs.same.note(v, offset, a)
	}
	if stride == a.Size {
		v.data = append(v.data, a.Data...)
		return number, offset, ctx.Err()
	}
	padding := make([]byte, stride-a.Size)
	return number, offset, gltf.Chunks(ctx, a.Count, func(from, to int) error {
		for i := from; i < to; i++ {
			v.data = append(append(v.data, a.Element(i)...), padding...)
		}
		return nil
	})
}

// viewOf returns the view of a use and stride, a new one for each image.
func (vs *views) viewOf(u use, stride int, component int32) int {
	k := viewKind{use: u}
	switch {
	case vs.compress && u != image:
		k.stride, k.component = stride, component
		for u.target() == 0 && k.stride%4 != 0 {
			k.stride += stride // several small elements are one
		}
	case u == directions || u == vertices:
		k.use, k.stride = vertices, stride
	case u == turns || u == floats:
		k.use = other
	case u == indices || u == loose:
		k.use, k.stride = indices, stride
	}
	if i, ok := vs.known[k]; ok && u != image {
		return i
	}
	if vs.known == nil {
		vs.known = map[viewKind]int{}
	}
	vs.known[k] = len(vs.list)
	vs.list = append(vs.list, &view{viewKind: k})
	return len(vs.list) - 1
}

// pad appends zeros up to a multiple of so many bytes.
func (v *view) pad(to int) { v.data = append(v.data, make([]byte, (to-len(v.data)%to)%to)...) }

// A laid is the bufferViews as the document lists them, and the bytes of its first buffer,
// in parts that follow each other.
type laid struct {
	list  []gltf.Object
	parts [][]byte
	size  int // of the parts together
	// unpacked is how many bytes the second buffer would have, which is not there: those
	// of the views that are compressed.
	unpacked int
}

// layOutViews lays the views out. They are not to be used again.
func (vs *views) layOutViews(ctx context.Context) (laid, error) {
	var l laid
	for _, v := range vs.list {
		var o gltf.Object
		packed, layout, err := vs.pack(ctx, v)
		if err != nil {
			return l, err
		}
		buffer, at := 0, l.size
		if packed != nil {
			buffer, at = 1, l.unpacked
		}
		o.SetInt("buffer", buffer)
		if at > 0 {
			o.SetInt("byteOffset", at)
		}
		o.SetInt("byteLength", len(v.data))
		if v.use.target() == arrayBuffer {
			o.SetInt("byteStride", v.stride)
		}
		if t := v.use.target(); t != 0 {
			o.SetInt("target", t)
		}
		if packed != nil {
			o.Set("extensions", packedView(l.size, len(packed), layout))
			l.unpacked += (len(v.data) + 3) &^ 3
			v.data = packed
		}
		l.list = append(l.list, o)
		v.pad(4)
		l.parts = append(l.parts, v.data)
		l.size += len(v.data)
		v.data = nil
	}
	return l, nil
}

// jsonNumber writes a number as the shortest text that reads back as it.
func jsonNumber(value float64) json.RawMessage {
	text := numbers(value)
	return text[1 : len(text)-1]
}

// numbers writes a list of numbers, each as the shortest text that reads back as it.
func numbers(values ...float64) json.RawMessage {
	text, err := json.Marshal(values)
	if err != nil {
		return json.RawMessage("[]") // cannot be: they are finite
	}
	return text
}
