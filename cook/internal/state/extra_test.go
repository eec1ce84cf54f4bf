package state

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/internal/confine"
)

// outputFolder creates a new output directory with the given files.
func outputFolder(t *testing.T, files ...string) (*Dir, string) {
	t.Helper()
	base := t.TempDir()
	for _, name := range files {
		name = filepath.Join(base, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte("x"), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	out, err := confine.Open(base)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	return Open(out), base
}

func TestExtra(t *testing.T) {
	part := "manifest.parts/0123456789abcdef0123456789abcdef.json"
	d, base := outputFolder(t,
		".cook/index", ".cook/tmp/x", "manifest.json", part, "manifest.parts/notes", "manifest.parts/deep/er",
		"a", "b/c", "b/d", "e/.cook/index", "e/f", "store/v1/x", "b-c", "b/z/.Cook")
	outputs, claims := knownOutputs(t, "a", "gone"), []plan.Claim{{Output: "b/c"}}
	want := []string{"b-c", "b/d", "manifest.parts/deep/er", "manifest.parts/notes"}
	got, err := d.Extra(t.Context(), outputs, claims, filepath.Join(base, "store"))
	slices.Sort(got)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	got, err = d.Extra(t.Context(), outputs, claims, "")
	if err != nil || !slices.Contains(got, "store/v1/x") {
		t.Errorf("without a store: got %q, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Extra(ctx, outputs, claims, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interrupt: %v", err)
	}
}

// knownOutputs returns the results of one action that made the given files.
func knownOutputs(t *testing.T, outputs ...string) index.Results {
	t.Helper()
	a := index.Action{Path: "source", Method: index.Method{{Key: "recipe", Value: "copy"}}}
	for _, path := range outputs {
		a.Made = append(a.Made, index.Artifact{Path: path})
	}
	n := index.Empty().Anew("xxh128")
	n.PutAction(a)
	x, err := n.Index()
	if err == nil {
		err = x.Load()
	}
	if err != nil {
		t.Fatal(err)
	}
	return x.Results()
}

// TestExtraLinks checks that an output is not extra if a symbolic link leads to it.
func TestExtraLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	d, base := outputFolder(t, "real/out", "real/mine", "plain")
	for name, to := range map[string]string{"sub": "real", "loop": ".", "dangling": "none", "outward": "..", "real/link": "out"} {
		if err := os.Symlink(to, filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(base, "plain"), filepath.Join(base, "twin")); err != nil {
		t.Fatal(err)
	}
	want := []string{"dangling", "loop", "real/link", "real/mine", "twin"} // the link outward is not extra, because an output is below it
	got, err := d.Extra(t.Context(), knownOutputs(t, "outward/x", "sub/out"), []plan.Claim{{Output: "plain"}}, "")
	slices.Sort(got)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// TestExtraHostileNames uses names with arbitrary bytes.
func TestExtraHostileNames(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("names are UTF-8")
	}
	d, _ := outputFolder(t, "\xff/\xfe", "a\nb", "\xff/known")
	got, err := d.Extra(t.Context(), knownOutputs(t, "\xff/known"), nil, "")
	if want := []string{"a\nb", "\xff/\xfe"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// TestTags checks that tags are written only once, into an empty directory. Unedited tags are
// cook's own.
func TestTags(t *testing.T) {
	d, base := outputFolder(t)
	if err := d.Make(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"CACHEDIR.TAG", ".gitignore"} {
		if !d.IsTag(name) {
			t.Errorf("%s is no tag", name)
		}
	}
	if d.IsTag("a/.gitignore") || d.IsTag("manifest.json") || (*Dir)(nil).IsTag(".gitignore") {
		t.Error("there are more tags")
	}
	ignore := filepath.Join(base, ".gitignore")
	if err := errors.Join(os.Remove(filepath.Join(base, "CACHEDIR.TAG")), os.WriteFile(ignore, []byte("mine"), 0o666), d.Make()); err != nil {
		t.Fatal(err)
	}
	if extra, err := d.Extra(t.Context(), index.Empty().Results(), nil, ""); err != nil || !slices.Equal(extra, []string{".gitignore"}) {
		t.Errorf("extra files %q, %v", extra, err)
	}
	if err := d.files.removeTags(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(ignore); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
	left, err := os.ReadDir(filepath.Join(base, ".cook"))
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
	full, _ := outputFolder(t, "mine")
	if err := full.Make(); err != nil || full.IsTag(".gitignore") {
		t.Errorf("a directory with a file is tagged: %v", err)
	}
}
