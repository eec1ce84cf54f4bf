package image

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/color"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe"
)

const carMaterials = `"materials":[
 {"name":"Body","pbrMetallicRoughness":{"baseColorTexture":{"index":0},"metallicRoughnessTexture":{"index":1}},
  "normalTexture":{"index":2,"scale":2},"extras":{"baseColorTexture":{"index":2}},
  "extensions":{"KHR_materials_clearcoat":{"clearcoatTexture":{"index":1}}}},
 {"emissiveTexture":{"index":3},"occlusionTexture":{"index":9}}],
 "textures":[{"source":0},{"source":1},{"source":2},{"extensions":{"EXT_texture_webp":{"source":3}}}],
 "images":[{"uri":"t/a%20b.png"},{"uri":"./mr.png"},{"uri":"n.png"},{"uri":"glow.webp"},{"uri":"data:,x"}]`

var carUses = recipe.Says{
	"glow.webp": []byte("\"emissiveTexture\" \"1\"\n"),
	"mr.png":    []byte("\"clearcoatTexture\" \"Body\"\n\"metallicRoughnessTexture\" \"Body\"\n"),
	"n.png":     []byte("\"normalTexture\" \"Body\"\n"),
	"t/a b.png": []byte("\"baseColorTexture\" \"Body\"\n"),
}

func glb(text string, chunk int) string {
	for len(text)%4 != 0 {
		text += " "
	}
	head := binary.LittleEndian.AppendUint32([]byte("glTF\x02\x00\x00\x00"), uint32(20+len(text)+8+chunk))
	head = binary.LittleEndian.AppendUint32(head, uint32(len(text)))
	return string(head) + "JSON" + text + string(binary.LittleEndian.AppendUint32(nil, uint32(chunk))) + "BIN\x00" + strings.Repeat("x", chunk)
}

func TestUsesIn(t *testing.T) {
	mtl := recipe.Says{"r.png": []byte("\"map_Pr\" \"Old Wood\"\n"), "t/n.png": []byte("\"map_Bump\" \"Old Wood\"\n"), "wood.png": []byte("\"map_Kd\" \"Old Wood\"\n")}
	for _, tc := range []struct {
		name, file string
		want       recipe.Says
	}{
		{"glTF", `{` + carMaterials + `}`, carUses},
		{"with a mark and other geometry", "\ufeff\n" + `{"accessors":[{"count":3}],` + carMaterials + `}`, carUses},
		{"GLB", glb(`{`+carMaterials+`}`, 8), carUses},
		{"GLB of other geometry", glb(`{`+carMaterials+`,"meshes":[{}]}`, 400), carUses},
		{"MTL", "newmtl Old Wood\nKd 1 1 1\nmap_Kd -s 1 1 1 wood.png\r\nmap_Bump -bm 0.5 t\\n.png\nmap_Pr r.png\nillum 2\nnorm", mtl},
		{"nothing", "", nil},
		{"text that is cut", `{"materials":[{"normalTexture":{"index":0}}`, nil},
		{"GLB that is cut", glb(`{`+carMaterials+`}`, 8)[:60], nil},
		{"of other types", `{"materials":{"a":1},"textures":5}`, nil},
	} {
		got, err := usesIn(strings.NewReader(tc.file), int64(len(tc.file)))
		if err != nil || !maps.EqualFunc(got, tc.want, bytes.Equal) {
			t.Errorf("%s: %v\n%q\nwant\n%q", tc.name, err, got, tc.want)
		}
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
		if err != nil || !maps.EqualFunc(got, again, bytes.Equal) {
			t.Fatalf("%q, then %q, %v", got, again, err)
		}
		count := 0
		for picture, text := range got {
			for line := range bytes.Lines(text) {
				count++
				if u, ok := parseUse("m", string(line)); !ok || u.slot == "" || picture == "" {
					t.Fatalf("%q: %q: %+v", picture, line, u)
				}
			}
		}
		if count > maxUses {
			t.Fatalf("%d uses", count)
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

// Materials are asked about all pictures of games that are not flat, unless a rule says what they
// are: what they say wins over names, and decides how a picture is decoded.
func TestMaterialsBeforeNames(t *testing.T) {
	packed := painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{255, byte(7 * (x ^ y)), byte(x / 32 * 255), 255} })
	brown := painted(64, 64, func(x, y int) color.NRGBA {
		v := byte(x + 3*y/2)
		return color.NRGBA{v, v / 2, v / 4, 255}
	})
	gray := painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{byte(x * y), byte(x * y), byte(x * y), 255} })
	gamma := []byte{0, 0, 0, 4, 'g', 'A', 'M', 'A', 0, 1, 0x86, 0xa0, 0x31, 0xe8, 0x96, 0x5f} // 1.0
	linear := func(png []byte) []byte { return slices.Concat(png[:33], gamma, png[33:]) }
	model := `{"images":[{"uri":"%s"}],"textures":[{"source":0}],"materials":[{"name":"M","pbrMetallicRoughness":{"%s":{"index":0}}}]}`
	const deps = 2 // the folder, and the one above
	for _, tc := range []struct {
		name, path, slot string
		picture          []byte
		change           func(*Image)
		srgb             bool
		deps             int
		warned           string
		pixel            []byte
	}{
		{"packed", "m/9c1f.png", "metallicRoughnessTexture", encodePNG(t, packed), nil, false, deps, "", nil},
		{"with a gamma", "m/9c1f.png", "metallicRoughnessTexture", linear(encodePNG(t, packed)), nil, false, deps, "", []byte{255, 28, 0, 255}},
		{"colors with a gamma", "m/9c1f.png", "baseColorTexture", linear(encodePNG(t, packed)), nil, true, deps, "", []byte{255, 93, 0, 255}},
		{"not named by a material", "m/9c1f.png", "", encodePNG(t, packed), nil, true, deps, "", nil},
		{"not in a folder", "9c1f.png", "metallicRoughnessTexture", encodePNG(t, packed), nil, false, 1, "", nil},
		{"may be data", "m/Coat_Labels.png", "baseColorTexture", encodePNG(t, gray), func(o *Image) { o.Named = "perhaps-data" }, true, deps, "", nil},
		{"brown", "m/9c1f.png", "metallicRoughnessTexture", encodePNG(t, brown), nil, false, deps, "", nil},
		{"of a name that says else", "m/a_basecolor.png", "metallicRoughnessTexture", encodePNG(t, packed), func(o *Image) { o.Named = "color" }, false, deps, "but its path says color", nil},
		{"of a button", "m/ui/a.png", "baseColorTexture", encodePNG(t, brown), func(o *Image) { o.Named = "ui" }, true, deps, "", nil},
		{"of a mask", "m/a_mask.png", "metallicRoughnessTexture", encodePNG(t, gray), func(o *Image) { o.Named = "mask" }, false, deps, "", nil},
		{"a rule says it", "m/9c1f.png", "metallicRoughnessTexture", encodePNG(t, packed), func(o *Image) { o.Kind = "color" }, true, 0, "", nil},
		{"a test of alpha says it", "m/9c1f.png", "metallicRoughnessTexture", encodePNG(t, packed), func(o *Image) { o.Coverage = 0.5 }, true, 0, "", nil},
		{"a game of sprites", "m/9c1f.png", "metallicRoughnessTexture", encodePNG(t, packed), func(o *Image) { o.Preset = "2d" }, true, 0, "", nil},
		{"that asks", "m/9c1f.png", "metallicRoughnessTexture", encodePNG(t, packed), func(o *Image) { o.Preset, o.Kind = "2d", "material" }, false, deps, "", nil},
	} {
		o := options(func(o *Image) { o.Format, o.Quality = "rgba8", "fast" })
		if tc.change != nil {
			tc.change(o)
		}
		tree := fstest.MapFS{tc.path: {Data: tc.picture}}
		if tc.slot != "" {
			tree[path.Join(path.Dir(tc.path), "a.gltf")] = &fstest.MapFile{Data: fmt.Appendf(nil, model, path.Base(tc.path), tc.slot)}
		}
		tex, res := cookTree(t, o, tree, tc.path)
		if warned := strings.Join(res.Warned, "\n"); res.Err != nil || !strings.Contains(warned, tc.warned) || (warned == "") != (tc.warned == "") {
			t.Fatalf("%s: %v, warned %q", tc.name, res.Err, warned)
		}
		if tex.SRGB != tc.srgb || len(res.Deps) != tc.deps {
			t.Errorf("%s: sRGB %v, dependencies %v", tc.name, tex.SRGB, res.Deps)
		}
		if first := tex.Levels[0][4*4 : 4*5]; tc.pixel != nil && !bytes.Equal(first, tc.pixel) {
			t.Errorf("%s: pixel %v, want %v", tc.name, first, tc.pixel)
		}
	}
}
