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
	t.node(part, node)
}

func (t *Tally) node(part, node int) {
	x := t.x.parts()[part]
	action, ok := x.nodes().action(node)
	if part == 1 || !ok || t.x.marks.deadActions.has(action) {
		t.source(x, node, action)
		return
	}
	source := x.actions().source(action)
	last := action
	if source == node {
		for last+1 < x.actions().len() && x.actions().source(last+1) == source {
			last++
		}
	}
	for ; action <= last; action++ {
		if t.seen[part].has(action) || t.x.marks.deadActions.has(action) {
			continue
		}
		t.seen[part].add(action)
		if row := t.row.rowAt(part, action); t.x.counted.has(row.Target()) {
			t.AddRow(row)
		}
	}
}

// source adds the actions of a source that the changes hold.
func (t *Tally) source(x *flat, node, action int) {
	path := x.nodes().path(node)
	if x.nodes().role(node) == Made {
		path = x.actions().path(action)
	}
	if t.over[path] {
		return
	}
	t.over[path] = true
	t.x.Results().eachOf(path, func(a *Action) {
		if t.x.counted.has(a.Target) {
			t.Add(a, t.x.Files().size(path))
		}
	})
}
