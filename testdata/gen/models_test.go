package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"math"
	"net/url"
	"path"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/qmuntal/gltf"
)

// TestModels opens every glTF file with an independent reader and checks the
// geometry as a strict validator would.
func TestModels(t *testing.T) {
	files := generate(t)
	seen := 0
	for p, data := range files {
		if ext := path.Ext(p); ext != ".gltf" && ext != ".glb" {
			continue
		}
		seen++
		var doc gltf.Document
		if err := gltf.NewDecoder(bytes.NewReader(data)).Decode(&doc); err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		buffer := doc.Buffers[0].Data
		if uri := doc.Buffers[0].URI; uri != "" && !doc.Buffers[0].IsEmbeddedResource() {
			buffer = files[path.Join("models", uri)]
		}
		if len(buffer) < doc.Buffers[0].ByteLength || doc.Buffers[0].ByteLength == 0 {
			t.Errorf("%s: the buffer has %d bytes, the document says %d", p, len(buffer), doc.Buffers[0].ByteLength)
			continue
		}
		for _, img := range doc.Images {
			if img.BufferView != nil {
				v := doc.BufferViews[*img.BufferView]
				if _, _, err := image.Decode(bytes.NewReader(buffer[v.ByteOffset:][:v.ByteLength])); err != nil {
					t.Errorf("%s: embedded image: %v", p, err)
				}
				continue
			}
			name, err := url.PathUnescape(img.URI)
			if err != nil {
				t.Errorf("%s: %v", p, err)
			}
			if _, ok := files[path.Join("models", name)]; !ok {
				t.Errorf("%s: there is no %s", p, img.URI)
			}
		}
		for _, m := range doc.Meshes {
			for _, prim := range m.Primitives {
				checkPrimitive(t, p, &doc, buffer, prim)
			}
		}
	}
	if seen != 5 {
		t.Errorf("%d models, want 5", seen)
	}
}

// floatsOf reads an accessor of float32 and compares its stated bounds.
func floatsOf(t *testing.T, name string, doc *gltf.Document, buffer []byte, index int) [][]float32 {
	t.Helper()
	a := doc.Accessors[index]
	view := doc.BufferViews[*a.BufferView]
	if view.ByteOffset%4 != 0 || view.ByteOffset+view.ByteLength > len(buffer) {
		t.Fatalf("%s: buffer view %d..+%d in %d bytes", name, view.ByteOffset, view.ByteLength, len(buffer))
	}
	width := a.Type.Components()
	raw := make([]float32, a.Count*width)
	if err := binary.Read(bytes.NewReader(buffer[view.ByteOffset:][:view.ByteLength]), binary.LittleEndian, raw); err != nil {
		t.Fatalf("%s: accessor %d: %v", name, index, err)
	}
	var rows [][]float32
	low, high := make([]float64, width), make([]float64, width)
	for i := range a.Count {
		row := raw[i*width:][:width]
		rows = append(rows, row)
		for k, v := range row {
			if i == 0 {
				low[k], high[k] = float64(v), float64(v)
			}
			low[k], high[k] = min(low[k], float64(v)), max(high[k], float64(v))
		}
	}
	if a.Min != nil && (!cmp.Equal(a.Min, low) || !cmp.Equal(a.Max, high)) {
		t.Errorf("%s: accessor %d says %v..%v, holds %v..%v", name, index, a.Min, a.Max, low, high)
	}
	return rows
}

func checkPrimitive(t *testing.T, name string, doc *gltf.Document, buffer []byte, prim *gltf.Primitive) {
	t.Helper()
	at := floatsOf(t, name, doc, buffer, prim.Attributes[gltf.POSITION])
	normals := floatsOf(t, name, doc, buffer, prim.Attributes[gltf.NORMAL])
	texels := floatsOf(t, name, doc, buffer, prim.Attributes[gltf.TEXCOORD_0])
	if doc.Accessors[prim.Attributes[gltf.POSITION]].Min == nil {
		t.Errorf("%s: positions need bounds", name)
	}
	if len(at) != len(normals) || len(at) != len(texels) {
		t.Fatalf("%s: %d positions, %d normals, %d texels", name, len(at), len(normals), len(texels))
	}
	for i, n := range normals {
		if length := math.Sqrt(float64(n[0]*n[0] + n[1]*n[1] + n[2]*n[2])); math.Abs(length-1) > 0.001 {
			t.Errorf("%s: normal %d has length %f", name, i, length)
		}
		if uv := texels[i]; uv[0] < 0 || uv[0] > 1 || uv[1] < 0 || uv[1] > 1 {
			t.Errorf("%s: texel %d is %v", name, i, uv)
		}
	}
	view := doc.BufferViews[*doc.Accessors[*prim.Indices].BufferView]
	indices := make([]uint16, doc.Accessors[*prim.Indices].Count)
	if err := binary.Read(bytes.NewReader(buffer[view.ByteOffset:][:view.ByteLength]), binary.LittleEndian, indices); err != nil {
		t.Fatalf("%s: indices: %v", name, err)
	}
	if len(indices) == 0 || len(indices)%3 != 0 {
		t.Fatalf("%s: %d indices are not triangles", name, len(indices))
	}
	for i := 0; i < len(indices); i += 3 {
		a, b, c := at[indices[i]], at[indices[i+1]], at[indices[i+2]]
		var u, v [3]float64
		for k := range 3 {
			u[k], v[k] = float64(b[k]-a[k]), float64(c[k]-a[k])
		}
		face := [3]float64{u[1]*v[2] - u[2]*v[1], u[2]*v[0] - u[0]*v[2], u[0]*v[1] - u[1]*v[0]}
		n := normals[indices[i]]
		if face[0]*float64(n[0])+face[1]*float64(n[1])+face[2]*float64(n[2]) <= 0 {
			t.Errorf("%s: triangle %d has no area or looks away from its normal", name, i/3)
		}
	}
}
