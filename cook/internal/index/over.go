package index

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
)

// decodeOver decodes the additions of the changes into maps. It refuses paths that the base has
// too, so that every path occurs once.
func (l *live) decodeOver() error {
	l.files = make(map[string]File, l.over.Files())
	l.actions = make(map[string][]Action, l.over.Actions())
	l.owners, l.holds = map[string][]string{}, map[string]int{}
	l.absent, l.unsure = map[string]bool{}, map[string]bool{}
	l.folders = map[string]folderIn{}
	for i := range l.over.Files() {
		f := l.over.File(i)
		if _, ok := l.baseFile(f.Path); ok {
			return fmt.Errorf("file %q is in the index", f.Path)
		}
		l.files[f.Path] = f
	}
	for i := range l.over.Actions() {
		a := l.over.Action(i)
		if row, ok := l.base.FindAction(a.Path, a.Target); ok && !l.deadActions.has(row) {
			return fmt.Errorf("action of %q is in the index", a.Path)
		}
		l.hold(a)
	}
	for i := range l.over.Nodes() {
		if l.over.role(i) == Absent {
			l.absent[l.over.nodePath(i)] = true
		}
	}
	for i := range l.over.Folders() {
		if f := l.over.Folder(i); f.Listed && f.Tree == Assets {
			l.folders[string(f.Path)] = l.over.folderIn(i)
		}
	}
	return nil
}

// hold adds an action to the changes.
func (l *live) hold(a Action) {
	l.actions[a.Path] = append(l.actions[a.Path], a)
	for _, m := range a.Made {
		l.owners[m.Path] = append(l.owners[m.Path], a.Path)
		eachFolder(m.Path, func(folder string) { l.holds[folder]++ })
	}
}

// release removes and returns a source's actions from the changes.
func (l *live) release(path string) []Action {
	list := l.actions[path]
	delete(l.actions, path)
	for i := range list {
		for _, m := range list[i].Made {
			at := slices.Index(l.owners[m.Path], path)
			l.owners[m.Path] = slices.Delete(l.owners[m.Path], at, at+1)
			eachFolder(m.Path, func(folder string) { l.holds[folder]-- })
		}
	}
	return list
}

// eachFolder calls do for each parent directory of a path except the root, with a trailing slash.
func eachFolder(path string, do func(folder string)) {
	for i := range len(path) {
		if path[i] == '/' {
			do(path[:i+1])
		}
	}
}

// eachOver calls do for each action of the changes, sorted by source.
func (l *live) eachOver(do func(a *Action)) {
	for _, path := range slices.Sorted(maps.Keys(l.actions)) {
		list := l.actions[path]
		for i := range list {
			do(&list[i])
		}
	}
}

// overBytes encodes the additions as an index.
func (l *live) overBytes() []byte {
	b := newBuilder(l.Checksum())
	l.addOver(b)
	b.absent = l.absent
	// A directory of the base that was reached by a link has the same real path for the
	// additions.
	seen := map[string]bool{}
	place := func(path string) {
		folder, _ := splitPath(path)
		if _, ok := l.folders[folder]; ok || seen[folder] || treeOf(path) != Assets {
			return
		}
		seen[folder] = true
		if row, ok := l.base.findFolder(Assets, folder); ok {
			if f := l.base.Folder(row); string(f.Real) != folder {
				b.folders = append(b.folders, folderIn{folderKey: folderKey{Assets, folder}, real: string(f.Real)})
			}
		}
	}
	for path := range l.files {
		place(path)
	}
	for path := range l.absent {
		place(path)
	}
	return b.Bytes()
}

// findFolder finds a directory by its tree and path, which ends in a slash.
func (x *flat) findFolder(tree Tree, path string) (row int, ok bool) {
	order := func(i int) int {
		f := x.Folder(i)
		return cmp.Or(cmp.Compare(f.Tree, tree), compare(f.Path, path))
	}
	row = sort.Search(x.Folders(), func(i int) bool { return order(i) >= 0 })
	return row, row < x.Folders() && order(row) == 0
}
