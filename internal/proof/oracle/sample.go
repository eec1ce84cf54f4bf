package oracle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
)

// Assets is the number of assets that Sample writes.
const Assets = 20

// Shipped is the number of these assets that have outputs. The other assets are parts of models.
const Shipped = 18

// Sample writes a small asset tree that covers most features: images, meshes with
// dependencies, data, sounds, text, duplicate and empty files, nested directories, and a
// cook.toml with rules. No asset needs an external tool.
func Sample(dir string) error {
	files := map[string]string{
		"cook.toml":            "[[rule]]\nmatch = \"*_n.png\"\nsrgb = false\n\n[[rule]]\nmatch = \"notes/**\"\nrecipe = \"zstd\"\n\n[[rule]]\nmatch = \"mesh/*.gltf\"\ntextures = \"cooked\"\n",
		"mesh/cart.gltf":       `{"asset": {"version": "2.0"}, "buffers": [{"uri": "cart.bin", "byteLength": 8}], "images": [{"uri": "../tex/wood.png"}]}`,
		"mesh/cart.bin":        "12345678",
		"mesh/wheel.gltf":      `{"asset": {"version": "2.0"}, "buffers": [{"uri": "wheel.bin", "byteLength": 4}]}`,
		"mesh/wheel.bin":       "abcd",
		"data/level.json":      `{"name": "first", "laps": 3}`,
		"data/cup.json":        `{ "races": [ 1, 2 ] }`,
		"data/deep/in/it.json": `[1, 2, 3]`,
		"notes/readme.txt":     "a text that is compressed",
		"notes/empty.txt":      "",
		"plain.txt":            "a text that is copied",
		"same/one.txt":         "a text that is there twice",
		"same/two.txt":         "a text that is there twice",
		"sound/horn.wav":       string(Wave(64)),
		"sound/bell.wav":       string(Wave(32)),
	}
	for n, name := range []string{"tex/wood.png", "tex/wood_n.png", "tex/sky.png", "tex/same.png", "ui/icon.png", "ui/same.png"} {
		if filepath.Base(name) == "same.png" {
			n = 9
		}
		files[name] = string(Picture(n))
	}
	for name, data := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return fmt.Errorf("sample: %w", err)
		}
		if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
			return fmt.Errorf("sample: %w", err)
		}
	}
	return nil
}

// Picture returns a PNG file of a few pixels, different for each n.
func Picture(n int) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, 2+n%3, 1+n%4))
	for i := range img.Pix {
		img.Pix[i] = byte(i*n + 17*n)
	}
	img.Set(0, 0, color.NRGBA{byte(n), 1, 2, 255})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // writing to a buffer cannot fail
	}
	return b.Bytes()
}

// Wave returns a WAV file of n 8-bit samples.
func Wave(n int) []byte {
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data")
	binary.LittleEndian.PutUint32(b[4:], uint32(36+n))
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	for i := range n {
		b = append(b, byte(128+i%7))
	}
	return b
}
