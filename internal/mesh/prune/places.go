package prune

import (
	"slices"
	"strings"
)

// A list is one of a document's lists whose elements others name by number.
type list uint8

const (
	scenes list = iota
	nodes
	meshes
	skins
	cameras
	animations
	materials
	textures
	samplers
	images
	accessors
	lists // how many there are
)

var keys = [lists]string{"scenes", "nodes", "meshes", "skins", "cameras", "animations", "materials", "textures", "samplers", "images", "accessors"}

// key returns what a document calls the list.
func (l list) key() string { return keys[l] }

// one returns what an element of the list is called.
func (l list) one() string {
	if l == meshes {
		return "mesh"
	}
	return strings.TrimSuffix(l.key(), "s")
}

// listOf returns the list of a name.
func listOf(key string) (l list, ok bool) {
	i := slices.Index(keys[:], key)
	return list(max(i, 0)), i >= 0
}

// A place is where a value stands in a document, as far as that says what it names. The
// elements of a list are in the same place as the list.
type place struct {
	is what
	of list // of elements, of references, and of levels of detail
}

type what uint8

const (
	opaque    what = iota // names nothing, however deep
	plain                 // names nothing but by its extensions
	document              // the root
	element               // of list of
	reference             // the number of an element of list of
	child                 // that of a node below another one or at the top of a scene
	pointer               // a JSON pointer
	primitive
	attributes // accessors by name
	channel
	target
	animationSampler
	pbr         // members of a material
	textureInfo // names a texture
	imageName   // an extension that names an image
	instancing
	levels // of detail, of elements of list of
	variants
	mapping
	pointing
	features
	feature
	unknown // an extension of which nothing is known
)

// member returns the place of a member of the object here, extensions excepted.
func (p place) member(key string) place {
	switch p.is {
	case element:
		return elementMember(p.of, key)
	case attributes:
		return place{reference, accessors}
	case pbr:
		if strings.HasSuffix(key, "Texture") {
			return place{is: textureInfo}
		}
	case levels:
		if key == "ids" {
			return place{reference, p.of}
		}
	}
	type member struct {
		of  what
		key string
	}
	switch (member{p.is, key}) {
	case member{document, "scene"}:
		return place{reference, scenes}
	case member{document, "asset"}, member{document, "buffers"}, member{document, "bufferViews"}:
		return place{is: plain}
	case member{primitive, "attributes"}, member{primitive, "targets"}, member{instancing, "attributes"}:
		return place{is: attributes}
	case member{primitive, "indices"}, member{animationSampler, "input"}, member{animationSampler, "output"}:
		return place{reference, accessors}
	case member{primitive, "material"}, member{mapping, "material"}:
		return place{reference, materials}
	case member{channel, "target"}:
		return place{is: target}
	case member{target, "node"}:
		return place{reference, nodes}
	case member{textureInfo, "index"}:
		return place{reference, textures}
	case member{imageName, "source"}:
		return place{reference, images}
	case member{variants, "mappings"}:
		return place{is: mapping}
	case member{pointing, "pointer"}:
		return place{is: pointer}
	case member{features, "featureIds"}:
		return place{is: feature}
	case member{feature, "texture"}:
		return place{is: textureInfo}
	}
	return place{}
}

// elementMember returns the place of a member of an element of a list.
func elementMember(l list, key string) place {
	switch l {
	case scenes:
		if key == "nodes" {
			return place{child, nodes}
		}
	case nodes:
		switch key {
		case "children":
			return place{child, nodes}
		case "mesh":
			return place{reference, meshes}
		case "skin":
			return place{reference, skins}
		case "camera":
			return place{reference, cameras}
		}
	case meshes:
		if key == "primitives" {
			return place{is: primitive}
		}
	case skins:
		switch key {
		case "inverseBindMatrices":
			return place{reference, accessors}
		case "skeleton", "joints":
			return place{reference, nodes}
		}
	case cameras:
		if key == "perspective" || key == "orthographic" {
			return place{is: plain}
		}
	case animations:
		switch key {
		case "channels":
			return place{is: channel}
		case "samplers":
			return place{is: animationSampler}
		}
	case materials:
		if key == "pbrMetallicRoughness" {
			return place{is: pbr}
		}
		return place{is: pbr}.member(key)
	case textures:
		switch key {
		case "sampler":
			return place{reference, samplers}
		case "source":
			return place{reference, images}
		}
	case accessors:
		if key == "sparse" {
			return place{is: plain}
		}
	}
	return place{}
}

// closed are extensions that name nothing outside themselves, wherever they stand.
var closed = []string{
	"EXT_meshopt_compression", "KHR_lights_punctual", "KHR_materials_unlit", "KHR_mesh_quantization", "KHR_meshopt_compression",
	"KHR_node_hoverability", "KHR_node_selectability", "KHR_node_visibility", "KHR_texture_transform", "KHR_xmp", "KHR_xmp_json_ld",
}

// extension returns the place of an extension of the object here.
func (p place) extension(name string) place {
	switch {
	case slices.Contains(closed, name):
		return place{}
	case p.is == document && name == "KHR_materials_variants":
		return place{}
	case p.is == primitive && name == "KHR_materials_variants":
		return place{is: variants}
	case p.is == primitive && name == "EXT_mesh_features":
		return place{is: features}
	case p == place{element, nodes} && name == "EXT_mesh_gpu_instancing":
		return place{is: instancing}
	case p.is == element && name == "MSFT_lod":
		return place{levels, p.of}
	case p == place{element, materials} && (strings.HasPrefix(name, "KHR_materials_") || strings.HasPrefix(name, "MSFT_packing_")):
		return place{is: pbr}
	case p == place{element, textures} && isImageName(name):
		return place{is: imageName}
	case p.is == target && name == "KHR_animation_pointer":
		return place{is: pointing}
	}
	return place{is: unknown}
}

func isImageName(extension string) bool {
	switch extension {
	case "EXT_texture_avif", "EXT_texture_webp", "KHR_texture_basisu", "MSFT_texture_dds":
		return true
	}
	return false
}
