package memory

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Filter chooses rows: those whose names contain all of these. The zero Filter
// chooses all.
type Filter struct {
	Scope string
	Group string
	Name  string
}

func (f Filter) takes(k Key) bool {
	return strings.Contains(k.Scope, f.Scope) && strings.Contains(k.Group, f.Group) && strings.Contains(k.Name, f.Name)
}

// A Node is a part of what is held, and what that consists of. It has a JSON form.
type Node struct {
	Name     string  `json:"name"`
	Bytes    int64   `json:"bytes"`              // with those of the children
	Count    int64   `json:"count"`              // of slices and accounts
	Children []*Node `json:"children,omitempty"` // the most bytes first, then by name
}

// Tree returns what the rows that the filter takes hold, as a tree: below the root
// "total" the workers, below each its scopes inside each other, and in those, as
// leaves, what was allocated there: equal ones are one leaf, "group/pool" or
// "group" for what Grow entered. Rows that hold nothing are left out.
func (s *Snapshot) Tree(f Filter) *Node {
	root := branch{Node: &Node{Name: "total"}}
	for _, r := range s.Rows {
		if r.Bytes == 0 && r.Count == 0 || !f.takes(r.Key) {
			continue
		}
		at := &root
		at.enter(r)
		at = at.child(part{asWorker, cmp.Or(r.Worker, "(no worker)")})
		at.enter(r)
		if r.Scope != "" {
			for name := range strings.SplitSeq(r.Scope, ";") {
				at = at.child(part{asScope, name})
				at.enter(r)
			}
		}
		at.child(part{asLeaf, r.label()}).enter(r)
	}
	root.finish()
	return root.Node
}

// A branch is a node that is being built.
type branch struct {
	*Node
	below map[part]*branch
}

// A part tells the children of a node apart. A scope may be called as a leaf is.
type part struct {
	kind kind
	name string
}

type kind uint8

const (
	asWorker kind = iota
	asScope
	asLeaf
)

func (b *branch) enter(r Row) {
	b.Bytes += r.Bytes
	b.Count += r.Count
}

func (b *branch) child(p part) *branch {
	c := b.below[p]
	if c == nil {
		c = &branch{Node: &Node{Name: p.name}}
		if b.below == nil {
			b.below = map[part]*branch{}
		}
		b.below[p] = c
	}
	return c
}

func (b *branch) finish() {
	order := make([]part, 0, len(b.below))
	for p, c := range b.below {
		c.finish()
		order = append(order, p)
	}
	slices.SortFunc(order, func(x, y part) int {
		return cmp.Or(cmp.Compare(b.below[y].Bytes, b.below[x].Bytes), cmp.Compare(x.name, y.name), cmp.Compare(x.kind, y.kind))
	})
	for _, p := range order {
		b.Children = append(b.Children, b.below[p].Node)
	}
}

// WriteText writes the tree for people: a line for each node with bytes, count and
// the name, which is indented by two blanks a level.
func (n *Node) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	bytes, count := len("bytes"), len("count")
	n.walk(0, func(n *Node, _ int) {
		bytes, count = max(bytes, len(fmt.Sprint(n.Bytes))), max(count, len(fmt.Sprint(n.Count)))
	})
	fmt.Fprintf(out, "%*s  %*s\n", bytes, "bytes", count, "count")
	n.walk(0, func(n *Node, depth int) {
		fmt.Fprintf(out, "%*d  %*d  %*s%s\n", bytes, n.Bytes, count, n.Count, 2*depth, "", n.Name)
	})
	return out.Flush()
}

func (n *Node) walk(depth int, visit func(n *Node, depth int)) {
	visit(n, depth)
	for _, c := range n.Children {
		c.walk(depth+1, visit)
	}
}
