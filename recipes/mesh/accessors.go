package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// accessors holds the accessors of the output. A source accessor keeps its index, and so does an
// array that replaces its elements. New accessors are appended. So references from other parts of
// the document stay valid.
type accessors struct {
	doc     *gltf.Document
	objects []gltf.Object
	free    []bool // the source accessors whose elements are replaced for all users
	taken   []bool // free accessors whose index is used for a new array
	entered map[entry]int
	merge   bool // whether equal accessors are written only once
	output  gltf.Output

	contents []elementKind // element kinds of the source's accessors
	vertices []int64       // number of vertices that the source's indices may refer to
	repairs  *repairs
}

// newAccessors returns the accessors of a document. free marks the accessors whose elements are
// replaced for all users.
func newAccessors(o *meshOptions, doc *gltf.Document, free []bool, r *repairs) (*accessors, error) {
	objects, err := doc.Objects("accessors")
	as := &accessors{output: gltf.Output{Compression: o.compression(), TurnBits: o.rotationBits()}, doc: doc, objects: objects, free: free, taken: make([]bool, len(objects)), entered: map[entry]int{}, merge: o.Prune, repairs: r}
	as.contents, as.vertices = accessorContents(doc)
	return as, err
}

// replaceAccessor stores an array at the index of a source accessor, or at a new index if source
// equals made. It returns the index. kind is the accessor's type.
func (as *accessors) replaceAccessor(ctx context.Context, source int32, kind string, u gltf.Use, a gltf.Array, bounds bool) (int, error) {
	view, offset, err := as.output.Append(ctx, u, a)
	if err != nil {
		return 0, err
	}
	was := entry{view, offset, a.Component, a.Normalized, a.Count, kind, bounds}
	if number, ok := as.entered[was]; ok && as.merge {
		return number, nil
	}
	var o gltf.Object
	number := len(as.objects)
	if source != made && as.free[source] && !as.taken[source] {
		as.taken[source] = true
		number = int(source)
		o = as.objects[number]
		o.Delete("sparse")
		o.Delete("min")
		o.Delete("max")
		o.Delete("normalized")
	} else {
		as.objects = append(as.objects, nil)
	}
	o.SetInt("bufferView", view)
	o.SetOffset(offset)
	o.SetInt("componentType", int(a.Component))
	if a.Normalized {
		o.Set("normalized", []byte("true"))
	}
	o.SetInt("count", a.Count)
	o.Set("type", gltf.Quote(kind))
	if bounds {
		a.Normalized = false // the bounds count in stored integers
		low, high := a.Bounds()
		o.Set("min", boundText(a.Component, low))
		o.Set("max", boundText(a.Component, high))
	}
	as.objects[number] = o
	as.entered[was] = number
	return number, nil
}

// boundText returns the JSON of a minimum or maximum.
func boundText(component int32, bound []float64) json.RawMessage {
	if component == gltf.Float32 {
		return gltf.Singles(bound...)
	}
	return gltf.Numbers(bound...)
}

// An entry describes a written accessor.
type entry struct {
	view, offset int
	component    int32
	normalized   bool
	count        int
	kind         string
	bounds       bool
}

// keepUnchanged copies the elements of all accessors that have not been replaced. uses holds the
// use of each accessor.
func (as *accessors) keepUnchanged(ctx context.Context, uses []gltf.Use) error {
	for i := range as.doc.Accessors {
		if as.taken[i] {
			continue
		}
		if as.free[i] {
			as.contents[i] = free // the accessor is no longer used
		}
		if err := as.copyAccessor(ctx, int32(i), uses[i]); err != nil {
			return err
		}
	}
	return nil
}

func (as *accessors) copyAccessor(ctx context.Context, i int32, u gltf.Use) error {
	a := &as.doc.Accessors[i]
	o := &as.objects[i]
	whole, err := as.wholeAccessor(ctx, i)
	if err != nil {
		return err
	}
	changed, err := as.inspectElements(ctx, i, whole)
	if err == nil && changed && a.BufferView == nil {
		err = errors.New("the accessor needs repair, but its data is not in the file; export the model again")
	}
	if err != nil {
		return fmt.Errorf("accessor %d: %w", i, err)
	}
	as.writeBounds(i, o, whole)
	if a.Sparse != nil && !changed {
		return as.copySparse(ctx, i, u)
	}
	if a.BufferView == nil {
		o.Delete("byteOffset")
		return nil
	}
	view, offset, err := as.output.Append(ctx, u, whole)
	if err != nil {
		return err
	}
	o.SetInt("bufferView", view)
	o.SetOffset(offset)
	o.Delete("sparse")
	return nil
}

// wholeAccessor returns the elements of a source accessor. Without a view, a small file could
// declare very many elements. So the result holds only the sparse elements, and a single zero for
// all others.
func (as *accessors) wholeAccessor(ctx context.Context, i int32) (gltf.Array, error) {
	a := &as.doc.Accessors[i]
	if a.BufferView != nil {
		return as.doc.First(ctx, i, int(a.Count))
	}
	array := as.doc.Shape(i)
	array.Count = 0
	if a.Sparse != nil {
		_, values, err := as.doc.Sparse(i)
		if err != nil {
			return array, err
		}
		array.Count = values.Count
		array.Data = slices.Grow(slices.Clone(values.Data), array.Size)
	}
	if int64(array.Count) < a.Count {
		array.Count++
		array.Data = append(array.Data, make([]byte, array.Size*array.Count-len(array.Data))...)
	}
	return array, nil
}

// copySparse copies an accessor with sparse elements.
func (as *accessors) copySparse(ctx context.Context, i int32, u gltf.Use) error {
	o := &as.objects[i]
	if as.doc.Accessors[i].BufferView != nil {
		array, err := as.doc.Dense(ctx, i)
		if err != nil {
			return err
		}
		view, offset, err := as.output.Append(ctx, u, array)
		if err != nil {
			return err
		}
		o.SetInt("bufferView", view)
		o.SetOffset(offset)
	}
	at, values, err := as.doc.Sparse(i)
	if err != nil {
		return err
	}
	sparse, err := o.Object("sparse")
	if err != nil {
		return err
	}
	for _, part := range []struct {
		key   string
		array gltf.Array
	}{{"indices", at}, {"values", values}} {
		view, offset, err := as.output.Append(ctx, gltf.Other, part.array)
		if err != nil {
			return err
		}
		of, err := sparse.Object(part.key)
		if err != nil {
			return err
		}
		of.SetInt("bufferView", view)
		of.SetOffset(offset)
		sparse.Set(part.key, of.Text())
	}
	o.Set("sparse", sparse.Text())
	return nil
}

// accessorType returns the type of a source accessor. If source equals made, it returns the type of
// vectors with width components.
func accessorType(doc *gltf.Document, source int32, width int) string {
	if source != made {
		return doc.Accessors[source].Type
	}
	for _, kind := range []string{"SCALAR", "VEC2", "VEC3", "VEC4"} {
		if gltf.Components(kind) == width {
			return kind
		}
	}
	return "MAT4"
}
