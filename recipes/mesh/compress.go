package mesh

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/meshopt"
)

// packedCost is about how many bytes a document says of a view because it is compressed.
const packedCost = 150

// pack compresses a view. It returns nil for one that stays as it is: that of an image,
// which is compressed by itself, and one that would not become smaller.
func (vs *views) pack(ctx context.Context, v *view) (packed []byte, l meshopt.Layout, err error) {
	if !vs.compress || v.use == image || len(v.data) == 0 || v.stride > 256 {
		return nil, l, nil
	}
	v.pad(v.stride)
	l = meshopt.Layout{Mode: meshopt.Attributes, Count: len(v.data) / v.stride, Stride: v.stride}
	if v.use == indices || v.use == loose {
		if v.stride == 1 {
			return nil, l, nil // neither mode has these
		}
		array := gltf.Array{Component: v.component, Width: 1, Count: l.Count, Size: v.stride, Data: v.data}
		l.Mode = meshopt.Indices
		if v.use == indices && l.Count%3 == 0 {
			l.Mode = meshopt.Triangles
			packed, err = meshopt.EncodeTriangles(ctx, array.Uints(), v.starts)
		} else {
			packed, err = meshopt.EncodeIndices(ctx, array.Uints())
		}
	} else {
		var data []byte
		if data, l.Filter, err = vs.filtered(ctx, v); err == nil {
			packed, err = meshopt.EncodeAttributes(ctx, data, v.stride)
		}
	}
	if err != nil || len(packed)+packedCost >= len(v.data) {
		return nil, l, err
	}
	return packed, l, nil
}

// filtered returns the elements of a view as its filter has them. It leaves one without
// a filter if that could not give back the same elements.
func (vs *views) filtered(ctx context.Context, v *view) ([]byte, meshopt.Filter, error) {
	f, bits := meshopt.None, 0
	switch v.use {
	case directions:
		f, bits = meshopt.Octahedral, 2*v.stride
	case turns:
		f, bits = meshopt.Quaternion, vs.bits
	case floats:
		f = meshopt.Exponential
	default:
		return v.data, f, nil
	}
	data := slices.Clone(v.data)
	for i, start := range v.starts { // each has steps of its own
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

// packedView is the extension of a view whose bytes are packed, so many from an offset of
// the first buffer on.
func packedView(offset, length int, l meshopt.Layout) json.RawMessage {
	var o gltf.Object
	o.SetInt("buffer", 0)
	if offset > 0 {
		o.SetInt("byteOffset", offset)
	}
	o.SetInt("byteLength", length)
	o.SetInt("byteStride", l.Stride)
	o.SetInt("count", l.Count)
	o.Set("mode", gltf.Quote(l.Mode.String()))
	if l.Filter != meshopt.None {
		o.Set("filter", gltf.Quote(l.Filter.String()))
	}
	return fmt.Appendf(nil, `{"%s":%s}`, extMeshopt, o.Text())
}
