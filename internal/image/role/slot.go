package role

// OfSlot returns the role of pictures in a slot of a material of glTF or MTL, Unknown for other
// words. Those of glTF are of its specification, 3.9, and of the extensions that the Khronos
// Group has ratified.
func OfSlot(slot string) Role {
	switch slot {
	case "baseColorTexture", "emissiveTexture", "diffuseTexture", "sheenColorTexture",
		"specularColorTexture", "specularGlossinessTexture", "diffuseTransmissionColorTexture",
		"map_Kd", "map_Ks", "map_Ke", "map_Ka":
		return Color
	case "normalTexture", "clearcoatNormalTexture",
		"norm", "map_Bump", "map_bump", "bump":
		return Normal
	case "metallicRoughnessTexture", "occlusionTexture", "clearcoatTexture", "clearcoatRoughnessTexture",
		"transmissionTexture", "thicknessTexture", "specularTexture", "sheenRoughnessTexture",
		"iridescenceTexture", "iridescenceThicknessTexture", "anisotropyTexture", "diffuseTransmissionTexture",
		"map_Pr", "map_Pm", "map_Ns", "map_d", "disp":
		return Data
	}
	return Unknown
}
