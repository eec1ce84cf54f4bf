package mesh

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/gltfcheck"
	"github.com/assetcook/assetcook/internal/mesh/model"
)

const (
	extQuantization = gltfcheck.Quantization
	extInstancing   = "EXT_mesh_gpu_instancing"
	extUnlit        = "KHR_materials_unlit"
	extTransform    = "KHR_texture_transform"
	extVariants     = "KHR_materials_variants"
	extLOD          = "MSFT_lod"
	extMeshopt      = gltfcheck.MeshoptEXT
)

// packed are extensions that keep vertices or triangles in a form of their own.
var packed = []string{"KHR_draco_mesh_compression"}

// tables are extensions that name views by number in members that are not called so, if
// they have tables; the others are found by the names of their members.
var tables = []struct{ extension, member string }{
	{"EXT_structural_metadata", "propertyTables"}, {"EXT_feature_metadata", "featureTables"},
}

// harmless are the extensions of primitives and meshes that do not speak of vertices
// and triangles by number.
var harmless = []string{extVariants, "EXT_mesh_features", "EXT_structural_metadata", "KHR_xmp", "KHR_xmp_json_ld"}

// checkExtensions refuses documents whose vertices are not to be read, or in which
// something unknown names what gets another number.
func checkExtensions(doc *model.Document) error {
	for _, name := range doc.ExtensionsUsed {
		if slices.Contains(packed, name) {
			return fmt.Errorf("%s is in use: the mesh was compressed already; cook the file from which that was made", name)
		}
	}
	for _, t := range tables {
		members, err := model.ParseObject(orEmpty(extension(doc.Root, t.extension)))
		if err != nil || members.Member(t.member) != nil {
			return fmt.Errorf("extension %s names bufferViews, which get other numbers here; copy the file instead", t.extension)
		}
	}
	return nil
}

// findKey reports whether the objects called "extensions" in a text hold, however
// deep, a key that match accepts, and in which extension. The text must be JSON.
func findKey(text json.RawMessage, match func(key string) bool) (extension string, found bool) {
	eachKey(text, func(of, key string, _ json.Token) bool {
		if match(key) {
			extension, found = of, true
		}
		return !found
	})
	return extension, found
}

// namedNodes reports of n nodes which an extension names by a key "node": as the shape
// of a collider, say. Whoever does may want the mesh that is there.
func namedNodes(text json.RawMessage, n int) []bool {
	named := make([]bool, n)
	eachKey(text, func(_, key string, value json.Token) bool {
		if number, ok := value.(json.Number); ok && key == "node" {
			if i, err := number.Int64(); err == nil && i >= 0 && i < int64(n) {
				named[i] = true
			}
		}
		return true
	})
	return named
}

// eachKey calls visit for the keys, however deep, of the objects called "extensions" in
// a text, each with the extension that it is part of and the first token of its value,
// until visit returns false. The text must be JSON.
func eachKey(text json.RawMessage, visit func(extension, key string, value json.Token) bool) {
	if !bytes.Contains(text, []byte(`extensions"`)) && !bytes.Contains(text, []byte(`\u`)) {
		return // and it need not be taken apart
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	type level struct {
		list  bool
		value bool   // an object's next token is the value of key
		key   string // the last one
		of    string // the extension that this is part of
		all   bool   // this is an object of extensions
	}
	var open []level
	for {
		t, err := d.Token()
		if err != nil {
			return
		}
		if t == json.Delim('}') || t == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		top := &level{list: true}
		if len(open) > 0 {
			top = &open[len(open)-1]
		}
		if key, ok := t.(string); ok && !top.list && !top.value {
			top.key, top.value = key, true
			continue
		}
		if !top.list && top.of != "" && !visit(top.of, top.key, t) {
			return
		}
		top.value = false
		if t == json.Delim('{') || t == json.Delim('[') {
			inside := level{list: t == json.Delim('['), of: top.of}
			switch {
			case top.all:
				inside.of = top.key
			case !top.list && top.key == "extensions" && !inside.list && top.of == "":
				inside.all = true
			}
			open = append(open, inside)
		}
	}
}

// namesView reports whether a key of an extension is called as if it held the number
// of a view.
func namesView(key string) bool { return strings.Contains(strings.ToLower(key), "bufferview") }

// namesMesh reports whether a key of an extension is called as if it held the number of
// a mesh, which then is shown by something that no node scales.
func namesMesh(key string) bool { return strings.HasPrefix(strings.ToLower(key), "mesh") }

// hasOnlyHarmless reports whether all extensions of a primitive or mesh are harmless.
func hasOnlyHarmless(o model.Object) (bool, error) {
	text := o.Member("extensions")
	if text == nil {
		return true, nil
	}
	extensions, err := model.ParseObject(text)
	for _, e := range extensions {
		if !slices.Contains(harmless, e.Key) {
			return false, err
		}
	}
	return true, err
}

// extension returns an extension of an object, nil if it has none of that name.
func extension(o model.Object, name string) json.RawMessage {
	extensions, err := model.ParseObject(orEmpty(o.Member("extensions")))
	if err != nil {
		return nil
	}
	return extensions.Member(name)
}

// orEmpty returns an object, an empty one for none.
func orEmpty(object json.RawMessage) json.RawMessage {
	if object == nil {
		return json.RawMessage("{}")
	}
	return object
}
