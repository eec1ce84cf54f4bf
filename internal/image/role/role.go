// Package role finds the purpose of an image from its name, and the treatment of images of each
// role.
package role

import "strings"

// A Role is the meaning of an image's numbers for the program that reads them.
type Role uint8

// The roles.
const (
	Unknown     Role = iota
	Color            // the visible colors of a surface: albedo, diffuse, emission
	Data             // roughness, metalness, occlusion, or several of them, a channel each
	Mask             // an amount of something: one channel
	Normal           // unit vectors
	Height           // how far a surface rises: bump, displacement
	Lightmap         // light on surfaces, baked
	Environment      // skies, panoramas, faces of cubes
	LUT              // tables that are looked up by color or angle
	UI               // buttons, icons, cursors
	Sprite           // images that are drawn as they are, and frames of animations
	Font             // glyphs
)

var names = [...]string{"", "color", "data", "mask", "normal", "height", "lightmap", "environment", "lut", "ui", "sprite", "font"}

// String returns the word of option kind for r, "" for Unknown.
func (r Role) String() string { return names[r] }

// Parse returns the role of a word of option kind, or Unknown.
func Parse(word string) Role {
	for r, name := range names {
		if name == word {
			return Role(r)
		}
	}
	return Unknown
}

// A Treatment describes the textures of a role.
type Treatment struct {
	// Colors is set if numbers are colors: in sRGB unless options or the format choose otherwise,
	// and weighed by alpha on smaller levels. Otherwise they are plain numbers.
	Colors bool
	// Mips is set if the texture has smaller levels.
	Mips bool
	// Exact is set if up to a megabyte is stored uncompressed, with any number of colors.
	Exact bool
	// Single is set if an image with one channel is stored in one channel.
	Single bool
}

// treatments is the table of docs/recipes/image.md.
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

// Meaning groups roles by the meaning of numbers: colors of any kind, unit vectors, tables, or
// data.
func Meaning(r Role) string {
	switch {
	case r == Normal || r == LUT:
		return r.String()
	case r.Treatment().Colors:
		return "color"
	}
	return "data"
}

// A Name is the meaning of an image's file name. Its zero value means nothing.
type Name uint8

// The meanings, with the words of option named.
const (
	Nameless        Name = iota
	Colors               // "wall_albedo"
	Packed               // data, perhaps several maps in one: "wall_orm", "wall_roughness"
	Occlusion            // data that is gray: "wall_ao"
	Masked               // "wall_mask"
	Normals              // "wall_normal"
	OpenGL               // a normal map whose green points up: "wall_nor_gl"
	DirectX              // a normal map whose green points down: "wall_nor_dx"
	Heights              // "wall_disp"
	Lightmaps            // "room_lightmap"
	Environments         // "skybox/left"
	LUTs                 // "lut_warm"
	UIs                  // "icon_sword", "ui/close"
	Sprites              // "walk_03", "sprites/tree"
	Fonts                // "fonts/arial"
	Numbered             // "boom_07": one of several, of no certain role
	PerhapsNormal        // "wall_n": a normal map if it looks like one
	PerhapsData          // "wall_r", "wall_spec": data if it is gray
	Letter               // "f": too short to be a word
	PerhapsNumbered      // "boom_256": a size, a tile, or a frame if it has neighbors
	lastName        = PerhapsNumbered
)

var words = [...]string{
	"none", "color", "data", "occlusion", "mask", "normal", "normal-opengl", "normal-directx", "height", "lightmap",
	"environment", "lut", "ui", "sprite", "font", "numbered", "perhaps-normal", "perhaps-data", "letter", "perhaps-numbered",
}

// String returns the word of option named for n.
func (n Name) String() string { return words[n] }

// ParseName returns the meaning of a word of option named, or Nameless.
func ParseName(word string) Name {
	for n, w := range words {
		if w == word {
			return Name(n)
		}
	}
	return Nameless
}

// Names returns all names but Nameless.
func Names() []Name {
	all := make([]Name, 0, lastName)
	for n := Colors; n <= lastName; n++ {
		all = append(all, n)
	}
	return all
}

// Role returns the role that a name promises, Unknown if only the image can tell.
func (n Name) Role() Role {
	return [...]Role{
		Unknown, Color, Data, Data, Mask, Normal, Normal, Normal, Height, Lightmap,
		Environment, LUT, UI, Sprite, Font, Unknown, Unknown, Unknown, Unknown, Unknown,
	}[n]
}

// A Slot describes how a material reads an image.
type Slot struct {
	Role  Role // role of red, green and blue; of alpha if only alpha is read
	Alpha Alpha
}

// Alpha is the use of the fourth channel in a material.
type Alpha uint8

// The meanings of alpha.
const (
	Ignored Alpha = iota // the material does not read it
	Opacity              // transparency; Ignored in materials that are opaque
	Number               // a number besides red, green and blue, such as glossiness
	Alone                // a number, and the material does not read red, green and blue
)

// OfSlot returns how a material reads the image of a slot: a member of a glTF material
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

// Join returns how two slots together read one image, and whether one texture suits both. It
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
