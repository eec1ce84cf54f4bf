package obj

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
)

// The document, as far as it has parts of each kind. Fields are in the order of their
// struct, so equal models give equal text.
type (
	gltf struct {
		Asset       asset        `json:"asset"`
		Scene       int          `json:"scene"`
		Scenes      []scene      `json:"scenes"`
		Nodes       []node       `json:"nodes"`
		Meshes      []*mesh      `json:"meshes"`
		Materials   []gltfLook   `json:"materials,omitempty"`
		Textures    []texture    `json:"textures,omitempty"`
		Images      []image      `json:"images,omitempty"`
		Accessors   []accessor   `json:"accessors"`
		BufferViews []bufferView `json:"bufferViews"`
		Buffers     []buffer     `json:"buffers"`
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
	}
	gltfLook struct {
		Name      string       `json:"name,omitempty"`
		PBR       *pbr         `json:"pbrMetallicRoughness,omitempty"`
		Normal    *textureInfo `json:"normalTexture,omitempty"`
		AlphaMode string       `json:"alphaMode,omitempty"`
	}
	pbr struct {
		Factor   *[4]float64  `json:"baseColorFactor,omitempty"`
		Texture  *textureInfo `json:"baseColorTexture,omitempty"`
		Metallic float64      `json:"metallicFactor"`
	}
	textureInfo struct {
		Index int `json:"index"`
	}
	texture struct {
		Source int `json:"source"`
	}
	image struct {
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

// document writes what has been read.
func (p *parser) document(ctx context.Context) (text, data []byte, err error) {
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
		m.Primitives = append(m.Primitives, prim)
		part.corners = nil // are in the buffer now
	}
	images := map[string]int{}
	for _, m := range p.materials {
		d.Materials = append(d.Materials, d.look(m, images))
	}
	d.Buffers = []buffer{{len(data)}}
	text, err = json.Marshal(d)
	return text, data, err
}

// pace is how many corners are worked on between two looks at the context.
const pace = 1 << 14

// array writes one attribute of all corners and returns its accessor. flip
// turns the second number upside down.
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
		Type: map[int]string{2: "VEC2", 3: "VEC3"}[width],
	}
	if width == 3 {
		a.Min, a.Max = low, high
	}
	d.BufferViews = append(d.BufferViews, bufferView{ByteOffset: start, ByteLength: len(*data) - start})
	d.Accessors = append(d.Accessors, a)
	return len(d.Accessors) - 1, nil
}

// look writes a material. Images are used by as many materials as name them.
func (d *gltf) look(m *material, images map[string]int) gltfLook {
	look := gltfLook{Name: m.name}
	if !m.known {
		return look
	}
	texture := func(file string) *textureInfo {
		if file == "" {
			return nil
		}
		i, ok := images[file]
		if !ok {
			i = len(d.Images)
			images[file] = i
			d.Images = append(d.Images, image{URI: escape(file)})
			d.Textures = append(d.Textures, texture{Source: i})
		}
		return &textureInfo{i}
	}
	look.PBR = &pbr{Texture: texture(m.base)}
	look.Normal = texture(m.normal)
	if m.hasKd || m.opacity < 1 {
		factor := [4]float64{1, 1, 1, float64(m.opacity)}
		if m.hasKd {
			for k, x := range m.color {
				factor[k] = float64(x)
			}
		}
		look.PBR.Factor = &factor
	}
	if m.opacity < 1 || m.blend {
		look.AlphaMode = "BLEND"
	}
	return look
}

// escape writes a file name as a relative URI (RFC 3986).
func escape(name string) string {
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
