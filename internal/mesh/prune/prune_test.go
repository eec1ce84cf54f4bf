package prune

import (
	"context"
	"encoding/json"
	"path"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// pruned returns a document without its unused elements.
func pruned(t *testing.T, text string, o Options) (string, Result) {
	t.Helper()
	root, err := gltf.ParseObject(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Document(t.Context(), &root, o)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return string(root.Text()), r
}

func named(pattern string) func(string) bool {
	return func(name string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	}
}

func TestDocument(t *testing.T) {
	for _, tc := range []struct {
		what       string
		o          Options
		have, want string
		gone       string
	}{
		{
			"all kinds of lists", Options{},
			`{"asset":{"version":"2.0"},"scene":1,"scenes":[{"name":"unlisted"},{"nodes":[1,3]}],
			"nodes":[{"mesh":0},{"mesh":1,"skin":1,"camera":1},{"name":"out"},{"children":[4]},{"name":"joint"}],
			"cameras":[{"name":"a"},{"name":"b"}],
			"meshes":[{"primitives":[{"attributes":{"POSITION":0},"material":0}]},
				{"primitives":[{"attributes":{"POSITION":2,"NORMAL":3},"indices":4,"targets":[{"POSITION":5}],"material":2}]}],
			"skins":[{"joints":[2]},{"joints":[4],"skeleton":3,"inverseBindMatrices":6}],
			"materials":[{"name":"a"},{"name":"b"},{"pbrMetallicRoughness":{"baseColorTexture":{"index":1}},"normalTexture":{"index":3,"scale":2}}],
			"textures":[{"source":0},{"source":1,"sampler":1},{"source":2},{"sampler":0,"extensions":{"KHR_texture_basisu":{"source":3}}}],
			"samplers":[{"name":"a"},{"name":"b"}],
			"images":[{"uri":"a"},{"uri":"b"},{"uri":"c"},{"uri":"d"}],
			"accessors":[{"name":"0"},{"name":"1"},{"name":"2"},{"name":"3"},{"name":"4"},{"name":"5"},{"name":"6"}]}`,
			`{"asset":{"version":"2.0"},"scene":1,"scenes":[{"name":"unlisted"},{"nodes":[0,1]}],
			"nodes":[{"mesh":0,"skin":0,"camera":0},{"children":[2]},{"name":"joint"}],
			"cameras":[{"name":"b"}],
			"meshes":[{"primitives":[{"attributes":{"POSITION":0,"NORMAL":1},"indices":2,"targets":[{"POSITION":3}],"material":0}]}],
			"skins":[{"joints":[2],"skeleton":1,"inverseBindMatrices":4}],
			"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}},"normalTexture":{"index":1,"scale":2}}],
			"textures":[{"source":0,"sampler":1},{"sampler":0,"extensions":{"KHR_texture_basisu":{"source":1}}}],
			"samplers":[{"name":"a"},{"name":"b"}],
			"images":[{"uri":"b"},{"uri":"d"}],
			"accessors":[{"name":"2"},{"name":"3"},{"name":"4"},{"name":"5"},{"name":"6"}]}`,
			"2 nodes, 1 mesh, 1 skin, 1 camera, 2 materials, 2 textures, 2 images, 2 accessors",
		},
		{
			"a tree stays whole around a joint that only a skin names, with what else hangs there", Options{},
			`{"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"skin":0},{"name":"out"},{"name":"top","children":[3,4]},{"name":"joint"},{"mesh":1}],
			"meshes":[{"name":"a"},{"name":"b"}],"skins":[{"joints":[3]}]}`,
			`{"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"skin":0},{"name":"top","children":[2,3]},{"name":"joint"},{"mesh":1}],
			"meshes":[{"name":"a"},{"name":"b"}],"skins":[{"joints":[2]}]}`,
			"1 node",
		},
		{
			"animations lead to nodes, those that move nothing go, and so do samplers without a channel", Options{},
			`{"scenes":[{"nodes":[2]}],"nodes":[{},{"name":"moved"},{}],"animations":[
				{"name":"idle","channels":[{"sampler":0,"target":{"path":"rotation"}}],"samplers":[{"input":0,"output":1}]},
				{"channels":[{"sampler":1,"target":{"node":1,"path":"rotation"}}],"samplers":[{"input":0,"output":1},{"input":2,"output":3}]}],
			"accessors":[{"name":"0"},{"name":"1"},{"name":"2"},{"name":"3"}]}`,
			`{"scenes":[{"nodes":[1]}],"nodes":[{"name":"moved"},{}],"animations":[
				{"channels":[{"sampler":0,"target":{"node":0,"path":"rotation"}}],"samplers":[{"input":0,"output":1}]}],
			"accessors":[{"name":"2"},{"name":"3"}]}`,
			"1 node, 1 animation, 2 accessors, 1 animation sampler",
		},
		{
			"names to keep", Options{Keep: named("Socket_*")},
			`{"scenes":[{"nodes":[2]}],"nodes":[{"name":"out"},{"name":"Socket_hand","mesh":1},{}],"meshes":[{"name":"a"},{"name":"b"},{"name":"Socket_mesh"}],
			"materials":[{"name":"Socket_material","emissiveTexture":{"index":1}}],"textures":[{"source":0},{"source":1}],"images":[{"uri":"a"},{"uri":"b"}]}`,
			`{"scenes":[{"nodes":[1]}],"nodes":[{"name":"Socket_hand","mesh":0},{}],"meshes":[{"name":"b"},{"name":"Socket_mesh"}],
			"materials":[{"name":"Socket_material","emissiveTexture":{"index":0}}],"textures":[{"source":0}],"images":[{"uri":"b"}]}`,
			"1 node, 1 mesh, 1 texture, 1 image",
		},
		{
			"empty nodes stay unless they are to go", Options{},
			`{"scenes":[{"nodes":[0]}],"nodes":[{"children":[1]},{"name":"place"}]}`,
			`{"scenes":[{"nodes":[0]}],"nodes":[{"children":[1]},{"name":"place"}]}`,
			"",
		},
		{
			"empty nodes go, one after the other, but for those that carry or mean something", Options{Empty: true, Keep: named("Socket_*")},
			`{"scenes":[{"nodes":[0,2,3]}],"nodes":[{"children":[1]},{"children":[4],"translation":[1,2,3]},{"name":"alone","scale":[1,1,1]},
				{"name":"top","children":[5,6,7,8,9,10]},{},{"extras":{"hp":3}},{"extensions":{"KHR_lights_punctual":{"light":0}}},{"mesh":0},{"name":"Socket_hand"},
				{"name":"joint"},{"name":"moved"}],"meshes":[{"name":"a"}],"skins":[{"joints":[9],"name":"Socket_skin"}],
			"animations":[{"channels":[{"sampler":0,"target":{"node":10,"path":"scale"}}],"samplers":[{"input":0,"output":1}]}],"accessors":[{},{}],
			"extensionsUsed":["KHR_lights_punctual"],"extensions":{"KHR_lights_punctual":{"lights":[{"type":"point"}]}}}`,
			`{"scenes":[{"nodes":[0]}],"nodes":[
				{"name":"top","children":[1,2,3,4,5,6]},{"extras":{"hp":3}},{"extensions":{"KHR_lights_punctual":{"light":0}}},{"mesh":0},{"name":"Socket_hand"},
				{"name":"joint"},{"name":"moved"}],"meshes":[{"name":"a"}],"skins":[{"joints":[5],"name":"Socket_skin"}],
			"animations":[{"channels":[{"sampler":0,"target":{"node":6,"path":"scale"}}],"samplers":[{"input":0,"output":1}]}],"accessors":[{},{}],
			"extensionsUsed":["KHR_lights_punctual"],"extensions":{"KHR_lights_punctual":{"lights":[{"type":"point"}]}}}`,
			"4 nodes",
		},
		{
			"a scene of empty nodes stays without them", Options{Empty: true},
			`{"scene":0,"scenes":[{"nodes":[0],"name":"s"}],"nodes":[{}]}`, `{"scene":0,"scenes":[{"name":"s"}]}`, "1 node",
		},
		{
			"of a library all stays that a game may ask for", Options{},
			`{"scenes":[{"name":"s"}],"nodes":[{}],"meshes":[{"name":"a"}],"materials":[{"occlusionTexture":{"index":1}}],"textures":[{"source":0},{"source":0}],
			"images":[{"uri":"a"},{"uri":"b"}],"cameras":[{}],"skins":[{"joints":[0]}]}`,
			`{"scenes":[{"name":"s"}],"nodes":[{}],"meshes":[{"name":"a"}],"materials":[{"occlusionTexture":{"index":0}}],"textures":[{"source":0}],
			"images":[{"uri":"a"}],"cameras":[{}],"skins":[{"joints":[0]}]}`,
			"1 texture, 1 image",
		},
		{
			"extensions that name things", Options{},
			`{"extensionsUsed":["EXT_mesh_gpu_instancing","KHR_materials_variants","MSFT_lod","KHR_animation_pointer","KHR_materials_sheen","KHR_materials_ior","EXT_mesh_features"],
			"extensionsRequired":["KHR_materials_ior"],
			"extensions":{"KHR_materials_variants":{"variants":[{"name":"x"},{"name":"y"}]}},
			"scenes":[{"nodes":[1]}],
			"nodes":[{},{"mesh":0,"extensions":{"MSFT_lod":{"ids":[3]},"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":1}}}},{"name":"out"},{"mesh":1}],
			"meshes":[{"primitives":[{"attributes":{"POSITION":2},"extensions":{"KHR_materials_variants":{"mappings":[{"material":2,"variants":[0,1]}]},
				"EXT_mesh_features":{"featureIds":[{"featureCount":4,"texture":{"index":2,"texCoord":0}}]}}}]},{"name":"low"}],
			"materials":[{"extensions":{"KHR_materials_ior":{"ior":2}}},{"name":"out"},{"extensions":{"KHR_materials_sheen":{"sheenColorTexture":{"index":1}},"MSFT_lod":{"ids":[3]}}},{"name":"far"},{"name":"pointed at"}],
			"textures":[{"source":0},{"source":0,"sampler":0},{"source":0}],"images":[{"uri":"a"}],"samplers":[{}],
			"animations":[{"channels":[{"sampler":0,"target":{"path":"pointer","extensions":{"KHR_animation_pointer":{"pointer":"/materials/4/alphaCutoff"}}}}],"samplers":[{"input":3,"output":4}]}],
			"accessors":[{"name":"0"},{"name":"1"},{"name":"2"},{"name":"3"},{"name":"4"}]}`,
			`{"extensionsUsed":["EXT_mesh_gpu_instancing","KHR_materials_variants","MSFT_lod","KHR_animation_pointer","KHR_materials_sheen","EXT_mesh_features"],
			"extensions":{"KHR_materials_variants":{"variants":[{"name":"x"},{"name":"y"}]}},
			"scenes":[{"nodes":[0]}],
			"nodes":[{"mesh":0,"extensions":{"MSFT_lod":{"ids":[1]},"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":0}}}},{"mesh":1}],
			"meshes":[{"primitives":[{"attributes":{"POSITION":1},"extensions":{"KHR_materials_variants":{"mappings":[{"material":0,"variants":[0,1]}]},
				"EXT_mesh_features":{"featureIds":[{"featureCount":4,"texture":{"index":1,"texCoord":0}}]}}}]},{"name":"low"}],
			"materials":[{"extensions":{"KHR_materials_sheen":{"sheenColorTexture":{"index":0}},"MSFT_lod":{"ids":[1]}}},{"name":"far"},{"name":"pointed at"}],
			"textures":[{"source":0,"sampler":0},{"source":0}],"images":[{"uri":"a"}],"samplers":[{}],
			"animations":[{"channels":[{"sampler":0,"target":{"path":"pointer","extensions":{"KHR_animation_pointer":{"pointer":"/materials/2/alphaCutoff"}}}}],"samplers":[{"input":2,"output":3}]}],
			"accessors":[{"name":"1"},{"name":"2"},{"name":"3"},{"name":"4"}]}`,
			"2 nodes, 2 materials, 1 texture, 1 accessor",
		},
		{
			"extras are the application's, whatever they are called", Options{},
			`{"extras":{"nodes":[1],"extensions":{"X":{"node":1}}},"scenes":[{"nodes":[1],"extras":{"nodes":[1]}}],"nodes":[{},{"extras":{"mesh":5,"extensions":{"X":{"node":0}}}}]}`,
			`{"extras":{"nodes":[1],"extensions":{"X":{"node":1}}},"scenes":[{"nodes":[0],"extras":{"nodes":[1]}}],"nodes":[{"extras":{"mesh":5,"extensions":{"X":{"node":0}}}}]}`,
			"1 node",
		},
		{
			"what is not known but names nothing", Options{},
			`{"extensionsUsed":["VENDOR_x"],"scenes":[{"nodes":[1]}],"nodes":[{"extensions":{"VENDOR_x":{"y":"z"}}},{"extensions":{"VENDOR_x":{"on":true,"y":"z","w":0.5,"less":-1}}}]}`,
			`{"extensionsUsed":["VENDOR_x"],"scenes":[{"nodes":[0]}],"nodes":[{"extensions":{"VENDOR_x":{"on":true,"y":"z","w":0.5,"less":-1}}}]}`,
			"1 node",
		},
	} {
		t.Run(tc.what, func(t *testing.T) {
			have, r := pruned(t, tc.have, tc.o)
			if want := compact(t, tc.want); compact(t, have) != want {
				t.Errorf("have %s\nwant %s", compact(t, have), want)
			}
			if r.String() != tc.gone || r.Any() != (tc.gone != "") || r.Unknown != "" {
				t.Errorf("gone are %q (%v), want %q; unknown %q", r, r.Any(), tc.gone, r.Unknown)
			}
			if again, r := pruned(t, have, tc.o); r.Any() || again != have {
				t.Errorf("pruned again: %v, %s", r, again)
			}
		})
	}
}

func compact(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	for _, line := range strings.Split(text, "\n") {
		b.WriteString(strings.TrimSpace(line))
	}
	return b.String()
}

// TestUnknownExtensions checks that all elements are kept if an unknown extension may refer to any
// element.
func TestUnknownExtensions(t *testing.T) {
	const unused = `"nodes":[{},{}],"scenes":[{"nodes":[0]}]`
	for _, tc := range []struct{ text, unknown string }{
		{`{` + unused + `,"extensions":{"A":{"bones":[{"node":1}]}}}`, "A"},
		{`{` + unused + `,"extensions":{"A":{"p":"/nodes/1"}}}`, "A"},
		{`{` + unused + `,"extensions":{"A":1.0}}`, "A"},
		{`{` + unused + `,"materials":[{"extensions":{"B":{"x":2}}}]}`, "B"},
		{`{` + unused + `,"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0,"extensions":{"B":{"x":2}}}}}],"textures":[{}]}`, "B"},
		{`{` + unused + `,"meshes":[{"primitives":[{"attributes":{},"extensions":{"C":{"x":2}}}]}]}`, "C"},
		{`{` + unused + `,"meshes":[{"extensions":{"KHR_materials_variants":{"x":2}}}]}`, "KHR_materials_variants"},
		{`{` + unused + `,"animations":[{"samplers":[],"channels":[{"sampler":0,"target":{"extensions":{"D":{"x":2}}}}]}]}`, "D"},
		{`{` + unused + `,"accessors":[{"extensions":{"E":{"x":2}}}]}`, "E"},
		{`{` + unused + `,"bufferViews":[{"extensions":{"F":{"x":2}}}]}`, "F"},
		{`{` + unused + `,"asset":{"extensions":{"G":{"x":2}}}}`, "G"},
	} {
		have, r := pruned(t, tc.text, Options{Empty: true})
		if r.Unknown != tc.unknown || r.Any() || have != tc.text {
			t.Errorf("%s: unknown %q, gone %q", tc.text, r.Unknown, r)
		}
	}
}

// TestHostile checks that a malformed document results in an error or in a document, within bounded
// time.
func TestHostile(t *testing.T) {
	deep := func(open, end string) string { return strings.Repeat(open, 4000) + "1" + strings.Repeat(end, 4000) }
	for _, text := range []string{
		`{"scenes":[{"nodes":[99,-1,1e3,"0",null,{},[0]]}],"nodes":[{"mesh":7,"children":[5]}]}`,
		`{"scenes":[7],"nodes":{}}`, `{"scenes":7}`, `{"nodes":[[]]}`,
		`{"animations":[{"channels":[{"sampler":9,"target":{"node":0}}],"samplers":[{},{}]}]}`,
		`{"animations":[{"channels":[{"sampler":-1}],"samplers":[{},{}]}]}`,
		`{"animations":[{"channels":3}]}`,
		`{"extensionsUsed":7,"extensions":7,"scenes":[{"extensions":[]}]}`,
		`{"scenes":[{"nodes":[0]}],"nodes":[{"extensions":{"EXT_mesh_gpu_instancing":{"attributes":` + deep("[", "]") + `}}}]}`,
		`{"scenes":[{"nodes":[0]}],"nodes":[{"extensions":{"EXT_mesh_gpu_instancing":{"attributes":` + deep(`{"a":`, "}") + `}}}]}`,
		`{"materials":[{"pbrMetallicRoughness":` + deep(`{"pbrMetallicRoughness":`, "}") + `}]}`,
		`{"materials":[` + deep(`{"extensions":{"KHR_materials_x":`, "}}") + `]}`,
		`{"nodes":[` + deep(`{"extensions":{"X":`, "}}") + `]}`,
	} {
		root, err := gltf.ParseObject(json.RawMessage(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Document(t.Context(), &root, Options{Empty: true}); err == nil && !json.Valid(root.Text()) {
			t.Errorf("%.100s: becomes %.100s", text, root.Text())
		}
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	root, err := gltf.ParseObject(json.RawMessage(`{"scenes":[{}],"nodes":[{}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Document(ctx, &root, Options{}); err != context.Canceled {
		t.Error(err)
	}
}
