package memory

import (
	"bufio"
	"cmp"
	"container/heap"
	"fmt"
	"io"
	"slices"
)

// Prune keeps at most a number of the most important nodes below n: the largest by the order, or
// in a difference of two snapshots the most changed. Of n's own children it skips the first skip.
// A last child, with a number in More, stands for the nodes left out.
func (n *Node) Prune(most, skip int, o Order) {
	queue := &heaviest{weigh: o.weight}
	byWeight := slices.Clone(n.Children)
	slices.SortFunc(byWeight, queue.compare)
	skip = min(max(skip, 0), len(byWeight))
	skipped := map[*Node]bool{}
	for _, c := range byWeight[:skip] {
		skipped[c] = true
	}
	n.Children = slices.DeleteFunc(n.Children, func(c *Node) bool { return skipped[c] })
	queue.nodes = slices.Clone(n.Children)
	heap.Init(queue)
	kept := map[*Node]bool{n: true}
	for len(kept) <= most && queue.Len() > 0 {
		node := heap.Pop(queue).(*Node)
		kept[node] = true
		for _, c := range node.Children {
			heap.Push(queue, c)
		}
	}
	for node := range kept {
		node.prune(kept)
	}
}

func (n *Node) prune(kept map[*Node]bool) {
	rest := &Node{}
	if n.Was != nil {
		rest.Was = &Amount{}
	}
	n.Children = slices.DeleteFunc(n.Children, func(c *Node) bool {
		if kept[c] {
			return false
		}
		rest.More++
		rest.Bytes += c.Bytes
		rest.Count += c.Count
		if c.Was != nil {
			rest.Was.Bytes += c.Was.Bytes
			rest.Was.Count += c.Was.Count
		}
		return true
	})
	if rest.More > 0 {
		n.Children = append(n.Children, rest)
	}
}

// weight returns the importance of a node, which no child exceeds.
func (o Order) weight(n *Node) int64 {
	switch {
	case n.Was != nil:
		return n.change
	case o == orderCount:
		return n.Count
	case o == orderPeak:
		return n.Peak
	}
	return n.Bytes
}

// heaviest is a heap of nodes by weight.
type heaviest struct {
	nodes []*Node
	weigh func(*Node) int64
}

func (h *heaviest) compare(a, b *Node) int {
	return cmp.Or(cmp.Compare(h.weigh(b), h.weigh(a)), cmp.Compare(a.Name, b.Name), cmp.Compare(b.Kind, a.Kind))
}

func (h *heaviest) Len() int           { return len(h.nodes) }
func (h *heaviest) Less(i, j int) bool { return h.compare(h.nodes[i], h.nodes[j]) < 0 }
func (h *heaviest) Swap(i, j int)      { h.nodes[i], h.nodes[j] = h.nodes[j], h.nodes[i] }
func (h *heaviest) Push(n any)         { h.nodes = append(h.nodes, n.(*Node)) }
func (h *heaviest) Pop() any {
	last := h.nodes[len(h.nodes)-1]
	h.nodes = h.nodes[:len(h.nodes)-1]
	return last
}

// WriteText writes the tree for people: a line for each node with bytes, count and the name,
// indented by two blanks a level.
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
