// Package spritesheet holds the JSON that describes the sprites on a texture. TexturePacker defines
// the layouts, and PixiJS, Phaser and Godot's importer read them.
package spritesheet

import "encoding/json"

// Data is the JSON of all layouts. The layout "hash" uses Frames and Animations; the other layouts
// use Textures.
type Data struct {
	Frames     map[string]*Frame   `json:"frames,omitempty"`
	Animations map[string][]string `json:"animations,omitempty"`
	Textures   []Page              `json:"textures,omitempty"`
	Meta       Meta                `json:"meta"`
}

// Meta describes the page of layout "hash".
type Meta struct {
	App     string   `json:"app"`
	Version string   `json:"version"`
	Image   string   `json:"image,omitempty"`
	Format  string   `json:"format,omitempty"`
	Size    *Size    `json:"size,omitempty"`
	Scale   string   `json:"scale,omitempty"`
	Related []string `json:"related_multi_packs,omitempty"`
	// Plays is the number of times that the animation plays; 0 means forever.
	Plays *int `json:"plays,omitempty"`
}

// NewMeta returns a Meta with the fields that describe this program.
func NewMeta() Meta {
	return Meta{App: "https://github.com/assetcook/assetcook", Version: "1.0"}
}

// A Page is one of several pages in layouts other than "hash".
type Page struct {
	Image   string   `json:"image"`
	Format  string   `json:"format,omitempty"`
	Size    Size     `json:"size"`
	Scale   float64  `json:"scale,omitempty"`
	Frames  []*Frame `json:"frames,omitempty"`
	Sprites []Region `json:"sprites,omitempty"`
}

// A Rect is a rectangle on a page or in an image.
type Rect struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

// A Size is the size of a page or an image, in pixels.
type Size struct {
	W int `json:"w"`
	H int `json:"h"`
}

// Borders are the widths of the parts of a nine-patch that do not stretch.
type Borders struct {
	Left   int `json:"left"`
	Top    int `json:"top"`
	Right  int `json:"right"`
	Bottom int `json:"bottom"`
}

// A Frame is a sprite.
type Frame struct {
	Filename string `json:"filename,omitempty"`
	// Frame is the sprite's rectangle on the page, with its size before rotation.
	Frame   Rect `json:"frame"`
	Rotated bool `json:"rotated"`
	Trimmed bool `json:"trimmed"`
	// Source is the sprite's rectangle in the image, and Of is the size of the image.
	Source Rect `json:"spriteSourceSize"`
	Of     Size `json:"sourceSize"`
	// Duration is how many milliseconds an animation shows the sprite.
	Duration int `json:"duration,omitempty"`
	// Borders and Center describe a nine-patch for PixiJS and Phaser.
	Borders *Borders `json:"borders,omitempty"`
	Center  *Rect    `json:"scale9Borders,omitempty"`
}

// A Region is a sprite in the layout of Godot's importer.
type Region struct {
	Filename string `json:"filename"`
	Region   Rect   `json:"region"`
	// Margin holds the sprite's offset in the image, and the difference between the sizes of image
	// and sprite.
	Margin Rect `json:"margin"`
}

// Encode returns the JSON as indented text.
func Encode(d Data) ([]byte, error) {
	text, err := json.MarshalIndent(d, "", " ")
	return append(text, '\n'), err
}
