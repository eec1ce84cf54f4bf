package obj

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strings"
)

// These types are the parts of the glTF document. Members are written in the order of the fields,
// so equal models give equal text.
type (
	gltf struct {
		Asset          asset        `json:"asset"`
		ExtensionsUsed []string     `json:"extensionsUsed,omitempty"`
		Scene          int          `json:"scene"`
		Scenes         []scene      `json:"scenes"`
		Nodes          []node       `json:"nodes"`
		Meshes         []*mesh      `json:"meshes"`
		Materials      []gltfLook   `json:"materials,omitempty"`
		Textures       []texture    `json:"textures,omitempty"`
		Samplers       []sampler    `json:"samplers,omitempty"`
		Images         []imageFile  `json:"images,omitempty"`
		Accessors      []accessor   `json:"accessors"`
		BufferViews    []bufferView `json:"bufferViews"`
		Buffers        []buffer     `json:"buffers"`
	}
	asset struct {
		Version string `json:"version"`
	}
	scene struct {
		Nodes []int `json:"nodes"`
	}
	node struct {
		Name string `json:"name,omitempty"`
		Mesh int    `json:"mesh"`
	}
	mesh struct {
		Name       string      `json:"name,omitempty"`
		Primitives []primitive `json:"primitives"`
	}
	primitive struct {
		Attributes attributes `json:"attributes"`
		Material   *int       `json:"material,omitempty"`
		Mode       int        `json:"mode"`
	}
	attributes struct {
		Position int  `json:"POSITION"`
		Normal   *int `json:"NORMAL,omitempty"`
		TexCoord *int `json:"TEXCOORD_0,omitempty"`
		Color    *int `json:"COLOR_0,omitempty"`
	}
	gltfLook struct {
		Name        string         `json:"name,omitempty"`
		PBR         *pbr           `json:"pbrMetallicRoughness,omitempty"`
		Normal      *textureInfo   `json:"normalTexture,omitempty"`
		EmissiveMap *textureInfo   `json:"emissiveTexture,omitempty"`
		Emissive    *[3]float64    `json:"emissiveFactor,omitempty"`
		AlphaMode   string         `json:"alphaMode,omitempty"`
		Extensions  map[string]any `json:"extensions,omitempty"`
	}
	pbr struct {
		Factor            *[4]float64  `json:"baseColorFactor,omitempty"`
		Texture           *textureInfo `json:"baseColorTexture,omitempty"`
		Metallic          float64      `json:"metallicFactor"`
		Roughness         *float64     `json:"roughnessFactor,omitempty"`
		MetallicRoughness *textureInfo `json:"metallicRoughnessTexture,omitempty"`
	}
	textureInfo struct {
		Index      int            `json:"index"`
		Scale      *float64       `json:"scale,omitempty"` // scale of normals
		Extensions map[string]any `json:"extensions,omitempty"`
	}
	texture struct {
		Source  int `json:"source"`
		Sampler int `json:"sampler,omitempty"` // index of a sampler: 0 repeats, 1 does not
	}
	sampler struct {
		WrapS int `json:"wrapS,omitempty"`
		WrapT int `json:"wrapT,omitempty"`
	}
	imageFile struct {
		URI string `json:"uri"`
	}
	accessor struct {
		BufferView    int       `json:"bufferView"`
		ComponentType int       `json:"componentType"`
		Count         int       `json:"count"`
		Type          string    `json:"type"`
		Min           []float64 `json:"min,omitempty"`
		Max           []float64 `json:"max,omitempty"`
	}
	bufferView struct {
		Buffer     int `json:"buffer"`
		ByteOffset int `json:"byteOffset"`
		ByteLength int `json:"byteLength"`
	}
	buffer struct {
		ByteLength int `json:"byteLength"`
	}
)

// writeDocument converts the parsed model to a glTF document and its buffer.
func (p *parser) writeDocument(ctx context.Context) (text, data []byte, err error) {
	d := &gltf{Asset: asset{Version: "2.0"}, Scenes: []scene{{}}}
	meshes := make([]int, len(p.objects))
	for i, o := range p.objects {
		if !o.used {
			continue
		}
		meshes[i] = len(d.Meshes)
		d.Scenes[0].Nodes = append(d.Scenes[0].Nodes, len(d.Nodes))
		d.Nodes = append(d.Nodes, node{Name: o.name, Mesh: len(d.Meshes)})
		d.Meshes = append(d.Meshes, &mesh{Name: o.name})
	}
	for i := range p.parts {
		part := &p.parts[i]
		m := d.Meshes[meshes[part.object]]
		prim := primitive{Mode: part.mode}
		if part.material != none {
			prim.Material = &part.material
		}
		prim.Attributes.Position, err = d.array(ctx, &data, p.v, part.corners, func(c corner) int32 { return c.v }, 3, false)
		if err != nil {
			return nil, nil, err
		}
		if part.normals {
			n, err := d.array(ctx, &data, p.vn, part.corners, func(c corner) int32 { return c.vn }, 3, false)
			if err != nil {
				return nil, nil, err
			}
			prim.Attributes.Normal = &n
		}
		if part.uvs {
			n, err := d.array(ctx, &data, p.vt, part.corners, func(c corner) int32 { return c.vt }, 2, true)
			if err != nil {
				return nil, nil, err
			}
			prim.Attributes.TexCoord = &n
		}
		if p.isColored(part.corners) {
			n, err := d.array(ctx, &data, p.colors, part.corners, func(c corner) int32 { return c.v }, 4, false)
			if err != nil {
				return nil, nil, err
			}
			prim.Attributes.Color = &n
		}
		m.Primitives = append(m.Primitives, prim)
		part.corners = nil // free the corners, which are in the buffer now
	}
	l := &looker{gltf: d, lost: &p.lost, images: map[string]int{}, textures: map[texture]int{}}
	for _, m := range p.materials {
		d.Materials = append(d.Materials, l.writeLook(m))
	}
	if slices.ContainsFunc(d.Textures, func(t texture) bool { return t.Sampler > 0 }) {
		const clampToEdge = 33071
		d.Samplers = []sampler{{}, {clampToEdge, clampToEdge}}
	}
	d.Buffers = []buffer{{len(data)}}
	text, err = json.Marshal(d)
	return text, data, err
}

// pace is the number of corners between two checks of the context.
const pace = 1 << 14

// array writes one attribute of all corners and returns its accessor. flip replaces the second
// component v by 1 - v.
func (d *gltf) array(ctx context.Context, data *[]byte, values []float32, corners []corner, number func(corner) int32, width int, flip bool) (int, error) {
	start := len(*data)
	low, high := make([]float64, width), make([]float64, width)
	for i, c := range corners {
		if i%pace == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		for k := range width {
			x := values[width*int(number(c))+k]
			if flip && k == 1 {
				x = 1 - x
			}
			low[k], high[k] = min(low[k], float64(x)), max(high[k], float64(x))
			if i == 0 {
				low[k], high[k] = float64(x), float64(x)
			}
			*data = binary.LittleEndian.AppendUint32(*data, math.Float32bits(x))
		}
	}
	a := accessor{
		BufferView: len(d.BufferViews), ComponentType: 5126, Count: len(corners),
		Type: map[int]string{2: "VEC2", 3: "VEC3", 4: "VEC4"}[width],
	}
	if width == 3 {
		a.Min, a.Max = low, high
	}
	d.BufferViews = append(d.BufferViews, bufferView{ByteOffset: start, ByteLength: len(*data) - start})
	d.Accessors = append(d.Accessors, a)
	return len(d.Accessors) - 1, nil
}

// escapeURI writes a file name as a relative URI (RFC 3986).
func escapeURI(name string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/!$&'()*+,;=@"
	var b strings.Builder
	for _, c := range []byte(name) {
		if strings.IndexByte(plain, c) >= 0 {
			b.WriteByte(c)
		} else {
			const hex = "0123456789ABCDEF"
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}
