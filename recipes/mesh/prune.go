package mesh

import (
	"context"
	"fmt"
	"math/bits"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/prune"
)

// pruneText removes unused elements from the text of a document.
func (o *Mesh) pruneText(ctx context.Context, job *recipe.Job, parsed *gltf.Document) (prune.Result, error) {
	root, err := gltf.ParseObject(parsed.Text)
	if err != nil {
		return prune.Result{}, err
	}
	gone, err := o.pruneRoot(ctx, &root)
	if gone.Unknown != "" {
		job.Warn("extension %.60s may name nodes, materials and others by number: prune leaves them all", gone.Unknown)
	}
	if gone.Any() {
		parsed.Text = root.Text()
	}
	return gone, err
}

// pruneRoot removes unused elements from a document, if the option prune is set.
func (o *Mesh) pruneRoot(ctx context.Context, root *gltf.Object) (prune.Result, error) {
	if !o.Prune {
		return prune.Result{}, nil
	}
	return prune.Document(ctx, root, prune.Options{Keep: o.keepsName, Empty: o.PruneEmpty})
}

// keepsName reports whether a pattern of the option keep matches a name.
func (o *Mesh) keepsName(name string) bool {
	return slices.ContainsFunc(o.Keep, func(pattern string) bool {
		matches, err := path.Match(noPath(pattern), noPath(name))
		return err == nil && matches
	})
}

// noPath replaces slashes, because * matches slashes in names, too.
func noPath(s string) string { return strings.ReplaceAll(s, "/", "\x00") }

// allCoords stands for all sets of texture coordinates.
const allCoords = ^uint64(0)

// coordsOf returns the texture coordinates that a material uses, as bits. It includes all
// lower numbers, as glTF forbids gaps (section 3.7.2.1).
func coordsOf(material gltf.Object) uint64 {
	extensions, err := material.Object("extensions")
	if err != nil {
		return allCoords
	}
	for _, e := range extensions {
		if !strings.HasPrefix(e.Key, "KHR_materials_") {
			return allCoords // its textures are unknown
		}
	}
	coords := uint64(0)
	_, err = withoutTextures(material, func(n int) bool {
		if n < 0 || n > 63 {
			coords = allCoords
		} else {
			coords |= 1 << n
		}
		return true
	})
	if err != nil {
		return allCoords
	}
	return bitsUpTo(coords)
}

// bitsUpTo returns all bits up to the highest one.
func bitsUpTo(bitmap uint64) uint64 { return 1<<bits.Len64(bitmap) - 1 }

// keptCoords returns the coordinates of a primitive that prune keeps; drawn are those in use.
// Without prune it returns 0, so that primitives with different coordinates can share a
// geometry.
func (o *Mesh) keptCoords(p *gltf.Primitive, drawn uint64) uint64 {
	if !o.Prune {
		return 0
	}
	have := uint64(0)
	for n := range 64 {
		name := fmt.Sprint("TEXCOORD_", n)
		if _, ok := p.Attributes[name]; ok {
			have |= 1 << n
			if o.keepsName(name) {
				drawn = bitsUpTo(drawn | 1<<n)
			}
		}
	}
	return have & drawn
}

// pruneAttributes drops attributes that no material and no skin of a primitive uses, unless the
// option keep names them.
func (o *Mesh) pruneAttributes(g *geometry, text gltf.Object, l look, joints int) {
	if !o.Prune {
		return
	}
	extensions, err := text.Object("extensions")
	if err != nil || slices.ContainsFunc(extensions, func(e gltf.Member) bool { return e.Key != extVariants }) {
		return // an extension may name attributes
	}
	g.streams = slices.DeleteFunc(g.streams, func(s stream) bool {
		return !isInUse(s.name, l, joints > 0) && !o.keepsName(s.name)
	})
}

// isInUse reports whether drawing needs an attribute. Unused are coordinates without a
// texture, all colors but the first, directions of unlit surfaces, and joints without a
// skin. Unknown names belong to the application.
func isInUse(name string, l look, skinned bool) bool {
	kind, set, _ := strings.Cut(name, "_")
	n, err := strconv.Atoi(set)
	switch kind {
	case "NORMAL":
		return !l.unlit
	case "TANGENT":
		return !l.unlit && l.normalUV >= 0
	case "TEXCOORD":
		return err != nil || n < 0 || n > 63 || l.coords>>n&1 == 1
	case "COLOR":
		return err != nil || n == 0
	case "JOINTS", "WEIGHTS":
		return err != nil || skinned
	}
	return true
}

// dropUnused drops accessors that have become unused.
func (as *accessors) dropUnused() {
	var unused []int32
	for i := range as.doc.Accessors {
		if as.free[i] && !as.taken[i] {
			unused = append(unused, int32(i))
		}
	}
	as.dropAccessors(unused)
}
