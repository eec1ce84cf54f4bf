package scan

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestDirectoryIsExcludedBeforeItExists creates the output directory after the exclusions were
// resolved, so that only its name identifies it.
func TestDirectoryIsExcludedBeforeItExists(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a": "", "d/a": ""})
	real, info, err := resolveRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	exclude, err := newExclusions(real, info, []string{filepath.Join(dir, "d", "out")})
	if err != nil {
		t.Fatal(err)
	}
	plant(t, dir, map[string]string{"d/out/a": "", "out/a": ""})
	root, err := os.OpenRoot(real)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	first, err := newWalker(t.Context(), resolver{root, real, exclude}, openFolder).walkTree(2, nil)
	if err != nil {
		t.Fatal(err)
	}
	tree := gatherTree(first)
	wantTree(t, tree, []string{"a", "d/a", "out/a"}, nil, nil)
}

// TestDirectoryIsExcludedUnderAnotherName uses a second name, as a bind mount gives to a directory.
// Resolving links does not reveal it.
func TestDirectoryIsExcludedUnderAnotherName(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"out/": "", "other/": ""})
	stat := func(name string) fs.FileInfo {
		fi, err := os.Lstat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return fi
	}
	out, other := stat("out"), stat("other")
	x := exclusions{known: []fs.FileInfo{out}, ids: []Stamp{StampOf(out)}}
	tell := func(fi fs.FileInfo) func() (fs.FileInfo, error) {
		return func() (fs.FileInfo, error) { return fi, nil }
	}
	if !x.isExcludedFolder(StampOf(out), tell(out)) || x.isExcludedFolder(StampOf(other), tell(other)) {
		t.Error("stamps do not distinguish the directories")
	}
	// Without inodes, the FileInfo identifies the directory.
	x.ids = []Stamp{{}}
	if !x.isExcludedFolder(Stamp{}, tell(out)) || x.isExcludedFolder(Stamp{}, tell(other)) {
		t.Error("FileInfo does not distinguish the directories")
	}
	if x.isExcludedFolder(Stamp{}, func() (fs.FileInfo, error) { return nil, errors.New("gone") }) {
		t.Error("a missing directory is taken for the excluded one")
	}
}
