// Package role finds the purpose of a picture from its name, and says how pictures of each role
// become textures.
package role

// A Role is the meaning of a picture's numbers for the program that reads them.
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
	Sprite           // pictures that are drawn as they are, and frames of animations
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

// A Treatment says how pictures of a role become textures.
type Treatment struct {
	// Colors says that numbers are colors: in sRGB unless options or the format say otherwise, and
	// weighed by alpha on smaller levels. Otherwise they are plain numbers.
	Colors bool
	// Mips says that the texture has smaller levels.
	Mips bool
	// Exact says that up to a megabyte is stored uncompressed, with any number of colors.
	Exact bool
	// Single says that a picture with one channel is stored in one channel.
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

// Treatment returns how pictures of the role become textures.
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
