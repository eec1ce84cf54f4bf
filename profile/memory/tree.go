package memory

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Node is a part of the held memory, and its own parts. It has a JSON form.
type Node struct {
	Name  string `json:"name"`
	Kind  Part   `json:"kind,omitempty"` // "" for the root
	Bytes int64  `json:"bytes"`          // including the children
	Count int64  `json:"count"`          // slices and accounts

	// Peak is the most bytes ever held at once. For several rows it is unknown; then Peak is a
	// bound, the sum of their peaks or their group's peak, and Bound is true.
	Peak  int64 `json:"peak,omitempty"`
	Bound bool  `json:"bound,omitempty"`

	Was      *Amount `json:"was,omitempty"`      // earlier amount, in a difference of two snapshots
	More     int     `json:"more,omitempty"`     // number of nodes, left out by Prune, that this represents
	Children []*Node `json:"children,omitempty"` // most bytes first, then by name

	change int64 // sum of the absolute changes of its rows
}

// An Amount is bytes in allocations.
type Amount struct {
	Bytes int64 `json:"bytes"`
	Count int64 `json:"count"`
}

// Tree returns the memory of the filtered rows as a tree with the root "total" and these levels
// below. Without levels they are "worker", "scope" and "pool".
func (s *Snapshot) Tree(f Filter, by ...Part) *Node {
	b := newBuilder(s.Groups, by)
	for _, r := range s.Rows {
		if (f.Empty || r.Bytes != 0 || r.Count != 0) && f.Takes(r.Key) {
			b.enter(pair{Row: r})
		}
	}
	return b.finish()
}

// TreeSince is [Snapshot.Tree] with the amounts of an earlier snapshot in Was. With Filter.Empty
// it includes unchanged rows that hold nothing.
func (s *Snapshot) TreeSince(earlier *Snapshot, f Filter, by ...Part) *Node {
	b := newBuilder(slices.Concat(s.Groups, earlier.Groups), by)
	b.root.node.Was = &Amount{}
	for _, p := range s.pairs(earlier) {
		if (f.Empty || p.Bytes != 0 || p.Count != 0 || p.was != Amount{}) && f.Takes(p.Key) {
			b.enter(p)
		}
	}
	return b.finish()
}

// A builder assembles rows into a tree.
type builder struct {
	by     []Part
	peaks  map[string]int64 // peaks of groups, which bound their parts' peaks
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

func newBuilder(groups []GroupRow, by []Part) *builder {
	if len(by) == 0 {
		by = []Part{byWorker, byScope, byPool}
	}
	b := &builder{by: by, peaks: map[string]int64{}, root: &branch{node: &Node{Name: "total"}}}
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
	return b
}

func (b *builder) enter(p pair) {
	b.path = p.Path(b.path[:0], b.by)
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
	if n.Was != nil {
		n.Was.Bytes += p.was.Bytes
		n.Was.Count += p.was.Count
		n.change += abs(p.Bytes-p.was.Bytes) + abs(p.Count-p.was.Count)
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
			c.node.Was = &Amount{}
		}
		if b.below == nil {
			b.below = map[Step]*branch{}
		}
		b.below[step] = c
	}
	return c
}

func (b *builder) finish() *Node {
	b.root.finish(math.MaxInt64)
	b.root.node.Arrange(orderBytes, false)
	return b.root.node
}

func (b *branch) finish(most int64) {
	most = min(most, b.cap)
	b.node.Bound = b.rows > 1
	b.node.Peak = max(min(b.node.Peak, most), b.node.Bytes)
	for _, c := range b.below {
		c.finish(most)
		b.node.Children = append(b.node.Children, c.node)
	}
	b.below = nil
}

// Order is the sort order of a node's children: "bytes", "count" and "peak" put the greatest first,
// "growth" the greatest growth since the earlier snapshot, "name" sorts by name.
type Order string

const (
	orderBytes  Order = "bytes"
	orderCount  Order = "count"
	orderPeak   Order = "peak"
	orderGrowth Order = "growth"
	orderName   Order = "name"
)

// Orders are all sort orders.
var Orders = []Order{orderBytes, orderCount, orderPeak, orderGrowth, orderName}

func (o Order) compare(a, b *Node) int {
	switch o {
	case orderBytes:
		return cmp.Compare(b.Bytes, a.Bytes)
	case orderCount:
		return cmp.Compare(b.Count, a.Count)
	case orderPeak:
		return cmp.Compare(b.Peak, a.Peak)
	case orderGrowth:
		return cmp.Or(cmp.Compare(b.growth().Bytes, a.growth().Bytes), cmp.Compare(b.growth().Count, a.growth().Count))
	case orderName:
		return 0 // Arrange compares the names of equal nodes
	}
	panic(fmt.Sprintf("memory: unknown order %.40q: use %v", o, Orders))
}

func (n *Node) growth() Amount {
	if n.Was == nil {
		return Amount{n.Bytes, n.Count}
	}
	return Amount{n.Bytes - n.Was.Bytes, n.Count - n.Was.Count}
}

// Arrange sorts the children of all nodes, equal ones by name. The node that represents nodes
// left out by Prune stays last. Arrange panics for a text that is no Order.
func (n *Node) Arrange(o Order, reverse bool) {
	slices.SortFunc(n.Children, func(a, b *Node) int {
		c := cmp.Or(o.compare(a, b), cmp.Compare(a.Name, b.Name), cmp.Compare(b.Kind, a.Kind))
		if reverse {
			c = -c
		}
		return cmp.Or(cmp.Compare(min(a.More, 1), min(b.More, 1)), c)
	})
	for _, c := range n.Children {
		c.Arrange(o, reverse)
	}
}

// Find returns the node at the end of a path, nil if there is none.
func (n *Node) Find(path []Step) *Node {
	for _, step := range path {
		at := slices.IndexFunc(n.Children, func(c *Node) bool { return c.Kind == step.Kind && c.Name == step.Name })
		if at < 0 {
			return nil
		}
		n = n.Children[at]
	}
	return n
}
