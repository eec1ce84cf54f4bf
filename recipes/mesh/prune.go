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

// pruneText removes unused elements from a document's JSON.
func (o *meshOptions) pruneText(ctx context.Context, job *recipe.Job, parsed *gltf.Document) (prune.Result, error) {
	root, err := gltf.ParseObject(parsed.Text)
	if err != nil {
		return prune.Result{}, err
	}
	gone, err := o.pruneRoot(ctx, &root)
	if gone.Unknown != "" {
		job.Warn("extension %.60s may refer to parts of the model by number, so prune removes no numbered parts", gone.Unknown)
	}
	if gone.Any() {
		parsed.Text = root.Text()
	}
	return gone, err
}

// pruneRoot removes unused elements from a document if option prune is set.
func (o *meshOptions) pruneRoot(ctx context.Context, root *gltf.Object) (prune.Result, error) {
	if !o.Prune {
		return prune.Result{}, nil
	}
	return prune.Document(ctx, root, prune.Options{Keep: o.keepsName, Empty: o.PruneEmpty})
}

// keepsName reports whether a pattern in option keep matches a name.
func (o *meshOptions) keepsName(name string) bool {
	return slices.ContainsFunc(o.Keep, func(pattern string) bool {
		matches, err := path.Match(noPath(pattern), noPath(name))
		return err == nil && matches
	})
}

// noPath replaces slashes, so that * also matches names that contain slashes.
func noPath(s string) string { return strings.ReplaceAll(s, "/", "\x00") }

// allCoords marks all texture coordinate sets.
const allCoords = ^uint64(0)

// coordsOf returns a bit set of the texture coordinate sets that a material uses. It includes
// all lower sets, because glTF forbids gaps (section 3.7.2.1).
func coordsOf(material gltf.Object) uint64 {
	extensions, err := material.Object("extensions")
	if err != nil {
		return allCoords
	}
	for _, e := range extensions {
		if !strings.HasPrefix(e.Key, "KHR_materials_") {
			return allCoords // an unknown extension may use any coordinate set
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

// bitsUpTo returns all bits up to the highest set bit.
func bitsUpTo(bitmap uint64) uint64 { return 1<<bits.Len64(bitmap) - 1 }

// keptCoords returns the coordinate sets of a primitive that prune keeps. drawn are the sets in
// use. Without prune it returns 0, so that primitives with different sets can share a geometry.
func (o *meshOptions) keptCoords(p *gltf.Primitive, drawn uint64) uint64 {
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

// pruneAttributes removes attributes that no material or skin of a primitive uses, unless option
// keep names them.
func (o *meshOptions) pruneAttributes(g *geometry, text gltf.Object, l look, joints int) {
	if !o.Prune {
		return
	}
	extensions, err := text.Object("extensions")
	if err != nil || slices.ContainsFunc(extensions, func(e gltf.Member) bool { return e.Key != extVariants }) {
		return // another extension may name attributes
	}
	g.streams = slices.DeleteFunc(g.streams, func(s stream) bool {
		if isInUse(s.name, l, joints > 0) && !(s.name == "COLOR_0" && g.targets == 0 && isWhite(s.data)) || o.keepsName(s.name) {
			return false
		}
		if !slices.Contains(g.stats.unused, s.name) {
			g.stats.unused = append(g.stats.unused, s.name)
		}
		return true
	})
}

// isWhite reports whether all colors are opaque white. Vertices without a color are also white.
func isWhite(colors gltf.Array) bool {
	low, high := colors.Bounds()
	return !slices.ContainsFunc(append(low, high...), func(x float64) bool { return x != 1 })
}

// noteUnused adds notes about the attributes and elements that prune removed. All models share
// these notes.
func (c *cooking) noteUnused(job *recipe.Job, gone prune.Result) {
	for _, g := range c.geometries {
		for _, name := range g.stats.unused {
			job.Note("models: prune removes %[1]s where no material uses it; write keep = [%[1]q] to keep it (cook why PATH lists the removed parts)", name)
		}
	}
	for l := range gltf.Accessors {
		if gone.Gone[l] > 0 {
			job.Note("models: prune removes %s that no scene and no animation uses; list names in keep to keep them (cook why PATH prints the numbers)", l.Key())
		}
	}
}

// isInUse reports whether drawing needs an attribute. Drawing does not need coordinates without a
// texture, colors after the first set, normals and tangents of unlit surfaces, or joints without a
// skin. Unknown attributes belong to the application and count as used.
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

// dropUnused removes accessors that are no longer used.
func (as *accessors) dropUnused() {
	var unused []int32
	for i := range as.doc.Accessors {
		if as.free[i] && !as.taken[i] {
			unused = append(unused, int32(i))
		}
	}
	as.dropAccessors(unused)
}
