package role

// A Name is the meaning of a picture's file name. Its zero value means nothing.
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

// Role returns the role that a name promises, Unknown if only the picture can tell.
func (n Name) Role() Role {
	return [...]Role{
		Unknown, Color, Data, Data, Mask, Normal, Normal, Normal, Height, Lightmap,
		Environment, LUT, UI, Sprite, Font, Unknown, Unknown, Unknown, Unknown, Unknown,
	}[n]
}
