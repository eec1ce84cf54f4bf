package scan

import (
	"cmp"
	"slices"
	"strings"
)

// gatherTree makes the tree out of its directories.
//
// The order of whole paths equals the order of a walk that visits, in each directory, files by
// name and directories by name + "/": two paths that part in a directory differ there within the
// shorter of the two keys. So gather merges the sorted listings of the workers without sorting
// again.
func gatherTree(first *node) *Tree {
	var size sizes
	size.addNodeSizes(first)
	t := &Tree{
		Entries:  make([]Entry, 0, size.entries),
		Configs:  make([]Entry, 0, size.configs),
		Ignores:  make([]Entry, 0, size.ignores),
		Problems: make([]Problem, 0, size.problems),
		Folders:  make([]Folder, 0, size.folders),
	}
	t.appendNode(first)
	byFolder := func(a, b Entry) int { return cmp.Compare(slashParent(a.Path), slashParent(b.Path)) }
	slices.SortFunc(t.Configs, byFolder)
	slices.SortFunc(t.Ignores, byFolder)
	slices.SortFunc(t.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind))
	})
	return t
}

// sizes are the lengths of a tree's lists.
type sizes struct{ entries, configs, ignores, problems, folders int }

func (s *sizes) addNodeSizes(n *node) {
	s.entries += len(n.findings.entries)
	s.configs += len(n.findings.configs)
	s.ignores += len(n.findings.ignores)
	s.problems += len(n.findings.problems)
	if _, ok := n.folderFacts(); ok {
		s.folders++
	}
	for _, sub := range n.findings.subs {
		s.addNodeSizes(sub)
	}
}

// appendNode appends the contents of n and releases n. The recursion is as deep as the longest
// path has slashes.
func (t *Tree) appendNode(n *node) {
	if f, ok := n.folderFacts(); ok {
		t.Folders = append(t.Folders, f)
	}
	t.Stats += n.findings.stats
	if n.findings.listed {
		t.Listed++
	}
	files := n.findings.entries
	for _, sub := range n.findings.subs {
		i, _ := slices.BinarySearchFunc(files, sub.path, func(e Entry, folder string) int {
			return compareToFolder(e.Path, folder)
		})
		t.Entries = append(t.Entries, files[:i]...)
		files = files[i:]
		t.appendNode(sub)
	}
	t.Entries = append(t.Entries, files...)
	t.Problems = append(t.Problems, n.findings.problems...)
	t.Configs = append(t.Configs, n.findings.configs...)
	t.Ignores = append(t.Ignores, n.findings.ignores...)
	t.LeftOut = append(t.LeftOut, n.findings.leftOut...)
	*n = node{}
}

// compareToFolder compares a file's path with directory+"/"; both are in one directory.
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

// slashParent returns the directory of a path, "" for the root.
func slashParent(path string) string {
	return path[:max(0, strings.LastIndexByte(path, '/'))]
}
