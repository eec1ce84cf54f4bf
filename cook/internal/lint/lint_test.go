package lint

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/recipeset"
	"github.com/assetcook/assetcook/recipes"
)

// all holds the formats of the built-in recipes.
var all = func() []recipe.Format {
	set, err := recipeset.New(recipes.All()...)
	if err != nil {
		panic(err)
	}
	return set.Formats()
}()

// A third-party recipe may declare its own formats, even formats of another recipe.
func TestFormatsOfARecipe(t *testing.T) {
	mine := append(all, recipe.Format{Name: "a voxel model", Extensions: []string{".vox"}, Magic: []string{"VOX "}},
		recipe.Format{Name: "a sound of ours", Extensions: []string{".snd"}, Magic: []string{"RIFF"}})
	for _, tc := range []struct{ path, head, want string }{
		{"a.vox", "VOX \x96", ""},
		{"a.vox", "", "the file is empty"},
		{"a.vox", "glTF\x02", "the file holds a binary glTF model, but its extension is .vox"},
		{"a.vox", "hello", "the content does not fit the extension .vox"},
		{"a.glb", "VOX \x96", "the file holds a voxel model, but its extension is .glb"},
		{"a.snd", "RIFF\x24\x00\x00\x00WAVEfmt ", ""},
		{"a.wav", "RIFF\x24\x00\x00\x00WAVEfmt ", ""},
		{"a.png", "RIFF\x24\x00\x00\x00WAVEfmt ", "the file holds a WAV sound"},
	} {
		got := strings.Join(Source(mine, tc.path, []byte(tc.head), int64(len(tc.head))), "; ")
		if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
			t.Errorf("%s with %q: %q, want %q", tc.path, tc.head, got, tc.want)
		}
	}
	for _, head := range []string{"", "VOX \x96", "glTF\x02"} {
		if got := Source(all, "a.vox", []byte(head), int64(len(head))); got != nil {
			t.Errorf("without the recipe, %q: %q", head, got)
		}
	}
}

func TestSource(t *testing.T) {
	const png, jpeg = "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR", "\xff\xd8\xff\xe0\x00\x10JFIF"
	for _, tc := range []struct{ path, head, want string }{
		{"a.png", png, ""},
		{"a.PNG", png, ""},
		{"a.jpeg", jpeg, ""},
		{"ui/a.png", jpeg, "the file holds a JPEG image, but its extension is .png"},
		{"a.tga", png, "the file holds a PNG image, but its extension is .tga"},
		{"a.tga", "\x00\x00\x02\x00", ""},
		{"a.ase", "*3DSMAX_ASCIIEXPORT\t200\r\n", ""},
		{"a.ase", "ASEF\x00\x01\x00\x00", ""},
		{"a.ase", "hello", "the content does not fit the extension .ase"},
		{"a.png", "<!DOCTYPE html>\n<html>", `the file starts with "<!DOCTYPE html>"`},
		{"a.png", "version https://git-lfs.github.com/spec/v1\noid sha256:0", "git lfs pull"},
		{"a.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:0", "git lfs pull"},
		{"notes.md", "version https://git-lfs.github.com/spec/v1 is how pointers begin", ""},
		{"a.flac", "ID3\x04", ""},
		{"a.obj", "true north\n", ""},
		{"version.txt", "version https://example.org", ""},
		{"a.png", "", "the file is empty"},
		{"a.txt", "", ""},
		{".png", "", ""},
		{"a.wav", "RIFF\x24\x00\x00\x00WAVEfmt ", ""},
		{"a.wav", "RIFF\x24\x00\x00\x00WEBPVP8 ", "a WebP image"},
		{"a.webp", "RIFF\x24\x00\x00\x00AVI ", "holds an AVI video"},
		{"a.webp", "RIFF\x24\x00\x00\x00CDXA", "does not fit the extension .webp"},
		{"a.wav", "MThd\x00\x00\x00\x06", "the file holds a MIDI file, but its extension is .wav; rename"},
		{"a.mp3", "\xff\xfb\x90\x44", ""},
		{"a.mp3", "OggS\x00", "an Ogg stream"},
		{"a.txt", png, ""},
		{"notes", png, ""},
		{"a.bmp", "BMW is a maker of cars", ""},
		{"a.ttf", "OTTO\x00\x0b", ""},
		{"a.gltf", "glTF\x02\x00\x00\x00", "a binary glTF model"},
		{"a.gltf", "{}", ""},
	} {
		got := strings.Join(Source(all, tc.path, []byte(tc.head), int64(len(tc.head))), "; ")
		if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
			t.Errorf("%s with %q: %q, want %q", tc.path, tc.head, got, tc.want)
		}
	}
}

// Each magic number identifies its format. A file with the magic number of one format and the
// extension of another does not fit.
func TestFormats(t *testing.T) {
	for f := range allFormats(all) {
		for _, m := range f.Magic {
			head := []byte(strings.ReplaceAll(m, ".", "\x07"))
			if got := guessOf(all, "", head).found; got != f.Name {
				t.Errorf("%q is taken for %q, want %q", m, got, f.Name)
			}
			for other := range allFormats(all) {
				for _, ext := range other.Extensions {
					odd := Source(all, "a"+ext, head, int64(len(head)))
					if (len(odd) == 0) != f.Has(ext) {
						t.Errorf("%s that starts with %q: %q", ext, m, odd)
					}
				}
			}
		}
	}
}

// Source returns single lines, whatever bytes the file has.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head := rapid.SliceOfN(rapid.Byte(), 0, 64).Draw(t, "head")
		ext := rapid.SampledFrom([]string{".png", ".wav", ".ttf", ".txt"}).Draw(t, "ext")
		for _, line := range Source(all, "a"+ext, head, int64(len(head))) {
			if strings.ContainsAny(line, "\r\n\x1b") || len(line) > 300 || bytes.ContainsRune([]byte(line), 0) {
				t.Fatalf("%q", line)
			}
		}
	})
}
