package index

import (
	"encoding/binary"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
)

// An editor changes an index in memory. [encodeChanges] writes its changes.
type editor struct{ x *Index }

// restampNode sets the stamp that proves the content of a node.
func (e editor) restampNode(part, node int, stamp scan.Stamp, settled bool) {
	if part == 1 {
		e.restampAddition(node, stamp, settled)
		return
	}
	if e.x.marks.deadNodes.hasRow(node) {
		if e.x.base.nodes().roleOf(node) != Made {
			e.restampFile(e.x.base.nodes().nodePath(node), stamp, settled)
		}
		return
	}
	p := e.x.base.nodes().probeNode(node)
	if p.Stamp == stamp && p.Settled == settled {
		return
	}
	e.x.base.nodes().setNodeStamp(node, stamp, settled)
	e.x.marks.patched.insertRow(node)
	e.x.edited = true
}

// restampAddition sets the stamp of a node in the changes file.
func (e editor) restampAddition(node int, stamp scan.Stamp, settled bool) {
	path := e.x.over.nodes().nodePath(node)
	if e.x.over.nodes().roleOf(node) != Made {
		e.restampFile(path, stamp, settled)
		return
	}
	row, _ := e.x.over.nodes().actionOfNode(node)
	target := e.x.over.actions().factsOf(row).target
	for _, h := range e.x.added.actions[e.x.over.actions().sourcePath(row)] {
		for i := range h.Made {
			m := &h.Made[i]
			if h.Target == target && m.Path == path && (m.Stamp != stamp || m.Settled != settled) {
				m.Stamp, m.Settled = stamp, settled
				e.x.edited = true
			}
		}
	}
}

func (e editor) restampFile(path string, stamp scan.Stamp, settled bool) {
	if f, ok := e.x.added.files[path]; ok && (f.Stamp != stamp || f.Settled != settled) {
		f.Stamp, f.Settled = stamp, settled
		e.x.added.files[path] = f
		e.x.edited = true
	}
}

// restampFolder sets the stamp that proves the listing of a directory. The changes file has stamps
// for directories of the asset tree only.
func (e editor) restampFolder(part, row int, stamp scan.Stamp, settled, odd bool) {
	x := e.x.parts()[part]
	if part == 1 && x.folders().decodeFolder(row).Tree != Assets {
		return
	}
	r := x.row(secFolders, row)
	flags := binary.LittleEndian.Uint32(r[folderFlagsAt:]) & (folderFresh | folderOdd | folderListed)
	now := uint32(folderListed)
	if !settled {
		now |= folderFresh
	}
	if odd {
		now |= folderOdd
	}
	if now == flags && decodeStamp(r[folderStampAt:]) == stamp {
		return
	}
	e.x.edited = true
	x.folders().setFolderStamp(row, stamp, now)
	if part == 0 {
		e.x.marks.patchedFolders.insertRow(row)
	} else {
		e.x.added.folders[string(x.folders().decodeFolder(row).Path)] = x.folders().toInput(row)
	}
}

// insertFolder adds or replaces a directory.
func (e editor) insertFolder(f scan.Folder, settled bool) {
	var b builder
	b.AddFolder(f, settled)
	in := b.folders[0]
	e.x.added.folders[in.path] = in
	e.x.edited = true
	row, ok := e.x.base.folders().findFolderRow(Assets, in.path)
	if !ok {
		return
	}
	old := e.x.base.folders().decodeFolder(row)
	if old.Listed && !old.Dead {
		e.x.marks.deadFolder.insertRow(row)
		e.markFolderDead(row)
	}
	if string(old.Real) != in.real {
		e.moveNodes(&old)
	}
}

// moveNodes copies the files of a directory from the old index to the changes, because the real path
// of the directory has changed.
func (e editor) moveNodes(folder *folderRow) {
	for node := folder.First; node < folder.First+folder.Count; node++ {
		if e.x.marks.deadNodes.hasRow(node) {
			continue
		}
		switch f := e.x.base.nodes().decodeFileNode(node); f.Role {
		case Asset, Other, Config, Ignore:
			e.markNodeDead(node)
			e.x.added.files[f.Path] = f
		case Absent:
			e.doubtPath(f.Path)
		}
	}
}

// forgetFolder drops a directory, but keeps its files and subdirectories.
func (e editor) forgetFolder(part, row int) {
	e.x.edited = true
	if part == 1 {
		delete(e.x.added.folders, string(e.x.over.folders().decodeFolder(row).Path))
		return
	}
	e.x.marks.deadFolder.insertRow(row)
	e.markFolderDead(row)
}

// dropNodeFile drops the file of a node. It keeps artifacts and absent paths, which are dropped
// with their actions.
func (e editor) dropNodeFile(part, node int) {
	switch x := e.x.parts()[part]; x.nodes().roleOf(node) {
	case Asset, Other, Config, Ignore:
		e.forgetFile(x.nodes().nodePath(node))
	}
}

// putFileRecord adds or replaces a file.
func (e editor) putFileRecord(f File) {
	old, known := e.x.Files().File(f.Path)
	if known && old == f {
		return
	}
	e.x.edited = true
	if !known {
		e.doubtPath(f.Path)
	}
	e.resizeSource(f.Path, old.Stamp.Size, f.Stamp.Size)
	node, ok := e.x.Files().baseNode(f.Path)
	if !ok || e.x.base.nodes().roleOf(node) != f.Role {
		if ok {
			e.markNodeDead(node)
		}
		e.x.added.files[f.Path] = f
		return
	}
	e.restampNode(0, node, f.Stamp, f.Settled)
	e.x.base.nodes().patchContent(node, f.Sum, f.Blob)
}

// patchContent sets the content of a node. Other rows may share the old content, so it stays in
// place.
func (t nodeTable) patchContent(node int, sum hashing.Sum128, blob store.BlobID) {
	delete(t.x.patches, node)
	if oldSum, oldBlob := t.nodeContent(node); oldSum != sum || oldBlob != blob {
		t.x.patches[node] = appendContent(nil, sum, blob)
	}
}

// forgetFile drops a file.
func (e editor) forgetFile(path string) {
	old, ok := e.x.Files().File(path)
	if !ok {
		return
	}
	e.x.edited = true
	e.doubtPath(path)
	e.resizeSource(path, old.Stamp.Size, 0)
	if node, ok := e.x.Files().baseNode(path); ok {
		e.markNodeDead(node)
	}
	delete(e.x.added.files, path)
}

// resizeSource corrects the totals after the size of a source has changed. The source must have
// actions.
func (e editor) resizeSource(path string, was, is int64) {
	if was == is {
		return
	}
	e.x.Results().eachOf(path, func(a *Action) {
		e.subtractFromTotals(a, was)
		e.addToTotals(a, is)
	})
}

// insertAction adds an action. The index must not have an action for this source and target.
func (e editor) insertAction(a Action) {
	e.x.edited = true
	e.x.added.addAction(a)
	e.doubtDeps(a.Deps)
	e.addToTotals(&a, e.x.Files().sizeOfFile(a.Path))
}

// removeActions drops the actions of a source.
func (e editor) removeActions(path string) {
	i, _ := e.x.base.actions().findActionRow(path, "")
	for ; i < e.x.base.actions().len() && e.x.base.nodes().comparePath(e.x.base.actions().sourceNode(i), path) == 0; i++ {
		if e.x.marks.deadActions.hasRow(i) {
			continue
		}
		e.x.edited = true
		a := e.x.base.actions().decodeAction(i)
		e.doubtDeps(a.Deps)
		e.subtractFromTotals(&a, e.x.Files().sizeOfFile(path))
		e.x.marks.deadActions.insertRow(i)
		first, n := e.x.base.actions().artifactRange(i)
		for row := first; row < first+n; row++ {
			e.markNodeDead(e.x.base.refAtRow(secMade, row))
		}
	}
	over := e.x.added.removeActionsOf(path)
	for i := range over {
		e.x.edited = true
		e.doubtDeps(over[i].Deps)
		e.subtractFromTotals(&over[i], e.x.Files().sizeOfFile(path))
	}
}

// sizeOfFile returns the size of a file, or 0 if the file is unknown.
func (v Files) sizeOfFile(path string) int64 {
	f, _ := v.File(path)
	return f.Stamp.Size
}

func (t nodeTable) setNodeStamp(node int, stamp scan.Stamp, settled bool) {
	r := t.x.row(secNodes, node)
	flags := binary.LittleEndian.Uint32(r[nodeFlagsAt:]) &^ nodeSettled
	if settled {
		flags |= nodeSettled
	}
	binary.LittleEndian.PutUint32(r[nodeFlagsAt:], flags)
	appendStamp(r[:nodeStampAt], stamp)
}

// setFolderStamp replaces the stamp of a directory and the flags that depend on the stamp.
func (t folderTable) setFolderStamp(row int, stamp scan.Stamp, flags uint32) {
	r := t.x.row(secFolders, row)
	flags |= binary.LittleEndian.Uint32(r[folderFlagsAt:]) &^ (folderOdd | folderFresh | folderListed)
	binary.LittleEndian.PutUint32(r[folderFlagsAt:], flags)
	appendStamp(r[:folderStampAt], stamp)
}

func (e editor) markNodeDead(node int) {
	e.x.marks.deadNodes.insertRow(node)
	e.x.base.setFlag(secNodes, node, nodeFlagsAt, nodeDead, true)
}

func (e editor) markFolderDead(row int) {
	e.x.base.setFlag(secFolders, row, folderFlagsAt, folderDead, true)
}

// setFlag sets or clears one flag of a row.
func (x *flat) setFlag(s, i, flagsAt int, flag uint32, on bool) {
	r := x.row(s, i)[flagsAt:]
	flags := binary.LittleEndian.Uint32(r) &^ flag
	if on {
		flags |= flag
	}
	binary.LittleEndian.PutUint32(r, flags)
}

// settleAbsent makes sure that exactly one node exists for each path that an action looked for and
// did not find, and none for other paths. Edits only record the paths to check
// ([editor.doubtPath]), because each check reads all dependencies.
func (e editor) settleAbsent() {
	if len(e.x.added.unsure) == 0 {
		return
	}
	wanted, known := map[string]bool{}, map[string]bool{}
	e.x.base.deps().eachOn(e.x.added.unsure, func(row, action int) {
		d := e.x.base.deps().decodeDepAt(row)
		path := d.seenKey()
		known[path] = known[path] || !d.Found
		wanted[path] = wanted[path] || !d.Found && !e.x.marks.deadActions.hasRow(action)
	})
	e.x.added.eachAdded(func(a *Action) {
		for _, d := range a.Deps {
			path := d.seenKey()
			wanted[path] = wanted[path] || !d.Found && e.x.added.unsure[path]
		}
	})
	for path := range wanted {
		if _, there := e.x.Files().File(path); there {
			wanted[path] = false
		}
	}
	if len(known) > 0 {
		e.settleNodes(wanted, known)
	}
	for path := range e.x.added.unsure {
		if wanted[path] {
			e.x.added.absent[path] = true
		} else {
			delete(e.x.added.absent, path)
		}
	}
	clear(e.x.added.unsure)
}

// settleNodes keeps or restores the absent nodes of the paths in wanted, and removes these paths
// from the map. It marks the absent nodes of other paths in known as dead.
func (e editor) settleNodes(wanted, known map[string]bool) {
	for node := range e.x.base.nodes().len() {
		if e.x.base.nodes().roleOf(node) != Absent {
			continue
		}
		switch path := e.x.base.nodes().nodePath(node); {
		case wanted[path] && e.isInPlace(node):
			delete(wanted, path)
			e.x.marks.deadNodes.removeRow(node)
			r := e.x.base.row(secNodes, node)[nodeFlagsAt:]
			binary.LittleEndian.PutUint32(r, binary.LittleEndian.Uint32(r)&^nodeDead)
		case known[path]:
			e.markNodeDead(node)
		}
	}
}

// isInPlace reports whether the directory of a base node still has its old real path.
func (e editor) isInPlace(node int) bool {
	f := e.x.base.folders().decodeFolder(e.x.base.nodes().folderRowOf(node))
	now, ok := e.x.added.folders[string(f.Path)]
	return !ok || now.real == string(f.Real)
}

// doubtPath records that settleAbsent must check whether the index needs a node for an absent path.
func (e editor) doubtPath(path string) { e.x.added.unsure[path] = true }

func (e editor) doubtDeps(deps []Dep) {
	for _, d := range deps {
		if !d.Found {
			e.doubtPath(d.seenKey())
		}
	}
}
