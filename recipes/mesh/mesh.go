// Package mesh is the recipe that turns models into GLB files which a GPU draws with
// less work and which take less room.
//
// It reads glTF 2.0 (.gltf with its buffers, .glb) and Wavefront OBJ with its
// materials (.obj, .mtl; see package obj). What a file holds decides, only OBJ, which
// has no magic number, needs its extension.
//
// # What is done to triangles
//
// Each primitive goes through these steps, all of which can be left out by options:
//
//	load     strips and fans become triangles, vertices that none uses go
//	shade    normals and MikkTSpace tangents are made where they are missing
//	pack     numbers are stored in fewer bits, within a stated error
//	weld     vertices that are equal in all they have become one
//	order    triangles for the vertex cache and against overdraw, vertices for fetching
//	lods     meshes of fewer triangles over the same vertices
//
// Points and lines are packed only. A primitive or a mesh with an extension that may
// speak of vertices or triangles by number stays as it is, and so do all attributes
// whose names start with an underscore or whose numbers are not floats: their maker has
// packed them already. Triangles of materials that blend keep their order, which shows.
//
// # Meshes for collisions
//
// Normals, for which each corner would need a vertex of its own, are not made for what is
// not drawn: meshes one of whose words, or one of the words of all nodes that show them, is
// collision, collider, navmesh, colonly or convcolonly, or UCX, UBX, USP or UCP; those
// without a material if the word is col, coll, convcol, hull, phys or physics; and what has
// neither a material nor texture coordinates or colors, in a model that has materials.
//
// # Positions
//
// Positions become whole numbers on a grid of 2^position_bits lines along the longest
// side of the mesh (KHR_mesh_quantization), so that none moves by more than half the
// distance of two lines, extent/(2^(position_bits+1)-2); where a morph target moves
// something further than half the extent, by at most 1/65534 of that way. What scales them back is a
// node of its own under each node that shows the mesh, and for skinned meshes, whose
// nodes do not count, the inverse bind matrices. The nodes of the source keep their
// transforms, children and animations; only morph target weights move to the new node,
// with the channels that animate them.
//
// # What is there several times
//
// Exporters write the vertices of each copy of an object anew. Arrays that are equal once
// they are packed are in the buffer once; with prune they are one accessor as well.
//
// # What nothing uses
//
// With prune, what no scene and no animation leads to goes: nodes, but in whole trees,
// meshes, skins, cameras, materials, textures, samplers, images, accessors, and animations
// that move nothing. All that stays gets new numbers, in extensions as well; if one that is
// not known holds a whole number or a JSON pointer, all stays, with a warning. See package
// prune. Nodes that show nothing are often places to hang things on, and go with
// prune_empty only. What keep names stays.
//
// Channels of animations go, too, if no animation of the model moves that property of that
// node away from where the node has it, within animation_error: most scales never change.
// Games that play animations of one model on another one, and do not reset what these leave
// alone, keep such animations by name.
//
// And attributes go that drawing does not need: coordinates behind the last that a
// texture of the material and its variants has, tangents without a normal map, normals of unlit materials,
// all colors but the first, joints and weights of meshes without a skin. Those that keep
// names stay, and so do those whose names start with an underscore and all of primitives
// with extensions that may name them.
//
// # Animations
//
// Keyframes that others lead to anyway go, and rotations are stored in 16 bits a number,
// within animation_error: radians of a rotation; shares of the scale, of a morph target,
// and for what moves, of the size of what is below the node, or of its distance from its
// parent if there is nothing. The bound also holds between keyframes, for players that slerp
// and for players that lerp and normalize. A rotation loses keyframes only between keyframes
// that are at most a quarter turn apart. It stays in floats if rounding could turn it in the
// other direction. A constant curve is one keyframe; each animation takes as long as before.
// Splines stay as they are, and so do animations of KHR_animation_pointer.
//
// # Compression
//
// compression = "meshopt" packs the views of the buffer (EXT_meshopt_compression, see
// package meshopt), those that become smaller by it. What loads the model has to know the
// extension. Normals and tangents are rounded in octahedral coordinates then: with 8 bits
// each is off by less than a degree, with 16 by 1/250. Animations are rounded within
// animation_error. Nothing else changes by it. Models that use the extension, or
// KHR_meshopt_compression, are read; those that Draco has compressed are refused.
//
// # What survives
//
// Everything else: the document's text is edited, not made anew. Without prune no list is
// renumbered but those of buffers and views, so extensions that name views by number are refused;
// what is added stands at the end of its list.
//
// # Images
//
// An image in a file that the recipe image cooks is named by its cooked form, whatever
// names it: the texture itself or EXT_texture_webp, whose picture is taken where there are
// two. Files of other kinds (DDS, KTX2, AVIF) keep their names and extensions. The rules for
// images decide the name of a cooked image (recipe.Follow) or, if textures is not auto,
// texture_suffix does. Its extension decides how a texture names it:
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
// Pictures that are part of the model stay as they are, or become textures in DDS by
// embedded = "dds", with the options of the recipe image and of the kind that the materials
// say: normal maps, colors, or data. One that they use as several, or not at all, stays. KTX2
// would need KHR_texture_basisu.
//
// The files of images are not read, but looked for: one that does not exist is warned of,
// and its coming or going cooks the model again.
//
// # Faulty sources
//
// What comes out is valid: the Khronos validator finds no error in it. A source that is
// not is repaired where a user would want that, with a warning for each kind of fault:
// normals, tangents, rotations and weights are scaled, colors clamped, bounds corrected,
// empty lists left out, extensions declared; a primitive without the coordinates of a
// texture gets a copy of the material without it. Other faults refuse it; see package
// gltfcheck.
//
// # Levels of detail
//
// They are meshes of their own, on nodes that the extension MSFT_lod lists beside the
// one that shows the full mesh: viewers that know it choose, all others show the full
// mesh. extras.lod of such a mesh says its level, triangles and error, the distance in
// units of the mesh by which the surface moved. Meshes with morph targets get none.
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
	LODRatio float64 `toml:"lod_ratio" min:"0.05" max:"0.95" doc:"triangles of a level of detail, as a share of those of the level before"`
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
