package outputs

import (
	"bytes"
	"encoding/json"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"io/fs"
	"strings"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/audio/wav"
)

// Image loads a cooked image.
func Image(files fs.FS, name string) (*ebiten.Image, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, _, err := image.Decode(f)
	if err != nil {
		return nil, err
	}
	return ebiten.NewImageFromImage(m), nil
}

// Sound loads a cooked sound for a player with the given sample rate.
func Sound(files fs.FS, name string, rate int) (*wav.Stream, error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	return wav.DecodeWithSampleRate(rate, bytes.NewReader(data))
}

// A Sprite is a part of an atlas. Left and Top are the widths of its empty edges, which are cut off.
type Sprite struct {
	*ebiten.Image
	Left, Top int
}

// Sprites loads the sprites of a .sprites file, given the JSON of its atlas.
func Sprites(files fs.FS, name string) (map[string]Sprite, error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	var atlas struct {
		Frames map[string]struct {
			Frame, SpriteSourceSize struct{ X, Y, W, H int }
		}
	}
	if err := json.Unmarshal(data, &atlas); err != nil {
		return nil, err
	}
	page, err := Image(files, strings.TrimSuffix(name, ".json")+".png")
	if err != nil {
		return nil, err
	}
	sprites := map[string]Sprite{}
	for name, f := range atlas.Frames {
		at := image.Rect(f.Frame.X, f.Frame.Y, f.Frame.X+f.Frame.W, f.Frame.Y+f.Frame.H)
		sprites[name] = Sprite{page.SubImage(at).(*ebiten.Image), f.SpriteSourceSize.X, f.SpriteSourceSize.Y}
	}
	return sprites, nil
}
