package index

import "encoding/binary"

// settleAbsent makes sure that each path some result needs to be absent has exactly one node to
// stat, and that no other path has such a node. A freshly built flat index always satisfies this.
// An edit only notes the doubtful paths ([live.doubt]), because checking them requires a pass over
// all dependencies.
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

// settleNodes marks the nodes of the known paths, and deletes from wanted each path that already
// has a node.
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

// isInPlace reports whether the directory of a base node is still where the base says.
func (e editor) isInPlace(node int) bool {
	f := e.x.base.folders().decodeFolder(e.x.base.nodes().folderRowOf(node))
	now, ok := e.x.added.folders[string(f.Path)]
	return !ok || now.real == string(f.Real)
}

// doubtPath notes that settleAbsent must check whether a path needs a node for its absence.
func (e editor) doubtPath(path string) { e.x.added.unsure[path] = true }

func (e editor) doubtDeps(deps []Dep) {
	for _, d := range deps {
		if !d.Found {
			e.doubtPath(d.seenKey())
		}
	}
}
