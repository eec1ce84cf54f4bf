// Package mesh is the recipe that turns models into smaller GLB files that a GPU draws with less
// work.
//
// It reads glTF 2.0 (.gltf with its buffers, .glb) and Wavefront OBJ with its materials (.obj,
// .mtl; see package obj). The first bytes determine the format. OBJ has no magic number and needs
// its extension.
//
// # Triangles
//
// Each primitive goes through these steps. Options can disable each step:
//
//	load     strips and fans become triangles, unused vertices are removed
//	shade    missing normals and MikkTSpace tangents are made
//	pack     attributes are stored in fewer bits, within a stated error
//	weld     vertices that are equal in all attributes become one
//	order    triangles are sorted for the vertex cache and overdraw, vertices for fetching
//	lods     meshes of fewer triangles over the same vertices
//
// Points and lines are only packed. Primitives and meshes stay unchanged if their extensions may
// refer to vertices or triangles by index. Attributes with a leading underscore also stay
// unchanged, and so do attributes that are not floats, because the exporter has already packed
// them. Triangles of materials that blend keep their order, which is visible.
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
// Positions become integers on a grid of 2^position_bits lines along the longest side of the mesh
// (KHR_mesh_quantization). No position moves by more than half the distance between two lines,
// extent/(2^(position_bits+1)-2). If a morph target displaces a vertex by more than half the
// extent, the error is at most 1/65534 of that displacement. A new child of each node that shows
// the mesh scales the positions back. Nodes do not affect skinned meshes, so their inverse bind
// matrices scale the positions back. The nodes of the source keep their transforms, children and
// animations. Only morph target weights, and the channels that animate them, move to the new node.
//
// # Equal arrays
//
// Exporters write the vertices of each copy of an object separately. Arrays that are equal after
// packing are stored once in the buffer; with prune they also share an accessor.
//
// # Unused elements
//
// Option prune removes elements that no scene and no animation reaches. These may be entire
// subtrees of nodes, meshes, skins, cameras, materials, textures, samplers, images, accessors, and
// animations that move nothing. The remaining elements get new indices, in extensions as well. If
// an unknown extension holds an integer or a JSON pointer, prune keeps all elements and warns. See
// package prune. Nodes that show nothing often mark a position, so only prune_empty removes them.
// Elements named by option keep stay.
//
// Prune also removes channels if no animation of the model moves the property away from the node's
// own value by more than animation_error. For example, most scales never change. Some games play
// animations of one model on another model and do not reset other properties. Such games can keep
// these animations by name.
//
// Prune also removes attributes that drawing does not need. These are texture coordinates after the
// last set that the material and its variants use, tangents without a normal map, and normals of
// unlit materials. They also include all colors after the first set, colors that are all white, and
// joints and weights of meshes without a skin. It keeps attributes named by option keep, attributes
// with a leading underscore, and all attributes of primitives with extensions that may refer to
// them. A run notes what prune removes.
//
// # Animations
//
// Keyframes on a straight line between other keyframes are removed, and rotations are stored as
// 16-bit components, within animation_error. Its unit is a radian for a rotation, and the whole
// value for a scale or a morph target. For a translation, the unit is the size of the parts below
// the node. If there are none, it is the distance of the node from its parent. The error is bounded
// between keyframes as well, both for players that slerp and for players that lerp and normalize. A
// rotation loses keyframes only between keyframes that are at most a quarter turn apart. It is
// stored as floats if rounding could reverse its direction. A constant curve becomes one keyframe.
// Each animation keeps its duration. Splines and animations of KHR_animation_pointer stay
// unchanged.
//
// # Compression
//
// compression = "meshopt" compresses each buffer view that becomes smaller
// (EXT_meshopt_compression, see package meshopt). The engine must support the extension.
// compression = "meshopt-khr" does the same with KHR_meshopt_compression, whose version 1 of vertex
// attributes is smaller, and which fewer engines support. The triangles of each geometry get the
// order that takes the fewest bytes. The candidates are the order for the vertex cache and strips,
// each with or without less overdraw. Texture coordinates with fewer than 16 bits, or outside of 0
// to 1, are floats, rounded to multiples of 2^-uv_bits. Normals and tangents are rounded in
// octahedral coordinates. With 8 bits the error is less than a degree, with 16 bits less than 1/250
// of a degree. Animations are rounded within animation_error. Nothing else changes. Models with
// either extension can be read. Models compressed by Draco are refused, because the Go library for
// Draco needs cgo.
//
// # Other members
//
// The document's JSON is edited, not generated, so all other members stay as they are. Without
// prune only the lists of buffers and views are renumbered. So extensions that refer to views by
// index are refused. New elements are appended to their lists.
//
// # Images
//
// References to image files that recipe image cooks are changed to the cooked files. If a texture
// has two images, its own source and one in EXT_texture_webp, the latter is used. Files of other
// formats (DDS, KTX2, AVIF) keep their names and extensions. The rules for images determine the
// name of a cooked image (recipe.Follow). If textures is not auto, texture_suffix determines it.
// The extension of the name determines how a texture refers to it:
//
//	.ktx2  KHR_texture_basisu, required, for UASTC. This is the only extension for KTX2,
//	       and it forbids GPU formats such as BC7 and BC5. Textures in such a format are
//	       referred to as source, without a mimeType, and with a warning unless
//	       textures = "cooked". Readers that support KTX2 detect it by the name or the first
//	       bytes: Bevy, Babylon.js, three.js with a handler for .ktx2
//	.dds   MSFT_texture_dds, required
//	.webp  EXT_texture_webp, required
//	else   source
//
// Images inside the model stay unchanged, or become DDS textures with embedded = "dds". The options
// of recipe image apply, and the materials determine the kind: normal map, color or data. An image
// that is used as several kinds, or not at all, stays unchanged. KTX2 is not offered, because it
// would need KHR_texture_basisu.
//
// The recipe does not read image files but checks whether they exist. A missing file causes a
// warning. If the file is added or removed, the model is cooked again.
//
// # Faulty sources
//
// The Khronos validator finds no error in the output. Faults with an obvious remedy are repaired,
// with a warning for each kind of fault. The recipe scales normals, tangents, rotations and
// weights. It clamps colors, corrects bounds, omits empty lists and declares extensions. A
// primitive without the coordinates of a texture gets a copy of the material without that texture.
// A source with any other fault is refused; see package gltf.
//
// # Joined meshes
//
// With join, the meshes of several nodes become one mesh, whose vertices are stored in the space of
// the nodes' parent. The nodes have the same parent or the same scenes, and the same exceptions as
// for instances apply. The meshes have no name or extras, and their primitives have the same
// materials and attributes. A mesh that several nodes show is not joined, because its vertices
// would be stored several times. The grid of the joined mesh spans all of its parts, so
// position_bits gives a larger error.
//
// # Instances
//
// With instances = N, at least N nodes with the same mesh, and with the same parent or the same
// scenes, become one node with EXT_mesh_gpu_instancing. Its accessors hold a translation, a
// rotation and a scale for each of the nodes as float32, combined with the scale of the grid.
// Nodes with a name, children, extras or an extension stay, and so do nodes that an animation or
// another part of the model refers to. Mirrored nodes also stay, because engines choose the winding
// for all instances at once. Meshes with morph targets, levels of detail, blended triangles, points
// or lines get no instances.
//
// # Levels of detail
//
// Each level is a separate mesh, on a node that the extension MSFT_lod lists at the node of the
// full mesh. Viewers that support the extension choose a level, all others show the full mesh.
// extras.lod of such a mesh holds its level, its number of triangles and its error. The error says
// how far the surface moved, in mesh units. Meshes with morph targets get no levels.
package mesh

import (
	"fmt"
	"path"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	picturefile "github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// meshOptions are the options of the recipe.
type meshOptions struct {
	Normals string `toml:"normals" enum:"flat,smooth,none" doc:"how to make missing normals: flat, as glTF requires; smooth over all edges; or none; collision meshes get none"`

	Tangents bool `toml:"tangents" doc:"make MikkTSpace tangents for meshes whose material has a normal map; false makes them only for materials that viewers cannot draw without tangents"`

	Optimize bool    `toml:"optimize" doc:"reorder triangles for the vertex cache and vertices for vertex fetch"`
	Overdraw float64 `toml:"overdraw" min:"1" max:"3" doc:"factor by which vertex cache misses may grow to reduce overdraw; 1 does not reduce overdraw"`

	Prune      bool     `toml:"prune" doc:"remove unused parts: attributes of vertices that no material and no skin uses; nodes, meshes, skins, cameras, animations, materials, textures, images and accessors that no scene and no animation reaches; channels that move nothing"`
	PruneEmpty bool     `toml:"prune_empty" doc:"with prune, also remove nodes without mesh, children and animation"`
	Keep       []string `toml:"keep" doc:"names of parts that prune keeps, with the wildcards * and ?: attributes, such as TEXCOORD_1 for light maps of the game, nodes, such as Socket_*, and all other named parts"`

	PositionBits int `toml:"position_bits" min:"0" max:"16" doc:"bits per coordinate; the error is at most extent/(2^(bits+1)-2); 0 keeps floats"`
	NormalBits   int `toml:"normal_bits" min:"0" max:"16" doc:"bits of each component of normals and tangents, 8 or 16; 0 keeps floats"`
	UVBits       int `toml:"uv_bits" min:"0" max:"16" doc:"bits of texture coordinates from 0 to 1, 8 to 16, or 16 without compression, which keeps coordinates outside 0 to 1 as floats; 0 keeps floats"`
	ColorBits    int `toml:"color_bits" min:"0" max:"16" doc:"bits of each component of colors, 8 or 16; 0 keeps floats"`
	WeightBits   int `toml:"weight_bits" min:"0" max:"16" doc:"bits of the weights of joints, 8 or 16; 0 keeps floats"`
	RotationBits int `toml:"rotation_bits" min:"0" max:"16" doc:"bits of each component of rotations in animations, 16; 0 makes floats"`

	AnimationError float64 `toml:"animation_error" min:"0" max:"0.1" doc:"largest error of an animation with fewer keyframes: in radians, or as a share of a scale, of a morph target, or of the size of the moved part; 0 keeps all keyframes"`

	Compression string `toml:"compression" enum:"none,meshopt,meshopt-khr" doc:"meshopt stores vertices, triangles and animations in fewer bytes (EXT_meshopt_compression); meshopt-khr saves some more (KHR_meshopt_compression); the program that loads the model must support the extension"`

	LODs     int     `toml:"lods" min:"0" max:"8" doc:"number of meshes with fewer triangles to add as levels of detail"`
	LODRatio float64 `toml:"lod_ratio" min:"0.05" max:"0.95" doc:"triangles of a level of detail, as a share of the triangles of the level before"`
	LODError float64 `toml:"lod_error" min:"0" max:"1" doc:"largest error of any level of detail, as a share of the mesh's longest side"`

	Join      bool `toml:"join" doc:"join the meshes of nodes with the same parent and the same materials, for fewer draw calls; only unnamed meshes of nodes without name, children, animation, extras and extensions; needs prune = true"`
	Instances int  `toml:"instances" min:"0" max:"1000000" doc:"smallest number of nodes with the same mesh and parent that become instances of one node (EXT_mesh_gpu_instancing); only nodes without name, children, animation, extras and extensions do; 0 keeps all nodes; needs prune = true"`

	Textures        string `toml:"textures" enum:"auto,cooked,basisu,keep" doc:"names of images in separate files: auto writes the names of their cooked files; cooked adds texture_suffix, for engines that read any KTX2 file; basisu also adds KHR_texture_basisu, for images with format uastc; keep leaves names unchanged"`
	Embedded        string `toml:"embedded" enum:"keep,dds,basisu" doc:"images in the model: keep leaves them unchanged; dds and basisu convert them to textures in DDS (MSFT_texture_dds) or UASTC (KHR_texture_basisu), by the role that materials give them"`
	EmbeddedQuality string `toml:"embedded_quality" enum:"fast,normal,best" doc:"encoding effort for embedded textures"`

	TextureSuffix string `toml:"texture_suffix" doc:"suffix of the names of cooked images, unless textures = auto finds the names in the rules"`

	ImageRules string `toml:"image_rules" doc:"checksum of the rules for images; cook sets this option"`
}

// Recipe returns the recipe "mesh".
func Recipe() recipe.Recipe {
	return recipe.Recipe{
		Name: "mesh", Version: 9, UsesPath: true, NamesOutputs: true, Extensions: []string{".glb", ".gltf", ".obj"}, Recognizes: isNoOtherOBJ,
		Formats: []recipe.Format{
			{Name: "a binary glTF model", Extensions: []string{".glb"}, Magic: []string{"glTF"}},
			{Name: "a glTF model", Extensions: []string{".gltf"}, Loose: true},
			{Name: "an OBJ model", Extensions: []string{".obj"}, Loose: true},
		},
		Follow:   &recipe.Follow{Recipe: "image", Keys: picturefile.OutputOptions(), Option: "image_rules"},
		Extracts: []recipe.Extract{held},
		New: func() recipe.Cooker {
			return &meshOptions{
				Normals: "flat", Tangents: true, Optimize: true, Overdraw: 1.02,
				PositionBits: 16, NormalBits: 8, UVBits: 16, ColorBits: 8, WeightBits: 8, RotationBits: 16,
				AnimationError: 0.0005, Compression: "none", LODRatio: 0.5, LODError: 0.02,
				Embedded: "keep", EmbeddedQuality: "normal", Textures: "auto", TextureSuffix: defaultSuffix,
			}
		},
		Traits: func(c recipe.Cooker) recipe.Traits {
			o := c.(*meshOptions)
			return recipe.Traits{
				// The images beside a model that has moved may have other rules.
				IgnoresPath: o.Textures == "keep" || !strings.HasSuffix(o.ImageRules, "/"),
				Check:       o.checkOptions, Estimate: o.estimateMemory, Explain: o.explainResult,
			}
		},
	}
}

// Outputs implements recipe.Cooker.
func (o *meshOptions) Outputs() []string { return []string{"{dir}/{stem}.glb"} }

// checkOptions implements Traits.Check.
func (o *meshOptions) checkOptions() error {
	for _, bits := range []struct {
		key    string
		n      int
		eight  bool
		wanted string
	}{
		{"normal_bits", o.NormalBits, true, "0, 8 or 16"},
		{"color_bits", o.ColorBits, true, "0, 8 or 16"},
		{"weight_bits", o.WeightBits, true, "0, 8 or 16"},
		{"rotation_bits", o.RotationBits, false, "0 or 16"},
	} {
		if bits.n != 0 && bits.n != 16 && (bits.n != 8 || !bits.eight) {
			return &recipe.OptionError{Key: bits.key, Want: bits.wanted}
		}
	}
	if o.UVBits > 0 && o.UVBits < 8 {
		return &recipe.OptionError{Key: "uv_bits", Got: fmt.Sprint(o.UVBits), Want: "0, or 8 to 16"}
	}
	for _, pattern := range o.Keep {
		if _, err := path.Match(pattern, ""); err != nil {
			return &recipe.OptionError{Key: "keep", Got: pattern, Want: "a name, with * and ? as wildcards"}
		}
	}
	if o.PruneEmpty && !o.Prune {
		return &recipe.OptionError{Key: "prune_empty", Got: "true", Want: "prune = true together with this option"}
	}
	if o.Join && !o.Prune {
		return &recipe.OptionError{Key: "join", Got: "true", Want: "prune = true together with this option"}
	}
	if o.Instances == 1 {
		return &recipe.OptionError{Key: "instances", Got: "1", Want: "0, or at least 2"}
	}
	if o.Instances > 0 && !o.Prune {
		return &recipe.OptionError{Key: "instances", Got: fmt.Sprint(o.Instances), Want: "prune = true together with this option"}
	}
	if o.Textures == "basisu" && !strings.HasSuffix(strings.ToLower(o.TextureSuffix), ".ktx2") {
		return &recipe.OptionError{Key: "texture_suffix", Got: o.TextureSuffix, Want: `".ktx2" at the end, because of textures = "basisu"`}
	}
	if o.Textures != "keep" && !isSuffix(o.TextureSuffix) {
		return &recipe.OptionError{Key: "texture_suffix", Got: o.TextureSuffix, Want: `the end of a file name, such as ".ktx2"`}
	}
	return nil
}

// compression returns the glTF extension that compresses the model, or "" for none.
func (o *meshOptions) compression() string {
	switch o.Compression {
	case "meshopt":
		return gltf.MeshoptEXT
	case "meshopt-khr":
		return gltf.MeshoptKHR
	}
	return ""
}

// compresses reports whether an extension compresses the model.
func (o *meshOptions) compresses() bool { return o.compression() != "" }

// isSuffix reports whether a text can be appended to any relative URI.
func isSuffix(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"
	return s != "" && len(s) <= 32 && strings.Trim(s, letters) == ""
}
