package image

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/color"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const carMaterials = `"materials":[
 {"name":"Body","pbrMetallicRoughness":{"baseColorTexture":{"index":0},"metallicRoughnessTexture":{"index":1}},
  "normalTexture":{"index":2,"scale":2},"extras":{"baseColorTexture":{"index":2}},
  "extensions":{"KHR_materials_clearcoat":{"clearcoatTexture":{"index":1}}}},
 {"emissiveTexture":{"index":3},"occlusionTexture":{"index":9}}],
 "textures":[{"source":0},{"source":1},{"source":2},{"extensions":{"EXT_texture_webp":{"source":3}}}],
 "images":[{"uri":"t/a%20b.png"},{"uri":"./mr.png"},{"uri":"n.png"},{"uri":"glow.webp"},{"uri":"data:,x"}]`

const carUses = `"glow.webp" "emissiveTexture" "1"
"mr.png" "clearcoatTexture" "Body"
"mr.png" "metallicRoughnessTexture" "Body"
"n.png" "normalTexture" "Body"
"t/a b.png" "baseColorTexture" "Body"
`

func glb(text string, chunk int) string {
	for len(text)%4 != 0 {
		text += " "
	}
	head := binary.LittleEndian.AppendUint32([]byte("glTF\x02\x00\x00\x00"), uint32(20+len(text)+8+chunk))
	head = binary.LittleEndian.AppendUint32(head, uint32(len(text)))
	return string(head) + "JSON" + text + string(binary.LittleEndian.AppendUint32(nil, uint32(chunk))) + "BIN\x00" + strings.Repeat("x", chunk)
}

func TestUsesIn(t *testing.T) {
	for _, tc := range []struct{ name, file, want string }{
		{"glTF", `{` + carMaterials + `}`, carUses},
		{"with a mark and other geometry", "\ufeff\n" + `{"accessors":[{"count":3}],` + carMaterials + `}`, carUses},
		{"GLB", glb(`{`+carMaterials+`}`, 8), carUses},
		{"GLB of other geometry", glb(`{`+carMaterials+`,"meshes":[{}]}`, 400), carUses},
		{"MTL", "newmtl Old Wood\nKd 1 1 1\nmap_Kd -s 1 1 1 wood.png\r\nmap_Bump -bm 0.5 t\\n.png\nmap_Pr r.png\nillum 2\nnorm", "\"r.png\" \"map_Pr\" \"Old Wood\"\n\"t/n.png\" \"map_Bump\" \"Old Wood\"\n\"wood.png\" \"map_Kd\" \"Old Wood\"\n"},
		{"nothing", "", ""},
		{"text that is cut", `{"materials":[{"normalTexture":{"index":0}}`, ""},
		{"GLB that is cut", glb(`{`+carMaterials+`}`, 8)[:60], ""},
		{"of other types", `{"materials":{"a":1},"textures":5}`, ""},
	} {
		got, err := usesIn(strings.NewReader(tc.file), int64(len(tc.file)))
		if err != nil || string(got) != tc.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", tc.name, err, got, tc.want)
		}
	}
	if got := usesAbout([]byte(carUses), "mr.png"); string(got) != "\"mr.png\" \"clearcoatTexture\" \"Body\"\n\"mr.png\" \"metallicRoughnessTexture\" \"Body\"\n" {
		t.Errorf("about mr.png:\n%s", got)
	}
	huge := []byte("{" + strings.Repeat(" ", maxMaterialsText) + carMaterials + "}")
	if got, err := usesIn(bytes.NewReader(huge), int64(len(huge))); len(got) > 0 || err != nil {
		t.Errorf("a huge document: %q %v", got, err)
	}
}

func FuzzUsesIn(f *testing.F) {
	f.Add([]byte(`{` + carMaterials + `}`))
	f.Add([]byte(glb(`{`+carMaterials+`}`, 8)))
	f.Add([]byte("newmtl a\nmap_Kd b.png\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		got, err := usesIn(bytes.NewReader(file), int64(len(file)))
		again, _ := usesIn(bytes.NewReader(file), int64(len(file)))
		if err != nil || !bytes.Equal(got, again) || len(got) > 16*len(file)+maxUses*maxUseName*4 {
			t.Fatalf("%d bytes of uses, then %d, %v", len(got), len(again), err)
		}
		for line := range bytes.Lines(got) {
			if u, ok := parseUse("m", string(line)); !ok || u.slot == "" {
				t.Fatalf("%q: %+v", line, u)
			}
		}
	})
}

// With kind "material" the materials of models decide, and content has a say about normals.
func TestKindOfMaterials(t *testing.T) {
	colors, normals := encodePNG(t, scene(64, 64)), encodePNG(t, bumps(64, 64, true))
	slot := func(picture, slot string) string {
		return `{"images":[{"uri":"` + picture + `"}],"textures":[{"source":0}],"materials":[{"name":"M","` + slot + `":{"index":0}}]}`
	}
	for _, tc := range []struct {
		name    string
		tree    map[string]string
		picture []byte
		srgb    bool
		warned  string
	}{
		{"color", map[string]string{"m/a.gltf": slot("p.png", "emissiveTexture")}, colors, true, ""},
		{"data", map[string]string{"m/a.gltf": slot("p.png", "occlusionTexture")}, colors, false, ""},
		{"data above", map[string]string{"a.gltf": slot("m/p.png", "occlusionTexture")}, colors, false, ""},
		{"another picture", map[string]string{"m/a.gltf": slot("q.png", "occlusionTexture")}, colors, true, ""},
		{"colors that look like normals", map[string]string{"m/a.gltf": slot("p.png", "emissiveTexture")}, normals, true, ""},
		{"normals", map[string]string{"m/a.gltf": slot("p.png", "normalTexture")}, normals, false, ""},
		{"no normals", map[string]string{"m/a.gltf": slot("p.png", "normalTexture")}, colors, false, "nearly unit vectors"},
		{"heights", map[string]string{"m/a.mtl": "newmtl M\nmap_Bump p.png\n"}, colors, false, ""},
		{"both", map[string]string{"m/a.mtl": "newmtl M\nmap_Kd p.png\n", "m/b.gltf": slot("p.png", "occlusionTexture")}, colors, false, "a picture for each"},
	} {
		tree := fstest.MapFS{"m/p.png": {Data: tc.picture}}
		for name, text := range tc.tree {
			tree[name] = &fstest.MapFile{Data: []byte(text)}
		}
		tex, res := cookTree(t, options(func(o *Image) { o.Kind = "material" }), tree, "m/p.png")
		warned := strings.Join(res.Warned, "\n")
		if res.Err != nil || tex.SRGB != tc.srgb || !strings.Contains(warned, tc.warned) || (warned == "") != (tc.warned == "") {
			t.Errorf("%s: sRGB %v, warned %q, %v", tc.name, tex != nil && tex.SRGB, warned, res.Err)
		}
	}
}

// Where there are too many models for a rule that asks them, none is asked in doubt either, and
// it is said once.
func TestTooManyModels(t *testing.T) {
	tree := fstest.MapFS{"p.png": {Data: encodePNG(t, scene(64, 64))}}
	for i := range maxModels {
		tree[fmt.Sprintf("%02d.mtl", i)] = &fstest.MapFile{}
		lines := explain(t, options(func(o *Image) { o.Kind = "material" }), tree, "p.png")
		if text := strings.Join(lines, "\n"); strings.Contains(text, "more than") || !strings.Contains(text, "no material") {
			t.Fatalf("%d models:\n%s", i+1, text)
		}
	}
	tree["one.gltf"] = &fstest.MapFile{}
	lines := explain(t, options(func(o *Image) { o.Kind = "material" }), tree, "p.png")
	if text := strings.Join(lines, "\n"); strings.Count(text, "more than 64") != 1 || strings.Count(text, "more than") != 1 {
		t.Error(text)
	}
}

// Materials are asked about what would be taken for colors and may be numbers, and only then:
// what they say makes it be decoded anew, without the gamma of colors.
func TestMaterialsInDoubt(t *testing.T) {
	packed := painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{255, byte(7 * (x ^ y)), byte(x / 32 * 255), 255} })
	brown := painted(64, 64, func(x, y int) color.NRGBA {
		v := byte(x + 3*y/2)
		return color.NRGBA{v, v / 2, v / 4, 255}
	})
	gray := painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{byte(x * y), byte(x * y), byte(x * y), 255} })
	gamma := []byte{0, 0, 0, 4, 'g', 'A', 'M', 'A', 0, 1, 0x86, 0xa0, 0x31, 0xe8, 0x96, 0x5f} // 1.0
	linear := func(png []byte) []byte { return slices.Concat(png[:33], gamma, png[33:]) }
	model := `{"images":[{"uri":"%s"}],"textures":[{"source":0}],"materials":[{"name":"M","pbrMetallicRoughness":{"%s":{"index":0}}}]}`
	for _, tc := range []struct {
		name, path, slot string
		picture          []byte
		change           func(*Image)
		srgb, asked      bool
		pixel            []byte
	}{
		{"packed", "m/9c1f.png", "metallicRoughnessTexture", encodePNG(t, packed), nil, false, true, nil},
		{"with a gamma", "m/9c1f.png", "metallicRoughnessTexture", linear(encodePNG(t, packed)), nil, false, true, []byte{255, 28, 0, 255}},
		{"colors with a gamma", "m/9c1f.png", "baseColorTexture", linear(encodePNG(t, packed)), nil, true, true, []byte{255, 93, 0, 255}},
		{"not named by a material", "m/9c1f.png", "", encodePNG(t, packed), nil, true, true, nil},
		{"may be data", "m/Coat_Labels.png", "baseColorTexture", encodePNG(t, gray), func(o *Image) { o.Named = "perhaps-data" }, true, true, nil},
		{"brown", "m/9c1f.png", "metallicRoughnessTexture", encodePNG(t, brown), nil, true, false, nil},
		{"the name says it", "m/a_basecolor.png", "metallicRoughnessTexture", encodePNG(t, packed), func(o *Image) { o.Named = "color" }, true, false, nil},
		{"a rule says it", "m/9c1f.png", "metallicRoughnessTexture", encodePNG(t, packed), func(o *Image) { o.Kind = "color" }, true, false, nil},
		{"a game of sprites", "m/9c1f.png", "metallicRoughnessTexture", encodePNG(t, packed), func(o *Image) { o.Preset = "2d" }, true, false, nil},
	} {
		o := options(func(o *Image) { o.Format, o.Quality = "rgba8", "fast" })
		if tc.change != nil {
			tc.change(o)
		}
		tree := fstest.MapFS{tc.path: {Data: tc.picture}}
		if tc.slot != "" {
			tree["m/a.gltf"] = &fstest.MapFile{Data: fmt.Appendf(nil, model, path.Base(tc.path), tc.slot)}
		}
		tex, res := cookTree(t, o, tree, tc.path)
		if res.Err != nil || len(res.Warned) > 0 {
			t.Fatalf("%s: %v, warned %q", tc.name, res.Err, res.Warned)
		}
		if tex.SRGB != tc.srgb || (len(res.Deps) > 0) != tc.asked {
			t.Errorf("%s: sRGB %v, dependencies %v", tc.name, tex.SRGB, res.Deps)
		}
		if first := tex.Levels[0][4*4 : 4*5]; tc.pixel != nil && !bytes.Equal(first, tc.pixel) {
			t.Errorf("%s: pixel %v, want %v", tc.name, first, tc.pixel)
		}
	}
}
