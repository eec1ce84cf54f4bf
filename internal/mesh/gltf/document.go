// Package gltf reads, checks, edits and writes glTF 2.0 documents:
//
//	document.go    the typed view of a document
//	shapes.go      the members of each object, including ratified extensions
//	walk.go        compares a text with the shapes before anything is decoded
//	parse.go       parses a text; repairs empty lists and undeclared extensions
//	check.go       buffers hold their declared bytes; every index is in range
//	views.go       views are inside buffers, accessors inside views, both aligned
//	primitives.go  attributes fit together and have formats that glTF allows
//	nodes.go       nodes form trees; joints have a common root; extents of subtrees
//	images.go      images have one source and their declared type; images of materials
//	animations.go  keyframes fit the animated property
//	files.go       files that a document refers to; relative URIs and data URIs
//	compressed.go  views compressed by EXT_meshopt_compression
//	elements.go    buffers, views and accessors in memory; the vertices that a primitive uses
//	array.go       the elements of one accessor, checked and repaired
//	object.go      JSON objects that preserve order and text of unknown members
//	references.go  members that refer to list elements by index; extensions of a document
//	output.go      writes arrays to the views of a new buffer
//	glb.go         the binary container
//
// Parse limits its memory by the size of the text. After Check accepts a document, its references
// can be followed without further checks: every index is in range, and every accessor is inside its
// buffer. Neither function reads the bytes of buffers.
//
// Edits change Root, the document as ordered objects. Unchanged members keep their text, so extras
// and unknown extensions are preserved.
package gltf

import "encoding/json"

// A Document is a glTF 2.0 document (specification, chapter 5). Its fields have the names of the
// specification; indices refer to the document's lists.
//
// The types of a glTF library would hide faults, because they turn a missing version into 2.0, an
// unknown component type into floats and a missing index into 0. Here, required members are
// pointers, which are nil if missing.
type Document struct {
	// Text is the text that was decoded. It differs from the text passed to Parse by the repairs in
	// Mended, and by the formatting of integers.
	Text []byte `json:"-"`
	// Mended lists faults that Parse or Check repaired, and faults that disappear when the document
	// is written again.
	Mended []Mend `json:"-"`
	// Root is the text as ordered objects, for edits. Load sets Root.
	Root Object `json:"-"`
	// Data holds the bytes of each buffer; nil for a buffer whose bytes an extension provides.
	Data [][]byte `json:"-"`

	unpacked map[int32][]byte // bytes of decompressed views, by index

	ExtensionsUsed     []string `json:"extensionsUsed"`
	ExtensionsRequired []string `json:"extensionsRequired"`
	Extensions         struct {
		Lights struct {
			Lights []Light `json:"lights"`
		} `json:"KHR_lights_punctual"`
	} `json:"extensions"`

	Asset       *Asset       `json:"asset"`
	Scene       *int32       `json:"scene"`
	Scenes      []Scene      `json:"scenes"`
	Nodes       []Node       `json:"nodes"`
	Meshes      []Mesh       `json:"meshes"`
	Materials   []Material   `json:"materials"`
	Textures    []Texture    `json:"textures"`
	Images      []Image      `json:"images"`
	Samplers    []struct{}   `json:"samplers"`
	Cameras     []Camera     `json:"cameras"`
	Skins       []Skin       `json:"skins"`
	Animations  []Animation  `json:"animations"`
	Accessors   []Accessor   `json:"accessors"`
	BufferViews []BufferView `json:"bufferViews"`
	Buffers     []Buffer     `json:"buffers"`
}

// A Light is a light of KHR_lights_punctual.
type Light struct {
	Type string `json:"type"`
	Spot *struct {
		Inner float64  `json:"innerConeAngle"`
		Outer *float64 `json:"outerConeAngle"`
	} `json:"spot"`
}

// An Asset holds the glTF version of the document.
type Asset struct {
	Version    string `json:"version"`
	MinVersion string `json:"minVersion"`
}

// A Scene lists root nodes.
type Scene struct {
	Nodes []int32 `json:"nodes"`
}

// A Node places a mesh, a camera or child nodes.
type Node struct {
	Name     string  `json:"name"`
	Camera   *int32  `json:"camera"`
	Mesh     *int32  `json:"mesh"`
	Skin     *int32  `json:"skin"`
	Children []int32 `json:"children"`

	Matrix      *[16]float64 `json:"matrix"`
	Translation *[3]float64  `json:"translation"`
	Rotation    *[4]float64  `json:"rotation"`
	Scale       *[3]float64  `json:"scale"`
	Weights     *[]float64   `json:"weights"`

	Extensions *NodeExtensions `json:"extensions"`
}

// NodeExtensions are the extensions that move, hide or repeat the mesh of a node.
type NodeExtensions struct {
	Instancing Unchecked[struct {
		Attributes map[string]int32 `json:"attributes"`
	}] `json:"EXT_mesh_gpu_instancing"`
	Visibility struct {
		Visible *bool `json:"visible"`
	} `json:"KHR_node_visibility"`
	LOD Unchecked[struct {
		IDs []int32 `json:"ids"`
	}] `json:"MSFT_lod"`
}

// IsInstanced reports whether the node has EXT_mesh_gpu_instancing.
func (n *Node) IsInstanced() bool { return n.Extensions != nil && n.Extensions.Instancing.There }

// Instances returns the attributes of the node's instances by name. Check does not check their
// accessors.
func (n *Node) Instances() map[string]int32 {
	if n.Extensions == nil {
		return nil
	}
	return n.Extensions.Instancing.Value.Attributes
}

// IsHidden reports whether KHR_node_visibility hides the node.
func (n *Node) IsHidden() bool {
	if n.Extensions == nil || n.Extensions.Visibility.Visible == nil {
		return false
	}
	return !*n.Extensions.Visibility.Visible
}

// HasLODs reports whether the node has MSFT_lod.
func (n *Node) HasLODs() bool { return n.Extensions != nil && n.Extensions.LOD.There }

// LODs returns the nodes of the node's lower levels of detail. Check does not check these indices.
func (n *Node) LODs() []int32 {
	if n.Extensions == nil {
		return nil
	}
	return n.Extensions.LOD.Value.IDs
}

// A Camera has either a perspective or an orthographic projection.
type Camera struct {
	Perspective *struct {
		ZFar  *float64 `json:"zfar"`
		ZNear float64  `json:"znear"`
	} `json:"perspective"`
	Orthographic *struct {
		XMag  float64 `json:"xmag"`
		YMag  float64 `json:"ymag"`
		ZFar  float64 `json:"zfar"`
		ZNear float64 `json:"znear"`
	} `json:"orthographic"`
}

// A Mesh is the geometry that a node shows.
type Mesh struct {
	Name       string      `json:"name"`
	Primitives []Primitive `json:"primitives"`
	Weights    []float64   `json:"weights"`
}

// A Primitive is a part of a mesh with one material.
type Primitive struct {
	Attributes map[string]int32   `json:"attributes"`
	Targets    []map[string]int32 `json:"targets"`
	Indices    *int32             `json:"indices"`
	Material   *int32             `json:"material"`
	Mode       *int32             `json:"mode"` // nil means triangles
	Extensions struct {
		Variants struct {
			Mappings []struct {
				Material int32   `json:"material"`
				Variants []int32 `json:"variants"`
			} `json:"mappings"`
		} `json:"KHR_materials_variants"`
	} `json:"extensions"`
}

// Topology returns the mode of the primitive; the default is Triangles.
func (p *Primitive) Topology() int {
	if p.Mode == nil {
		return Triangles
	}
	return int(*p.Mode)
}

// AttributeSets returns the attributes of the primitive, followed by the attributes of each morph
// target.
func (p *Primitive) AttributeSets() []map[string]int32 {
	return append([]map[string]int32{p.Attributes}, p.Targets...)
}

// A Material refers to textures.
type Material struct {
	Name string `json:"name"`
	PBR  *struct {
		Color             *[4]float32  `json:"baseColorFactor"`
		BaseColor         *TextureInfo `json:"baseColorTexture"`
		MetallicRoughness *TextureInfo `json:"metallicRoughnessTexture"`
	} `json:"pbrMetallicRoughness"`
	Normal     *TextureInfo `json:"normalTexture"`
	Occlusion  *TextureInfo `json:"occlusionTexture"`
	Emissive   *TextureInfo `json:"emissiveTexture"`
	AlphaMode  string       `json:"alphaMode"`
	Extensions *struct {
		Unlit     Present `json:"KHR_materials_unlit"`
		Clearcoat struct {
			Normal *TextureInfo `json:"clearcoatNormalTexture"`
		} `json:"KHR_materials_clearcoat"`
		Anisotropy struct {
			Texture *TextureInfo `json:"anisotropyTexture"`
		} `json:"KHR_materials_anisotropy"`
	} `json:"extensions"`
}

// IsUnlit reports whether the material has KHR_materials_unlit.
func (m *Material) IsUnlit() bool { return m.Extensions != nil && bool(m.Extensions.Unlit) }

// TangentTexture returns the texture whose coordinates define the tangents: the normal map, or the
// first texture of an extension that needs tangents. It returns nil if there is none.
func (m *Material) TangentTexture() *TextureInfo {
	switch {
	case m.Normal != nil || m.Extensions == nil:
		return m.Normal
	case m.Extensions.Clearcoat.Normal != nil:
		return m.Extensions.Clearcoat.Normal
	}
	return m.Extensions.Anisotropy.Texture
}

// A TextureInfo selects a texture and its set of texture coordinates for a material.
type TextureInfo struct {
	Index      *int32 `json:"index"`
	TexCoord   int32  `json:"texCoord"`
	Extensions struct {
		Transform struct {
			TexCoord *int32 `json:"texCoord"`
		} `json:"KHR_texture_transform"`
	} `json:"extensions"`
}

// Coordinates returns the set of texture coordinates, which KHR_texture_transform may override.
func (t *TextureInfo) Coordinates() int {
	if c := t.Extensions.Transform.TexCoord; c != nil {
		return int(*c)
	}
	return int(t.TexCoord)
}

// A Texture is an image with a sampler.
type Texture struct {
	Sampler *int32 `json:"sampler"`
	Source  *int32 `json:"source"`
}

// An Image is stored in a file, a data URI or a view.
type Image struct {
	URI        *string `json:"uri"`
	BufferView *int32  `json:"bufferView"`
	MimeType   string  `json:"mimeType"`
	Extensions Present `json:"extensions"`
}

// A Skin lists the joints that deform a mesh.
type Skin struct {
	InverseBindMatrices *int32  `json:"inverseBindMatrices"`
	Skeleton            *int32  `json:"skeleton"`
	Joints              []int32 `json:"joints"`
}

// An Animation moves nodes.
type Animation struct {
	Name     string             `json:"name"`
	Channels []Channel          `json:"channels"`
	Samplers []AnimationSampler `json:"samplers"`
}

// A Channel applies a sampler to a property of a node.
type Channel struct {
	Sampler *int32 `json:"sampler"`
	Target  struct {
		Node       *int32 `json:"node"`
		Path       string `json:"path"`
		Extensions *struct {
			Pointer *struct {
				Pointer string `json:"pointer"`
			} `json:"KHR_animation_pointer"`
		} `json:"extensions"`
	} `json:"target"`
}

// An AnimationSampler holds keyframes and their interpolation.
type AnimationSampler struct {
	Input         *int32 `json:"input"`
	Output        *int32 `json:"output"`
	Interpolation string `json:"interpolation"`
}

// An Accessor describes elements in a view. Without a view, all elements are zeros.
type Accessor struct {
	BufferView    *int32  `json:"bufferView"`
	ByteOffset    int64   `json:"byteOffset"`
	ComponentType int32   `json:"componentType"`
	Normalized    bool    `json:"normalized"`
	Count         int64   `json:"count"`
	Type          string  `json:"type"`
	Sparse        *Sparse `json:"sparse"`

	Min *[]float64 `json:"min"`
	Max *[]float64 `json:"max"`
}

// A Sparse overrides some elements of an accessor.
type Sparse struct {
	Count   int64 `json:"count"`
	Indices struct {
		BufferView    *int32 `json:"bufferView"`
		ByteOffset    int64  `json:"byteOffset"`
		ComponentType int32  `json:"componentType"`
	} `json:"indices"`
	Values struct {
		BufferView *int32 `json:"bufferView"`
		ByteOffset int64  `json:"byteOffset"`
	} `json:"values"`
}

// A BufferView is a part of a buffer.
type BufferView struct {
	Buffer     *int32 `json:"buffer"`
	ByteOffset int64  `json:"byteOffset"`
	ByteLength int64  `json:"byteLength"`
	ByteStride *int64 `json:"byteStride"`
	Target     int32  `json:"target"`
	Extensions struct {
		EXT *Compressed `json:"EXT_meshopt_compression"`
		KHR *Compressed `json:"KHR_meshopt_compression"`
	} `json:"extensions"`
}

// Compressed gives the location of a view's compressed bytes, and their encoding.
type Compressed struct {
	Buffer     *int32 `json:"buffer"`
	ByteOffset int64  `json:"byteOffset"`
	ByteLength int64  `json:"byteLength"`
	ByteStride int64  `json:"byteStride"`
	Count      int64  `json:"count"`
	Mode       string `json:"mode"`
	Filter     string `json:"filter"`
}

// A Buffer refers to the bytes of a file, of a data URI, or of the GLB file itself.
type Buffer struct {
	URI        *string `json:"uri"`
	ByteLength int64   `json:"byteLength"`
	Extensions Present `json:"extensions"`
}

// Present reports whether a member exists, regardless of its value.
type Present bool

// UnmarshalJSON implements json.Unmarshaler.
func (p *Present) UnmarshalJSON([]byte) error {
	*p = true
	return nil
}

// Unchecked is a member that Parse does not check. Value is zero if the member's text does not fit
// T.
type Unchecked[T any] struct {
	There bool
	Value T
}

// UnmarshalJSON implements json.Unmarshaler.
func (u *Unchecked[T]) UnmarshalJSON(text []byte) error {
	var v T
	u.There = true
	if json.Unmarshal(text, &v) == nil {
		u.Value = v
	}
	return nil
}

// Parents returns the parent of each node, -1 for roots.
func (d *Document) Parents() []int32 {
	parents := make([]int32, len(d.Nodes))
	for i := range parents {
		parents[i] = -1
	}
	for i := range d.Nodes {
		for _, child := range d.Nodes[i].Children {
			parents[child] = int32(i)
		}
	}
	return parents
}
