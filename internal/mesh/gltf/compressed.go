package gltf

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/assetcook/assetcook/internal/mesh/meshopt"
)

// These extensions store vertices in compressed form. MeshoptEXT and MeshoptKHR compress views (see
// package meshopt), with different versions and filters.
const (
	Draco      = "KHR_draco_mesh_compression"
	MeshoptEXT = "EXT_meshopt_compression"
	MeshoptKHR = "KHR_meshopt_compression"
)

// Compressed returns the compressed form of a view, or nil if it has none.
func (v *BufferView) Compressed() *Compressed {
	if v.Extensions.KHR != nil {
		return v.Extensions.KHR
	}
	return v.Extensions.EXT
}

// Layout returns the layout of the elements of a compressed view.
func (p *Compressed) Layout() (meshopt.Layout, error) {
	l := meshopt.Layout{
		Count:  int(min(max(p.Count, 0), math.MaxInt32)),
		Stride: int(min(max(p.ByteStride, 0), math.MaxInt32)),
	}
	var err error
	if l.Mode, err = meshopt.ParseMode(p.Mode); err != nil {
		return l, err
	}
	if l.Filter, err = meshopt.ParseFilter(p.Filter); err != nil {
		return l, err
	}
	return l, l.Check()
}

// checkCompressed checks the layouts of compressed views. Each view must decompress to its declared
// size.
func (c *check) checkCompressed() {
	for i := range c.doc.BufferViews {
		v := &c.doc.BufferViews[i]
		p := v.Compressed()
		if p == nil {
			continue
		}
		if !c.checkRequiredIndex(p.Buffer, len(c.doc.Buffers), "buffer", "bufferView %d compressed", i) {
			continue
		}
		have := c.doc.Buffers[*p.Buffer].ByteLength
		l, err := p.Layout()
		switch {
		case err != nil:
			c.faults.addFault("bufferView %d compressed: %v", i, err)
		case p.ByteLength < 1 || p.ByteOffset < 0 || p.ByteOffset > have || p.ByteLength > have-p.ByteOffset:
			c.faults.addFault("bufferView %d compressed: %d bytes from %d on do not fit in buffer %d of %d bytes",
				i, p.ByteLength, p.ByteOffset, *p.Buffer, have)
		case l.Size() != v.ByteLength:
			c.faults.addFault("bufferView %d compressed: %d elements of %d bytes do not match the view of %d bytes", i, l.Count, l.Stride, v.ByteLength)
		case v.ByteStride != nil && *v.ByteStride != p.ByteStride:
			c.faults.addFault("bufferView %d compressed: byteStride is %d, but the view has %d", i, p.ByteStride, *v.ByteStride)
		}
	}
}

// UnpackedSize returns the total size of the views that Decompress decompresses.
func (d *Document) UnpackedSize() int64 {
	sum := int64(0)
	for i := range d.BufferViews {
		v := &d.BufferViews[i]
		if v.Compressed() != nil && d.Buffers[*v.Buffer].URI == nil {
			// A compressed view has exactly the bytes of its elements. The limit prevents overflow
			// of the sum.
			sum = min(sum+v.ByteLength, 1<<60)
		}
	}
	return sum
}

// Decompress decompresses the views whose bytes exist only in compressed form
// (EXT_meshopt_compression). Call it before reading a view.
func (d *Document) Decompress(ctx context.Context) error {
	for i := range d.BufferViews {
		v := &d.BufferViews[i]
		p := v.Compressed()
		if p == nil || d.Data[*v.Buffer] != nil {
			continue
		}
		data, err := unpackView(ctx, d.Data[*p.Buffer], p)
		if err != nil {
			return fmt.Errorf("bufferView %d: %w", i, err)
		}
		if d.unpacked == nil {
			d.unpacked = map[int32][]byte{}
		}
		d.unpacked[int32(i)] = data
	}
	return nil
}

func unpackView(ctx context.Context, buffer []byte, p *Compressed) ([]byte, error) {
	if buffer == nil {
		return nil, errors.New("the buffer with its compressed bytes is empty")
	}
	l, err := p.Layout()
	if err != nil {
		return nil, err
	}
	return meshopt.Decode(ctx, buffer[p.ByteOffset:][:p.ByteLength], l)
}
