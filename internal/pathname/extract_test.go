package pathname

import (
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestExtract(t *testing.T) {
	for _, tc := range []struct {
		x           Extracted
		path, shown string
	}{
		{Extracted{"a/car.glb", "materials.1", ""}, "a/car.glb\x00materials.1\x00", "a/car.glb (materials)"},
		{Extracted{"a/car.glb", "materials.1", "t/x.png"}, "a/car.glb\x00materials.1\x00t\x00x.png\x00", "a/car.glb (materials)"},
		{Extracted{"car.", "m.2", "x"}, "car.\x00m.2\x00x\x00", "car. (m)"},
		{Extracted{Listing("a", "*.glb", false), "m.2", ""}, "a/.\x00*.glb\x00m.2\x00", "a/*.glb (m)"},
		{Extracted{Listing("a", "*.glb", false), "m.2", "t/x.png"}, "a/.\x00*.glb\x00m.2\x00t\x00x.png\x00", "a/*.glb (m)"},
		{Extracted{Listing(".", "*", false), "m.2", "x"}, ".\x00*\x00m.2\x00x\x00", "* (m)"},
		{Extracted{Listing("/", "*", false), "m.2", ""}, "/.\x00*\x00m.2\x00", "/* (m)"},
	} {
		x, ok := CutExtract(tc.path)
		if tc.x.Path() != tc.path || !ok || x != tc.x || Show(tc.path) != tc.shown || FileOf(tc.path) != tc.x.File {
			t.Errorf("%+v: %q, %+v %v, shown as %s", tc.x, tc.x.Path(), x, ok, Show(tc.path))
		}
		if path.Dir(tc.path) != path.Dir(tc.x.File) {
			t.Errorf("%q lies in %s", tc.path, path.Dir(tc.path))
		}
	}
	for _, p := range []string{
		"", "\x00", "a\x00", "a\x00\x00", "a\x00b", "\x00a\x00b\x00", "a\x00b/c\x00", Presence("a") + "\x00",
		Listing("a", "*", true), Listing("", "*", true), "a/.\x00\x00m\x00", ".\x00a/b\x00m\x00", ".\x00*\x00\x00", IDs(Artifacts("pc", []string{"*"})),
	} {
		if x, ok := CutExtract(p); ok {
			t.Errorf("%q: %+v", p, x)
		}
	}
}

// No path is both an extract and something else, and each says exactly what it is.
func TestExtractIsUnambiguous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := string(rapid.SliceOfN(rapid.SampledFrom([]byte("a./\x00@")), 0, 12).Draw(t, "path"))
		x, ok := CutExtract(p)
		_, listing := CutListing(p)
		_, many := CutListing(x.File)
		if ok && (listing || IsArtifacts(p) || x.Path() != p || many != strings.Contains(x.File, "\x00")) {
			t.Fatalf("%q: %+v, listing %v", p, x, listing)
		}
	})
}
