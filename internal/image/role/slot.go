package role

import "strings"

// A Slot says how a material reads a picture.
type Slot struct {
	Role  Role // of red, green and blue; of alpha if only it is read
	Alpha Alpha
}

// Alpha says how a material reads the fourth channel.
type Alpha uint8

// The meanings of alpha.
const (
	Ignored Alpha = iota // the material does not read it
	Opacity              // transparency; Ignored in materials that are opaque
	Number               // a number besides red, green and blue, such as glossiness
	Alone                // a number, and the material does not read red, green and blue
)

// OfSlot returns how a material reads the picture of a slot: a member of a glTF material
// (glTF 2.0, 3.9, and extensions of the Khronos Group and of vendors) or a statement of MTL.
// The role is Unknown for other words.
func OfSlot(slot string) Slot {
	switch slot {
	case "baseColorTexture", "diffuseTexture", "map_Kd":
		return Slot{Color, Opacity}
	case "specularGlossinessTexture":
		return Slot{Color, Number}
	case "emissiveTexture", "sheenColorTexture", "specularColorTexture", "diffuseTransmissionColorTexture",
		"clearcoatColorTexture", "clearcoatTintTexture", "shadeMultiplyTexture", "matcapTexture", "rimMultiplyTexture",
		"map_Ks", "map_Ke", "map_Ka":
		return Slot{Color, Ignored}
	case "MOZ_lightmap":
		return Slot{Lightmap, Ignored}
	case "normalTexture", "clearcoatNormalTexture",
		"norm", "map_Bump", "map_bump", "bump":
		return Slot{Normal, Ignored}
	case "specularTexture", "sheenRoughnessTexture", "diffuseTransmissionTexture":
		return Slot{Data, Alone}
	case "normalRoughnessMetallicTexture":
		return Slot{Data, Number}
	case "metallicRoughnessTexture", "occlusionTexture", "clearcoatTexture", "clearcoatRoughnessTexture",
		"transmissionTexture", "thicknessTexture", "iridescenceTexture", "iridescenceThicknessTexture", "anisotropyTexture",
		"clearcoatSpecularTexture", "diffuseRoughnessTexture", "bumpTexture",
		"occlusionRoughnessMetallicTexture", "roughnessMetallicOcclusionTexture",
		"shadingShiftTexture", "outlineWidthMultiplyTexture", "uvAnimationMaskTexture",
		"map_Pr", "map_Pm", "map_Ns", "map_d", "disp":
		return Slot{Data, Ignored}
	}
	return Slot{}
}

// IsGLTFSlot reports whether a member of a glTF material or of its extensions may name a texture,
// also for unknown members. It is false for words of MTL.
func IsGLTFSlot(member string) bool {
	return strings.HasSuffix(member, "Texture") || member == "MOZ_lightmap"
}

// Join returns how two slots together read one picture, and whether one texture suits both. It
// does if the slots have one role, or if one of them reads only alpha, as in some pairs of slots
// of extensions. In a pair the other slot decides the role of red, green and blue.
func (s Slot) Join(other Slot) (joined Slot, suits bool) {
	if s.Alpha == Alone && other.Alpha == Alone {
		return s, true
	}
	alpha := Ignored
	switch {
	case s.Alpha == Opacity || other.Alpha == Opacity:
		alpha = Opacity
	case s.Alpha != Ignored || other.Alpha != Ignored:
		alpha = Number
	}
	switch {
	case s.Alpha == Alone:
		return Slot{other.Role, alpha}, true
	case other.Alpha == Alone || s.Role == other.Role:
		return Slot{s.Role, alpha}, true
	}
	return Slot{Data, alpha}, false
}
