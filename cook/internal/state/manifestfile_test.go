package state

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dependency"
)

// TestManifestTellsFilesThatOthersName checks the field Inner of outputs, and the field Uses of a
// model.
func TestManifestTellsFilesThatOthersName(t *testing.T) {
	presence := func(name string, found bool) index.Dep {
		return index.Dep{On: dependency.Dependency{Kind: dependency.Presence, Path: name}, Name: name, Found: found}
	}
	deps := []index.Dep{presence("t/b.png", true), presence("gone.png", false), {On: dependency.OfFile("a.bin"), Found: true}, presence("a.png", true), presence("a.png", true)}
	for _, tc := range []struct {
		recipe string
		made   string
		inner  string
		uses   []string
	}{
		{"atlas", "ui.json ui-1.json ui.png ui-1.png", "ui.png ui-1.png", nil},
		{"atlas", "ui.json.zst ui.webp.zst", "ui.webp.zst", nil},
		{"font", "a.ttf.fnt a.ttf.ktx2", "a.ttf.ktx2", nil},
		{"sounds", "s.json s.opus", "s.opus", nil},
		{"image", "sky.hdr.ktx2 sky.hdr.sh.json", "", nil},
		{"mesh", "a.glb", "", []string{"a.png", "t/b.png"}},
		{"bmfont", "a.fnt", "", []string{"a.png", "t/b.png"}},
	} {
		a := &index.Action{Path: "a", Method: index.Method{{Key: "recipe", Value: tc.recipe}}, Deps: deps}
		for name := range strings.FieldsSeq(tc.made) {
			a.Made = append(a.Made, index.Artifact{Path: name})
		}
		m := listedAsset(a, func(string) string { return "" })
		var inner []string
		for _, o := range m.Outputs {
			if o.Inner {
				inner = append(inner, o.Path)
			}
		}
		if got := strings.Join(inner, " "); got != tc.inner || !slices.Equal(m.Uses, tc.uses) {
			t.Errorf("%s of %s: inner %q, uses %q", tc.made, tc.recipe, got, m.Uses)
		}
	}
}

// TestDamagedManifestIsNoted checks that a changed file of the manifest is reported, if its
// checksum can be compared.
func TestDamagedManifestIsNoted(t *testing.T) {
	d, _ := locked(t)
	for what, tt := range map[string]struct {
		name, checksum, now string
		err                 error
		noted               bool
	}{
		"as it was":             {"manifest.json", "xxh3", "as it was", nil, false},
		"edited":                {"manifest.json", "xxh3", "edited", nil, true},
		"unreadable":            {"manifest.json", "xxh3", "", errors.New("no"), true},
		"unknown":               {"other.json", "xxh3", "edited", nil, false},
		"of other sums":         {"manifest.json", "crc32", "as it was", nil, false},
		"edited, of other sums": {"manifest.json", "crc32", "edited", nil, false},
	} {
		known, ok := hashing.Lookup("xxh3")
		now, ok2 := hashing.Lookup(tt.checksum)
		if !ok || !ok2 {
			t.Fatal("no such checksum")
		}
		next := index.Empty().Anew(known.Name)
		next.PutFile(index.File{Path: d.files.absoluteName("manifest.json"), Role: index.Other, Sum: known.Sum128([]byte("as it was"))})
		last, err := next.Index()
		if err != nil {
			t.Fatal(err)
		}
		noted := false
		noteDamage(Commit{Last: last, Checksum: now, Note: func(string) { noted = true }}, d.files.absoluteName(tt.name), []byte(tt.now), tt.err)
		if noted != tt.noted {
			t.Errorf("%s: noted is %t", what, noted)
		}
	}
}

func TestFinder(t *testing.T) {
	out, err := confine.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	at := func(p string) string { return filepath.Join(out.Name(), filepath.FromSlash(p)) }
	for _, folder := range []string{"a/b", "c"} {
		if err := os.MkdirAll(at(folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"f", "a/f", "a/b/f", "c/g"} {
		if err := os.WriteFile(at(file), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	finder := Open(out).Finder()
	defer finder.Close()
	for _, tt := range []struct {
		output string
		want   bool
	}{
		{"a/b/f", true}, {"a/b/g", false}, {"a/f", true}, {"a/b", false}, {"f", true}, {"a", false}, {"g", false},
		{"gone/f", false}, {"gone/deeper/f", false}, {"c/f", false}, {"c/g", true}, {"f/f", false}, {"gone/f", false},
	} {
		if got := finder.MayBeFile(tt.output); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.output, got, tt.want)
		}
	}
}
