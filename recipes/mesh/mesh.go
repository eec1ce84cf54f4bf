// Package mesh is the recipe that turns models into smaller GLB files which a GPU draws
// with less work.
//
// It reads glTF 2.0 (.gltf with its buffers, .glb) and Wavefront OBJ with its materials
// (.obj, .mtl; see package obj). The first bytes decide the format. OBJ has no magic
// number and needs its extension.
//
// # Triangles
//
// Each primitive goes through these steps. Options can leave out each of them:
//
//	load     strips and fans become triangles, unused vertices go
//	shade    missing normals and MikkTSpace tangents are made
//	pack     numbers are stored in fewer bits, within a stated error
//	weld     vertices that are equal in all attributes become one
//	order    triangles for the vertex cache and against overdraw, vertices for fetching
//	lods     meshes of fewer triangles over the same vertices
//
// Points and lines are packed only. Primitives and meshes with extensions that may name
// vertices or triangles by number stay unchanged. So do attributes with a leading
// underscore, and attributes that are not floats: their maker has packed them already.
// Triangles of materials that blend keep their order, which shows.
//
// # Collision meshes
//
// Normals need a vertex for each corner, so invisible meshes get none:
//
//   - meshes with one of these words in their name, or in the names of all nodes that show
//     them: collision, collider, navmesh, colonly, convcolonly, UCX, UBX, USP, UCP
//   - meshes without a material and with one of the words col, coll, convcol, hull, phys,
//     physics
//   - in a model with materials, primitives without a material, texture coordinates and
//     colors
//
// # Positions
//
// Positions become whole numbers on a grid of 2^position_bits lines along the longest
// side of the mesh (KHR_mesh_quantization). None moves by more than half the distance of
// two lines, extent/(2^(position_bits+1)-2). If a morph target moves a vertex further than
// half the extent, the error is at most 1/65534 of that way. A new node under each node
// that shows the mesh scales the positions back. Nodes do not count for skinned meshes,
// whose inverse bind matrices do it. The nodes of the source keep their transforms,
// children and animations; only morph target weights move to the new node, with the
// channels that animate them.
//
// # Equal arrays
//
// Exporters write the vertices of each copy of an object anew. Arrays that are equal once
// they are packed are in the buffer once; with prune they share an accessor as well.
//
// # Unused elements
//
// With prune, elements go that no scene and no animation leads to: whole trees of nodes,
// meshes, skins, cameras, materials, textures, samplers, images, accessors, and animations
// that move nothing. The rest gets new numbers, in extensions as well. If an unknown
// extension holds a whole number or a JSON pointer, all elements stay, with a warning. See
// package prune. Nodes that show nothing often mark a place, so they go with prune_empty
// only. Elements named by keep stay.
//
// Channels of animations go, too, if no animation of the model moves the property away
// from the node's own value, within animation_error: most scales never change. Some games
// play animations of one model on another one and do not reset other properties; they keep
// such animations by name.
//
// Attributes that drawing does not need go as well: coordinates after the last set that a
// texture of the material and its variants uses, tangents without a normal map, normals of
// unlit materials, all colors but the first, joints and weights of meshes without a skin.
// Attributes named by keep stay, and so do attributes with a leading underscore and all
// attributes of primitives with extensions that may name them.
//
// # Animations
//
// Keyframes between which a straight line passes go, and rotations are stored in 16 bits a
// number, within animation_error: radians of a rotation; shares of the scale and of a
// morph target; for a movement, shares of the size of the parts below the node, or of its
// distance from its parent if there are none. The bound also holds between keyframes, for
// players that slerp and for players that lerp and normalize. A rotation loses keyframes
// only between keyframes that are at most a quarter turn apart. It stays in floats if
// rounding could turn it in the other direction. A constant curve is one keyframe; each
// animation takes as long as before. Splines and animations of KHR_animation_pointer stay
// unchanged.
//
// # Compression
//
// compression = "meshopt" packs each view of the buffer that becomes smaller
// (EXT_meshopt_compression, see package meshopt). The engine has to know the extension.
// Normals and tangents are rounded in octahedral coordinates then: with 8 bits each is off
// by less than a degree, with 16 by 1/250. Animations are rounded within animation_error.
// Nothing else changes. Models with the extension or KHR_meshopt_compression can be read;
// models compressed by Draco are refused.
//
// # Other members
//
// The document's text is edited, not made anew, so all other members survive. Without
// prune only the lists of buffers and views are renumbered, so extensions that name views
// by number are refused; new elements follow at the end of their list.
//
// # Images
//
// Images in files that the recipe image cooks are named by their cooked form. If a texture
// names two images, by itself and by EXT_texture_webp, the latter is taken. Files of other
// kinds (DDS, KTX2, AVIF) keep their names and extensions. The rules for images decide the
// name of a cooked image (recipe.Follow) or, if textures is not auto, texture_suffix does.
// Its extension decides how a texture names it:
//
//	.ktx2  KHR_texture_basisu, required, for UASTC. This only extension for KTX2 forbids
//	       GPU formats such as BC7 and BC5. A texture names these as its source, without a
//	       mimeType, and with a warning unless textures = "cooked". Readers that know KTX2
//	       decide by the name or the first bytes: Bevy, Babylon.js, three.js with a handler
//	       for .ktx2
//	.dds   MSFT_texture_dds, required
//	.webp  EXT_texture_webp, required
//	else   source
//
// Images inside the model stay unchanged, or become textures in DDS by embedded = "dds".
// The options of the recipe image apply, and the materials decide the kind: normal maps,
// colors, or data. An image of several kinds, or of none, stays. KTX2 would need
// KHR_texture_basisu.
//
// The files of images are not read, but looked for: a missing file is a warning, and its
// coming or going cooks the model again.
//
// # Faulty sources
//
// The output is valid: the Khronos validator finds no error in it. Faults with an evident
// remedy are repaired, with a warning for each kind: normals, tangents, rotations and
// weights are scaled, colors clamped, bounds corrected, empty lists left out, extensions
// declared; a primitive without the coordinates of a texture gets a copy of the material
// without it. Other faults refuse the source; see package gltf.
//
// # Levels of detail
//
// Levels are meshes of their own, on nodes that the extension MSFT_lod lists beside the
// node of the full mesh. Viewers that know the extension choose, all others show the full
// mesh. extras.lod of such a mesh holds its level, its triangles and its error: how far the
// surface moved, in units of the mesh. Meshes with morph targets get none.
package mesh

import (
	"path"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
)

// Mesh holds the options of the recipe.
type Mesh struct {
	Normals string `toml:"normals" enum:"flat,smooth,none" doc:"how normals are made where they are missing: flat as glTF asks for, smooth over all edges, or not at all; meshes for collisions get none"`

	Tangents bool `toml:"tangents" doc:"make MikkTSpace tangents where a material has a normal map and the mesh none"`

	Optimize bool    `toml:"optimize" doc:"order triangles for the vertex cache and vertices for fetching"`
	Overdraw float64 `toml:"overdraw" min:"1" max:"3" doc:"how much worse the vertex cache may get for less overdraw, as a factor; 1 does nothing about overdraw"`

	Prune      bool     `toml:"prune" doc:"leave out what nothing uses: attributes of vertices that no material and no skin needs; nodes, meshes, skins, cameras, animations, materials, textures, pictures and accessors that no scene and no animation leads to; channels of what no animation moves"`
	PruneEmpty bool     `toml:"prune_empty" doc:"with prune, leave out nodes as well that show nothing, have nothing below them and are not animated"`
	Keep       []string `toml:"keep" doc:"what prune leaves, by names in which * and ? stand for others: attributes, as TEXCOORD_1 for light maps of the game's own, nodes, as Socket_*, and all else that has a name"`

	PositionBits int `toml:"position_bits" min:"0" max:"16" doc:"bits of a coordinate: an error of at most extent/(2^(bits+1)-2); 0 keeps floats"`
	NormalBits   int `toml:"normal_bits" min:"0" max:"16" doc:"bits of each component of normals and tangents, 8 or 16; 0 keeps floats"`
	UVBits       int `toml:"uv_bits" min:"0" max:"16" doc:"bits of texture coordinates that all lie from 0 to 1, 16; 0 keeps floats"`
	ColorBits    int `toml:"color_bits" min:"0" max:"16" doc:"bits of each component of colors, 8 or 16; 0 keeps floats"`
	WeightBits   int `toml:"weight_bits" min:"0" max:"16" doc:"bits of the weights of joints, 8 or 16; 0 keeps floats"`

	AnimationError float64 `toml:"animation_error" min:"0" max:"0.1" doc:"how far an animation may be off for fewer keyframes: in radians, as a share of a scale, of a morph target, or of the size of what moves; 0 keeps all keyframes"`

	Compression string `toml:"compression" enum:"none,meshopt" doc:"meshopt stores vertices, triangles and animations in fewer bytes (EXT_meshopt_compression), which whatever loads the model must know how to read"`

	LODs     int     `toml:"lods" min:"0" max:"8" doc:"how many meshes with fewer triangles to add as levels of detail"`
	LODRatio float64 `toml:"lod_ratio" min:"0.05" max:"0.95" doc:"triangles of a level of detail, as a share of the triangles of the level before"`
	LODError float64 `toml:"lod_error" min:"0" max:"1" doc:"largest error of any level of detail, as a share of the mesh's longest side"`

	Textures        string `toml:"textures" enum:"auto,cooked,basisu,keep" doc:"names of images in separate files: auto, the names of their cooked files by the rules; cooked, their names with texture_suffix, for engines that read any KTX2 file; basisu, the same with KHR_texture_basisu, for images with format uastc; keep, unchanged"`
	Embedded        string `toml:"embedded" enum:"keep,dds,basisu" doc:"what becomes of pictures that are part of the model: they stay as they are, or become textures in DDS (MSFT_texture_dds) or UASTC (KHR_texture_basisu) of the kind that materials use them as"`
	EmbeddedQuality string `toml:"embedded_quality" enum:"fast,normal,best" doc:"how hard the blocks of such textures are worked at"`

	TextureSuffix string `toml:"texture_suffix" doc:"suffix that cooked images have after their name, unless textures = auto finds their name in the rules"`

	ImageRules string `toml:"image_rules" doc:"identifies the rules that say what images are cooked to; rules set it"`
}

// Recipe returns the recipe "mesh".
func Recipe() recipe.Recipe {
	return recipe.Recipe{
		Name: "mesh", Version: 7, Extensions: []string{".glb", ".gltf", ".obj"},
		Formats: []recipe.Format{
			{Name: "a binary glTF model", Extensions: []string{".glb"}, Magic: []string{"glTF"}},
			{Name: "a glTF model", Extensions: []string{".gltf"}, Loose: true},
			{Name: "an OBJ model", Extensions: []string{".obj"}, Loose: true},
		},
		Follow:   &recipe.Follow{Recipe: "image", Keys: []string{"format", "gpu", "container", "scales", "irradiance"}, Option: "image_rules"},
		Extracts: []recipe.Extract{held},
		New: func() recipe.Cooker {
			return &Mesh{
				Normals: "flat", Tangents: true, Optimize: true, Overdraw: 1.02,
				PositionBits: 16, NormalBits: 8, UVBits: 16, ColorBits: 8, WeightBits: 8,
				AnimationError: 0.0005, Compression: "none", LODRatio: 0.5, LODError: 0.02,
				Embedded: "keep", EmbeddedQuality: "normal", Textures: "auto", TextureSuffix: defaultSuffix,
			}
		},
		Traits: func(c recipe.Cooker) recipe.Traits {
			o := c.(*Mesh)
			return recipe.Traits{
				// Other rules may cook the images beside a moved model.
				IgnoresPath: o.ImageRules == "" || o.Textures == "keep",
				Check:       o.checkOptions, Estimate: o.estimateMemory, Explain: o.explainResult,
			}
		},
	}
}

// Outputs implements recipe.Cooker.
func (o *Mesh) Outputs() []string { return []string{"{dir}/{stem}.glb"} }

// checkOptions implements Traits.Check.
func (o *Mesh) checkOptions() error {
	for _, bits := range []struct {
		key    string
		n      int
		eight  bool
		wanted string
	}{
		{"normal_bits", o.NormalBits, true, "0, 8 or 16"},
		{"uv_bits", o.UVBits, false, "0 or 16"},
		{"color_bits", o.ColorBits, true, "0, 8 or 16"},
		{"weight_bits", o.WeightBits, true, "0, 8 or 16"},
	} {
		if bits.n != 0 && bits.n != 16 && (bits.n != 8 || !bits.eight) {
			return &recipe.OptionError{Key: bits.key, Want: bits.wanted}
		}
	}
	for _, pattern := range o.Keep {
		if _, err := path.Match(pattern, ""); err != nil {
			return &recipe.OptionError{Key: "keep", Got: pattern, Want: "a name, in which * and ? stand for others"}
		}
	}
	if o.PruneEmpty && !o.Prune {
		return &recipe.OptionError{Key: "prune_empty", Got: "true", Want: "prune = true as well"}
	}
	if o.Textures == "basisu" && !strings.HasSuffix(strings.ToLower(o.TextureSuffix), ".ktx2") {
		return &recipe.OptionError{Key: "texture_suffix", Got: o.TextureSuffix, Want: `".ktx2" at the end, because of textures = "basisu"`}
	}
	if o.Textures != "keep" && !isSuffix(o.TextureSuffix) {
		return &recipe.OptionError{Key: "texture_suffix", Got: o.TextureSuffix, Want: `the end of a file name, such as ".ktx2"`}
	}
	return nil
}

// isSuffix reports whether a text can stand at the end of any relative URI.
func isSuffix(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"
	return s != "" && len(s) <= 32 && strings.Trim(s, letters) == ""
}
