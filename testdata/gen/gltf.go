package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
)

// The part of glTF 2.0 that the models use; names as in the specification.
type (
	gltfDocument struct {
		Asset       gltfAsset        `json:"asset"`
		Scene       int              `json:"scene"`
		Scenes      []gltfScene      `json:"scenes"`
		Nodes       []gltfNode       `json:"nodes"`
		Meshes      []gltfMesh       `json:"meshes"`
		Materials   []gltfMaterial   `json:"materials,omitempty"`
		Textures    []gltfTexture    `json:"textures,omitempty"`
		Images      []gltfImage      `json:"images,omitempty"`
		Samplers    []gltfSampler    `json:"samplers,omitempty"`
		Animations  []gltfAnimation  `json:"animations,omitempty"`
		Accessors   []gltfAccessor   `json:"accessors"`
		BufferViews []gltfBufferView `json:"bufferViews"`
		Buffers     []gltfBuffer     `json:"buffers"`
	}
	gltfAsset struct {
		Generator string `json:"generator"`
		Version   string `json:"version"`
	}
	gltfScene struct {
		Name  string `json:"name"`
		Nodes []int  `json:"nodes"`
	}
	gltfNode struct {
		Name        string      `json:"name"`
		Mesh        *int        `json:"mesh,omitempty"`
		Children    []int       `json:"children,omitempty"`
		Translation *[3]float32 `json:"translation,omitempty"`
	}
	gltfMesh struct {
		Name       string          `json:"name"`
		Primitives []gltfPrimitive `json:"primitives"`
	}
	gltfPrimitive struct {
		Attributes gltfAttributes `json:"attributes"`
		Indices    int            `json:"indices"`
		Material   int            `json:"material"`
	}
	gltfAttributes struct {
		Position int  `json:"POSITION"`
		Normal   int  `json:"NORMAL"`
		Texel    int  `json:"TEXCOORD_0"`
		Colour   *int `json:"COLOR_0,omitempty"`
	}
	gltfMaterial struct {
		Name   string          `json:"name"`
		PBR    gltfPBR         `json:"pbrMetallicRoughness"`
		Normal *gltfTextureUse `json:"normalTexture,omitempty"`
		AO     *gltfTextureUse `json:"occlusionTexture,omitempty"`
	}
	gltfPBR struct {
		BaseColour *[4]float32     `json:"baseColorFactor,omitempty"`
		Base       *gltfTextureUse `json:"baseColorTexture,omitempty"`
		Metallic   float32         `json:"metallicFactor"`
		Roughness  float32         `json:"roughnessFactor"`
		Both       *gltfTextureUse `json:"metallicRoughnessTexture,omitempty"`
	}
	gltfTextureUse struct {
		Index int `json:"index"`
	}
	gltfTexture struct {
		Sampler int `json:"sampler"`
		Source  int `json:"source"`
	}
	gltfImage struct {
		URI        string `json:"uri,omitempty"`
		MIME       string `json:"mimeType,omitempty"`
		BufferView *int   `json:"bufferView,omitempty"`
	}
	gltfSampler struct {
		Mag   int `json:"magFilter"`
		Min   int `json:"minFilter"`
		WrapS int `json:"wrapS"`
		WrapT int `json:"wrapT"`
	}
	gltfAnimation struct {
		Name     string            `json:"name"`
		Channels []gltfChannel     `json:"channels"`
		Samplers []gltfAnimSampler `json:"samplers"`
	}
	gltfChannel struct {
		Sampler int        `json:"sampler"`
		Target  gltfTarget `json:"target"`
	}
	gltfTarget struct {
		Node int    `json:"node"`
		Path string `json:"path"`
	}
	gltfAnimSampler struct {
		Input         int    `json:"input"`
		Interpolation string `json:"interpolation"`
		Output        int    `json:"output"`
	}
	gltfAccessor struct {
		BufferView    int       `json:"bufferView"`
		ComponentType int       `json:"componentType"`
		Normalized    bool      `json:"normalized,omitempty"`
		Count         int       `json:"count"`
		Type          string    `json:"type"`
		Min           []float64 `json:"min,omitempty"` // float64 is written with all digits
		Max           []float64 `json:"max,omitempty"`
	}
	gltfBufferView struct {
		Buffer int `json:"buffer"`
		Offset int `json:"byteOffset"`
		Length int `json:"byteLength"`
		Target int `json:"target,omitempty"`
	}
	gltfBuffer struct {
		URI    string `json:"uri,omitempty"`
		Length int    `json:"byteLength"`
	}
)

// Numbers that glTF takes from OpenGL.
const (
	glUnsignedByte  = 5121
	glUnsignedShort = 5123
	glFloat         = 5126
	glVertices      = 34962
	glIndices       = 34963
)

// model builds one document and its only buffer.
type model struct {
	doc    gltfDocument
	buffer []byte
}

func newModel(scene string) *model {
	return &model{doc: gltfDocument{
		Asset:  gltfAsset{Generator: "testdata/gen of Pebble Grand Prix", Version: "2.0"},
		Scenes: []gltfScene{{Name: scene}},
	}}
}

// view appends data to the buffer, at a multiple of four as accessors need it.
func (m *model) view(data []byte, target int) int {
	for len(m.buffer)%4 != 0 {
		m.buffer = append(m.buffer, 0)
	}
	m.doc.BufferViews = append(m.doc.BufferViews, gltfBufferView{Offset: len(m.buffer), Length: len(data), Target: target})
	m.buffer = append(m.buffer, data...)
	return len(m.doc.BufferViews) - 1
}

func (m *model) accessor(a gltfAccessor) int {
	m.doc.Accessors = append(m.doc.Accessors, a)
	return len(m.doc.Accessors) - 1
}

// floats appends vectors of width numbers each. bounds asks for min and max,
// which glTF wants for positions and for the times of animations.
func (m *model) floats(values []float32, width, target int, bounds bool) int {
	var data []byte
	a := gltfAccessor{ComponentType: glFloat, Count: len(values) / width,
		Type: [...]string{1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}[width]}
	for i, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		switch exact := float64(v); {
		case !bounds:
		case i < width:
			a.Min, a.Max = append(a.Min, exact), append(a.Max, exact)
		default:
			a.Min[i%width], a.Max[i%width] = min(a.Min[i%width], exact), max(a.Max[i%width], exact)
		}
	}
	a.BufferView = m.view(data, target)
	return m.accessor(a)
}

// primitive appends a mesh's arrays.
func (m *model) primitive(s *mesh, material int) gltfPrimitive {
	var positions, normals, texels []float32
	for i, p := range s.positions {
		at := p.metres()
		positions = append(positions, at[:]...)
		normals = append(normals, s.normals[i][:]...)
		texels = append(texels, s.texels[i][:]...)
	}
	p := gltfPrimitive{Material: material, Attributes: gltfAttributes{
		Position: m.floats(positions, 3, glVertices, true),
		Normal:   m.floats(normals, 3, glVertices, false),
		Texel:    m.floats(texels, 2, glVertices, false),
	}}
	if len(s.colours) > 0 {
		var data []byte
		for _, c := range s.colours {
			data = append(data, c[:]...)
		}
		colour := m.accessor(gltfAccessor{BufferView: m.view(data, glVertices), ComponentType: glUnsignedByte,
			Normalized: true, Count: len(s.colours), Type: "VEC4"})
		p.Attributes.Colour = &colour
	}
	var data []byte
	for _, i := range s.indices {
		data = binary.LittleEndian.AppendUint16(data, i)
	}
	p.Indices = m.accessor(gltfAccessor{BufferView: m.view(data, glIndices), ComponentType: glUnsignedShort,
		Count: len(s.indices), Type: "SCALAR"})
	return p
}

func (m *model) mesh(name string, primitives ...gltfPrimitive) int {
	m.doc.Meshes = append(m.doc.Meshes, gltfMesh{name, primitives})
	return len(m.doc.Meshes) - 1
}

func (m *model) material(mat gltfMaterial) int {
	m.doc.Materials = append(m.doc.Materials, mat)
	return len(m.doc.Materials) - 1
}

// texture adds an image with the one sampler that all textures share.
func (m *model) texture(img gltfImage) *gltfTextureUse {
	if len(m.doc.Samplers) == 0 {
		const linear, linearMipmapLinear, repeat = 9729, 9987, 10497
		m.doc.Samplers = []gltfSampler{{linear, linearMipmapLinear, repeat, repeat}}
	}
	m.doc.Images = append(m.doc.Images, img)
	m.doc.Textures = append(m.doc.Textures, gltfTexture{Source: len(m.doc.Images) - 1})
	return &gltfTextureUse{len(m.doc.Textures) - 1}
}

// linked adds a texture file, named relative to the model.
func (m *model) linked(uri string) *gltfTextureUse { return m.texture(gltfImage{URI: uri}) }

// node adds a node; at is in 1024ths of a metre from its parent.
func (m *model) node(name string, mesh int, at point, children ...int) int {
	n := gltfNode{Name: name, Children: children}
	if mesh >= 0 {
		n.Mesh = &mesh
	}
	if at != (point{}) {
		t := at.metres()
		n.Translation = &t
	}
	m.doc.Nodes = append(m.doc.Nodes, n)
	return len(m.doc.Nodes) - 1
}

// root puts a node into the scene.
func (m *model) root(node int) { m.doc.Scenes[0].Nodes = append(m.doc.Scenes[0].Nodes, node) }

// addLinked adds name.gltf and name.bin.
func (m *model) addLinked(t *tree, dir, name string) {
	m.doc.Buffers = []gltfBuffer{{URI: name + ".bin", Length: len(m.buffer)}}
	t.addJSON(dir+name+".gltf", m.doc)
	t.add(dir+name+".bin", m.buffer)
}

// addEmbedded adds name.gltf with the buffer inside as a data URI.
func (m *model) addEmbedded(t *tree, dir, name string) {
	uri := "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(m.buffer)
	m.doc.Buffers = []gltfBuffer{{URI: uri, Length: len(m.buffer)}}
	t.addJSON(dir+name+".gltf", m.doc)
}

// addBinary adds name.glb: the JSON chunk padded with spaces, then the buffer
// padded with zeros.
func (m *model) addBinary(t *tree, dir, name string) {
	m.doc.Buffers = []gltfBuffer{{Length: len(m.buffer)}}
	t.encode(dir+name+".glb", func(w io.Writer) error {
		text, err := json.Marshal(m.doc)
		if err != nil {
			return err
		}
		for len(text)%4 != 0 {
			text = append(text, ' ')
		}
		for len(m.buffer)%4 != 0 {
			m.buffer = append(m.buffer, 0)
		}
		le := binary.LittleEndian
		out := le.AppendUint32([]byte("glTF"), 2)
		out = le.AppendUint32(out, uint32(12+8+len(text)+8+len(m.buffer)))
		out = append(le.AppendUint32(out, uint32(len(text))), "JSON"...)
		out = append(out, text...)
		out = append(le.AppendUint32(out, uint32(len(m.buffer))), "BIN\x00"...)
		_, err = w.Write(append(out, m.buffer...))
		return err
	})
}
