package mesh

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

const (
	extVariants = "KHR_materials_variants"
	extLOD      = "MSFT_lod"
)

// tables are extensions that name views by number in members that are not called so, if
// they have tables; the others are found by the names of their members.
var tables = []struct{ extension, member string }{
	{"EXT_structural_metadata", "propertyTables"}, {"EXT_feature_metadata", "featureTables"},
}

// harmless are the extensions of primitives and meshes that do not speak of vertices
// and triangles by number.
var harmless = []string{extVariants, "EXT_mesh_features", "EXT_structural_metadata", "KHR_xmp", "KHR_xmp_json_ld"}

// checkExtensions refuses documents with unreadable vertices, and extensions that may name
// a renumbered element.
func checkExtensions(doc *gltf.Document) error {
	if slices.Contains(doc.ExtensionsUsed, gltf.Draco) {
		return fmt.Errorf("%s is in use: the mesh was compressed already; cook the file from which that was made", gltf.Draco)
	}
	for _, t := range tables {
		extensions, _ := doc.Root.Object("extensions")
		members, err := extensions.Object(t.extension)
		if err != nil || members.Member(t.member) != nil {
			return fmt.Errorf("extension %s names bufferViews, which get other numbers here; copy the file instead", t.extension)
		}
	}
	return nil
}

// findKey returns the first extension with a key that match accepts.
func findKey(doc *gltf.Document, match func(key string) bool) (extension string, found bool) {
	doc.EachExtensionKey(func(of, key string, _ json.Token) bool {
		if match(key) {
			extension, found = of, true
		}
		return !found
	})
	return extension, found
}

// namedNodes reports which nodes an extension names by a key "node": as the shape of a
// collider, say. The program that reads the extension may want the mesh that is there.
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

// namesView reports whether a key of an extension is called as if it held the number
// of a view.
func namesView(key string) bool { return strings.Contains(strings.ToLower(key), "bufferview") }

// namesMesh reports whether a key of an extension is called as if it held the number of
// a mesh, which then is shown by something that no node scales.
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
