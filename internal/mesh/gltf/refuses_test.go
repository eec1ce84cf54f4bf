package gltf

import (
	"strings"
	"testing"
)

// parseAndCheck parses and checks a document without buffers. rest holds all members except the
// asset.
func parseAndCheck(t *testing.T, rest string) (*Document, error) {
	t.Helper()
	doc, err := Parse([]byte(`{"asset":{"version":"2.0"},` + rest + `}`))
	if err != nil {
		return nil, err
	}
	return doc, doc.Check(t.Context(), NoChunk, nil)
}

// zeros returns the JSON text of accessors without a view. Each width is a number of components; 16
// means MAT4.
func zeros(count string, widths ...int) string {
	var list []string
	for _, w := range widths {
		kind := map[int]string{1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}[w]
		list = append(list, `{"componentType":5126,"count":`+count+`,"type":"`+kind+`"}`)
	}
	return `"accessors":[` + strings.Join(list, ",") + `]`
}

// TestShapesRefuse expects errors for documents that do not match the shapes of glTF's objects.
func TestShapesRefuse(t *testing.T) {
	for _, tc := range []struct{ rest, want string }{
		{`"cameras":[{}]`, "1:39: cameras: the camera has no type"},
		{`"cameras":[{"type":"x"}]`, "camera 0: want exactly one of perspective and orthographic"},
		{`"cameras":[{"type":"perspective","perspective":{"yfov":0.5,"znear":1e999}}]`, "znear: 1e999 is out of range"},
		{`"cameras":[{"type":"perspective","perspective":{"yfov":0.5,"znear":0}}]`, "znear: 0 is out of range"},
		{`"cameras":[{"type":"perspective","perspective":{"yfov":0.5,"znear":1,"zfar":1}}]`, "camera 0: zfar is 1, not above znear, 1"},
		{`"cameras":[{"type":"orthographic","orthographic":{"xmag":0,"ymag":1,"znear":0,"zfar":1}}]`, "xmag and ymag must not be 0"},
		{`"nodes":[{"translation":[1,2]}]`, "nodes.translation: there are 2 numbers, want 3"},
		{`"nodes":[{"translation":[1,2,null]}]`, "nodes.translation: want a number, have null"},
		{`"nodes":[{"name":7}]`, "nodes.name: want a string, have number"},
		{`"nodes":[{"mesh":0.5}]`, "nodes.mesh: want a whole number, have number 0.5"},
		{`"materials":[{"doubleSided":1}]`, "materials.doubleSided: want true or false, have number"},
		{`"materials":[{"pbrMetallicRoughness":{"metallicFactor":1.5}}]`, "metallicFactor: 1.5 is out of range"},
		{`"materials":[{"alphaCutoff":-1}]`, "alphaCutoff: -1 is out of range"},
		{`"animations":[{"channels":[],"samplers":[{}]}]`, "animations.channels: is empty"},
		{`"animations":[{"samplers":[{}]}]`, "the animation has no channels"},
		{`"meshes":[{"primitives":[{"attributes":{}}]}]`, "attributes: is empty"},
		{`"meshes":[{"primitives":[{}]}]`, "the primitive has no attributes"},
		{`"extensions":[]`, "extensions: want an object, have list"},
		{`"extensions":{"X":7}`, "extension X: want an object, have number"},
		{`"extensionsUsed":["KHR_materials_unlit"],"nodes":[{"extensions":{"KHR_materials_unlit":{}}}]`, "extension KHR_materials_unlit is not allowed in a node"},
		{`"extensionsUsed":["KHR_mesh_quantization"],"extensions":{"KHR_mesh_quantization":{}}`, "is not allowed in a document"},
		{`"materials":[{"extensions":{"KHR_materials_ior":{"ior":0.5}}}]`, "ior: 0.5 is out of range"},
		{`"materials":[{"extensions":{"KHR_materials_clearcoat":{"clearcoatTexture":{"index":"0"}}}}]`, "index: want a whole number, have string"},
		{`"textures":[{"extensions":{"EXT_texture_webp":{"source":3}}}],"images":[{"uri":"a"}]`, "the index 3 is out of range: the number of images is 1"},
		{`"nodes":[{"extensions":{"KHR_lights_punctual":{"light":0}}}]`, "the index 0 is out of range: the number of lights is 0"},
		{`"extensions":{"KHR_lights_punctual":{"lights":[]}}`, "lights: is empty"},
		{`"extensions":{"KHR_lights_punctual":{"lights":[{"type":"spot"}]}}`, "light 0: a spot light needs a spot object"},
		{`"extensions":{"KHR_lights_punctual":{"lights":[{"type":"spot","spot":{"innerConeAngle":0.8}}]}}`, "light 0: outerConeAngle is 0.785"},
		{`"extensions":{"KHR_materials_variants":{"variants":[{}]}}`, "the variant has no name"},
	} {
		_, err := parseAndCheck(t, tc.rest)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.rest, err, tc.want)
		}
	}
}

// TestCheckRefuses expects errors for documents whose parts contradict each other.
func TestCheckRefuses(t *testing.T) {
	primitive := func(members string) string { return `"meshes":[{"primitives":[{` + members + `}]}],` }
	animation := func(channel, sampler string) string {
		return `"animations":[{"channels":[` + channel + `],"samplers":[` + sampler + `]}],`
	}
	turn := `{"sampler":0,"target":{"node":0,"path":"rotation"}}`
	for _, tc := range []struct{ rest, want string }{
		{primitive(`"attributes":{"POSITION":0,"NORMAL":1}`) + zeros("3", 3, 2), `"NORMAL": the type is VEC2, want VEC3`},
		{primitive(`"attributes":{"POSITION":0,"COLOUR":0}`) + zeros("3", 3), `"COLOUR": glTF has no such attribute`},
		{primitive(`"attributes":{"POSITION":0,"TEXCOORD_01":1}`) + zeros("3", 3, 2), `"TEXCOORD_01": glTF has no such attribute`},
		{primitive(`"attributes":{"POSITION":0,"TEXCOORD_1":1}`) + zeros("3", 3, 2), `"TEXCOORD_1": the primitive has only 1 such attributes`},
		{primitive(`"attributes":{"POSITION":0,"JOINTS_0":1}`) + `"accessors":[{"componentType":5126,"count":3,"type":"VEC3"},{"componentType":5121,"count":3,"type":"VEC4"}]`,
			"1 sets of joints and 0 of weights"},
		{primitive(`"attributes":{"POSITION":0}`) + `"accessors":[{"componentType":5123,"count":3,"type":"VEC3"}]`,
			`"POSITION": the type is VEC3 of componentType 5123, which this attribute must not have`},
		{primitive(`"attributes":{"POSITION":0,"_OWN":1}`) + `"accessors":[{"componentType":5126,"count":3,"type":"VEC3"},{"componentType":5125,"count":3,"type":"SCALAR"}]`,
			`"_OWN": attributes must not have componentType 5125`},
		{primitive(`"attributes":{"POSITION":0},"targets":[{"NORMAL":1}]`) + zeros("3", 3, 3), "the attribute is in a morph target, but not in the primitive"},
		{primitive(`"attributes":{"POSITION":0},"targets":[{"POSITION":1}]`) +
			`"accessors":[{"componentType":5126,"count":3,"type":"VEC3"},{"componentType":5126,"count":2,"type":"VEC3"}]`, "2 elements in a morph target, but 3 in the primitive"},
		{`"meshes":[{"primitives":[{"attributes":{"POSITION":0}},{"attributes":{"POSITION":0},"targets":[{"POSITION":0}]}]}],` + zeros("3", 3), "1 morph targets, but primitive 0 has 0"},
		{`"meshes":[{"weights":[1,2],"primitives":[{"attributes":{"POSITION":0},"targets":[{"POSITION":0}]}]}],` + zeros("3", 3), "2 weights for 1 morph targets"},
		{primitive(`"attributes":{"POSITION":0},"indices":0`) + zeros("3", 3), "indices: are VEC3 of componentType 5126"},
		{`"accessors":[{"componentType":5126,"count":1,"type":"SCALAR","normalized":true}]`, "numbers of componentType 5126 cannot be normalized"},
		{`"accessors":[{"componentType":5126,"count":1,"type":"VEC2","min":[0]}]`, "min and max have 1 numbers, which do not fit type VEC2"},
		{`"extensions":{"KHR_materials_variants":{"variants":[{"name":"a"}]}},"materials":[{}],` + primitive(`"attributes":{"POSITION":0},
			"extensions":{"KHR_materials_variants":{"mappings":[{"material":0,"variants":[0]},{"material":0,"variants":[0]}]}}`) + zeros("3", 3), "variant 0 has two materials"},

		{`"nodes":[{"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],"scale":[1,1,1]}]`, "both a matrix and a translation, rotation or scale"},
		{`"nodes":[{"matrix":[1,0,0,0,0.5,1,0,0,0,0,1,0,0,0,0,1]}]`, "the matrix has a shear"},
		{`"nodes":[{"matrix":[1,0,0,0,0,0,0,0,0,0,1,0,0,0,0,1]}]`, "the matrix has a shear"},
		{`"nodes":[{"rotation":[0,0,0,0]}]`, "the rotation has length 0"},
		{`"nodes":[{"skin":0},{}],"skins":[{"joints":[1]}]`, "node 0 has a skin but no mesh"},
		{`"nodes":[{"weights":[1]}]`, "node 0 has weights but no mesh"},
		{`"nodes":[{"mesh":0,"weights":[1]}],` + primitive(`"attributes":{"POSITION":0}`) + zeros("3", 3), "node 0 has 1 weights for 0 morph targets"},
		{`"nodes":[{"mesh":0,"skin":0}],"skins":[{"joints":[0]}],` + primitive(`"attributes":{"POSITION":0}`) + zeros("3", 3), "has a skin, but mesh 0 has no joints"},
		{`"scenes":[{"nodes":[0,0]}],"nodes":[{}]`, "scene 0 lists node 0 twice"},

		{`"nodes":[{},{}],"skins":[{"joints":[0,1]}]`, "skin 0: joints 0 and 1 have no common root"},
		{`"nodes":[{},{}],"skins":[{"joints":[0,0]}]`, "skin 0 lists joint 0 twice"},
		{`"nodes":[{"children":[1,2]},{},{}],"skins":[{"joints":[1,2],"skeleton":1}]`, "skeleton is node 1, which is not a common root"},
		{`"nodes":[{}],"skins":[{"joints":[0],"inverseBindMatrices":0}],` + zeros("1", 4), "inverseBindMatrices are VEC4"},
		{`"scenes":[{"nodes":[0]},{"nodes":[0,1]}],"nodes":[{"mesh":0,"skin":0},{}],"skins":[{"joints":[1]}],` +
			primitive(`"attributes":{"POSITION":0,"JOINTS_0":1,"WEIGHTS_0":2}`) +
			`"accessors":[{"componentType":5126,"count":3,"type":"VEC3"},{"componentType":5121,"count":3,"type":"VEC4"},{"componentType":5126,"count":3,"type":"VEC4"}]`,
			"node 0 is in scene 0, but the joints of its skin 0 are not"},

		{`"nodes":[{"matrix":[2,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}],` + animation(turn, `{"input":0,"output":1}`) + zeros("2", 1, 4), "animates node 0, which has a matrix"},
		{`"nodes":[{}],` + animation(turn+","+turn, `{"input":0,"output":1}`) + zeros("2", 1, 4), "channel 1: channel 0 animates the same property"},
		{`"nodes":[{}],` + animation(`{"sampler":0,"target":{"node":0,"path":"weights"}}`, `{"input":0,"output":1}`) + zeros("2", 1, 1), "whose mesh has no morph targets"},
		{`"nodes":[{}],` + animation(turn, `{"input":1,"output":1}`) + zeros("2", 1, 4), "input: is VEC4"},
		{`"nodes":[{}],` + animation(turn, `{"input":0,"output":1}`) + zeros("2", 1, 3), "output is VEC3 of componentType 5126, which rotation must not be"},
		{`"nodes":[{}],` + animation(turn, `{"input":0,"output":1,"interpolation":"CUBICSPLINE"}`) + zeros("2", 1, 4), "2 elements of output for 2 keyframes, want 6"},
		{`"nodes":[{}],` + animation(turn, `{"input":0,"output":1,"interpolation":"CUBICSPLINE"}`) + zeros("1", 1, 4), "a spline has one keyframe"},
		{`"nodes":[{}],` + animation(`{"sampler":0,"target":{"node":0,"path":"pointer","extensions":{"KHR_animation_pointer":{"pointer":"/nodes/0/scale"}}}}`,
			`{"input":0,"output":1}`) + zeros("2", 1, 4), "has both KHR_animation_pointer and a node"},
		{animation(`{"sampler":0,"target":{"path":"scale","extensions":{"KHR_animation_pointer":{"pointer":"/a"}}}}`, `{"input":0,"output":1}`) + zeros("2", 1, 4), `the path "scale", want "pointer"`},
		{animation(`{"sampler":0,"target":{"path":"pointer","extensions":{"KHR_animation_pointer":{"pointer":"a~2"}}}}`, `{"input":0,"output":1}`) + zeros("2", 1, 4), `"a~2" is not a JSON pointer`},
		{`"nodes":[{}],` + primitive(`"attributes":{"POSITION":1}`) + animation(`{"sampler":0,"target":{"node":0,"path":"scale"}}`, `{"input":0,"output":1}`) + zeros("2", 1, 3),
			"accessor 1 is used as an attribute and as an animation's output"},

		{`"images":[{}]`, "image 0 has neither uri nor bufferView"},
		{`"images":[{"uri":":"}]`, "is not a relative URI"},
		{`"images":[{"uri":"data:image/png;;base64,AA=="}]`, `image 0: the data URI has the parameter "", want name=value`},
		{`"images":[{"uri":"data:image/png;base64;x,AA=="}]`, `image 0: the data URI has the parameter "base64", want name=value`},
	} {
		_, err := parseAndCheck(t, tc.rest)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.rest, err, tc.want)
		}
	}
	for text, want := range map[string]string{
		`{"asset":{"version":"2.0","minVersion":"2.1"}}`: `asset.minVersion is "2.1", above the version "2.0"`,
		`{"asset":{"version":"1.0"},"nodes":{"a":{}}}`:   "the document is glTF 1.0; export the model as glTF 2.0",
		`{"asset":{"version":1},"nodes":{"a":{}}}`:       "the document is glTF 1.0; export the model as glTF 2.0",
	} {
		doc, err := Parse([]byte(text))
		if err == nil {
			err = doc.Check(t.Context(), NoChunk, nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestMends expects repairable faults to be repaired and reported.
func TestMends(t *testing.T) {
	for _, tc := range []struct{ rest, text, want string }{
		{`"nodes":[{"children":[],"name":"a"}]`, `"nodes":[{"name":"a"}]`, "1:38: a list is empty"},
		{`"nodes":[{"name":"a","children":[ ]}]`, `"nodes":[{"name":"a"}]`, "1:49: a list is empty"},
		{`"nodes":[{"children":[]}],"meshes":[],"skins":[]`, `"nodes":[{}]`, "1:38: a list is empty (3 times)"},
		{`"scene":0.0,"scenes":[{"nodes":[0e0]}],"nodes":[{"translation":[1.5,2.0,0]}]`,
			`"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"translation":[1.5,2.0,0]}]`, ""},
		{`"nodes":[{"mesh":1e1}],"meshes":[]`, `"nodes":[{"mesh":10}]`, "1:51: a list is empty"},
		{`"nodes":[{"extensions":{"X":{}}},{"extensions":{"X":{}}}]`, "", "1:52: an extension is missing in extensionsUsed"},
		{`"accessors":[{"byteOffset":0,"componentType":5126,"count":1,"type":"SCALAR"}]`, "", "1:42: a byteOffset has no bufferView"},
		{`"extensionsUsed":["X","X"]`, "", "an extension is listed twice"},
		{`"extensionsRequired":["X"]`, "", "extensionsRequired lists an extension that extensionsUsed does not list"},
		{`"extensionsUsed":["KHR_mesh_quantization"]`, "", "extensionsRequired lists an extension that extensionsUsed does not list"},
	} {
		doc, err := Parse([]byte(`{"asset":{"version":"2.0"},` + tc.rest + `}`))
		if err != nil {
			t.Errorf("%s: %v", tc.rest, err)
			continue
		}
		if want := `{"asset":{"version":"2.0"},` + tc.text + `}`; tc.text != "" && string(doc.Text) != want {
			t.Errorf("%s: text %s, want %s", tc.rest, doc.Text, want)
		}
		have := ""
		if len(doc.Mended) > 0 {
			have = doc.Mended[0].String()
		}
		if (have == "") != (tc.want == "") || !strings.Contains(have, tc.want) || len(doc.Mended) > 1 {
			t.Errorf("%s: mended %v, want %q", tc.rest, doc.Mended, tc.want)
		}
	}
}
