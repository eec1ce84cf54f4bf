package inspect

import (
	"context"
	"encoding/binary"
	"path"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/internal/mesh/drawn"
)

// A meshInfo describes the drawn parts of a model. Its bytes follow, little endian: for each level
// positions and normals (32-bit floats x, y, z of each vertex), then indices (32 bits, three for each
// triangle).
type meshInfo struct {
	Bytes  int64       `json:"bytes"` // of all files of the model
	Levels []meshLevel `json:"levels"`
}

type meshLevel struct {
	Vertices  int        `json:"vertices"`
	Triangles int        `json:"triangles"`
	Clipped   int64      `json:"clipped,omitempty"` // triangles that are not sent: too many
	Undrawn   int        `json:"undrawn,omitempty"` // primitives of points and lines
	Low       [3]float32 `json:"low"`
	High      [3]float32 `json:"high"`
	Parts     []meshPart `json:"parts"`
}

type meshPart struct {
	Mesh      string     `json:"mesh,omitempty"`
	Material  string     `json:"material,omitempty"`
	Color     [4]float32 `json:"color"`          // linear
	Made      bool       `json:"made,omitempty"` // the file has no normals
	Vertices  int        `json:"vertices"`
	Triangles int        `json:"triangles"`
}

func (p *project) mesh(ctx context.Context, f *file) (any, [][]byte, error) {
	data, _, err := p.readAssetFile(f)
	if err != nil {
		return nil, nil, err
	}
	scene, err := drawn.Open(ctx, data, path.Ext(string(f.Path)), func(name string) ([]byte, error) {
		beside := *f
		beside.Path = execute.Path(path.Join(path.Dir(string(f.Path)), name))
		data, _, err := p.readAssetFile(&beside)
		return data, err
	})
	if err != nil {
		return nil, nil, err
	}
	return meshParts(ctx, scene)
}

// meshParts returns the parts of a model that a page draws.
func meshParts(ctx context.Context, s *drawn.Scene) (header any, parts [][]byte, err error) {
	info := meshInfo{Bytes: s.Bytes, Levels: make([]meshLevel, len(s.Levels))}
	for i := range s.Levels {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		l := &s.Levels[i]
		to := &info.Levels[i]
		*to = meshLevel{
			Vertices: l.Vertices(), Triangles: l.Triangles(), Clipped: l.Clipped, Undrawn: l.Undrawn,
			Low: l.Low, High: l.High, Parts: make([]meshPart, len(l.Parts)),
		}
		for k, p := range l.Parts {
			to.Parts[k] = meshPart{Mesh: p.Mesh, Material: p.Material, Color: p.Color, Made: p.MadeNormals, Vertices: p.Vertices, Triangles: p.Triangles}
		}
		parts = append(parts, words(l.Positions), words(l.Normals), words(l.Indices))
	}
	return info, parts, nil
}

// words returns numbers of 32 bits as bytes.
func words[T float32 | uint32](numbers []T) []byte {
	b := make([]byte, 4*len(numbers))
	binary.Encode(b, binary.LittleEndian, numbers) // the sizes are equal
	return b
}
