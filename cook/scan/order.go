package scan

import (
	"cmp"
	"slices"
	"strings"
)

// gather makes the tree out of its folders.
//
// The order of whole paths is the order of a walk that goes, in each folder,
// by name for files and by name + "/" for folders: two paths that part ways in
// a folder differ there within the shorter of the two keys. So the sorted
// listings of the workers are merged here, and nothing is sorted again.
func gather(first *node) *Tree {
	entries, problems, configs := count(first)
	t := &Tree{
		Entries:  make([]Entry, 0, entries),
		Problems: make([]Problem, 0, problems),
		Configs:  make([]Entry, 0, configs),
	}
	t.add(first)
	slices.SortFunc(t.Configs, func(a, b Entry) int {
		return cmp.Compare(folderOf(a.Path), folderOf(b.Path))
	})
	slices.SortFunc(t.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind))
	})
	return t
}

func count(n *node) (entries, problems, configs int) {
	entries, problems, configs = len(n.entries), len(n.problems), len(n.configs)
	for _, sub := range n.subs {
		e, p, c := count(sub)
		entries, problems, configs = entries+e, problems+p, configs+c
	}
	return
}

// add appends what n holds and lets go of it. The recursion is as deep as the
// longest path has slashes.
func (t *Tree) add(n *node) {
	files := n.entries
	for _, sub := range n.subs {
		i, _ := slices.BinarySearchFunc(files, sub.path, func(e Entry, folder string) int {
			return compareToFolder(e.Path, folder)
		})
		t.Entries = append(t.Entries, files[:i]...)
		files = files[i:]
		t.add(sub)
	}
	t.Entries = append(t.Entries, files...)
	t.Problems = append(t.Problems, n.problems...)
	t.Configs = append(t.Configs, n.configs...)
	*n = node{}
}

// compareFolders compares a+"/" with b+"/", for folders in one folder.
func compareFolders(a, b string) int {
	if len(a) > len(b) {
		return -compareFolders(b, a)
	}
	if c := strings.Compare(a, b[:len(a)]); c != 0 || len(a) == len(b) {
		return c
	}
	return cmp.Compare('/', b[len(a)])
}

// compareToFolder compares a file's path with folder+"/", both in one folder.
func compareToFolder(file, folder string) int {
	if len(file) <= len(folder) {
		if c := strings.Compare(file, folder[:len(file)]); c != 0 {
			return c
		}
		return -1
	}
	if c := strings.Compare(file[:len(folder)], folder); c != 0 {
		return c
	}
	return cmp.Compare(file[len(folder)], '/')
}

// folderOf gives the folder part of a path, "" for the root.
func folderOf(path string) string {
	return path[:max(0, strings.LastIndexByte(path, '/'))]
}
