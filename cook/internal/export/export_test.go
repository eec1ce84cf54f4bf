package export

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/countdown"
)

// plant turns a directory into an output directory with some artifacts.
func plant(t *rapid.T, out string, artifacts map[string]string) {
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.RemoveAll(out))
	write := func(name, text string) {
		name = filepath.Join(out, filepath.FromSlash(name))
		check(os.MkdirAll(filepath.Dir(name), 0o777))
		check(os.WriteFile(name, []byte(text), 0o666))
	}
	var assets []manifest.Asset
	for _, name := range slices.Sorted(maps.Keys(artifacts)) {
		write(name, artifacts[name])
		assets = append(assets, manifest.Asset{Source: name, Outputs: []manifest.Output{{Path: name, Size: int64(len(artifacts[name])), BLAKE3: hashing.DigestOf([]byte(artifacts[name]))}}})
	}
	check(manifest.Build(manifest.Single, slices.Values(assets), func(f manifest.File) error { write(f.Name, string(f.Data)); return nil }))
	write(".cook/index", "state")
	write("CACHEDIR.TAG", "tag")
	write("foreign.txt", "not of the manifest")
}

// exportAll exports an output directory with all targets.
func exportAll(ctx context.Context, out, to string, workers int, dryRun bool) (Result, error) {
	s, err := Open(out, "", "")
	if err != nil {
		return Result{}, err
	}
	defer s.Close()
	return s.CopyTo(ctx, to, workers, dryRun)
}

// files returns the contents of all files in a directory, by name.
func files(t *rapid.T, dir string) map[string]string {
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(os.DirFS(dir), name)
		all[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The test interrupts exports and changes files between them. A later complete export must contain
// the artifacts, the manifest, and the files that other programs wrote.
func TestCopyIsWhatTheManifestSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "export")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		out, to := filepath.Join(dir, "out"), filepath.Join(dir, "to")
		names := rapid.SampledFrom([]string{"a", "a/b", "a/b/c", "b", "c/d", "c/e"})
		for range rapid.IntRange(1, 5).Draw(t, "exports") {
			artifacts := map[string]string{}
			for _, name := range rapid.SliceOfDistinct(names, rapid.ID).Draw(t, "names") {
				clash := slices.ContainsFunc(slices.Collect(maps.Keys(artifacts)), func(other string) bool {
					return strings.HasPrefix(name, other+"/") || strings.HasPrefix(other, name+"/")
				})
				if !clash {
					artifacts[name] = rapid.SampledFrom([]string{"one", "two", "three", ""}).Draw(t, "content")
				}
			}
			plant(t, out, artifacts)
			if looks := rapid.IntRange(0, 40).Draw(t, "looks"); looks < 30 {
				exportAll(countdown.New(t.Context(), looks), out, to, 1, false)
			}
			if rapid.Bool().Draw(t, "only interrupted") {
				continue
			}
			planned, err := exportAll(t.Context(), out, to, 1, true)
			if err != nil {
				t.Fatal(err)
			}
			did, err := exportAll(t.Context(), out, to, 2, false)
			if err != nil {
				t.Fatal(err)
			}
			if planned.Removed != did.Removed || len(did.Kept) > 0 {
				t.Fatalf("planned %+v, did %+v", planned, did)
			}
			want := maps.Clone(artifacts)
			for name, text := range files(t, out) {
				if first, _, _ := strings.Cut(name, "/"); path.Base(name) == manifest.Name || first == manifest.PartsDir {
					want[name] = text
				}
			}
			if d := cmp.Diff(want, files(t, to)); d != "" {
				t.Fatal(d)
			}
			again, err := exportAll(t.Context(), out, to, 2, false)
			if err != nil || again.Written+again.Removed > 0 {
				t.Fatalf("again: %+v, %v", again, err)
			}
		}
	})
}
