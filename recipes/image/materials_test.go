package image

import (
	"bytes"
	"encoding/binary"
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
