package index

// A Tally adds up actions, each once, by the nodes of their sources and
// artifacts.
type Tally struct {
	Totals
	live *live
	seen [2]bitset
	over map[string]bool // sources with actions over the base
}

// Tally begins to add up actions. Load must have succeeded.
func (l *live) Tally() *Tally { return &Tally{live: l, over: map[string]bool{}} }

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
		if t.live.counted.has(string(x.ActionTarget(action))) {
			t.addRow(x, action)
		}
	}
}

// addRow adds an action without decoding it.
func (t *Tally) addRow(x *flat, action int) {
	t.Actions++
	if x.ActionState(action) == Failed {
		t.Failed++
		return
	}
	size := func(node int) int64 { return decodeStamp(x.row(secNodes, node)[nodeStampAt:]).Size }
	t.In += size(x.actionSource(action))
	first, n := x.ActionArtifacts(action)
	for row := first; row < first+n; row++ {
		t.Out += size(x.ref(secMade, row))
	}
	t.CookTime += x.actionCookTime(action)
}

// source adds the actions of a source that lie over the base.
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
