// Package role determines the purpose of an image from its name. It also defines how images of each
// role become textures.
package role

import "strings"

// A Role is what an image's pixel values mean to the program that reads them.
type Role uint8

// These are the roles.
const (
	Unknown     Role = iota
	Color            // visible colors of a surface, such as albedo, diffuse and emission
	Data             // roughness, metalness, occlusion, or several of them, one in each channel
	Mask             // a single value per pixel, such as the strength of an effect
	Normal           // unit vectors
	Height           // height of a surface, as in bump and displacement maps
	Lightmap         // baked light on surfaces
	Environment      // skies, panoramas and faces of cube maps
	LUT              // lookup tables indexed by color or angle
	UI               // buttons, icons and cursors
	Sprite           // images drawn unchanged, and frames of animations
	Font             // glyphs of fonts
)

var names = [...]string{"", "color", "data", "mask", "normal", "height", "lightmap", "environment", "lut", "ui", "sprite", "font"}

// String returns the word for r in the option "kind", or "" for Unknown.
func (r Role) String() string { return names[r] }

// Parse returns the role for a word of the option "kind", or Unknown.
func Parse(word string) Role {
	for r, name := range names {
		if name == word {
			return Role(r)
		}
	}
	return Unknown
}

// A Treatment describes how images of a role become textures.
type Treatment struct {
	// Colors is set if pixel values are colors. They are in sRGB unless options or the format
	// choose otherwise, and smaller mip levels weight them by alpha. If Colors is not set,
	// pixel values are plain numbers.
	Colors bool
	// Mips is set if the texture has mip levels.
	Mips bool
	// Exact is set if textures of up to a megabyte are stored uncompressed, for any number of
	// colors.
	Exact bool
	// Single is set if an image with one channel becomes a texture with one channel.
	Single bool
}

// treatments holds the table in docs/recipes/image.md.
var treatments = [...]Treatment{
	Unknown:     {Colors: true, Mips: true, Single: true},
	Color:       {Colors: true, Mips: true, Single: true},
	Data:        {Mips: true},
	Mask:        {Mips: true, Single: true},
	Normal:      {Mips: true},
	Height:      {Mips: true, Single: true},
	Lightmap:    {Colors: true, Mips: true},
	Environment: {Colors: true, Mips: true},
	LUT:         {Exact: true},
	UI:          {Colors: true, Exact: true},
	Sprite:      {Colors: true, Exact: true},
	Font:        {Colors: true, Exact: true},
}

// Treatment returns how images of the role become textures.
func (r Role) Treatment() Treatment { return treatments[r] }

// Meaning groups roles by the meaning of pixel values: colors of any kind, unit vectors,
// tables, or data.
func Meaning(r Role) string {
	switch {
	case r == Normal || r == LUT:
		return r.String()
	case r.Treatment().Colors:
		return "color"
	}
	return "data"
}

// A Name is the meaning of an image's file name. The zero value means that the name has no meaning.
type Name uint8

// These are the meanings; String returns their words in the option "named".
const (
	Nameless        Name = iota
	Colors               // colors, as in "wall_albedo"
	Packed               // data, perhaps with several maps: "wall_orm", "wall_roughness"
	Occlusion            // gray data, as in "wall_ao"
	Masked               // a mask, as in "wall_mask"
	Normals              // a normal map, as in "wall_normal"
	OpenGL               // a normal map whose green points up, as in "wall_nor_gl"
	DirectX              // a normal map whose green points down, as in "wall_nor_dx"
	Heights              // a height map, as in "wall_disp"
	Lightmaps            // a lightmap, as in "room_lightmap"
	Environments         // an environment, as in "skybox/left"
	LUTs                 // a lookup table, as in "lut_warm"
	UIs                  // an interface element, as in "icon_sword" and "ui/close"
	Sprites              // a sprite, as in "tree_sprite" and "sprites/tree"
	Fonts                // a font, as in "fonts/arial"
	Numbered             // one of several images without a known role, as in "boom_07"
	PerhapsNormal        // a normal map if its pixels are normals, as in "wall_n"
	PerhapsData          // data if the image is gray, as in "wall_r" and "wall_spec"
	Letter               // too short to be a word, as in "f"
	PerhapsNumbered      // a size, a tile or a frame, depending on the other images: "boom_256"
	PerhapsMap           // a map if the directory has another map of the surface, as in "wall_r" and "AO"
	Animations           // a frame of a sprite or one of several images, depending on the other images: "walk_03"
	Codes                // a table of codes if it has few colors: "terrain" beside "elev"
	lastName        = Codes
)

var words = [...]string{
	"none", "color", "data", "occlusion", "mask", "normal", "normal-opengl", "normal-directx", "height", "lightmap",
	"environment", "lut", "ui", "sprite", "font", "numbered", "perhaps-normal", "perhaps-data", "letter", "perhaps-numbered",
	"perhaps-map", "animation", "codes",
}

// String returns the word that the option named uses for n.
func (n Name) String() string { return words[n] }

// ParseName returns the meaning for a word of the option "named", or Nameless.
func ParseName(word string) Name {
	for n, w := range words {
		if w == word {
			return Name(n)
		}
	}
	return Nameless
}

// Names returns all meanings except Nameless.
func Names() []Name {
	all := make([]Name, 0, lastName)
	for n := Colors; n <= lastName; n++ {
		all = append(all, n)
	}
	return all
}

// Role returns the role that a name indicates, or Unknown if it depends on the pixels.
func (n Name) Role() Role {
	return [...]Role{
		Unknown, Color, Data, Data, Mask, Normal, Normal, Normal, Height, Lightmap,
		Environment, LUT, UI, Sprite, Font, Unknown, Unknown, Unknown, Unknown, Unknown,
		Unknown, Sprite, Unknown,
	}[n]
}

// A Slot describes how a material reads an image.
type Slot struct {
	Role  Role // role of red, green and blue, or of alpha if the material reads only alpha
	Alpha Alpha
}

// Alpha is the use of the fourth channel in a material.
type Alpha uint8

// These are the uses of alpha.
const (
	Ignored Alpha = iota // the material does not read alpha
	Opacity              // transparency, which opaque materials ignore
	Number               // scalar value beside red, green and blue, such as glossiness
	Alone                // scalar value; the material reads no other channel
)

// OfSlot returns how a material reads the image of a slot. A slot is a member of a glTF material
// (glTF 2.0, 3.9, and extensions of the Khronos Group and of vendors) or a statement of MTL. For
// any other word, the role is Unknown.
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

// IsGLTFSlot reports whether a member of a glTF material or of its extensions may name a texture.
// It is true for unknown members with a suitable name, and false for words of MTL.
func IsGLTFSlot(member string) bool {
	return strings.HasSuffix(member, "Texture") || member == "MOZ_lightmap"
}

// Join returns how two slots together read one image. suits reports whether a single texture suits
// both slots. It is true if both slots have the same role, or if one of them reads only alpha, as
// for some pairs in extensions. In the second case, red, green and blue have the role of the other
// slot.
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
