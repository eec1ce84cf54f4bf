package mesh

import (
	"context"
	"encoding/json"

	"github.com/assetcook/assetcook/internal/mesh/model"
)

// A use is what data in a buffer is for: vertices of one stride, indices of one size and
// all of another use share a view.
type use uint8

const (
	other    use = iota // animations
	matrices            // of skins
	vertices
	indices
	image // has a view of its own
)

// target returns the number that says so in a bufferView, 0 for none.
func (u use) target() int {
	switch u {
	case vertices:
		return 34962 // ARRAY_BUFFER
	case indices:
		return 34963 // ELEMENT_ARRAY_BUFFER
	}
	return 0
}

// A viewKind is what views have to themselves: a use, and the stride of vertices or the
// size of indices, in bytes, 0 for all other uses.
type viewKind struct {
	use    use
	stride int
}

// A view is one bufferView of the output.
type view struct {
	viewKind
	data []byte
}

// views are the bufferViews of the output, in the order of their first use.
type views struct {
	list  []*view
	known map[viewKind]int
}

// add appends an array and returns its view and where it starts there, at a multiple of
// four bytes, or of the size of an index.
func (vs *views) add(ctx context.Context, u use, a model.Array) (number, offset int, err error) {
	stride := a.Size
	if u == vertices {
		stride = (a.Size + 3) &^ 3
	}
	number = vs.of(u, stride)
	v := vs.list[number]
	if u != indices {
		v.pad()
	}
	offset = len(v.data)
	if stride == a.Size {
		v.data = append(v.data, a.Data...)
		return number, offset, ctx.Err()
	}
	padding := make([]byte, stride-a.Size)
	return number, offset, model.Chunks(ctx, a.Count, func(from, to int) error {
		for i := from; i < to; i++ {
			v.data = append(append(v.data, a.Element(i)...), padding...)
		}
		return nil
	})
}

// of returns the view of a use and stride, a new one for each image.
func (vs *views) of(u use, stride int) int {
	k := viewKind{use: u}
	if u == vertices || u == indices {
		k.stride = stride
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

func (v *view) pad() { v.data = append(v.data, make([]byte, -len(v.data)&3)...) }

// finish returns the bufferViews as the document lists them, and their bytes, which
// follow each other in the only buffer.
func (vs *views) finish() (list []model.Object, parts [][]byte, size int) {
	for _, v := range vs.list {
		var o model.Object
		o.SetInt("buffer", 0)
		if size > 0 {
			o.SetInt("byteOffset", size)
		}
		o.SetInt("byteLength", len(v.data))
		if v.use == vertices {
			o.SetInt("byteStride", v.stride)
		}
		if t := v.use.target(); t != 0 {
			o.SetInt("target", t)
		}
		list = append(list, o)
		v.pad()
		parts = append(parts, v.data)
		size += len(v.data)
	}
	return list, parts, size
}

// number writes a number as the shortest text that reads back as it.
func number(value float64) json.RawMessage {
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
