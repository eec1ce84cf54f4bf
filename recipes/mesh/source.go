package mesh

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/obj"
	"github.com/assetcook/assetcook/internal/mesh/prune"
)

// readModel reads the source and its external files. It removes the parts that prune drops.
func (o *meshOptions) readModel(ctx context.Context, job *recipe.Job) (doc *gltf.Document, gone prune.Result, err error) {
	defer job.Step("decode")()
	data, err := job.Source()
	if err != nil {
		return nil, gone, err
	}
	switch {
	case gltf.IsGLB(data):
		text, chunk, odd, err := gltf.SplitGLB(data)
		if err != nil {
			return nil, gone, err
		}
		if odd != "" {
			job.Warn("%s; export the file again", odd)
		}
		return o.readGLTF(ctx, job, text, chunk, true)
	case job.Ext() == ".obj":
		text, chunk, lost, err := obj.Convert(ctx, data, func(name string) ([]byte, error) {
			library, err := readUpTo(job, name, maxLibrary, false)
			if errors.Is(err, fs.ErrNotExist) {
				job.Warn("mtllib %.200s does not exist, so its materials get default properties; add the file", name)
			}
			return library, err
		})
		if err != nil {
			return nil, gone, err
		}
		if len(lost) > 0 {
			job.Warn("the cooked glTF model loses %s, which glTF cannot store", strings.Join(lost, ", "))
		}
		job.Hold("meshes", len(text)+len(chunk))
		return o.readGLTF(ctx, job, text, chunk, true)
	}
	return o.readGLTF(ctx, job, data, nil, false)
}

// readGLTF checks a document and reads its buffers. The first buffer may be the binary chunk.
func (o *meshOptions) readGLTF(ctx context.Context, job *recipe.Job, text, chunk []byte, isGLB bool) (doc *gltf.Document, gone prune.Result, err error) {
	chunkSize := int64(gltf.NoChunk)
	if isGLB {
		chunkSize = int64(len(chunk))
	}
	if doc, err = checkDocument(ctx, job, text, chunkSize); err != nil {
		return nil, gone, err
	}
	for _, m := range doc.Mended {
		job.Warn("%v; %s", m, m.How)
	}
	if gone, err = o.pruneText(ctx, job, doc); err != nil {
		return nil, gone, err
	}
	if gone.Any() {
		if doc, err = checkDocument(ctx, job, doc.Text, chunkSize); err != nil {
			return nil, gone, err
		}
	}
	return doc, gone, readBuffers(ctx, job, doc, chunk)
}

// checkDocument parses and checks the text of a document.
func checkDocument(ctx context.Context, job *recipe.Job, text []byte, chunkSize int64) (*gltf.Document, error) {
	doc, err := gltf.Parse(text)
	if err != nil {
		return nil, err
	}
	job.Hold("documents", int(gltf.Memory(int64(len(text)))))
	return doc, doc.Check(ctx, chunkSize, gltf.SizeIn(job))
}

// readBuffers reads the buffers of a checked document.
func readBuffers(ctx context.Context, job *recipe.Job, doc *gltf.Document, chunk []byte) error {
	if err := doc.WarnOfImages(job); err != nil {
		return err
	}
	err := doc.Load(ctx, chunk, func(name string, most int64) ([]byte, error) { return readUpTo(job, name, most, true) })
	if err != nil {
		return err
	}
	if err := checkCookable(doc); err != nil {
		return err
	}
	if err := doc.Decompress(ctx); err != nil {
		return err
	}
	job.Hold("meshes", int(doc.UnpackedSize()))
	if name, found := findExtensionKey(doc, namesView); found {
		return fmt.Errorf("extension %.60s refers to bufferViews by number, and cooking renumbers them; copy the file with recipe = \"copy\" in a rule", name)
	}
	return nil
}

// maxLibrary limits the size of an MTL file in bytes. The libraries of models of cities have some
// 100 KB.
const maxLibrary = 4 << 20

// readUpTo reads at most the given number of bytes of a dependency. If mayBeLonger is false, a
// longer file is an error.
func readUpTo(job *recipe.Job, name string, most int64, mayBeLonger bool) ([]byte, error) {
	f, size, err := gltf.OpenFile(job, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > most && !mayBeLonger {
		return nil, fmt.Errorf("the file has %d bytes, want at most %d; split the model", size, most)
	}
	data := make([]byte, min(size, most))
	n, err := io.ReadFull(f, data)
	job.Hold("file contents", n)
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		err = nil
	}
	return data[:n], err
}

// Limits for finding the files that a model refers to. Larger documents are not searched. In an OBJ
// model, mtllib lines far from the start are not found.
const (
	maxHeldText = 16 << 20
	maxOBJHead  = 1 << 20
	maxHeld     = 4096
)

// held extracts the names of a glTF model's buffers and of an OBJ model's MTL files. The first
// bytes of a model determine its format.
var held = recipe.Extract{Name: "buffers", Version: 1, Of: filesHeldBy, Holds: []string{".bin", ".mtl"}, Files: "*.{gltf,glb,obj}"}

func filesHeldBy(file io.ReaderAt, size int64) (recipe.Says, error) {
	text, isGLB, err := gltf.ReadText(file, size, maxHeldText)
	if err != nil {
		return nil, err
	}
	var names []string
	switch {
	case isGLB || gltf.IsJSON(text):
		if root, ok := gltf.ParseUnchecked(text); ok {
			buffers, _ := root.Objects("buffers")
			names = slices.DeleteFunc(gltf.ExternalFiles(buffers), func(name string) bool { return name == "" })
		}
	case text != nil && len(text) <= maxOBJHead:
		names = obj.Libraries(context.Background(), text)
	default:
		head := make([]byte, maxOBJHead)
		n, err := file.ReadAt(head, 0)
		if err != nil && err != io.EOF {
			return nil, err
		}
		head = head[:bytes.LastIndexByte(head[:n], '\n')+1]
		if !gltf.IsJSON(head) {
			names = obj.Libraries(context.Background(), head)
		}
	}
	if len(names) > maxHeld {
		return nil, nil
	}
	says := recipe.Says{}
	for _, name := range names {
		says[name] = []byte("held")
	}
	return says, nil
}

const (
	extVariants = "KHR_materials_variants"
	extLOD      = "MSFT_lod"
)

// tables are extensions that refer to views by index under arbitrary keys. In other extensions, the
// keys identify such references.
var tables = []struct{ extension, member string }{
	{"EXT_structural_metadata", "propertyTables"}, {"EXT_feature_metadata", "featureTables"},
}

// harmless are the extensions of primitives and meshes that do not refer to vertices or triangles
// by index.
var harmless = []string{extVariants, "EXT_mesh_features", "EXT_structural_metadata", "KHR_xmp", "KHR_xmp_json_ld"}

// checkCookable refuses documents with unreadable vertices, and extensions that may refer to a
// renumbered element.
func checkCookable(doc *gltf.Document) error {
	if slices.Contains(doc.ExtensionsUsed, gltf.Draco) {
		return fmt.Errorf("the model is compressed by %s, which cook cannot read; export it without compression, or write an uncompressed copy: gltf-transform copy MODEL.glb COPY.glb", gltf.Draco)
	}
	for _, t := range tables {
		extensions, _ := doc.Root.Object("extensions")
		members, err := extensions.Object(t.extension)
		if err != nil || members.Member(t.member) != nil {
			return fmt.Errorf("extension %s refers to bufferViews by number, and cooking renumbers them; copy the file with recipe = \"copy\" in a rule", t.extension)
		}
	}
	return nil
}

// findExtensionKey returns the first extension with a key that match accepts.
func findExtensionKey(doc *gltf.Document, match func(key string) bool) (extension string, found bool) {
	doc.EachExtensionKey(func(of, key string, _ json.Token) bool {
		if match(key) {
			extension, found = of, true
		}
		return !found
	})
	return extension, found
}

// namedNodes reports which nodes an extension names by a key "node". An example is the shape of a
// collider. A program that reads the extension may need the mesh at that node.
func namedNodes(doc *gltf.Document) []bool {
	named := make([]bool, len(doc.Nodes))
	doc.EachExtensionKey(func(_, key string, value json.Token) bool {
		if number, ok := value.(json.Number); ok && key == "node" {
			if i, err := number.Int64(); err == nil && i >= 0 && i < int64(len(named)) {
				named[i] = true
			}
		}
		return true
	})
	return named
}

// namesView reports whether an extension's key seems to hold the index of a view.
func namesView(key string) bool { return strings.Contains(strings.ToLower(key), "bufferview") }

// namesMesh reports whether an extension's key seems to hold the index of a mesh. The extension
// may show such a mesh without the scale of its node.
func namesMesh(key string) bool { return strings.HasPrefix(strings.ToLower(key), "mesh") }

// hasOnlyHarmless reports whether all extensions of a primitive or mesh are harmless.
func hasOnlyHarmless(o gltf.Object) (bool, error) {
	extensions, err := o.Object("extensions")
	for _, e := range extensions {
		if !slices.Contains(harmless, e.Key) {
			return false, err
		}
	}
	return true, err
}

// objectFiles are the first bytes of compiled code, because some compilers also name their output
// .obj. They are COFF for x86, x86-64, ARM and ARM64; COFF for link-time optimization; ELF; and
// OMF.
var objectFiles = []string{"\x4c\x01", "\x64\x86", "\xc4\x01", "\x64\xaa", "\x00\x00\xff\xff", "\x7fELF", "\x80"}

// isNoOtherOBJ reports whether a model that begins with head may be a Wavefront .obj file. It
// reports false for compiled code, and for an X-Plane model, which the third line identifies.
func isNoOtherOBJ(head []byte) bool {
	for _, magic := range objectFiles {
		if bytes.HasPrefix(head, []byte(magic)) {
			return false
		}
	}
	order, rest, _ := bytes.Cut(head, []byte("\n"))
	_, rest, _ = bytes.Cut(rest, []byte("\n"))
	order = bytes.TrimSpace(order)
	return !(len(order) == 1 && (order[0] == 'I' || order[0] == 'A') && bytes.HasPrefix(rest, []byte("OBJ")))
}
