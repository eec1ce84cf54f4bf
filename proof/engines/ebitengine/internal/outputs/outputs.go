package outputs

import (
	"bytes"
	"image"
	_ "image/png"
	"io/fs"

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

// Sound loads a cooked sound for a player with a sample rate.
func Sound(files fs.FS, name string, rate int) (*wav.Stream, error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	return wav.DecodeWithSampleRate(rate, bytes.NewReader(data))
}
