package index

import "encoding/binary"

// settleAbsent makes sure that each path some result needs to be absent has exactly one node to
// stat, and that no other path has such a node. A freshly built flat index always satisfies this.
// An edit only notes the doubtful paths ([live.doubt]), because checking them requires a pass over
// all dependencies.
func (l *live) settleAbsent() {
	if len(l.unsure) == 0 {
		return
	}
	wanted, known := map[string]bool{}, map[string]bool{}
	l.base.eachDep(l.unsure, func(row, action int) {
		d := l.base.dep(row)
		path := d.key()
		known[path] = known[path] || !d.Found
		wanted[path] = wanted[path] || !d.Found && !l.deadActions.has(action)
	})
	l.eachOver(func(a *Action) {
		for _, d := range a.Deps {
			path := d.key()
			wanted[path] = wanted[path] || !d.Found && l.unsure[path]
		}
	})
	for path := range wanted {
		if _, there := l.File(path); there {
			wanted[path] = false
		}
	}
	if len(known) > 0 {
		l.settleBase(wanted, known)
	}
	for path := range l.unsure {
		if wanted[path] {
			l.absent[path] = true
		} else {
			delete(l.absent, path)
		}
	}
	clear(l.unsure)
}

// settleBase marks the nodes of the known paths, and deletes from wanted each path that already
// has a node.
func (l *live) settleBase(wanted, known map[string]bool) {
	for node := range l.base.Nodes() {
		if l.base.role(node) != Absent {
			continue
		}
		switch path := l.base.nodePath(node); {
		case wanted[path] && l.inPlace(node):
			delete(wanted, path)
			l.deadNodes.remove(node)
			r := l.base.row(secNodes, node)[nodeFlagsAt:]
			binary.LittleEndian.PutUint32(r, binary.LittleEndian.Uint32(r)&^nodeDead)
		case known[path]:
			l.markNode(node)
		}
	}
}

// inPlace reports whether the directory of a base node is still where the base says.
func (l *live) inPlace(node int) bool {
	f := l.base.Folder(l.base.NodeFolder(node))
	now, ok := l.folders[string(f.Path)]
	return !ok || now.real == string(f.Real)
}

// doubt notes that settleAbsent must check whether a path needs a node for its absence.
func (l *live) doubt(path string) { l.unsure[path] = true }

func (l *live) doubtDeps(deps []Dep) {
	for _, d := range deps {
		if !d.Found {
			l.doubt(d.key())
		}
	}
}
