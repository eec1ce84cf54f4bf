// Package drawn returns the triangles that a viewer draws of a model: for each level of
// detail in world space, in the rest pose.
//
// Models are glTF 2.0 (.glb; .gltf and its buffers) and Wavefront OBJ (.obj and its
// materials). Transforms of nodes, skins, morph targets at their default weights, and
// instances (EXT_mesh_gpu_instancing) are applied; attributes may be quantized or sparse.
// MSFT_lod gives the levels of detail. Hidden nodes (KHR_node_visibility), points, lines
// and textures are left out: a part has its material's base color.
//
//	open.go       a file to a checked document with its buffers
//	nodes.go      which nodes show which mesh at a level
//	primitive.go  accessors to a geometry in the space of its mesh
//	pose.go       morph targets and skins
//	place.go      a geometry to the triangles of a level
//	matrix.go     affine transforms
//
// A scene holds at most MaxTriangles triangles; those beyond are counted. Corrupt and
// hostile files give an error of one line.
package drawn

import (
	"context"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// Limits of a scene.
const (
	// MaxTriangles bounds the triangles of all levels together. A triangle takes at most
	// 84 bytes.
	MaxTriangles = 1 << 21
	// MaxLevels bounds the levels of detail, the full mesh included.
	MaxLevels = 16

	maxParts = 1 << 12 // of a level; the last part takes the rest
)

// A Scene is the drawn form of a model.
type Scene struct {
	Levels []Level // from the full model on; there is at least one
	Bytes  int64   // of the model's file and the others that were read
}

// A Level is a model in one level of detail.
type Level struct {
	Positions []float32 // x, y, z a vertex
	Normals   []float32 // likewise, of length 1
	Indices   []uint32  // three a triangle
	Parts     []Part    // all vertices and triangles, in turn
	Low, High [3]float32
	Clipped   int64 // triangles left out because of MaxTriangles
	Undrawn   int   // primitives of points and lines
}

// A Part is the vertices and triangles of one primitive, wherever it is shown.
type Part struct {
	Mesh, Material string     // names, shortened; may be empty
	Color          [4]float32 // linear
	// MadeNormals says that the file has no normals. glTF asks for flat shading then; the
	// level has smooth normals.
	MadeNormals         bool
	Vertices, Triangles int
}

// Vertices returns the number of vertices.
func (l *Level) Vertices() int { return len(l.Positions) / 3 }

// Triangles returns the number of triangles.
func (l *Level) Triangles() int { return len(l.Indices) / 3 }

// Open reads a model. ext is its file's extension; binary glTF is recognized whatever
// it is. read reads a file that the model names, a slash-separated path relative to the
// model which may leave its directory: read must confine it. Its error is Open's for buffers;
// materials of OBJ models that cannot be read have no color.
func Open(ctx context.Context, data []byte, ext string, read func(name string) ([]byte, error)) (*Scene, error) {
	sizes := map[string]int64{"": int64(len(data))}
	doc, err := open(ctx, data, ext, func(name string) ([]byte, error) {
		other, err := read(name)
		sizes[name] = int64(len(other))
		return other, err
	})
	if err != nil {
		return nil, err
	}
	b, err := newBuilder(doc)
	if err != nil {
		return nil, err
	}
	b.weld = isOBJ(data, ext)
	scene := &Scene{Levels: make([]Level, b.levels())}
	for _, n := range sizes {
		scene.Bytes += n
	}
	for i := range scene.Levels {
		if err := b.level(ctx, i, &scene.Levels[i]); err != nil {
			return nil, err
		}
	}
	return scene, nil
}

// A builder makes the levels of a document.
type builder struct {
	doc    *gltf.Document
	parent []int32    // of nodes, -1 for roots
	worlds []*affine  // of nodes that have been asked for
	joints [][]affine // of each skin that has been shown
	picker *gltf.Picker
	left   int  // triangles that may still be drawn
	weld   bool // vertices are corners of faces: equal ones are one
}

func newBuilder(doc *gltf.Document) (*builder, error) {
	b := &builder{doc: doc, picker: gltf.NewPicker(doc), left: MaxTriangles}
	if err := b.checkNodes(); err != nil {
		return nil, err
	}
	b.parent = doc.Parents()
	return b, nil
}

// level draws one level of detail.
func (b *builder) level(ctx context.Context, number int, l *Level) error {
	shown, err := b.shown(ctx, number)
	if err != nil {
		return err
	}
	for len(shown) > 0 {
		n := 1
		for n < len(shown) && shown[n].mesh == shown[0].mesh {
			n++
		}
		if err := b.mesh(ctx, shown[:n], l); err != nil {
			return err
		}
		shown = shown[n:]
	}
	l.bound()
	return nil
}

// bound computes the bounding box.
func (l *Level) bound() {
	for i, x := range l.Positions {
		k := i % 3
		if i < 3 {
			l.Low[k], l.High[k] = x, x
		}
		l.Low[k], l.High[k] = min(l.Low[k], x), max(l.High[k], x)
	}
}
