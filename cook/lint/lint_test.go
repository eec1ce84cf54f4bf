package lint

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSource(t *testing.T) {
	const png, jpeg = "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR", "\xff\xd8\xff\xe0\x00\x10JFIF"
	for _, tc := range []struct{ path, head, want string }{
		{"a.png", png, ""},
		{"a.PNG", png, ""},
		{"a.jpeg", jpeg, ""},
		{"ui/a.png", jpeg, "the content is a JPEG picture, which does not go by .png"},
		{"a.tga", png, "the content is a PNG picture, which does not go by .tga"},
		{"a.tga", "\x00\x00\x02\x00", ""},
		{"a.png", "<!DOCTYPE html>\n<html>", `it starts with "<!DOCTYPE html>"`},
		{"a.png", "version https://git-lfs.github.com/spec/v1\noid sha256:0", "git lfs pull"},
		{"a.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:0", "git lfs pull"},
		{"notes.md", "version https://git-lfs.github.com/spec/v1 is how pointers begin", ""},
		{"a.flac", "ID3\x04", ""},
		{"a.obj", "true north\n", ""},
		{"version.txt", "version https://example.org", ""},
		{"a.png", "", "the file is empty"},
		{"a.txt", "", ""},
		{".png", "", ""}, // a name without an extension
		{"a.wav", "RIFF\x24\x00\x00\x00WAVEfmt ", ""},
		{"a.wav", "RIFF\x24\x00\x00\x00WEBPVP8 ", "a WebP picture"},
		{"a.webp", "RIFF\x24\x00\x00\x00AVI ", "not what .webp stands for"},
		{"a.mp3", "\xff\xfb\x90\x44", ""},
		{"a.mp3", "OggS\x00", "an Ogg stream"},
		{"a.txt", png, ""},
		{"notes", png, ""},
		{"a.bmp", "BMW is a maker of cars", ""},
		{"a.ttf", "OTTO\x00\x0b", ""},
		{"a.gltf", "glTF\x02\x00\x00\x00", "a binary glTF model"},
		{"a.gltf", "{}", ""},
	} {
		got := strings.Join(Source(tc.path, []byte(tc.head), int64(len(tc.head))), "; ")
		if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
			t.Errorf("%s with %q: %q, want %q", tc.path, tc.head, got, tc.want)
		}
	}
}

// Every kind is told by each of its magic numbers, goes by its extensions, and is
// odd under those of all others.
func TestKinds(t *testing.T) {
	for _, k := range kinds {
		for _, m := range k.magic {
			head := []byte(strings.ReplaceAll(m, ".", "\x07"))
			if got, ok := sniff(head); !ok || got.name != k.name {
				t.Errorf("%q is taken for %q, want %q", m, got.name, k.name)
			}
			for _, other := range kinds {
				for _, ext := range other.exts {
					odd := Source("a"+ext, head, int64(len(head)))
					if (len(odd) == 0) != slices.Contains(k.exts, ext) {
						t.Errorf("%s that starts with %q: %q", ext, m, odd)
					}
				}
			}
		}
	}
}

// One line each, whatever the bytes.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head := rapid.SliceOfN(rapid.Byte(), 0, 64).Draw(t, "head")
		ext := rapid.SampledFrom([]string{".png", ".wav", ".ttf", ".txt"}).Draw(t, "ext")
		for _, line := range Source("a"+ext, head, int64(len(head))) {
			if strings.ContainsAny(line, "\r\n\x1b") || len(line) > 300 || bytes.ContainsRune([]byte(line), 0) {
				t.Fatalf("%q", line)
			}
		}
	})
}
