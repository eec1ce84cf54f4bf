package timeline

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/assetcook/assetcook/profile/events"
)

// A callTree sums scopes by call path: the names of the scopes from the outermost to the innermost.
// A node has one name of a path, and comes after the node of the enclosing scopes. The total of a
// node is its own time and the totals of the nodes below it. The total of node 0, the root, is the
// time with any scope, summed over all rows.
//
// A node named otherPaths holds the paths below a node that have no node of their own, with all
// their time as own time, and all their scopes.
type callTree struct {
	nodes []callNode
	known map[uint64]int32 // nodes by parent and name
	most  int              // number of nodes from which on only nodes named otherPaths are made
}

type callNode struct {
	under  int32 // index of the parent
	recent int32 // latest child that was looked up, or 0
	name   uint32
	callSum
}

// A callSum holds the number of scopes, their time in the window, and the part of that time outside
// their inner scopes.
type callSum struct{ count, total, self int64 }

const (
	otherPaths     = math.MaxUint32
	mostBuiltPaths = 1 << 16 // callTree.most of a tree in memory
	mostPaths      = 4000    // maximum number of paths of an answer, without otherPaths
)

func newCallTree(most int) *callTree {
	return &callTree{nodes: make([]callNode, 1), known: map[uint64]int32{}, most: most}
}

// childPath returns the node with a name below a node. It makes the node if needed, and if the tree
// has room.
func (t *callTree) childPath(under int32, name uint32) int32 {
	parent := &t.nodes[under]
	if parent.name == otherPaths {
		return under
	}
	if parent.recent != 0 && t.nodes[parent.recent].name == name {
		return parent.recent
	}
	key := uint64(under)<<32 | uint64(name)
	at, ok := t.known[key]
	if !ok {
		if len(t.nodes) > t.most && name != otherPaths {
			return t.childPath(under, otherPaths)
		}
		at = int32(len(t.nodes))
		t.nodes = append(t.nodes, callNode{under: under, name: name})
		t.known[key] = at
	}
	t.nodes[under].recent = at
	return at
}

// addPath adds scopes with a name below a node. It returns their node.
func (t *callTree) addPath(under int32, name uint32, s callSum) int32 {
	at := t.childPath(under, name)
	n := &t.nodes[at]
	n.count += s.count
	if at == under {
		return at // The node already has the time, because it has the time of the enclosing scopes.
	}
	if n.name == otherPaths {
		s.self = s.total
	}
	n.total += s.total
	n.self += s.self
	if under == 0 {
		t.nodes[0].total += s.total
	}
	return at
}

// mergeTree adds the nodes of another tree. With keeps, it adds only the nodes that keeps selects,
// and adds all others as otherPaths.
func (t *callTree) mergeTree(other *callTree, keeps []bool) {
	moved := make([]int32, len(other.nodes))
	for i := 1; i < len(other.nodes); i++ {
		n := &other.nodes[i]
		name := n.name
		if keeps != nil && !keeps[i] {
			name = otherPaths
		}
		moved[i] = t.addPath(moved[n.under], name, n.callSum)
	}
}

// cutSmallest returns the tree with at most the given number of nodes. It keeps the nodes with the
// longest totals, and thus their parents.
func (t *callTree) cutSmallest(most int) *callTree {
	var order []int
	for i := 1; i < len(t.nodes); i++ {
		if t.nodes[i].name != otherPaths {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(t.nodes[b].total, t.nodes[a].total), cmp.Compare(a, b))
	})
	keeps := make([]bool, len(t.nodes))
	for _, i := range order[:min(most, len(order))] {
		keeps[i] = true
	}
	cut := newCallTree(math.MaxInt)
	cut.mergeTree(t, keeps)
	return cut
}

// A pathAdder adds the scopes of a row to a tree. Scopes come in reverse order of their ends.
type pathAdder struct {
	tree     *callTree
	from, to int64
	around   outer
	open     []openPath // root, then the scopes around the next record by depth
}

// An openPath is the path of a scope whose inner scopes have not all come. Later inner scopes end
// at free or earlier; the time after free belongs to earlier inner scopes.
type openPath struct {
	node int32
	free int64
}

func (p *pathAdder) enterRecordPaths(records []events.Record) {
	for i := len(records) - 1; i >= 0; i-- {
		if r := &records[i]; r.Kind == events.Scope {
			p.enterPath(r.Start, r.Start+r.Dur, uint32(r.Name))
		}
	}
}

func (p *pathAdder) enterLongPath(l *long) { p.enterPath(l.start, l.end(), l.name) }

// enterPath adds a scope that overlaps the window, with its part in the window. If scopes overlap
// without nesting, because two clocks disagree, the overlap counts once.
func (p *pathAdder) enterPath(start, end int64, name uint32) {
	if start > p.to || end < p.from {
		return
	}
	depth := p.around.enterAt(start)
	parent := &p.open[depth]
	start = max(start, p.from)
	inside := max(min(end, parent.free)-start, 0)
	at := p.tree.addPath(parent.node, name, callSum{1, inside, inside})
	if parent.node != 0 && at != parent.node {
		p.tree.nodes[parent.node].self -= inside
	}
	parent.free = min(parent.free, start)
	p.open = append(p.open[:depth+1], openPath{at, start + inside})
}

// A callQuery selects scopes, with their parts in a window.
type callQuery struct {
	from, to int64
	row      int // number of the row; -1 for all rows
}

// A knownTree is the latest tree, which further queries about the same selection use.
type knownTree struct {
	query        callQuery
	first, after int64 // number of the first block, and of the block that follows the last one
	tree         *callTree
}

// callTree returns the tree of the selected scopes. Scopes that have not ended last to the end of
// the recording. The caller must hold the index by use.
func (r *Recording) callTree(ctx context.Context, q callQuery, most int) (*callTree, error) {
	state := r.tape.State()
	q.to = min(q.to, max(state.End, r.last, q.from))
	now := knownTree{query: q, after: r.next}
	if len(state.Blocks) > 0 {
		now.first = state.Blocks[0].Number
	}
	if last := r.latest.calls.Load(); last != nil && last.query == now.query && last.first == now.first && last.after == now.after && last.tree.most == most {
		return last.tree, nil
	}
	var mu sync.Mutex
	now.tree = newCallTree(most)
	rows := r.rows
	for _, o := range r.open { // A row without a block may have an open scope.
		if missing := int(o.Row) + 1 - len(rows); missing > 0 && int(o.Row) < mostRows {
			rows = append(slices.Clip(rows), make([]row, missing)...)
		}
	}
	err := cores().Each(ctx, len(rows), func(i int) error {
		if q.row >= 0 && q.row != i {
			return nil
		}
		tree := newCallTree(most)
		r.addRowPaths(ctx, tree, i, rows[i].blocks, state.End, q)
		mu.Lock()
		defer mu.Unlock()
		now.tree.mergeTree(tree, nil)
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	r.latest.calls.Store(&now)
	return now.tree, nil
}

// addRowPaths adds the scopes of a row to a tree, with open scopes until the end of the recording.
// It skips the blocks that end before the window.
func (r *Recording) addRowPaths(ctx context.Context, tree *callTree, row int, blocks []block, end int64, q callQuery) {
	p := pathAdder{tree: tree, from: q.from, to: q.to, open: []openPath{{free: q.to}}}
	for _, o := range r.open {
		if int(o.Row) == row {
			p.enterPath(o.Start, max(end, o.Start), uint32(o.Name))
		}
	}
	first, _ := slices.BinarySearchFunc(blocks, q.from, func(b block, from int64) int { return cmp.Compare(b.end, from) })
	visitBackward(ctx, r.tape, blocks[first:], q.from, q.to, blockVisitor{records: p.enterRecordPaths, long: p.enterLongPath})
}
