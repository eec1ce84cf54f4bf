package recipes_test

import (
	"encoding/base64"
	"math"
	"strings"
)

// triangleOBJ returns an OBJ model of one triangle. Its material has the given statements.
func triangleOBJ(statements string) string {
	return "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nvn 0 0 1\n" + statements + "usemtl m\nf 1/1/1 2/2/1 3/3/1\n"
}

// withMTL returns a sourcePart for statements of an MTL file.
func withMTL(part string, f fate, why, statements, has string) sourcePart {
	return sourcePart{kind: "OBJ", part: part, fate: f, why: why, name: "a.obj", source: triangleOBJ(""), more: map[string]string{"a.mtl": "newmtl m\nKd 1 1 1\n" + statements}, rule: `textures = "keep"`, has: has}
}

// withOBJ returns a sourcePart for statements of an OBJ file.
func withOBJ(part string, f fate, why, statements, has string) sourcePart {
	p := withMTL(part, f, why, "", has)
	p.source = triangleOBJ(statements)
	return p
}

func init() {
	white := map[string]string{"c.png": whitePNG(), "d.png": whitePNG()}
	parts := []sourcePart{
		withOBJ("`v`, `vt`, `vn`, `f`, with negative numbers", kept, "", "f -3/-3/-1 -2/-2/-1 -1/-1/-1\n", "TEXCOORD_0"),
		withOBJ("colors of vertices, and `#MRGB`", kept, "", "v 0 0 1 1 0 0\nv 1 0 1 1 0 0\nv 0 1 1 1 0 0\nf 4 5 6\n", "COLOR_0"),
		withOBJ("lines (`l`) and points (`p`)", kept, "", "l 1 2 3\np 1\n", `"mode":1|"mode":0`),
		withOBJ("`o`", kept, "as nodes", "o named\n", "named"),
		withOBJ("`g` without `o`", kept, "as nodes", "g named\n", "named"),
		withOBJ("`g` within `o`", warned, "", "o whole\ng half\n", "g (groups within objects"),
		withOBJ("smoothing groups (`s`) with normals", noMeaning, "", "s 1\n", ""),
		withOBJ("smoothing groups (`s`) without normals", warned, "", "s 1\nf 1 2 3\n", "s (smoothing groups"),
		withOBJ("third coordinate of `vt`", warned, "if it is not 0", "vt 0 0 1\n", "vt (third coordinates)"),
		withOBJ("weight of `v`", noMeaning, "only curves have weights", "v 0 0 1 0.5\n", ""),
		withOBJ("curves and surfaces (`curv`, `curv2`, `surf`)", refused, "", "cstype bezier\ndeg 2\ncurv 0 1 1 2 3\n", "free-form curves and surfaces are not read"),
		withOBJ("`lod`, `shadow_obj`, `trace_obj`, `bevel`, `mg`, `maplib`, `usemap`, unknown statements", warned, "", "shadow_obj x.obj\nlod 2\nusemap x\n", "lod|shadow_obj|usemap"),
		withOBJ("comments", noMeaning, "", "# text\n", ""),
		withMTL("`Kd`, `d`, `Tr`, `Ke`, `Pr`, `Pm`, `Ps`, `Pc`, `Pcr`, `aniso`", kept, "", "Ke 2 2 2\nPc 0.5\nPs 0.5\naniso 0.5\nPm 1\nd 0.5\n", "KHR_materials_emissive_strength|KHR_materials_clearcoat|KHR_materials_sheen|KHR_materials_anisotropy|baseColorFactor|BLEND"),
		withMTL("`Ks`, `Ni`", kept, "`KHR_materials_specular`, `KHR_materials_ior`", "Ks 1 0 0\nNi 1.3\n", "KHR_materials_ior|KHR_materials_specular"),
		withMTL("`Ns`", kept, "as a roughness", "Ns 200\nKs 1 1 1\n", "roughnessFactor"),
		withMTL("`map_Kd`, `map_Ks`, `map_Ke`, `map_Pc`, `map_Pcr`, `norm`", kept, "", "map_Kd c.png\nmap_Ks d.png\nmap_Ke c.png\nmap_Pc c.png\nmap_Pcr c.png\nnorm d.png\n", "baseColorTexture|normalTexture|emissiveTexture|specularColorTexture|clearcoatTexture|clearcoatRoughnessTexture"),
		withMTL("`-s`, `-o`, `-clamp`, `-bm` of `norm`, `-imfchan`", kept, "", "map_Kd -s 2 2 1 -o 0.5 0.5 0 -clamp on c.png\nnorm -bm 0.5 d.png\n", `KHR_texture_transform|"wrapS":33071|"scale":0.5`),
		withMTL("other options of maps, such as `-mm`, `-t`", warned, "", "map_Kd -mm 0.1 0.9 c.png\n", "-mm"),
		withMTL("`map_d` with another image than `map_Kd`", warned, "", "map_Kd c.png\nmap_d d.png\n", "map_d (glTF reads opacity from the alpha"),
		withMTL("`map_Pr` and `map_Pm` in two images", warned, "", "map_Pr c.png\nmap_Pm d.png\n", "map_Pm (glTF needs one image"),
		withMTL("`map_Bump`, `bump`", warned, "unless `norm` names a normal map", "bump c.png\n", "map_Bump (norm names a normal map)"),
		withMTL("`disp`, `decal`, `refl`", warned, "", "disp c.png\ndecal c.png\nrefl -type sphere c.png\n", "decal, disp, refl"),
		withMTL("`map_Ka` with another image than `map_Kd`, `map_Ns`, `map_Tr`, `map_Ps`", warned, "", "map_Kd c.png\nmap_Ka d.png\nmap_Ns d.png\n", "map_Ka, map_Ns"),
		withMTL("`Tf`, `sharpness`, `anisor`", warned, "", "Tf 0.5 0.5 0.5\nsharpness 100\nanisor 0.5\n", "Tf, anisor, sharpness"),
		withMTL("`d -halo`", warned, "", "d -halo 0.5\n", "d -halo"),
		withMTL("`Ka`", noMeaning, "ambient light belongs to the scene", "Ka 1 0 0\n", ""),
		withMTL("`illum`", noMeaning, "0 and 1 switch highlights off; glTF reflects by roughness and metal", "illum 7\n", ""),
		withMTL("colors by `spectral` or `xyz`", warned, "", "Ks spectral x.rfl 1\n", "Ks spectral"),
		{kind: "OBJ", part: "an MTL file that does not exist", fate: warned, name: "a.obj", source: triangleOBJ(""), has: "mtllib a.mtl does not exist"},
		withOBJ("a material that no MTL file has", noMeaning, "it keeps its name", "usemtl other\nf 1/1/1 2/2/1 3/3/1\n", ""),
	}
	for i := range parts {
		if parts[i].more != nil {
			for name, data := range white {
				parts[i].more[name] = data
			}
		}
	}
	sourceParts = append(sourceParts, parts, partsOfGLTF())
}

// whitePNG returns an image of one white pixel.
func whitePNG() string {
	data, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg==")
	if err != nil {
		panic(err)
	}
	return string(data)
}

// triangleGLTF returns a model with one triangle. members are additional members of the document.
// node, mesh and position are additional members of its node, its mesh and the accessor of
// positions.
func triangleGLTF(members, node, mesh, position string) string {
	var data strings.Builder
	for _, x := range []float32{0, 0, 0, 1, 0, 0, 0, 1, 0} {
		data.WriteString(u32(math.Float32bits(x)))
	}
	buffer := data.String() + u32(1) + u32(math.Float32bits(2), 0, 0)
	return `{"asset":{"version":"2.0","copyright":"Nobody"},"scene":0,"scenes":[{"nodes":[0]}],
"nodes":[{"mesh":0` + node + `}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]` + mesh + `}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[2,1,0]` + position + `},
{"bufferView":0,"componentType":5126,"count":2,"type":"VEC3","name":"spare"}],
"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":4},{"buffer":0,"byteOffset":40,"byteLength":12}],
"buffers":[{"byteLength":52,"uri":"data:application/octet-stream;base64,` + base64.StdEncoding.EncodeToString([]byte(buffer)) + `"}]` + members + `}`
}

func partsOfGLTF() []sourcePart {
	part := func(name string, f fate, why, source, has string) sourcePart {
		return sourcePart{kind: "glTF", part: name, fate: f, why: why, name: "a.gltf", source: source, has: has}
	}
	return []sourcePart{
		part("`extras`", kept, "", triangleGLTF("", `,"extras":{"mark":"m"}`, "", ""), `"mark":"m"`),
		part("extensions that the recipe does not know", kept, "one that names buffer views is refused", triangleGLTF(`,"extensionsUsed":["X_y"]`, `,"extensions":{"X_y":{"z":1}}`, "", ""), `"X_y":{"z":1}`),
		part("`asset.copyright`", kept, "", triangleGLTF("", "", "", ""), "Nobody"),
		part("cameras", kept, "", triangleGLTF(`,"cameras":[{"type":"perspective","perspective":{"yfov":1,"znear":0.1}}]`, `,"camera":0`, "", ""), "yfov"),
		part("lights (`KHR_lights_punctual`)", kept, "", triangleGLTF(`,"extensionsUsed":["KHR_lights_punctual"],"extensions":{"KHR_lights_punctual":{"lights":[{"type":"point"}]}}`, `,"extensions":{"KHR_lights_punctual":{"light":0}}`, "", ""), "KHR_lights_punctual"),
		part("names of morph targets (`extras.targetNames`), weights", kept, "", triangleGLTF("", "", `,"extras":{"targetNames":["smile"]}`, ""), "smile"),
		part("accessors that nothing uses", kept, "unless `prune` is set", triangleGLTF("", "", "", ""), "spare"),
		part("sparse accessors", kept, "as plain ones", triangleGLTF("", "", "", `,"sparse":{"count":1,"indices":{"bufferView":1,"componentType":5125},"values":{"bufferView":2}}`), "POSITION"),
		part("images that do not exist", warned, "", triangleGLTF(`,"images":[{"uri":"none.png"}]`, "", "", ""), "none.png"),
	}
}
