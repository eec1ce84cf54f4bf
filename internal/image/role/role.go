// Package role says what a picture is for, as far as its name tells, and how
// pictures of each role become textures.
package role

// A Role is what the numbers of a picture mean to the program that reads them.
type Role uint8

// The roles.
const (
	Unknown     Role = iota
	Color            // what is seen of a surface: albedo, diffuse, emission
	Data             // roughness, metalness, occlusion, or several of them, a channel each
	Mask             // how much of something there is: one channel
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

// String returns the word that option kind has for r, "" for Unknown.
func (r Role) String() string { return names[r] }

// Parse returns the role of such a word, and Unknown for others.
func Parse(word string) Role {
	for r, name := range names {
		if name == word {
			return Role(r)
		}
	}
	return Unknown
}

// A Treatment is how pictures of a role become textures.
type Treatment struct {
	// Colors says that numbers are colors: on the sRGB curve unless options or format say
	// otherwise, and weighed by alpha on smaller levels. Else they are plain numbers.
	Colors bool
	// Mips says that there are smaller levels.
	Mips bool
	// Exact says that what fits a megabyte is stored as it is, however many colors it has.
	Exact bool
	// Single says that the picture is stored in one channel if that is all it has.
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

// Meaning is what a role says of numbers: colors of any kind, unit vectors, tables, or data.
func Meaning(r Role) string {
	switch {
	case r == Normal || r == LUT:
		return r.String()
	case r.Treatment().Colors:
		return "color"
	}
	return "data"
}
