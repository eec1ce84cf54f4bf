package obj

import (
	"math"
	"slices"
	"strings"
)

// losses collects the statements of a model that glTF cannot represent, with advice for users.
type losses struct {
	words  []string
	advice map[string]string
}

// maxLost is the maximum number of statements listed in a warning.
const maxLost = 20

func (l *losses) countLost(statement, advice string) {
	if len(statement) > 24 {
		statement = statement[:24]
	}
	statement = strings.ToValidUTF8(statement, "?")
	if _, ok := l.advice[statement]; ok || len(l.words) == maxLost {
		return
	}
	if l.advice == nil {
		l.advice = map[string]string{}
	}
	l.words, l.advice[statement] = append(l.words, statement), advice
}

// lostStatements returns the statements, sorted, with their advice in parentheses.
func (l *losses) lostStatements() []string {
	slices.Sort(l.words)
	var lines []string
	for _, w := range l.words {
		if advice := l.advice[w]; advice != "" {
			w += " (" + advice + ")"
		}
		lines = append(lines, w)
	}
	return lines
}

// A looker converts materials to glTF.
type looker struct {
	*gltf
	lost     *losses
	images   map[string]int
	textures map[texture]int
}

// writeLook converts a material. Materials share images and textures.
func (l *looker) writeLook(m *material) gltfLook {
	look := gltfLook{Name: m.name}
	if !m.known {
		return look
	}
	look.PBR = &pbr{Texture: l.writeTextureOf(m, "map_kd")}
	opacity, hasOpacity := m.numbers["d"]
	kd, hasKd := m.colors["kd"]
	if !hasOpacity {
		opacity = 1
	}
	if hasKd || opacity < 1 {
		factor := [4]float64{1, 1, 1, float64(opacity)}
		if hasKd {
			for k, x := range kd {
				factor[k] = float64(min(x, 1))
			}
		}
		look.PBR.Factor = &factor
	}
	mask, masked := m.maps["map_d"]
	if opacity < 1 || masked {
		look.AlphaMode = "BLEND"
	}
	if masked && mask.file != m.maps["map_kd"].file {
		l.lost.countLost("map_d", "glTF reads opacity from the alpha of the map_Kd image")
	}
	if look.Normal = l.writeTextureOf(m, "norm"); look.Normal != nil && m.maps["norm"].bump != 1 {
		scale := m.maps["norm"].bump
		look.Normal.Scale = &scale
	}
	l.writeRoughness(m, look.PBR)
	l.emission(m, &look)
	l.specular(m, &look)
	l.layers(m, &look)
	l.countUnwritten(m)
	return look
}

// writeRoughness converts Pr and Pm to roughness and metalness. Without Pr, it converts the Phong
// exponent Ns to a roughness.
func (l *looker) writeRoughness(m *material, p *pbr) {
	if x, ok := m.numbers["pm"]; ok {
		p.Metallic = float64(min(max(x, 0), 1))
	}
	rough, ok := m.numbers["pr"]
	if exponent, has := m.numbers["ns"]; has && !ok && !m.isDull() {
		rough, ok = float32(math.Sqrt(math.Sqrt(2/(2+max(float64(exponent), 0))))), true
	}
	metal, isMetal := m.maps["map_pm"]
	grain, isRough := m.maps["map_pr"]
	switch {
	case isMetal && isRough && metal.file == grain.file && grain.from == "g" && metal.from == "b":
		p.Metallic = 1
		ok = false // omit the factor, because 1 is the default
		p.MetallicRoughness = l.writeTextureOf(m, "map_pr")
	case isRough && !isMetal && p.Metallic == 0 && slices.Contains([]string{"", "l", "g"}, grain.from):
		ok = false
		p.MetallicRoughness = l.writeTextureOf(m, "map_pr")
	default:
		const advice = "glTF needs one image with roughness in green and metalness in blue: use -imfchan g for map_Pr, -imfchan b for map_Pm"
		if isMetal {
			l.lost.countLost("map_Pm", advice)
		}
		if isRough {
			l.lost.countLost("map_Pr", advice)
		}
	}
	if ok {
		r := float64(min(max(rough, 0), 1))
		p.Roughness = &r
	}
}

// isDull reports whether a material has no specular highlight: illum is 0 or 1, or Ks is black.
func (m *material) isDull() bool {
	ks, has := m.colors["ks"]
	return m.numbers["dull"] == 1 || has && ks == [3]float32{} && m.maps["map_ks"].file == ""
}

// emission converts the emission color Ke and its map map_Ke. If there is a map, a black Ke is
// treated as white.
func (l *looker) emission(m *material, look *gltfLook) {
	ke := m.colors["ke"]
	look.EmissiveMap = l.writeTextureOf(m, "map_ke")
	if look.EmissiveMap != nil && ke == [3]float32{} {
		ke = [3]float32{1, 1, 1}
	}
	if ke == [3]float32{} {
		return
	}
	factor, strength := [3]float64{}, max(float64(max(ke[0], ke[1], ke[2])), 1)
	for k, x := range ke {
		factor[k] = float64(x) / strength
	}
	look.Emissive = &factor
	if strength > 1 {
		l.addLookExtension(look, "KHR_materials_emissive_strength", map[string]any{"emissiveStrength": strength})
	}
}

// specular converts the specular color Ks and the index of refraction Ni. A gray Ks of 0.5 is
// glTF's default, a reflectance of 4 %, as in Blender. An index of refraction of 1 means no
// refraction and is omitted.
func (l *looker) specular(m *material, look *gltfLook) {
	members := map[string]any{}
	ks, has := m.colors["ks"]
	reflection := l.writeTextureOf(m, "map_ks")
	switch {
	case m.numbers["dull"] == 1:
		if reflection != nil {
			l.lost.countLost("map_Ks", "unused, because illum is 0 or 1")
		}
		return
	case !has:
		ks = [3]float32{0.5, 0.5, 0.5}
		if reflection != nil {
			ks = [3]float32{1, 1, 1}
		}
	}
	if reflection != nil {
		members["specularColorTexture"] = reflection
	}
	switch ks {
	case [3]float32{}:
		members["specularFactor"] = 0
	case [3]float32{0.5, 0.5, 0.5}:
	default:
		members["specularColorFactor"] = [3]float64{2 * float64(ks[0]), 2 * float64(ks[1]), 2 * float64(ks[2])}
	}
	if len(members) > 0 {
		l.addLookExtension(look, "KHR_materials_specular", members)
	}
	if ni := m.numbers["ni"]; ni > 1 && ni != 1.5 {
		l.addLookExtension(look, "KHR_materials_ior", map[string]any{"ior": float64(ni)})
	}
}

// layers converts clearcoat, sheen and anisotropy.
func (l *looker) layers(m *material, look *gltfLook) {
	share := func(key string) float64 { return float64(min(max(m.numbers[key], 0), 1)) }
	coat, rough := l.writeTextureOf(m, "map_pc"), l.writeTextureOf(m, "map_pcr")
	if coat != nil || share("pc") > 0 {
		members := map[string]any{"clearcoatFactor": share("pc"), "clearcoatRoughnessFactor": share("pcr")}
		if coat != nil {
			members["clearcoatTexture"], members["clearcoatFactor"] = coat, 1
		}
		if rough != nil {
			members["clearcoatRoughnessTexture"], members["clearcoatRoughnessFactor"] = rough, 1
		}
		l.addLookExtension(look, "KHR_materials_clearcoat", members)
	}
	if x := share("ps"); x > 0 {
		l.addLookExtension(look, "KHR_materials_sheen", map[string]any{"sheenColorFactor": [3]float64{x, x, x}})
	}
	if x := share("aniso"); x > 0 {
		l.addLookExtension(look, "KHR_materials_anisotropy", map[string]any{"anisotropyStrength": x})
	}
}

// countUnwritten records the statements that no other function converts. It ignores Ka, because in
// glTF ambient light belongs to the scene.
func (l *looker) countUnwritten(m *material) {
	for key, written := range map[string]string{
		"map_ns": "map_Ns", "map_tr": "map_Tr", "disp": "disp", "decal": "decal", "refl": "refl", "map_ps": "map_Ps", "map_ka": "map_Ka",
	} {
		if t, ok := m.maps[key]; ok && t.file != m.maps["map_kd"].file { // exporters often repeat map_Kd as map_Ka
			l.lost.countLost(written, "")
		}
	}
	for _, key := range []string{"map_bump", "bump"} {
		if _, ok := m.maps[key]; ok && m.maps["norm"].file == "" {
			l.lost.countLost("map_Bump", "norm names a normal map")
		}
	}
	if tf, ok := m.colors["tf"]; ok && tf != [3]float32{} && tf != [3]float32{1, 1, 1} {
		l.lost.countLost("Tf", "")
	}
	if m.numbers["anisor"] != 0 {
		l.lost.countLost("anisor", "")
	}
	if x, ok := m.numbers["sharpness"]; ok && x != 60 {
		l.lost.countLost("sharpness", "")
	}
}

// writeTextureOf returns the texture of a map, or nil if the material has no such map.
func (l *looker) writeTextureOf(m *material, key string) *textureInfo {
	t, ok := m.maps[key]
	if !ok {
		return nil
	}
	image, ok := l.images[t.file]
	if !ok {
		image = len(l.Images)
		l.images[t.file] = image
		l.Images = append(l.Images, imageFile{URI: escapeURI(t.file)})
	}
	of := texture{Source: image}
	if t.clamp {
		of.Sampler = 1
	}
	i, ok := l.textures[of]
	if !ok {
		i = len(l.Textures)
		l.textures[of] = i
		l.Textures = append(l.Textures, of)
	}
	info := &textureInfo{Index: i}
	if t.scale != [2]float64{1, 1} || t.offset != [2]float64{} {
		// Texture coordinates start at the bottom in OBJ and at the top in glTF.
		offset := [2]float64{t.offset[0], 1 - t.scale[1] - t.offset[1]}
		info.Extensions = map[string]any{"KHR_texture_transform": map[string]any{"offset": offset, "scale": t.scale}}
		l.declareExtension("KHR_texture_transform")
	}
	return info
}

func (l *looker) addLookExtension(look *gltfLook, name string, members map[string]any) {
	if look.Extensions == nil {
		look.Extensions = map[string]any{}
	}
	look.Extensions[name] = members
	l.declareExtension(name)
}

func (l *looker) declareExtension(extension string) {
	if i, ok := slices.BinarySearch(l.ExtensionsUsed, extension); !ok {
		l.ExtensionsUsed = slices.Insert(l.ExtensionsUsed, i, extension)
	}
}
