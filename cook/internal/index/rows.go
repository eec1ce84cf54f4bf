package index

import (
	"encoding/binary"
	"iter"
	"sort"
	"strings"
	"time"
)

// A Row is an action in the index. Each method decodes one field, so reading all rows decodes only
// the fields that are used.
type Row struct {
	x     *Index
	part  int
	at    int // number of the row in the part
	flat  *flat
	row   []byte
	facts *decodedFacts
}

// Rows yields the actions of the sources whose paths start with prefix, sorted by path and target.
// A row is valid until the next row is yielded. Load must have succeeded, and the index must not
// have been edited.
func (r Results) Rows(prefix string) iter.Seq[*Row] {
	const batch = 256 // number of rows between two calls of Passed
	return func(yield func(*Row) bool) {
		base, over := r.x.base, r.x.over
		i, end := base.actions().rowsBelow(prefix)
		j, last := over.actions().rowsBelow(prefix)
		row := Row{x: r.x}
		for {
			stop := end
			if j < last {
				stop, _ = base.actions().findActionRow(over.actions().sourcePath(j), over.actions().factsOf(j).target)
			}
			for ; i < stop; i++ {
				if !r.x.marks.deadActions.hasRow(i) && !yield(row.rowAt(0, i)) {
					return
				}
				if i%batch == 0 {
					r.x.Passed(batch * (actionSize + 2*NodeBytes))
				}
			}
			if j == last || !yield(row.rowAt(1, j)) {
				return
			}
			j++
		}
	}
}

// rowsBelow returns the range of the actions whose source begins with prefix: the first row, and
// the row after the last.
func (t actionTable) rowsBelow(prefix string) (first, end int) {
	if prefix == "" {
		return 0, t.len()
	}
	first, _ = t.findActionRow(prefix, "")
	end = first + sort.Search(t.len()-first, func(i int) bool { return !strings.HasPrefix(t.sourcePath(first+i), prefix) })
	return first, end
}

// rowAt moves the row to action i of the base or the additions.
func (r *Row) rowAt(part, i int) *Row {
	r.part, r.at, r.flat = part, i, r.x.parts()[part]
	r.row, r.facts = r.flat.row(secActions, i), r.flat.actions().factsOf(i)
	return r
}

func (r *Row) u32(at int) int { return int(binary.LittleEndian.Uint32(r.row[at:])) }

// Action returns all fields of the action.
func (r *Row) Action() Action { return r.flat.actions().decodeAction(r.at) }

// WithoutDeps returns all fields of the action except Deps.
func (r *Row) WithoutDeps() Action { return r.flat.actions().decodeWithoutDeps(r.at) }

// Path returns the path of the source.
func (r *Row) Path() string { return r.flat.nodes().nodePath(r.u32(0)) }

// Target returns the action's target.
func (r *Row) Target() string { return r.facts.target }

// State returns how the action ended.
func (r *Row) State() State { return r.facts.state }

// Method returns how the source was cooked.
func (r *Row) Method() Method { return r.facts.method }

// CookTime returns how long the recipe last took.
func (r *Row) CookTime() time.Duration {
	return time.Duration(binary.LittleEndian.Uint64(r.row[actionCookTimeAt:]))
}

// Source returns the source and its size. known is false if the source no longer exists.
func (r *Row) Source() (ref Ref, size int64, known bool) {
	node := r.u32(0)
	if !r.flat.nodes().needsNoStat(node) {
		return r.refOf(node), r.flat.nodes().sizeOfNode(node), true
	}
	ref, f, known := r.x.Files().Find(r.Path())
	return ref, f.Stamp.Size, known
}

// Made returns the number of artifacts.
func (r *Row) Made() (n int) {
	_, n = r.flat.actions().artifactRange(r.at)
	return n
}

// Artifact returns the k-th artifact and its size.
func (r *Row) Artifact(k int) (ref Ref, size int64) {
	node := r.artifactNode(k)
	return r.refOf(node), r.flat.nodes().sizeOfNode(node)
}

// Output returns the k-th artifact.
func (r *Row) Output(k int) Artifact {
	return r.flat.artifacts().decodeArtifact(r.u32(actionMadeAt) + k)
}

// IsArtifact reports whether the k-th artifact has the given path.
func (r *Row) IsArtifact(k int, path string) bool {
	return r.flat.nodes().comparePath(r.artifactNode(k), path) == 0
}

func (r *Row) artifactNode(k int) (node int) { return r.flat.refAtRow(secMade, r.u32(actionMadeAt)+k) }

func (r *Row) refOf(node int) Ref {
	if r.part == 1 {
		node += r.x.base.nodes().len()
	}
	return Ref(node)
}

// AddRow adds an action to the totals.
func (t *Totals) AddRow(r *Row) {
	t.Actions++
	if r.State() == Failed {
		t.Failed++
		return
	}
	_, size, _ := r.Source()
	t.In += size
	for k := range r.Made() {
		_, size := r.Artifact(k)
		t.Out += size
	}
	t.CookTime += r.CookTime()
}

// A Tally adds up actions. The caller passes nodes of sources and artifacts. The Tally finds their
// actions, and counts each action once.
type Tally struct {
	Totals
	x    *Index
	row  Row
	seen [2]bitset
	over map[string]bool
}

// Tally begins an empty tally. Load must have succeeded.
func (r Results) Tally() *Tally { return &Tally{x: r.x, row: Row{x: r.x}, over: map[string]bool{}} }

// Node adds to the tally the actions of a source, or the action that made an artifact.
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

// tallySource adds the actions that the changes file has for a source.
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
