package index

// A Tally adds up actions by the nodes of their sources and artifacts, each action once.
type Tally struct {
	Totals
	live *live
	row  Row // decodes the current action
	seen [2]bitset
	over map[string]bool // sources with actions in the changes
}

// Tally begins an empty tally. Load must have succeeded.
func (x *Index) Tally() *Tally { return &Tally{live: x.live, row: Row{x: x}, over: map[string]bool{}} }

// Node adds the actions of a source, or the action that made an artifact.
func (t *Tally) Node(ref Ref) {
	part, node := t.live.nodePart(ref)
	t.node(part, node)
}

func (t *Tally) node(part, node int) {
	x := t.live.Parts()[part]
	action, ok := x.nodeAction(node)
	if part == 1 || !ok || t.live.deadActions.has(action) {
		t.source(x, node, action)
		return
	}
	source := x.actionSource(action)
	last := action
	if source == node {
		for last+1 < x.Actions() && x.actionSource(last+1) == source {
			last++
		}
	}
	for ; action <= last; action++ {
		if t.seen[part].has(action) || t.live.deadActions.has(action) {
			continue
		}
		t.seen[part].add(action)
		if row := t.row.rowAt(part, action); t.live.counted.has(row.Target()) {
			t.AddRow(row)
		}
	}
}

// source adds the actions of a source that the changes hold.
func (t *Tally) source(x *flat, node, action int) {
	path := x.nodePath(node)
	if x.role(node) == Made {
		path = x.ActionPath(action)
	}
	if t.over[path] {
		return
	}
	t.over[path] = true
	t.live.Actions(path, func(a *Action) {
		if t.live.counted.has(a.Target) {
			t.Add(a, t.live.Size(path))
		}
	})
}
