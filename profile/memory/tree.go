package memory

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
)

// A Node holds the sums over some rows, and its child nodes. It has a JSON form.
type Node struct {
	Name  string `json:"name"`
	Kind  Part   `json:"kind,omitempty"` // "" for the root
	Bytes int64  `json:"bytes"`          // includes the children
	Count int64  `json:"count"`          // number of slices and accounts

	// Peak is the most bytes held at the same time. For several rows the peak is unknown. Peak is
	// then an upper bound, the sum of the rows' peaks or their group's peak, and Bound is true.
	Peak  int64 `json:"peak,omitempty"`
	Bound bool  `json:"bound,omitempty"`

	// Freed and Frees are the bytes and the number of slices and accounts that left their rows since
	// the query's earlier snapshot; without one, since the start.
	Freed int64 `json:"freed,omitempty"`
	Frees int64 `json:"frees,omitempty"`

	Was      *Total  `json:"was,omitempty"`  // bytes and count in the query's earlier snapshot; nil without one
	More     int     `json:"more,omitempty"` // number of omitted nodes whose sums this node holds; Tree sets 0
	Children []*Node `json:"children,omitempty"`

	Change int64 `json:"-"` // sum of the absolute changes of all rows
}

// Tree arranges the rows that a query chooses as a tree with the root "total". It returns the node
// at the query's path, or nil if that has no row. Children are sorted by bytes, greatest first,
// then by name.
func (s *Snapshot) Tree(q Query) *Node {
	if len(q.By) == 0 {
		q.By = []Part{byWorker, byScope, byPool}
	}
	b := &builder{query: q, peaks: map[string]int64{}, root: &branch{node: &Node{Name: "total"}}}
	groups, earlier := s.Groups, &Snapshot{}
	if q.Since != nil {
		groups, earlier = slices.Concat(s.Groups, q.Since.Groups), q.Since
		b.root.node.Was = &Total{}
	}
	b.bound(groups)
	for _, p := range s.pairs(earlier) {
		churned := q.Since != nil && (p.freed != 0 || p.frees != 0)
		if (q.Empty || churned || p.Bytes != 0 || p.Count != 0 || p.was != Total{}) && q.chooses(p.Key) {
			b.enter(p)
		}
	}
	return b.finish()
}

// A builder assembles rows into a tree.
type builder struct {
	query  Query
	peaks  map[string]int64 // peaks of groups, which are upper bounds for the peaks of nodes inside them
	root   *branch
	path   []Step
	widest int64 // sum of the peaks of the outermost groups
}

// A branch is a node under construction.
type branch struct {
	node  *Node
	below map[Step]*branch
	rows  int
	cap   int64 // upper bound of the peak
}

// bound records the peaks of groups.
func (b *builder) bound(groups []GroupRow) {
	top := map[string]int64{}
	for _, g := range groups {
		b.peaks[g.Name] = max(g.Peak, b.peaks[g.Name])
		if g.Parents == "" {
			top[g.Name] = b.peaks[g.Name]
		}
	}
	for _, peak := range top {
		b.widest += peak
	}
}

func (b *builder) enter(p pair) {
	b.path = p.appendPath(b.path[:0], b.query.By)
	at := b.root
	at.enter(p, b.widest)
	for _, step := range b.path {
		at = at.child(step)
		peak := int64(math.MaxInt64)
		if step.Kind == byGroup || step.Kind == byPool {
			peak = b.peaks[p.Group]
		}
		at.enter(p, peak)
	}
}

func (b *branch) enter(p pair, most int64) {
	n := b.node
	n.Bytes += p.Bytes
	n.Count += p.Count
	n.Peak += p.Peak
	n.Freed += p.freed
	n.Frees += p.frees
	if n.Was != nil {
		n.Was.Bytes += p.was.Bytes
		n.Was.Count += p.was.Count
		n.Change += abs(p.Bytes-p.was.Bytes) + abs(p.Count-p.was.Count)
	}
	b.rows++
	b.cap = max(b.cap, most)
}

func abs(n int64) int64 { return max(n, -n) }

func (b *branch) child(step Step) *branch {
	c := b.below[step]
	if c == nil {
		c = &branch{node: &Node{Name: step.Name, Kind: step.Kind}}
		if b.node.Was != nil {
			c.node.Was = &Total{}
		}
		if b.below == nil {
			b.below = map[Step]*branch{}
		}
		b.below[step] = c
	}
	return c
}

// finish returns the node at the query's path.
func (b *builder) finish() *Node {
	at := b.root
	at.finish(math.MaxInt64)
	for _, step := range b.query.Path {
		if at = at.below[step]; at == nil {
			return nil
		}
	}
	return at.node
}

func (b *branch) finish(most int64) {
	most = min(most, b.cap)
	b.node.Bound = b.rows > 1
	b.node.Peak = max(min(b.node.Peak, most), b.node.Bytes)
	for _, c := range b.below {
		c.finish(most)
		b.node.Children = append(b.node.Children, c.node)
	}
	slices.SortFunc(b.node.Children, func(a, b *Node) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Name, b.Name), cmp.Compare(b.Kind, a.Kind))
	})
}

// WriteText writes the tree as readable text. A line has the bytes, count and name of a node,
// indented by two blanks per level.
func (n *Node) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	bytes, count := len("bytes"), len("count")
	n.walk(0, func(n *Node, _ int) {
		bytes, count = max(bytes, len(fmt.Sprint(n.Bytes))), max(count, len(fmt.Sprint(n.Count)))
	})
	fmt.Fprintf(out, "%*s  %*s\n", bytes, "bytes", count, "count")
	n.walk(0, func(n *Node, depth int) {
		name := n.Name
		if n.More > 0 {
			name = fmt.Sprintf("%d more", n.More)
		}
		fmt.Fprintf(out, "%*d  %*d  %*s%s\n", bytes, n.Bytes, count, n.Count, 2*depth, "", name)
	})
	return out.Flush()
}

func (n *Node) walk(depth int, visit func(n *Node, depth int)) {
	visit(n, depth)
	for _, c := range n.Children {
		c.walk(depth+1, visit)
	}
}
