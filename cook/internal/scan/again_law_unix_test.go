//go:build linux || darwin

package scan

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// merge returns the tree that consists of again and the kept directories of old. again is the
// result of listing dirs again. met has the directories for which known returned true.
//
// A directory of old is kept if it was not listed again and its parent still contains it. A kept
// parent still contains it. A parent that was listed again contains it if met has the directory.
func merge(old *Tree, dirs []Folder, again *Tree, met map[place]bool) *Tree {
	again = &Tree{
		Entries: slices.Clone(again.Entries), Configs: slices.Clone(again.Configs), Ignores: slices.Clone(again.Ignores),
		Problems: slices.Clone(again.Problems), Folders: slices.Clone(again.Folders), LeftOut: slices.Clone(again.LeftOut),
	}
	asked, fresh, goesOn := map[place]bool{}, map[string]bool{}, map[string]bool{}
	for _, f := range dirs {
		asked[f.place()] = true
	}
	for _, f := range again.Folders {
		fresh[f.Path] = true
	}
	whole := map[string]bool{}
	for _, f := range old.Folders {
		whole[f.Path] = true
		above := slashParent(f.Path)
		if !asked[f.place()] && !fresh[f.Path] && (f.Path == "" || goesOn[above] || fresh[above] && met[f.place()]) {
			goesOn[f.Path] = true
			again.Folders = append(again.Folders, f)
		}
	}
	keep := func(to *[]Entry, from []Entry) {
		for _, e := range from {
			if goesOn[slashParent(e.Path)] {
				*to = append(*to, e)
			}
		}
	}
	keep(&again.Entries, old.Entries)
	keep(&again.Configs, old.Configs)
	keep(&again.Ignores, old.Ignores)
	keep(&again.LeftOut, old.LeftOut)
	for _, p := range old.Problems {
		owner := slashParent(p.Path)
		if p.Kind == Unreadable && whole[p.Path] {
			owner = p.Path
		}
		if goesOn[owner] {
			again.Problems = append(again.Problems, p)
		}
	}
	slices.SortFunc(again.Entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	byFolder := func(a, b Entry) int { return strings.Compare(slashParent(a.Path), slashParent(b.Path)) }
	slices.SortFunc(again.Configs, byFolder)
	slices.SortFunc(again.Ignores, byFolder)
	slices.SortStableFunc(again.LeftOut, func(a, b Entry) int { return CompareFolders(slashParent(a.Path), slashParent(b.Path)) })
	slices.SortFunc(again.Problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(again.Folders, func(a, b Folder) int { return CompareFolders(a.Path, b.Path) })
	return again
}

// diffTrees compares two trees, but ignores the counters.
func diffTrees(want, got *Tree) string {
	lines := func(t *Tree) (list []string) {
		for _, p := range t.Problems {
			list = append(list, p.Kind.String()+": "+p.Error())
		}
		return list
	}
	return cmp.Diff(want.Folders, got.Folders) + cmp.Diff(want.Entries, got.Entries) + cmp.Diff(want.Configs, got.Configs) +
		cmp.Diff(want.Ignores, got.Ignores) + cmp.Diff(want.LeftOut, got.LeftOut) + cmp.Diff(lines(want), lines(got))
}

// openUnlessLocked opens a directory of a trusted file system. It fails for directories called
// "locked".
func openUnlessLocked(root *os.Root, rel string) (folder, error) {
	if filepath.Base(rel) == "locked" {
		return nil, fs.ErrPermission
	}
	return openTrusting(root, rel)
}

func scanLaw(t *rapid.T, dir string) *Tree {
	tree, err := walkRoot(context.Background(), dir, Options{}, openUnlessLocked, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// againAndMerge lists dirs again, with a known function that returns true for the directories of
// old. It merges the result with old.
func againAndMerge(t *rapid.T, dir string, old *Tree, dirs []Folder) *Tree {
	places, met := map[place]bool{}, map[place]bool{}
	for _, f := range old.Folders {
		places[f.place()] = true
	}
	tree, err := relist(context.Background(), dir, Options{}, dirs, func(f Folder) bool {
		met[f.place()] = places[f.place()]
		return places[f.place()]
	}, openUnlessLocked)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range tree.Folders {
		if met[f.place()] {
			t.Errorf("%q is known, and was listed", f.Path)
		}
	}
	return merge(old, dirs, tree, met)
}

func TestListingUnchangedDirectoriesAgainGivesSameTree(t *testing.T) {
	parent := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		dir := newLawTree(rt, parent).dir
		whole := scanLaw(rt, dir)
		var dirs []Folder
		for _, f := range whole.Folders {
			if rapid.Bool().Draw(rt, fmt.Sprintf("%q again", f.Path)) {
				dirs = append(dirs, f)
			}
		}
		if diff := diffTrees(whole, againAndMerge(rt, dir, whole, dirs)); diff != "" {
			rt.Fatalf("of %q (-Dir +Again):\n%s", pathsOf(dirs), diff)
		}
		// Listing a directory must return only this directory.
		for _, f := range dirs {
			tree, err := relist(context.Background(), dir, Options{}, []Folder{f}, func(Folder) bool { return true }, openUnlessLocked)
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff([]Folder{f}, tree.Folders); diff != "" {
				rt.Fatalf("of %q alone:\n%s", f.Path, diff)
			}
		}
	})
}

// TestListingChangedDirectoriesAgainGivesNewTree lists the directories that may have changed:
// directories with changed stamps, odd directories, and directories at or below a changed
// .cookignore. The merged result must be the new tree.
func TestListingChangedDirectoriesAgainGivesNewTree(t *testing.T) {
	parent := t.TempDir()
	skipped := 0
	rapid.Check(t, func(rt *rapid.T) {
		tree := newLawTree(rt, parent)
		dir := tree.dir
		old := scanLaw(rt, dir)
		for range rapid.IntRange(0, 6).Draw(rt, "changes") {
			tree.change("file", "folder", "link", "pipe", "remove", "remove", "remove", "rename", "rename", "rename", "ignore")
		}
		dirs := outdated(old, dir)
		skipped += len(old.Folders) - len(dirs)
		if diff := diffTrees(scanLaw(rt, dir), againAndMerge(rt, dir, old, dirs)); diff != "" {
			rt.Fatalf("of %q (-Dir +Again):\n%s", pathsOf(dirs), diff)
		}
	})
	if skipped == 0 && !testing.Short() {
		t.Error("every directory was listed again, so the test proves nothing")
	}
}

// outdated returns the directories of old that must be listed again.
func outdated(old *Tree, dir string) []Folder {
	stamp := func(name string) Stamp {
		fi, err := os.Lstat(filepath.Join(dir, name))
		if err != nil {
			return Stamp{}
		}
		return StampOf(fi)
	}
	ignores := map[string]Stamp{}
	for _, e := range old.Ignores {
		ignores[e.Path] = e.Stamp
	}
	newRules := map[string]bool{} // directories whose .cookignore changed
	var dirs []Folder
	for _, f := range old.Folders {
		newRules[f.Path] = f.Path != "" && newRules[slashParent(f.Path)] ||
			ignores[joinPath(f.Path, IgnoreName)] != stamp(path.Join(f.Real, IgnoreName))
		if f.Odd || newRules[f.Path] || stamp(f.Real) != f.Stamp {
			dirs = append(dirs, f)
		}
	}
	return dirs
}
