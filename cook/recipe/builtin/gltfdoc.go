package builtin

// The parts of a glTF 2.0 document (specification chapter 5) that are checked.
//
// A library's types would not do: they turn a missing version into 2.0, an
// unknown component type into floats and a missing index into 0, which are the
// very faults to be found. So what is required is a pointer here, nil when it
// is missing.
type gltfDocument struct {
	Asset       *gltfAsset       `json:"asset"`
	Scene       *int32           `json:"scene"`
	Scenes      []gltfScene      `json:"scenes"`
	Nodes       []gltfNode       `json:"nodes"`
	Meshes      []gltfMesh       `json:"meshes"`
	Materials   []gltfMaterial   `json:"materials"`
	Textures    []gltfTexture    `json:"textures"`
	Images      []gltfImage      `json:"images"`
	Samplers    []struct{}       `json:"samplers"`
	Cameras     []struct{}       `json:"cameras"`
	Skins       []gltfSkin       `json:"skins"`
	Animations  []gltfAnimation  `json:"animations"`
	Accessors   []gltfAccessor   `json:"accessors"`
	BufferViews []gltfBufferView `json:"bufferViews"`
	Buffers     []gltfBuffer     `json:"buffers"`
}

type gltfAsset struct {
	Version    string `json:"version"`
	MinVersion string `json:"minVersion"`
}

type gltfScene struct {
	Nodes []int32 `json:"nodes"`
}

type gltfNode struct {
	Camera   *int32  `json:"camera"`
	Mesh     *int32  `json:"mesh"`
	Skin     *int32  `json:"skin"`
	Children []int32 `json:"children"`
}

type gltfMesh struct {
	Primitives []gltfPrimitive `json:"primitives"`
}

type gltfPrimitive struct {
	Attributes map[string]int32   `json:"attributes"`
	Targets    []map[string]int32 `json:"targets"`
	Indices    *int32             `json:"indices"`
	Material   *int32             `json:"material"`
}

type gltfMaterial struct {
	PBR *struct {
		BaseColor         *gltfTextureInfo `json:"baseColorTexture"`
		MetallicRoughness *gltfTextureInfo `json:"metallicRoughnessTexture"`
	} `json:"pbrMetallicRoughness"`
	Normal    *gltfTextureInfo `json:"normalTexture"`
	Occlusion *gltfTextureInfo `json:"occlusionTexture"`
	Emissive  *gltfTextureInfo `json:"emissiveTexture"`
}

type gltfTextureInfo struct {
	Index *int32 `json:"index"`
}

type gltfTexture struct {
	Sampler *int32 `json:"sampler"`
	Source  *int32 `json:"source"`
}

type gltfImage struct {
	URI        *string `json:"uri"`
	BufferView *int32  `json:"bufferView"`
}

type gltfSkin struct {
	InverseBindMatrices *int32  `json:"inverseBindMatrices"`
	Skeleton            *int32  `json:"skeleton"`
	Joints              []int32 `json:"joints"`
}

type gltfAnimation struct {
	Channels []gltfChannel          `json:"channels"`
	Samplers []gltfAnimationSampler `json:"samplers"`
}

type gltfChannel struct {
	Sampler *int32 `json:"sampler"`
	Target  struct {
		Node *int32 `json:"node"`
	} `json:"target"`
}

type gltfAnimationSampler struct {
	Input  *int32 `json:"input"`
	Output *int32 `json:"output"`
}

type gltfAccessor struct {
	BufferView    *int32      `json:"bufferView"`
	ByteOffset    int64       `json:"byteOffset"`
	ComponentType int32       `json:"componentType"`
	Count         int64       `json:"count"`
	Type          string      `json:"type"`
	Sparse        *gltfSparse `json:"sparse"`
}

type gltfSparse struct {
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

type gltfBufferView struct {
	Buffer     *int32 `json:"buffer"`
	ByteOffset int64  `json:"byteOffset"`
	ByteLength int64  `json:"byteLength"`
	ByteStride *int64 `json:"byteStride"`
}

type gltfBuffer struct {
	URI        *string `json:"uri"`
	ByteLength int64   `json:"byteLength"`
	Extensions present `json:"extensions"`
}

// present is whether a field was there at all, whatever it held.
type present bool

func (p *present) UnmarshalJSON([]byte) error {
	*p = true
	return nil
}
