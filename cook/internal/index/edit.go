package index

import (
	"encoding/binary"

	"github.com/assetcook/assetcook/cook/internal/scan"
)

// Restamp sets the stamp under which a node's content was verified.
func (l *live) Restamp(part, node int, stamp scan.Stamp, settled bool) {
	if part == 1 {
		l.restampOver(node, stamp, settled)
		return
	}
	if l.deadNodes.has(node) {
		if l.base.role(node) != Made {
			l.restampFile(l.base.nodePath(node), stamp, settled)
		}
		return
	}
	p := l.base.Probe(node)
	if p.Stamp == stamp && p.Settled == settled {
		return
	}
	l.base.setStamp(node, stamp, settled)
	l.patched.add(node)
	l.edited = true
}

// restampOver restamps a node of the changes in its decoded form.
func (l *live) restampOver(node int, stamp scan.Stamp, settled bool) {
	path := l.over.nodePath(node)
	if l.over.role(node) != Made {
		l.restampFile(path, stamp, settled)
		return
	}
	row, _ := l.over.nodeAction(node)
	target := string(l.over.ActionTarget(row))
	for _, h := range l.actions[l.over.ActionPath(row)] {
		for i := range h.Made {
			m := &h.Made[i]
			if h.Target == target && m.Path == path && (m.Stamp != stamp || m.Settled != settled) {
				m.Stamp, m.Settled = stamp, settled
				l.edited = true
			}
		}
	}
}

func (l *live) restampFile(path string, stamp scan.Stamp, settled bool) {
	if f, ok := l.files[path]; ok && (f.Stamp != stamp || f.Settled != settled) {
		f.Stamp, f.Settled = stamp, settled
		l.files[path] = f
		l.edited = true
	}
}

// RestampFolder sets the stamp under which a directory was listed. In the changes, only
// directories of the asset tree have stamps.
func (l *live) RestampFolder(part, row int, stamp scan.Stamp, settled, odd bool) {
	x := l.Parts()[part]
	if part == 1 && x.Folder(row).Tree != Assets {
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
	l.edited = true
	x.setFolder(row, stamp, now)
	if part == 0 {
		l.patchedFolders.add(row)
	} else {
		l.folders[string(x.Folder(row).Path)] = x.folderIn(row)
	}
}

// AddFolder adds or replaces a directory.
func (l *live) AddFolder(f scan.Folder, settled bool) {
	var b builder
	b.AddFolder(f, settled)
	in := b.folders[0]
	l.folders[in.path] = in
	l.edited = true
	row, ok := l.base.findFolder(Assets, in.path)
	if !ok {
		return
	}
	old := l.base.Folder(row)
	if old.Listed && !old.Dead {
		l.deadFolder.add(row)
		l.markFolder(row)
	}
	if string(old.Real) != in.real {
		l.moveNodes(&old)
	}
}

// moveNodes moves the files of a directory from the base to the changes, because the base has the
// wrong location for them.
func (l *live) moveNodes(folder *folderRow) {
	for node := folder.First; node < folder.First+folder.Count; node++ {
		if l.deadNodes.has(node) {
			continue
		}
		switch f := l.base.file(node); f.Role {
		case Asset, Other, Config, Ignore:
			l.markNode(node)
			l.files[f.Path] = f
		case Absent:
			l.doubt(f.Path)
		}
	}
}

// DropFolder drops a directory, but not its files and subdirectories.
func (l *live) DropFolder(part, row int) {
	l.edited = true
	if part == 1 {
		delete(l.folders, string(l.over.Folder(row).Path))
		return
	}
	l.deadFolder.add(row)
	l.markFolder(row)
}

// DropNode drops the file of a node. Artifacts are dropped with their action; the node of an
// absent path is dropped with the last action that depends on its absence.
func (l *live) DropNode(part, node int) {
	switch x := l.Parts()[part]; x.role(node) {
	case Asset, Other, Config, Ignore:
		l.DropFile(x.nodePath(node))
	}
}

// PutFile adds or replaces a file.
func (l *live) PutFile(f File) {
	old, known := l.File(f.Path)
	if known && old == f {
		return
	}
	l.edited = true
	if !known {
		l.doubt(f.Path)
	}
	l.resize(f.Path, old.Stamp.Size, f.Stamp.Size)
	node, ok := l.baseFile(f.Path)
	if !ok || l.base.role(node) != f.Role {
		if ok {
			l.markNode(node)
		}
		l.files[f.Path] = f
		return
	}
	l.base.setStamp(node, f.Stamp, f.Settled)
	appendContent(l.base.row(secContents, node)[:0], f.Sum, f.Blob)
	l.patched.add(node)
}

// DropFile drops a file.
func (l *live) DropFile(path string) {
	old, ok := l.File(path)
	if !ok {
		return
	}
	l.edited = true
	l.doubt(path)
	l.resize(path, old.Stamp.Size, 0)
	if node, ok := l.baseFile(path); ok {
		l.markNode(node)
	}
	delete(l.files, path)
}

// resize corrects the totals after the size of a source has changed, if actions of that source
// remain.
func (l *live) resize(path string, was, is int64) {
	if was == is {
		return
	}
	l.Actions(path, func(a *Action) {
		l.takeFromTotals(a, was)
		l.addToTotals(a, is)
	})
}

// PutAction adds an action; there must be none for its source and target.
func (l *live) PutAction(a Action) {
	l.edited = true
	l.hold(a)
	l.doubtDeps(a.Deps)
	l.addToTotals(&a, l.Size(a.Path))
}

// DropActions drops the actions of a source.
func (l *live) DropActions(path string) {
	i, _ := l.base.FindAction(path, "")
	for ; i < l.base.Actions() && l.base.comparePath(l.base.actionSource(i), path) == 0; i++ {
		if l.deadActions.has(i) {
			continue
		}
		l.edited = true
		a := l.base.Action(i)
		l.doubtDeps(a.Deps)
		l.takeFromTotals(&a, l.Size(path))
		l.deadActions.add(i)
		first, n := l.base.ActionArtifacts(i)
		for row := first; row < first+n; row++ {
			l.markNode(l.base.ref(secMade, row))
		}
	}
	over := l.release(path)
	for i := range over {
		l.edited = true
		l.doubtDeps(over[i].Deps)
		l.takeFromTotals(&over[i], l.Size(path))
	}
}

// Size returns the size of a file, 0 if the file is unknown.
func (l *live) Size(path string) int64 {
	f, _ := l.File(path)
	return f.Stamp.Size
}

func (x *flat) setStamp(node int, stamp scan.Stamp, settled bool) {
	r := x.row(secNodes, node)
	flags := binary.LittleEndian.Uint32(r[nodeFlagsAt:]) &^ nodeSettled
	if settled {
		flags |= nodeSettled
	}
	binary.LittleEndian.PutUint32(r[nodeFlagsAt:], flags)
	appendStamp(r[:nodeStampAt], stamp)
}

// setFolder replaces a directory's stamp and the flags that belong to it.
func (x *flat) setFolder(row int, stamp scan.Stamp, flags uint32) {
	r := x.row(secFolders, row)
	flags |= binary.LittleEndian.Uint32(r[folderFlagsAt:]) &^ (folderOdd | folderFresh | folderListed)
	binary.LittleEndian.PutUint32(r[folderFlagsAt:], flags)
	appendStamp(r[:folderStampAt], stamp)
}

func (l *live) markNode(node int) {
	l.deadNodes.add(node)
	l.base.mark(secNodes, node, nodeFlagsAt, nodeDead, true)
}

func (l *live) markFolder(row int) { l.base.mark(secFolders, row, folderFlagsAt, folderDead, true) }

// mark sets or clears one flag of a row.
func (x *flat) mark(s, i, flagsAt int, flag uint32, on bool) {
	r := x.row(s, i)[flagsAt:]
	flags := binary.LittleEndian.Uint32(r) &^ flag
	if on {
		flags |= flag
	}
	binary.LittleEndian.PutUint32(r, flags)
}
