// Command textures writes a texture of every format, as KTX2 and DDS, and checks what independent
// programs read from the files:
//
//   - ktx-parse, a KTX2 reader in JavaScript: every field of the header and the
//     descriptor, by the names of the standard, and the levels. It also writes the
//     file again, which must not change its bytes.
//   - ffmpeg and ImageMagick: DDS files of the formats that they support, whose
//     decoded pixels must be similar to the source.
//   - astcenc, Arm's ASTC encoder and decoder: the blocks of the samples and
//     thousands of random blocks, which must decode to the same pixels as with our decoder.
//   - the basis_universal transcoder that three.js contains: UASTC samples and
//     random blocks, which must decode to the same pixels as with our decoder, and transcode.
//
// It prints a line for each file and reader. A format that a reader does not support is reported
// but is not a failure, and a tool that is not installed is skipped. Run ../textures.sh, which
// installs the available tools first.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texenc"
	"github.com/assetcook/assetcook/internal/image/texture"
)

func main() {
	parse := flag.String("ktx-parse", "", "`path` of ktx-parse's index.mjs")
	basis := flag.String("basis", "", "the `directory` of three.js's basis_transcoder.js")
	astcenc := flag.String("astcenc", "", "the `program` astcenc")
	script := flag.String("script", "proof/readers/textures/ktxparse.mjs", "`path` of the script that runs ktx-parse")
	flag.Parse()
	if err := judgeTextures(*parse, *script, *astcenc, *basis); err != nil {
		fmt.Fprintln(os.Stderr, "textures:", err)
		os.Exit(1)
	}
}

func judgeTextures(parse, script, astcenc, basis string) error {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "textures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	samples, err := makeSamples(ctx)
	if err != nil {
		return err
	}
	wrong := 0
	if parse == "" {
		fmt.Println("ktx-parse: skipped without -ktx-parse")
	} else if wrong, err = askKTXParse(ctx, filepath.Join(dir, "ktx2"), parse, script, samples); err != nil {
		return err
	}
	if basis == "" {
		fmt.Println("basisu: skipped without -basis")
	} else {
		more, err := askTranscoder(ctx, filepath.Join(dir, "uastc"), basis, filepath.Join(filepath.Dir(script), "basis.mjs"), samples)
		if err != nil {
			return err
		}
		wrong += more
	}
	if astcenc == "" {
		fmt.Println("astcenc: skipped without -astcenc")
	} else {
		more, err := askASTCReader(ctx, dir, astcenc, samples)
		if err != nil {
			return err
		}
		wrong += more
	}
	more, err := askDDSReaders(ctx, filepath.Join(dir, "dds"), samples)
	if err != nil {
		return err
	}
	if wrong += more; wrong > 0 {
		return fmt.Errorf("%d answers differ", wrong)
	}
	return nil
}

// A sample is a texture and its source image.
type sample struct {
	name    string
	texture *texture.Texture
	source  *pixmap.Map
}

// side is the width and height of the samples. It is not a multiple of 4.
const side = 90

// makeSamples returns a texture of each format, with and without sRGB, and a
// cube, an array, volumes, and a premultiplied and a swizzled texture.
func makeSamples(ctx context.Context) ([]sample, error) {
	var all []sample
	add := func(name string, change func(*texture.Texture), f texture.Format) error {
		t := &texture.Texture{Format: f, W: side, H: side}
		change(t)
		source := picture(side)
		levels := texture.MaxLevels(side, side)
		if t.Depth > 0 {
			levels = 1
		}
		for i := range levels {
			w, _ := texture.LevelSize(side, side, i)
			o := texenc.Options{Quality: texenc.Normal}
			if t.SRGB {
				o.RDO = 0.5 // affects BC7, ASTC and UASTC
			}
			data, err := texenc.Encode(ctx, f, picture(w), o)
			if err != nil {
				return err
			}
			var level []byte
			for range t.Images() {
				level = append(level, data...)
			}
			t.Levels = append(t.Levels, level)
		}
		if err := t.Check(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, sample{name, t, source})
		return nil
	}
	for _, f := range texture.Formats() {
		if err := add(f.String(), func(*texture.Texture) {}, f); err != nil {
			return nil, err
		}
		if !f.HasSRGB() {
			continue
		}
		if err := add(f.String()+"-srgb", func(t *texture.Texture) { t.SRGB = true }, f); err != nil {
			return nil, err
		}
	}
	for _, kind := range []struct {
		name   string
		change func(*texture.Texture)
	}{
		{"cube", func(t *texture.Texture) { t.Cube = true }},
		{"array", func(t *texture.Texture) { t.Layers = 3 }},
		{"cubes", func(t *texture.Texture) { t.Layers, t.Cube = 2, true }},
		{"premultiplied", func(t *texture.Texture) { t.Premultiplied = true }},
		{"swizzled", func(t *texture.Texture) { t.Swizzle = "rrr1" }},
	} {
		if err := add("bc3-"+kind.name, kind.change, texture.BC3); err != nil {
			return nil, err
		}
	}
	for _, f := range []texture.Format{texture.RGBA8, texture.RGBA16F} {
		if err := add(f.String()+"-volume", func(t *texture.Texture) { t.Depth = 5 }, f); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// picture returns a smooth square image that is opaque on the left and fades to transparent on the
// right.
func picture(n int) *pixmap.Map {
	m := pixmap.New(n, n, pixmap.Bits8)
	for y := range n {
		for x := range n {
			p := m.Pix8[4*(n*y+x):]
			p[0], p[1], p[2] = byte(255*x/n), byte(255*y/n), byte(128+127*(x-y)/n)
			p[3] = byte(min(255, 510-510*x/n))
		}
	}
	return m
}
