package image

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
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

// slots returns a model with one material that uses p.png in several slots. Each slot has the name
// of its extension, or "".
func slots(mode string, of ...[2]string) string {
	members := map[string]string{}
	for _, s := range of {
		members[s[0]] += `"` + s[1] + `":{"index":0},`
	}
	text := mode
	for _, extension := range slices.Sorted(maps.Keys(members)) {
		object := strings.TrimSuffix(members[extension], ",")
		switch extension {
		case "":
			text += object + ","
		case "pbrMetallicRoughness":
			text += `"pbrMetallicRoughness":{` + object + "},"
		default:
			text += `"extensions":{"` + extension + `":{` + object + "}},"
		}
	}
	return `{"images":[{"uri":"p.png"}],"textures":[{"source":0}],"materials":[{"name":"M",` + strings.TrimSuffix(text, ",") + `}]}`
}

// Mipmaps of colors must be weighted by alpha if alpha is transparency, but not if the material
// ignores alpha or reads a value from it. A slot that reads only alpha may share an image with
// another slot.
func TestAlphaOfSlots(t *testing.T) {
	// A quarter of the image is red with high alpha. Three quarters are green with low alpha.
	file := encodePNG(t, painted(8, 8, func(x, y int) color.NRGBA {
		if x%2 == 0 && y%2 == 0 {
			return color.NRGBA{255, 0, 0, 254}
		}
		return color.NRGBA{0, 255, 0, 2}
	}))
	weighed, plain, data := []byte{252, 42, 0, 65}, []byte{137, 225, 0, 65}, []byte{64, 191, 0, 65}
	const pbr, specular, sheen = "pbrMetallicRoughness", "KHR_materials_specular", "KHR_materials_sheen"
	const translucent, glossy, toon = "KHR_materials_diffuse_transmission", "KHR_materials_pbrSpecularGlossiness", "VRMC_materials_mtoon"
	base := [2]string{pbr, "baseColorTexture"}
	for _, tc := range []struct {
		name, model string
		change      func(*Image)
		want        []byte
		warned, why string
	}{
		{"no model", "", nil, weighed, "", ""},
		{"opaque by default", slots("", base), nil, plain, "", "alpha is not transparency"},
		{"opaque", slots(`"alphaMode":"OPAQUE",`, base), nil, plain, "", "alpha is not transparency"},
		{"masked", slots(`"alphaMode":"MASK",`, base), nil, weighed, "", ""},
		{"blended", slots(`"alphaMode":"BLEND",`, base), nil, weighed, "", ""},
		{"emissive", slots(`"alphaMode":"BLEND",`, [2]string{"", "emissiveTexture"}), nil, plain, "", "uses it as emissiveTexture"},
		{"diffuse", slots("", [2]string{glossy, "diffuseTexture"}), nil, plain, "", ""},
		{"diffuse, blended", slots(`"alphaMode":"BLEND",`, [2]string{glossy, "diffuseTexture"}), nil, weighed, "", ""},
		{"glossiness", slots(`"alphaMode":"BLEND",`, [2]string{glossy, "specularGlossinessTexture"}), nil, plain, "", ""},
		{"both of specular", slots(`"alphaMode":"BLEND",`, [2]string{specular, "specularTexture"}, [2]string{specular, "specularColorTexture"}), nil, plain, "", "uses it as specularColorTexture"},
		{"both of sheen", slots("", [2]string{sheen, "sheenColorTexture"}, [2]string{sheen, "sheenRoughnessTexture"}), nil, plain, "", ""},
		{"both of transmission", slots("", [2]string{translucent, "diffuseTransmissionTexture"}, [2]string{translucent, "diffuseTransmissionColorTexture"}), nil, plain, "", ""},
		{"specular and colors", slots(`"alphaMode":"BLEND",`, base, [2]string{specular, "specularTexture"}), nil, weighed, "", ""},
		{"specular alone", slots("", [2]string{specular, "specularTexture"}), nil, data, "", ""},
		{"colors and data", slots("", base, [2]string{"", "occlusionTexture"}), nil, data, "use a separate image for each", ""},
		{"packed", slots("", [2]string{"MSFT_packing_occlusionRoughnessMetallic", "occlusionRoughnessMetallicTexture"}), nil, data, "", ""},
		{"bump", slots("", [2]string{"EXT_materials_bump", "bumpTexture"}), nil, data, "", ""},
		{"shading shift", slots("", [2]string{toon, "shadingShiftTexture"}), nil, data, "", ""},
		{"outlines", slots("", [2]string{toon, "outlineWidthMultiplyTexture"}), nil, data, "", ""},
		{"animation mask", slots("", [2]string{toon, "uvAnimationMaskTexture"}), nil, data, "", ""},
		{"shade", slots("", [2]string{toon, "shadeMultiplyTexture"}), nil, plain, "", ""},
		{"unknown", slots("", [2]string{"X_y", "zTexture"}), nil, weighed, "uses it as zTexture, a material slot that cook does not know; treated as color", "zTexture"},
		{"unknown of a rule", slots("", [2]string{"X_y", "zTexture"}), func(o *Image) { o.Kind = "data" }, data, "", ""},
		{"unknown and known", slots("", base, [2]string{"X_y", "zTexture"}), nil, plain, "", ""},
		{"colors of a rule", slots("", base), func(o *Image) { o.Kind = "color" }, plain, "", ""},
		{"a rule says transparency", slots("", base), func(o *Image) { o.Alpha = "transparency" }, weighed, "", ""},
		{"a rule says data", "", func(o *Image) { o.Alpha = "data" }, plain, "", ""},
		{"MTL", "newmtl M\nmap_Kd p.png\n", nil, plain, "", "uses it as map_Kd"},
		{"MTL of glass", "newmtl L\nmap_Ke q.png\nnewmtl M\nmap_Kd p.png\nd 0.5\nnewmtl N\nd 1\n", nil, weighed, "", ""},
		{"MTL with a map", "newmtl M\nmap_d q.png\nmap_Kd p.png\n", nil, weighed, "", ""},
	} {
		o := options(func(o *Image) { o.Format, o.Zstd = "rgba8", 0 })
		if tc.change != nil {
			tc.change(o)
		}
		tree := fstest.MapFS{"m/p.png": {Data: file}}
		if strings.HasPrefix(tc.model, "newmtl") {
			tree["m/a.mtl"] = &fstest.MapFile{Data: []byte(tc.model)}
		} else if tc.model != "" {
			tree["m/a.gltf"] = &fstest.MapFile{Data: []byte(tc.model)}
		}
		tex, res := cookTree(t, o, tree, "m/p.png")
		if warned := strings.Join(res.Warned, "\n"); res.Err != nil || !strings.Contains(warned, tc.warned) || (warned == "") != (tc.warned == "") {
			t.Fatalf("%s: %v, warned %q", tc.name, res.Err, warned)
		}
		if have := tex.Levels[1][:4]; !bytes.Equal(have, tc.want) {
			t.Errorf("%s: level 1 has %v, want %v", tc.name, have, tc.want)
		}
		if why := strings.Join(explain(t, o, tree, "m/p.png"), "\n"); !strings.Contains(why, tc.why) {
			t.Errorf("%s: explained by %q, want %q", tc.name, why, tc.why)
		}
	}
}

// If a glTF names a file, its gamma, profile and orientation must be ignored.
func TestGLTFIgnoresMetadata(t *testing.T) {
	chunk := func(name, body string) []byte {
		c := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), name+body...)
		return binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(c[4:]))
	}
	file := encodePNG(t, painted(8, 4, func(x, y int) color.NRGBA { return color.NRGBA{100, byte(150 + x), byte(200 + y), 255} }))
	gamma := chunk("gAMA", "\x00\x01\x86\xa0")
	turned := chunk("eXIf", "MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00")
	file = slices.Concat(file[:33], gamma, turned, file[33:])
	base := slots("", [2]string{"pbrMetallicRoughness", "baseColorTexture"})
	for _, tc := range []struct {
		name   string
		tree   map[string]string
		change func(*Image)
		w      int
		first  []byte
		warned string
	}{
		{"no model", nil, nil, 4, []byte{168, 202, 229, 255}, ""},
		{"OBJ", map[string]string{"m/a.mtl": "newmtl M\nmap_Kd p.png\n"}, nil, 4, []byte{168, 202, 229, 255}, ""},
		{"glTF", map[string]string{"m/a.gltf": base}, nil, 8, []byte{100, 150, 200, 255}, "orientation 6 in the Exif data is ignored"},
		{"glTF and a rule", map[string]string{"m/a.gltf": base}, func(o *Image) { o.Kind = "lightmap" }, 8, []byte{100, 150, 200, 255}, "orientation 6"},
		{"glTF and a test of alpha", map[string]string{"m/a.gltf": base}, func(o *Image) { o.Coverage = 0.5 }, 8, []byte{100, 150, 200, 255}, "orientation 6"},
		{"glTF with an unknown slot", map[string]string{"m/a.gltf": slots("", [2]string{"X_y", "zTexture"})}, func(o *Image) { o.Kind = "color" }, 8, []byte{100, 150, 200, 255}, "orientation 6"},
	} {
		o := options(func(o *Image) { o.Format, o.Zstd = "rgba8", 0 })
		if tc.change != nil {
			tc.change(o)
		}
		tree := fstest.MapFS{"m/p.png": {Data: file}}
		for name, text := range tc.tree {
			tree[name] = &fstest.MapFile{Data: []byte(text)}
		}
		tex, res := cookTree(t, o, tree, "m/p.png")
		if res.Err != nil {
			t.Fatalf("%s: %v", tc.name, res.Err)
		}
		first := tex.Levels[0][:4]
		if tc.w == 4 { // the image is turned to the right, so the first pixel is in the corner
			first = tex.Levels[0][4*3:][:4]
		}
		if warned := strings.Join(res.Warned, "\n"); tex.W != tc.w || !bytes.Equal(first, tc.first) || !strings.Contains(warned, tc.warned) || (warned == "") != (tc.warned == "") {
			t.Errorf("%s: %d x %d of %v, want %d of %v; warned %q", tc.name, tex.W, tex.H, first, tc.w, tc.first, warned)
		}
	}
}

func glb(text string, chunk int) string {
	for len(text)%4 != 0 {
		text += " "
	}
	head := binary.LittleEndian.AppendUint32([]byte("glTF\x02\x00\x00\x00"), uint32(20+len(text)+8+chunk))
	head = binary.LittleEndian.AppendUint32(head, uint32(len(text)))
	return string(head) + "JSON" + text + string(binary.LittleEndian.AppendUint32(nil, uint32(chunk))) + "BIN\x00" + strings.Repeat("x", chunk)
}

func TestUsesOfPicturesAreFoundInModels(t *testing.T) {
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

// With kind "material", the materials of models must decide. Pixels may contradict the materials
// only for normal maps.
func TestMaterialsDecideTheKind(t *testing.T) {
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
		{"no normals", map[string]string{"m/a.gltf": slot("p.png", "normalTexture")}, colors, false, "nearly unit length"},
		{"heights", map[string]string{"m/a.mtl": "newmtl M\nmap_Bump p.png\n"}, colors, false, ""},
		{"both", map[string]string{"m/a.mtl": "newmtl M\nmap_Kd p.png\n", "m/b.gltf": slot("p.png", "occlusionTexture")}, colors, false, "a separate image for each"},
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

// In games that are not 2D, materials must decide the role of every image unless a rule does. They
// override names, and decide how an image is decoded.
func TestMaterialsOverrideNames(t *testing.T) {
	packed := painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{255, byte(7 * (x ^ y)), byte(x / 32 * 255), 255} })
	brown := painted(64, 64, func(x, y int) color.NRGBA {
		v := byte(x + 3*y/2)
		return color.NRGBA{v, v / 2, v / 4, 255}
	})
	gray := painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{byte(x * y), byte(x * y), byte(x * y), 255} })
	gamma := []byte{0, 0, 0, 4, 'g', 'A', 'M', 'A', 0, 1, 0x86, 0xa0, 0x31, 0xe8, 0x96, 0x5f} // a gamma of 1.0
	linear := func(png []byte) []byte { return slices.Concat(png[:33], gamma, png[33:]) }
	model := `{"images":[{"uri":"%s"}],"textures":[{"source":0}],"materials":[{"name":"M","pbrMetallicRoughness":{"%s":{"index":0}}}]}`
	const deps = 2 // the extracts of the directory and its parent
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
		{"colors with a gamma", "m/9c1f.png", "baseColorTexture", linear(encodePNG(t, packed)), nil, true, deps, "", []byte{255, 28, 0, 255}},
		{"not named by a material", "m/9c1f.png", "", encodePNG(t, packed), nil, true, deps, "", nil},
		{"not in a directory", "9c1f.png", "metallicRoughnessTexture", encodePNG(t, packed), nil, false, 1, "", nil},
		{"may be data", "m/Coat_Labels.png", "baseColorTexture", encodePNG(t, gray), func(o *Image) { o.Named = "perhaps-data" }, true, deps, "", nil},
		{"brown", "m/9c1f.png", "metallicRoughnessTexture", encodePNG(t, brown), nil, false, deps, "", nil},
		{"of a name that says else", "m/a_basecolor.png", "metallicRoughnessTexture", encodePNG(t, packed), func(o *Image) { o.Named = "color" }, false, deps, "but its path says color", nil},
		{"of a button", "m/ui/a.png", "baseColorTexture", encodePNG(t, brown), func(o *Image) { o.Named = "ui" }, true, deps, "", nil},
		{"of a mask", "m/a_mask.png", "metallicRoughnessTexture", encodePNG(t, gray), func(o *Image) { o.Named = "mask" }, false, deps, "", nil},
		{"a rule says it", "m/9c1f.png", "metallicRoughnessTexture", encodePNG(t, packed), func(o *Image) { o.Kind = "color" }, true, deps, "", nil},
		{"a test of alpha says it", "m/9c1f.png", "metallicRoughnessTexture", encodePNG(t, packed), func(o *Image) { o.Coverage = 0.5 }, true, deps, "", nil},
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
		deps := slices.DeleteFunc(res.Deps, isNeighbors)
		if tex.SRGB != tc.srgb || len(deps) != tc.deps {
			t.Errorf("%s: sRGB %v, dependencies %v", tc.name, tex.SRGB, deps)
		}
		if first := tex.Levels[0][4*4 : 4*5]; tc.pixel != nil && !bytes.Equal(first, tc.pixel) {
			t.Errorf("%s: pixel %v, want %v", tc.name, first, tc.pixel)
		}
	}
}

// isNeighbors reports whether a dependency is the listing of neighboring names.
func isNeighbors(d recipe.Dep) bool { return strings.HasPrefix(d.On.Function, neighbors.Name) }
