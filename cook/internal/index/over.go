package index

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
)

// decodeAdditions decodes the additions of the changes into maps. It refuses paths that the base has
// too, so that every path occurs once.
func decodeAdditions(x *Index) error {
	x.added.files = make(map[string]File, x.over.files().len())
	x.added.actions = make(map[string][]Action, x.over.actions().len())
	x.added.owners, x.added.holds = map[string][]string{}, map[string]int{}
	x.added.absent, x.added.unsure = map[string]bool{}, map[string]bool{}
	x.added.folders = map[string]folderIn{}
	for i := range x.over.files().len() {
		f := x.over.files().decodeFileAt(i)
		if _, ok := x.Files().baseNode(f.Path); ok {
			return fmt.Errorf("file %q is in the index", f.Path)
		}
		x.added.files[f.Path] = f
	}
	for i := range x.over.actions().len() {
		a := x.over.actions().decodeAction(i)
		if row, ok := x.base.actions().findActionRow(a.Path, a.Target); ok && !x.marks.deadActions.hasRow(row) {
			return fmt.Errorf("action of %q is in the index", a.Path)
		}
		x.added.addAction(a)
	}
	for i := range x.over.nodes().len() {
		if x.over.nodes().roleOf(i) == Absent {
			x.added.absent[x.over.nodes().nodePath(i)] = true
		}
	}
	for i := range x.over.folders().len() {
		if f := x.over.folders().decodeFolder(i); f.Listed && f.Tree == Assets {
			x.added.folders[string(f.Path)] = x.over.folders().toInput(i)
		}
	}
	return nil
}

// addAction adds an action to the changes.
func (d *additions) addAction(a Action) {
	d.actions[a.Path] = append(d.actions[a.Path], a)
	for _, m := range a.Made {
		d.owners[m.Path] = append(d.owners[m.Path], a.Path)
		eachFolder(m.Path, func(folder string) { d.holds[folder]++ })
	}
}

// removeActionsOf removes and returns a source's actions from the changes.
func (d *additions) removeActionsOf(path string) []Action {
	list := d.actions[path]
	delete(d.actions, path)
	for i := range list {
		for _, m := range list[i].Made {
			at := slices.Index(d.owners[m.Path], path)
			d.owners[m.Path] = slices.Delete(d.owners[m.Path], at, at+1)
			eachFolder(m.Path, func(folder string) { d.holds[folder]-- })
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

// eachAdded calls do for each action of the changes, sorted by source.
func (d *additions) eachAdded(do func(a *Action)) {
	for _, path := range slices.Sorted(maps.Keys(d.actions)) {
		list := d.actions[path]
		for i := range list {
			do(&list[i])
		}
	}
}

// encodeAdditions encodes the additions as an index.
func encodeAdditions(x *Index) []byte {
	b := newIndexBuilder(x.base.checksum)
	addAdditions(x, b)
	b.absent = x.added.absent
	// A directory of the base that was reached by a link has the same real path for the
	// additions.
	seen := map[string]bool{}
	place := func(path string) {
		folder, _ := splitSlash(path)
		if _, ok := x.added.folders[folder]; ok || seen[folder] || treeOf(path) != Assets {
			return
		}
		seen[folder] = true
		if row, ok := x.base.folders().findFolderRow(Assets, folder); ok {
			if f := x.base.folders().decodeFolder(row); string(f.Real) != folder {
				b.folders = append(b.folders, folderIn{folderKey: folderKey{Assets, folder}, real: string(f.Real)})
			}
		}
	}
	for path := range x.added.files {
		place(path)
	}
	for path := range x.added.absent {
		place(path)
	}
	return b.Bytes()
}

// findFolderRow finds a directory by its tree and path, which ends in a slash.
func (t folderTable) findFolderRow(tree Tree, path string) (row int, ok bool) {
	order := func(i int) int {
		f := t.decodeFolder(i)
		return cmp.Or(cmp.Compare(f.Tree, tree), compareNameTo(f.Path, path))
	}
	row = sort.Search(t.len(), func(i int) bool { return order(i) >= 0 })
	return row, row < t.len() && order(row) == 0
}
