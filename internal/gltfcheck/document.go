package gltfcheck

// A Document is the parts of a glTF 2.0 document (specification chapter 5) that are
// checked, named as they are there. Indices are those of the document's lists.
//
// A library's types would not do: they turn a missing version into 2.0, an
// unknown component type into floats and a missing index into 0, which are the
// very faults to be found. So what is required is a pointer here, nil when it
// is missing.
type Document struct {
	// Text is the text that the document was decoded from. It differs from the one
	// given to Parse by what Mended says, and in how whole numbers are written.
	Text []byte `json:"-"`
	// Mended is what is wrong and was put right in Text, or will be if the document and
	// its views are written anew. Parse and Check add to it.
	Mended []Mend `json:"-"`

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

// A Light is one of KHR_lights_punctual.
type Light struct {
	Type string `json:"type"`
	Spot *struct {
		Inner float64  `json:"innerConeAngle"`
		Outer *float64 `json:"outerConeAngle"`
	} `json:"spot"`
}

// An Asset says which version of glTF the document is written in.
type Asset struct {
	Version    string `json:"version"`
	MinVersion string `json:"minVersion"`
}

// A Scene lists root nodes.
type Scene struct {
	Nodes []int32 `json:"nodes"`
}

// A Node places a mesh, a camera or other nodes.
type Node struct {
	Camera   *int32  `json:"camera"`
	Mesh     *int32  `json:"mesh"`
	Skin     *int32  `json:"skin"`
	Children []int32 `json:"children"`

	Matrix      *[16]float64 `json:"matrix"`
	Translation *[3]float64  `json:"translation"`
	Rotation    *[4]float64  `json:"rotation"`
	Scale       *[3]float64  `json:"scale"`
	Weights     *[]float64   `json:"weights"`
}

// A Camera is one of two projections.
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

// A Mesh is what nodes draw.
type Mesh struct {
	Primitives []Primitive `json:"primitives"`
	Weights    []float64   `json:"weights"`
}

// A Primitive is a part of a mesh with one material. Mode is nil for triangles.
type Primitive struct {
	Attributes map[string]int32   `json:"attributes"`
	Targets    []map[string]int32 `json:"targets"`
	Indices    *int32             `json:"indices"`
	Material   *int32             `json:"material"`
	Mode       *int32             `json:"mode"`
	Extensions struct {
		Variants struct {
			Mappings []struct {
				Variants []int32 `json:"variants"`
			} `json:"mappings"`
		} `json:"KHR_materials_variants"`
	} `json:"extensions"`
}

// A Material names textures.
type Material struct {
	PBR *struct {
		BaseColor         *TextureInfo `json:"baseColorTexture"`
		MetallicRoughness *TextureInfo `json:"metallicRoughnessTexture"`
	} `json:"pbrMetallicRoughness"`
	Normal    *TextureInfo `json:"normalTexture"`
	Occlusion *TextureInfo `json:"occlusionTexture"`
	Emissive  *TextureInfo `json:"emissiveTexture"`
	AlphaMode string       `json:"alphaMode"`
}

// A TextureInfo says which texture a material uses, with which coordinates.
type TextureInfo struct {
	Index    *int32 `json:"index"`
	TexCoord int32  `json:"texCoord"`
}

// A Texture is an image and how to sample it.
type Texture struct {
	Sampler *int32 `json:"sampler"`
	Source  *int32 `json:"source"`
}

// An Image lies in a file, a data URI or a view.
type Image struct {
	URI        *string `json:"uri"`
	BufferView *int32  `json:"bufferView"`
	MimeType   string  `json:"mimeType"`
	Extensions Present `json:"extensions"`
}

// A Skin is the joints that move a mesh.
type Skin struct {
	InverseBindMatrices *int32  `json:"inverseBindMatrices"`
	Skeleton            *int32  `json:"skeleton"`
	Joints              []int32 `json:"joints"`
}

// An Animation moves nodes.
type Animation struct {
	Channels []Channel          `json:"channels"`
	Samplers []AnimationSampler `json:"samplers"`
}

// A Channel is what of a node an animation moves.
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

// An AnimationSampler is a curve.
type AnimationSampler struct {
	Input         *int32 `json:"input"`
	Output        *int32 `json:"output"`
	Interpolation string `json:"interpolation"`
}

// An Accessor says how to read elements out of a view; without one they are zeros.
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

// A Sparse replaces some elements of an accessor.
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

// Compressed says where the bytes of a view are in a packed form, and in which one.
type Compressed struct {
	Buffer     *int32 `json:"buffer"`
	ByteOffset int64  `json:"byteOffset"`
	ByteLength int64  `json:"byteLength"`
	ByteStride int64  `json:"byteStride"`
	Count      int64  `json:"count"`
	Mode       string `json:"mode"`
	Filter     string `json:"filter"`
}

// A Buffer is bytes: of a file, of a data URI, or of the GLB file itself.
type Buffer struct {
	URI        *string `json:"uri"`
	ByteLength int64   `json:"byteLength"`
	Extensions Present `json:"extensions"`
}

// Present is whether a field was there at all, whatever it held.
type Present bool

// UnmarshalJSON implements json.Unmarshaler.
func (p *Present) UnmarshalJSON([]byte) error {
	*p = true
	return nil
}
