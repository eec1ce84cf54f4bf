//go:build linux || darwin

package scan

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDirectoryWithLinksIsOdd(t *testing.T) {
	base := t.TempDir()
	plantLinks(t, base, map[string]string{
		"outside/f": "", "assets/plain/f": "", "assets/plain/g": "",
		"assets/file/l":          "-> ../plain/f",
		"assets/folder/l":        "-> ../plain",
		"assets/folder/sub/":     "",
		"assets/ignored/x.l":     "-> ../plain",
		"assets/dangling/l":      "-> nope",
		"assets/escape/l":        "-> BASE/outside",
		"assets/loop/l":          "-> .",
		"assets/output/out":      "-> ../../far",
		"far/f":                  "",
		"assets/junk/.#a":        "-> user@host.1:2",
		"assets/bad/.cookignore": "-> ../plain/f",
		"assets/bad/sub/":        "",
		"assets/.cookignore":     "*.l\n",
	})
	if err := os.Mkdir(filepath.Join(base, "assets", "pipe"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(base, "assets", "pipe", "p"), 0o666); err != nil {
		t.Fatal(err)
	}
	tree, err := dirTrusting(filepath.Join(base, "assets"), Options{Exclude: []string{filepath.Join(base, "assets", "output", "out")}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"", "bad odd", "dangling odd", "escape odd", "file odd", "folder odd", "folder/l -> plain odd", "folder/sub",
		"ignored odd", "junk", "loop odd", "output", "pipe odd", "plain",
	}
	if diff := cmp.Diff(want, folderLines(tree.Folders)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{".cookignore"}, paths(tree.Ignores)); diff != "" {
		t.Errorf("ignore files (-want +got):\n%s", diff)
	}
}

// TestParentOfMountedExcludedDirectoryIsOdd gives an excluded directory another name, as a mount
// does. The stamp of the parent does not change.
func TestParentOfMountedExcludedDirectoryIsOdd(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "assets")
	plant(t, base, map[string]string{"assets/d/mount/a": "", "assets/d/out/a": "", "assets/e/": "", "assets/e/store/": "", "far/": ""})
	far := stampAt(t, base, "far")
	opt := Options{Exclude: []string{filepath.Join(base, "far"), filepath.Join(dir, "e", "store")}}
	tree, err := walkRoot(context.Background(), dir, opt, func(root *os.Root, rel string) (folder, error) {
		f, err := openTrusting(root, rel)
		return mounting{f, "mount", far}, err
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"", "d odd", "d/out", "e"}, folderLines(tree.Folders)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// mounting is a directory that returns another directory's stamp for one name.
type mounting struct {
	folder
	name  string
	stamp Stamp
}

func (m mounting) lstat(name string) (Stamp, error) {
	if name == m.name {
		return m.stamp, nil
	}
	return m.folder.lstat(name)
}
