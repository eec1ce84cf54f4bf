// Package drawn returns the triangles that a viewer draws for a model: for each level of detail, in
// world space and without animation.
//
// Models are glTF 2.0 (.glb, or .gltf and its buffers) and Wavefront OBJ (.obj and its materials).
// Transforms of nodes, skins, morph targets at their default weights, and instances
// (EXT_mesh_gpu_instancing) are applied; attributes may be quantized or sparse. MSFT_lod defines
// the levels of detail. Hidden nodes (KHR_node_visibility), points, lines and textures are omitted.
// Each part has its material's base color.
//
//	drawn.go      opens a file and checks its document
//	nodes.go      finds the nodes that show a mesh at a level; affine transforms
//	primitive.go  reads accessors into a geometry in mesh space
//	place.go      computes the triangles of a level; morph targets and skins
//
// A scene holds at most MaxTriangles triangles; further triangles are only counted. Corrupt and
// hostile files result in an error of one line.
package drawn

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/obj"
)

// These are the limits of a scene.
const (
	// MaxTriangles limits the triangles of all levels together. A triangle takes at most 84 bytes.
	MaxTriangles = 1 << 21
	// MaxLevels limits the levels of detail, including the full model.
	MaxLevels = 16

	maxParts = 1 << 12 // maximum number of parts per level; the last part also contains all further primitives
)

// A Scene holds the triangles of a model.
type Scene struct {
	Levels []Level // levels of detail, starting with the full model
	Bytes  int64   // total size in bytes of the files that were read
}

// A Level is one level of detail of a model.
type Level struct {
	Positions []float32 // coordinates x, y, z of each vertex
	Normals   []float32 // unit vector x, y, z of each vertex
	Indices   []uint32  // indices of vertices, three per triangle
	Parts     []Part    // parts in the order of their vertices and triangles
	Low, High [3]float32
	Clipped   int64 // number of triangles omitted because of MaxTriangles
	Undrawn   int   // number of primitives that are points or lines, which are not drawn
}

// A Part counts the vertices and triangles of all copies of one primitive.
type Part struct {
	Mesh, Material string     // names, shortened; may be empty
	Color          [4]float32 // red, green, blue, alpha; linear
	// MadeNormals is set if the file has no normals. Then the level has smooth normals, although
	// glTF requires flat shading.
	MadeNormals         bool
	Vertices, Triangles int
}

// Vertices returns the number of vertices.
func (l *Level) Vertices() int { return len(l.Positions) / 3 }

// Triangles returns the number of triangles.
func (l *Level) Triangles() int { return len(l.Indices) / 3 }

// Open reads a model. ext is the extension of its file; binary glTF is recognized with any
// extension. read reads a file that the model refers to, by a slash-separated path relative to the
// model. The path may point outside of the model's directory, so read must confine it. If read
// fails for a buffer, Open returns the error. OBJ materials that cannot be read have no color.
func Open(ctx context.Context, data []byte, ext string, read func(name string) ([]byte, error)) (*Scene, error) {
	sizes := map[string]int64{"": int64(len(data))}
	doc, err := openModel(ctx, data, ext, func(name string) ([]byte, error) {
		other, err := read(name)
		sizes[name] = int64(len(other))
		return other, err
	})
	if err != nil {
		return nil, err
	}
	b, err := newLevelBuilder(doc)
	if err != nil {
		return nil, err
	}
	b.weld = isOBJ(data, ext)
	scene := &Scene{Levels: make([]Level, b.countLevels())}
	for _, n := range sizes {
		scene.Bytes += n
	}
	for i := range scene.Levels {
		if err := b.drawLevel(ctx, i, &scene.Levels[i]); err != nil {
			return nil, err
		}
	}
	return scene, nil
}

// A builder builds the levels of a document.
type builder struct {
	doc    *gltf.Document
	parent []int32    // parents of nodes, -1 for roots
	worlds []*affine  // world transforms of nodes; nil before first use
	joints [][]affine // joint transforms by skin; nil before first use
	picker *gltf.Picker
	left   int  // number of triangles left until the limit
	weld   bool // set if each corner has its own vertex, so that equal vertices must be merged
}

func newLevelBuilder(doc *gltf.Document) (*builder, error) {
	b := &builder{doc: doc, picker: gltf.NewPicker(doc), left: MaxTriangles}
	if err := b.checkNodes(); err != nil {
		return nil, err
	}
	b.parent = doc.Parents()
	return b, nil
}

// drawLevel computes the triangles of one level of detail.
func (b *builder) drawLevel(ctx context.Context, number int, l *Level) error {
	shown, err := b.shownMeshes(ctx, number)
	if err != nil {
		return err
	}
	for len(shown) > 0 {
		n := 1
		for n < len(shown) && shown[n].mesh == shown[0].mesh {
			n++
		}
		if err := b.drawMesh(ctx, shown[:n], l); err != nil {
			return err
		}
		shown = shown[n:]
	}
	l.computeBox()
	return nil
}

// computeBox computes the bounding box.
func (l *Level) computeBox() {
	for i, x := range l.Positions {
		k := i % 3
		if i < 3 {
			l.Low[k], l.High[k] = x, x
		}
		l.Low[k], l.High[k] = min(l.Low[k], x), max(l.High[k], x)
	}
}

// These are the limits of input files.
const (
	maxText    = 64 << 20 // bytes of a document's text; reading it takes several times as much memory
	maxBuffers = 1 << 30  // total bytes of all buffers
	maxOBJ     = 3 << 30  // bytes of memory for reading an OBJ model
)

func isOBJ(data []byte, ext string) bool { return strings.EqualFold(ext, ".obj") && !gltf.IsGLB(data) }

// openModel reads a glTF, GLB or OBJ file.
func openModel(ctx context.Context, data []byte, ext string, read func(string) ([]byte, error)) (*gltf.Document, error) {
	switch {
	case gltf.IsGLB(data):
		text, chunk, _, err := gltf.SplitGLB(data)
		if err != nil {
			return nil, err
		}
		return openText(ctx, text, chunk, int64(len(chunk)), read)
	case isOBJ(data, ext):
		if need, _ := obj.Measure(data); need > maxOBJ {
			return nil, fmt.Errorf("reading the model needs %d MiB of memory; the limit is %d", need>>20, maxOBJ>>20)
		}
		text, chunk, _, err := obj.Convert(ctx, data, func(name string) ([]byte, error) {
			library, err := read(name)
			if err != nil {
				return nil, fs.ErrNotExist // the model is drawn without colors
			}
			return library, nil
		})
		if err != nil {
			return nil, err
		}
		return openText(ctx, text, chunk, int64(len(chunk)), read)
	}
	return openText(ctx, data, nil, gltf.NoChunk, read)
}

// openText checks a document and reads its buffers. The first buffer may be the GLB chunk.
func openText(ctx context.Context, text, chunk []byte, chunkSize int64, read func(string) ([]byte, error)) (*gltf.Document, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("the text of the model has %d MiB; the limit is %d", len(text)>>20, maxText>>20)
	}
	parsed, err := gltf.Parse(text)
	if err != nil {
		return nil, err
	}
	files := buffers{open: read, files: map[string][]byte{}}
	if err := parsed.Check(ctx, chunkSize, files.readBufferSize); err != nil {
		return nil, err
	}
	if slices.Contains(parsed.ExtensionsUsed, gltf.Draco) {
		return nil, fmt.Errorf("the model is compressed by %s, which the viewer cannot show", gltf.Draco)
	}
	if n := parsed.UnpackedSize(); n > maxBuffers {
		return nil, fmt.Errorf("the buffers of the model have %d MiB; the limit is %d", n>>20, maxBuffers>>20)
	}
	if err := parsed.Load(ctx, chunk, files.bufferContent); err != nil {
		return nil, err
	}
	return parsed, parsed.Decompress(ctx)
}

// buffers reads the files of buffers. It reads each file once.
type buffers struct {
	open  func(name string) ([]byte, error)
	files map[string][]byte
	total int
}

func (f *buffers) readBufferSize(name string) (int64, error) {
	data, ok := f.files[name]
	if !ok {
		var err error
		if data, err = f.open(name); err != nil {
			return 0, err
		}
		if f.total += len(data); f.total > maxBuffers {
			return 0, fmt.Errorf("the buffers of the model have more than %d MiB, the limit", maxBuffers>>20)
		}
		f.files[name] = data
	}
	return int64(len(data)), nil
}

func (f *buffers) bufferContent(name string, _ int64) ([]byte, error) { return f.files[name], nil }
