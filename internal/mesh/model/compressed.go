package model

import (
	"context"
	"errors"
	"fmt"

	"github.com/assetcook/assetcook/internal/gltfcheck"
	"github.com/assetcook/assetcook/internal/mesh/meshopt"
)

// UnpackedSize returns how many bytes the views of a document have together that
// Decompress unpacks.
func UnpackedSize(doc *gltfcheck.Document) int64 {
	sum := int64(0)
	for i := range doc.BufferViews {
		v := &doc.BufferViews[i]
		if v.Compressed() != nil && doc.Buffers[*v.Buffer].URI == nil {
			// A packed view has as many bytes as its elements; the sum of any number fits.
			sum = min(sum+v.ByteLength, 1<<60)
		}
	}
	return sum
}

// Decompress unpacks the views whose bytes are there in a packed form only
// (EXT_meshopt_compression). It must be called before a view is read.
func (d *Document) Decompress(ctx context.Context) error {
	for i := range d.BufferViews {
		v := &d.BufferViews[i]
		p := v.Compressed()
		if p == nil || d.Buffers[*v.Buffer] != nil {
			continue
		}
		data, err := unpack(ctx, d.Buffers[*p.Buffer], p)
		if err != nil {
			return fmt.Errorf("bufferView %d: %w", i, err)
		}
		if d.views == nil {
			d.views = map[int32][]byte{}
		}
		d.views[int32(i)] = data
	}
	return nil
}

func unpack(ctx context.Context, buffer []byte, p *gltfcheck.Compressed) ([]byte, error) {
	if buffer == nil {
		return nil, errors.New("its packed bytes are in a buffer that has none")
	}
	l, err := p.Layout()
	if err != nil {
		return nil, err
	}
	return meshopt.Decode(ctx, buffer[p.ByteOffset:][:p.ByteLength], l)
}
