package gltf

import (
	"math"
	"sync"
)

// A shape describes the members of one kind of object. Other members may have any value.
type shape struct {
	name    string // name in error messages
	members map[string]*value
	needs   []string // names of the required members
	// extensions holds the extensions allowed in this object, by name.
	extensions map[string]*shape
	// unchecked holds extensions that only References examines.
	unchecked map[string]*shape
	// textured is set if every member whose name ends in "Texture" refers to a texture.
	textured bool
}

// A kind is a kind of JSON value.
type kind uint8

const (
	aNumber kind = iota
	aWhole       // integer
	aText
	aFlag
	aList
	anObject
	aTable // object with arbitrary keys
)

// A value describes the value of a member.
type value struct {
	kind  kind
	of    *value // shape of the elements of a list or table
	shape *shape // shape of an object
	// least and most are the limits of numbers. If above is set, the number must exceed least. If
	// orZero is set, 0 is also allowed.
	least, most   float64
	above, orZero bool
	length        int    // required length of a list; 0 means any length above 0
	names         string // list that an integer index selects from
	ranged        bool   // set if only the walker checks the index
	tree          bool   // set for a reference from a parent node or a scene to a node
	pointer       bool   // set for a JSON pointer into the document
}

const (
	huge     = math.MaxFloat64
	maxIndex = math.MaxInt32
	maxSize  = 1 << 53 // float64 represents all integers up to this number
)

// requireMembers sets the required members.
func (s *shape) requireMembers(members ...string) *shape {
	s.needs = members
	return s
}

// shapes holds the shapes of the objects of glTF 2.0 (specification, chapter 5) and of its ratified
// extensions.
type shapes struct {
	document *shape
	material *shape
	surface  *shape          // shape of unknown extensions of materials, for References
	known    map[string]bool // extensions that have shapes
}

// allShapes returns the shapes. It creates them on first use, because most runs never need them.
var allShapes = sync.OnceValue(func() *shapes {
	type m = map[string]*value
	num := func(least, most float64) *value { return &value{kind: aNumber, least: least, most: most} }
	free, share, least0 := num(-huge, huge), num(0, 1), num(0, huge)
	positive := &value{kind: aNumber, above: true, most: huge}
	indexOf := func(list string) *value { return &value{kind: aWhole, most: maxIndex, names: list} }
	rangedIn := func(list string) *value { return &value{kind: aWhole, most: maxIndex, names: list, ranged: true} }
	child := &value{kind: aWhole, most: maxIndex, names: "nodes", tree: true}
	index, accessor := indexOf(""), indexOf("accessors")
	size := &value{kind: aWhole, least: -maxSize, most: maxSize}
	code := &value{kind: aWhole, least: -maxIndex, most: maxIndex}
	str, yes := &value{kind: aText}, &value{kind: aFlag}
	vector := func(n int, of *value) *value { return &value{kind: aList, of: of, length: n} }
	listOf := func(of *value) *value { return vector(0, of) }
	tableOf := func(of *value) *value { return &value{kind: aTable, of: of} }
	one := func(s *shape) *value { return &value{kind: anObject, shape: s} }
	many := func(s *shape) *value { return listOf(one(s)) }
	place := func(name string, members m) *shape {
		if members == nil {
			members = m{}
		}
		members["name"] = str
		return &shape{name: name, members: members, extensions: map[string]*shape{}, unchecked: map[string]*shape{}}
	}

	tex := place("texture", m{"index": indexOf("textures"), "texCoord": index, "scale": free, "strength": share})
	pbr := place("pbrMetallicRoughness", m{
		"baseColorFactor": vector(4, share), "baseColorTexture": one(tex),
		"metallicFactor": share, "roughnessFactor": share, "metallicRoughnessTexture": one(tex),
	})
	material := place("material", m{
		"pbrMetallicRoughness": one(pbr), "normalTexture": one(tex), "occlusionTexture": one(tex),
		"emissiveTexture": one(tex), "emissiveFactor": vector(3, share),
		"alphaMode": str, "alphaCutoff": least0, "doubleSided": yes,
	})
	node := place("node", m{
		"camera": indexOf("cameras"), "mesh": indexOf("meshes"), "skin": indexOf("skins"), "children": listOf(child), "weights": listOf(free),
		"matrix": vector(16, free), "translation": vector(3, free), "scale": vector(3, free), "rotation": vector(4, free),
	})
	primitive := place("primitive", m{
		"attributes": tableOf(accessor), "targets": listOf(tableOf(accessor)), "indices": accessor, "material": indexOf("materials"), "mode": code,
	}).requireMembers("attributes")
	sparse := place("sparse", m{
		"count":   size,
		"indices": one(place("indices", m{"bufferView": index, "byteOffset": size, "componentType": code})),
		"values":  one(place("values", m{"bufferView": index, "byteOffset": size})),
	}).requireMembers("indices", "values")
	target := place("target", m{"node": indexOf("nodes"), "path": str}).requireMembers("path")
	texture := place("texture", m{"sampler": indexOf("samplers"), "source": indexOf("images")})
	view := place("bufferView", m{"buffer": index, "byteOffset": size, "byteLength": size, "byteStride": size, "target": code})
	buffer := place("buffer", m{"uri": str, "byteLength": size})
	root := place("document", m{
		"asset":          one(place("asset", m{"version": str, "minVersion": str, "generator": str, "copyright": str})),
		"extensionsUsed": listOf(str), "extensionsRequired": listOf(str), "scene": indexOf("scenes"),
		"scenes": many(place("scene", m{"nodes": listOf(child)})), "nodes": many(node),
		"meshes":    many(place("mesh", m{"primitives": many(primitive), "weights": listOf(free)}).requireMembers("primitives")),
		"materials": many(material), "textures": many(texture),
		"images":   many(place("image", m{"uri": str, "mimeType": str, "bufferView": index})),
		"samplers": many(place("sampler", m{"magFilter": code, "minFilter": code, "wrapS": code, "wrapT": code})),
		"cameras": many(place("camera", m{
			"type":        str,
			"perspective": one(place("perspective", m{"aspectRatio": positive, "yfov": positive, "zfar": positive, "znear": positive}).requireMembers("yfov", "znear")),
			"orthographic": one(place("orthographic", m{"xmag": free, "ymag": free, "zfar": positive, "znear": least0}).
				requireMembers("xmag", "ymag", "zfar", "znear")),
		}).requireMembers("type")),
		"skins": many(place("skin", m{"inverseBindMatrices": accessor, "skeleton": indexOf("nodes"), "joints": listOf(indexOf("nodes"))}).requireMembers("joints")),
		"animations": many(place("animation", m{
			"channels": many(place("channel", m{"sampler": index, "target": one(target)}).requireMembers("target")),
			"samplers": many(place("sampler", m{"input": accessor, "output": accessor, "interpolation": str})),
		}).requireMembers("channels", "samplers")),
		"accessors": many(place("accessor", m{
			"bufferView": index, "byteOffset": size, "componentType": code, "normalized": yes, "count": size, "type": str,
			"min": listOf(free), "max": listOf(free), "sparse": one(sparse),
		})),
		"bufferViews": many(view), "buffers": many(buffer),
	})

	s := &shapes{document: root, material: material, surface: place("", nil), known: map[string]bool{}}
	// where is nil for an extension that has no object and only occurs in extensionsUsed.
	add := func(where *shape, name string, ext *shape) {
		s.known[name], ext.name = true, name
		if where != nil {
			where.extensions[name] = ext
		}
	}
	add(nil, "KHR_mesh_quantization", place("", nil))
	for _, name := range []string{"EXT_texture_avif", "EXT_texture_webp", "KHR_texture_basisu", "MSFT_texture_dds"} {
		add(texture, name, place("", m{"source": rangedIn("images")}))
	}
	for _, name := range []string{MeshoptEXT, MeshoptKHR} {
		add(view, name, place("", m{
			"buffer": index, "byteOffset": size, "byteLength": size, "byteStride": size, "count": size, "mode": str, "filter": str,
		}).requireMembers("buffer", "byteLength", "byteStride", "count", "mode"))
		add(buffer, name, place("", m{"fallback": yes}))
	}
	add(tex, "KHR_texture_transform", place("", m{"offset": vector(2, free), "rotation": free, "scale": vector(2, free), "texCoord": index}))
	add(target, "KHR_animation_pointer", place("", m{"pointer": {kind: aText, pointer: true}}).requireMembers("pointer"))
	add(node, "KHR_node_visibility", place("", m{"visible": yes}))
	angle := num(0, math.Pi/2)
	add(root, "KHR_lights_punctual", place("", m{"lights": many(place("light", m{
		"type": str, "color": vector(3, share), "intensity": least0, "range": positive,
		"spot": one(place("spot", m{"innerConeAngle": angle, "outerConeAngle": angle})),
	}).requireMembers("type"))}).requireMembers("lights"))
	add(node, "KHR_lights_punctual", place("", m{"light": rangedIn("lights")}).requireMembers("light"))
	add(root, "KHR_materials_variants", place("", m{"variants": many(place("variant", nil).requireMembers("name"))}).requireMembers("variants"))
	add(primitive, "KHR_materials_variants", place("", m{"mappings": many(place("mapping", m{
		"material": rangedIn("materials"), "variants": listOf(rangedIn("variants")),
	}).requireMembers("material", "variants"))}).requireMembers("mappings"))
	for name, members := range map[string]m{
		"anisotropy": {"anisotropyStrength": share, "anisotropyRotation": free, "anisotropyTexture": one(tex)},
		"clearcoat": {
			"clearcoatFactor": share, "clearcoatTexture": one(tex), "clearcoatRoughnessFactor": share,
			"clearcoatRoughnessTexture": one(tex), "clearcoatNormalTexture": one(tex),
		},
		"dispersion":        {"dispersion": least0},
		"emissive_strength": {"emissiveStrength": least0},
		"ior":               {"ior": {kind: aNumber, least: 1, most: huge, orZero: true}},
		"iridescence": {
			"iridescenceFactor": share, "iridescenceTexture": one(tex), "iridescenceIor": num(1, huge),
			"iridescenceThicknessMinimum": least0, "iridescenceThicknessMaximum": least0, "iridescenceThicknessTexture": one(tex),
		},
		"pbrSpecularGlossiness": {
			"diffuseFactor": vector(4, share), "diffuseTexture": one(tex), "specularFactor": vector(3, share),
			"glossinessFactor": share, "specularGlossinessTexture": one(tex),
		},
		"sheen": {
			"sheenColorFactor": vector(3, share), "sheenColorTexture": one(tex), "sheenRoughnessFactor": share, "sheenRoughnessTexture": one(tex),
		},
		"specular":     {"specularFactor": share, "specularTexture": one(tex), "specularColorFactor": vector(3, least0), "specularColorTexture": one(tex)},
		"transmission": {"transmissionFactor": share, "transmissionTexture": one(tex)},
		"unlit":        {},
		"volume":       {"thicknessFactor": least0, "thicknessTexture": one(tex), "attenuationDistance": positive, "attenuationColor": vector(3, share)},
	} {
		add(material, "KHR_materials_"+name, place("", members))
		material.extensions["KHR_materials_"+name].textured = true
	}
	material.textured, pbr.textured, s.surface.textured = true, true, true
	primitive.unchecked["EXT_mesh_features"] = place("", m{"featureIds": many(place("", m{"texture": one(tex)}))})
	node.unchecked["EXT_mesh_gpu_instancing"] = place("", m{"attributes": tableOf(accessor)})
	for _, list := range listKeys {
		root.members[list].of.shape.unchecked["MSFT_lod"] = place("", m{"ids": listOf(indexOf(list))})
	}
	return s
})
