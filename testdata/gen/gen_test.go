// The go tool leaves testdata out of ./..., so run these as
//
//	go test ./testdata/gen
package main

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// committed is the folder that a fresh clone holds.
const committed = "../assets"

// generated makes the tree once for all tests that only look at it.
var generated = sync.OnceValues(assets)

func generate(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := generated()
	if err != nil {
		t.Fatal(err)
	}
	byPath := make(map[string][]byte)
	for _, f := range files {
		if _, ok := byPath[f.path]; ok {
			t.Errorf("%s is generated twice", f.path)
		}
		byPath[f.path] = f.data
	}
	return byPath
}

func readTree(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	byPath := make(map[string][]byte)
	fsys := os.DirFS(dir)
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		byPath[p], err = fs.ReadFile(fsys, p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return byPath
}

func compareTrees(t *testing.T, got, want map[string][]byte, hint string) {
	t.Helper()
	for p, data := range want {
		switch old, ok := got[p]; {
		case !ok:
			t.Errorf("%s is missing; %s", p, hint)
		case !bytes.Equal(old, data):
			t.Errorf("%s differs from what %s generates; %s", p, runtime.Version(), hint)
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			t.Errorf("%s is not generated; remove it or generate it", p)
		}
	}
}

// TestCommitted holds the promise of the package comment: the files in the
// repository are the files that the generator makes, to the byte.
func TestCommitted(t *testing.T) {
	compareTrees(t, readTree(t, committed), generate(t), "run go run ./testdata/gen and commit the result")
}

func TestWrite(t *testing.T) {
	again, err := assets()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := write(dir, again, io.Discard); err != nil {
		t.Fatal(err)
	}
	want := generate(t)
	compareTrees(t, readTree(t, dir), want, "generating twice has to give the same")

	// A second run repairs what is damaged and leaves the rest alone.
	damaged := filepath.Join(dir, "credits.txt")
	if err := os.WriteFile(damaged, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	if err := write(dir, again, &log); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), " 1 written") {
		t.Errorf("second run says %q, want one file written", log.String())
	}
	compareTrees(t, readTree(t, dir), want, "the second run has to repair it")
}

func TestWriteNamesThePath(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	err := write(blocked, []file{{"textures/a.png", nil}}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "textures/a.png") {
		t.Errorf("write below a file: error %v, want one that names the asset", err)
	}
}

// TestShape holds what the tree is for: small, of many kinds, without a config.
func TestShape(t *testing.T) {
	files := generate(t)
	total := make(map[string]int)
	kinds := make(map[string]int)
	for p, data := range files {
		total[""] += len(data)
		total[strings.SplitN(p, "/", 2)[0]] += len(data)
		kinds[path.Ext(p)]++
		if path.Base(p) == "cook.toml" {
			t.Errorf("%s: the tree has to work without a config", p)
		}
		if len(data) == 0 {
			t.Errorf("%s is empty", p)
		}
	}
	if n := total[""]; n < 2_000_000 || n > 4_000_000 {
		t.Errorf("the tree has %d bytes, want two to four million", n)
	}
	if n := total["audio"]; n > 600_000 {
		t.Errorf("audio has %d bytes, want at most 600000", n)
	}
	var missing []string
	for _, ext := range []string{".png", ".jpg", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".tga", ".qoi", ".hdr", ".gltf", ".bin", ".glb",
		".obj", ".mtl", ".wav", ".json", ".jsonc", ".yaml", ".toml", ".csv", ".xml", ".vert", ".frag", ".glsl", ".wgsl", ".lua", ".txt", ".fnt", ".ttf", ".psd"} {
		if kinds[ext] == 0 {
			missing = append(missing, ext)
		}
	}
	if diff := cmp.Diff([]string(nil), missing); diff != "" {
		t.Errorf("kinds without a file (-want +got):\n%s", diff)
	}
}
