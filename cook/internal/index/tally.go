package index

// A Tally adds up actions by the nodes of their sources and artifacts, each action once.
type Tally struct {
	Totals
	x    *Index
	row  Row // decodes the current action
	seen [2]bitset
	over map[string]bool // sources with actions in the changes
}

// Tally begins an empty tally. Load must have succeeded.
func (r Results) Tally() *Tally { return &Tally{x: r.x, row: Row{x: r.x}, over: map[string]bool{}} }

// Node adds the actions of a source, or the action that made an artifact.
func (t *Tally) Node(ref Ref) {
	part, node := nodePart(t.x, ref)
	t.tallyNode(part, node)
}

func (t *Tally) tallyNode(part, node int) {
	x := t.x.parts()[part]
	action, ok := x.nodes().actionOfNode(node)
	if part == 1 || !ok || t.x.marks.deadActions.hasRow(action) {
		t.tallySource(x, node, action)
		return
	}
	source := x.actions().sourceNode(action)
	last := action
	if source == node {
		for last+1 < x.actions().len() && x.actions().sourceNode(last+1) == source {
			last++
		}
	}
	for ; action <= last; action++ {
		if t.seen[part].hasRow(action) || t.x.marks.deadActions.hasRow(action) {
			continue
		}
		t.seen[part].insertRow(action)
		if row := t.row.rowAt(part, action); t.x.counted.includesTarget(row.Target()) {
			t.AddRow(row)
		}
	}
}

// tallySource adds the actions of a source that the changes hold.
func (t *Tally) tallySource(x *flat, node, action int) {
	path := x.nodes().nodePath(node)
	if x.nodes().roleOf(node) == Made {
		path = x.actions().sourcePath(action)
	}
	if t.over[path] {
		return
	}
	t.over[path] = true
	t.x.Results().eachOf(path, func(a *Action) {
		if t.x.counted.includesTarget(a.Target) {
			t.Add(a, t.x.Files().sizeOfFile(path))
		}
	})
}
