package view

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/assetcook/assetcook/profile/memory"
)

// A treeOrder is the sort order of a node's children. "bytes", "count" and "peak" sort by that
// number, greatest first. "growth" sorts by the growth since the earlier snapshot, "freed" by the
// bytes that were freed since then, and "name" by name.
type treeOrder string

const (
	orderBytes  treeOrder = "bytes"
	orderCount  treeOrder = "count"
	orderPeak   treeOrder = "peak"
	orderGrowth treeOrder = "growth"
	orderFreed  treeOrder = "freed"
	orderName   treeOrder = "name"
)

var treeOrders = []treeOrder{orderBytes, orderCount, orderPeak, orderGrowth, orderFreed, orderName}

func (o treeOrder) compare(a, b *memory.Node) int {
	switch o {
	case orderBytes:
		return cmp.Compare(b.Bytes, a.Bytes)
	case orderCount:
		return cmp.Compare(b.Count, a.Count)
	case orderPeak:
		return cmp.Compare(b.Peak, a.Peak)
	case orderFreed:
		return cmp.Or(cmp.Compare(b.Freed, a.Freed), cmp.Compare(b.Frees, a.Frees))
	case orderGrowth:
		was, is := growth(a), growth(b)
		return cmp.Or(cmp.Compare(is.Bytes, was.Bytes), cmp.Compare(is.Count, was.Count))
	}
	return 0 // The function sortNodes orders equal nodes by name.
}

func growth(n *memory.Node) memory.Total {
	if n.Was == nil {
		return memory.Total{Bytes: n.Bytes, Count: n.Count}
	}
	return memory.Total{Bytes: n.Bytes - n.Was.Bytes, Count: n.Count - n.Was.Count}
}

// sortNodes sorts the children of all nodes, and equal children by name. The node that stands for
// nodes omitted by pruneTree stays last.
func sortNodes(n *memory.Node, o treeOrder, reverse bool) {
	slices.SortFunc(n.Children, func(a, b *memory.Node) int {
		c := cmp.Or(o.compare(a, b), cmp.Compare(a.Name, b.Name), cmp.Compare(b.Kind, a.Kind))
		if reverse {
			c = -c
		}
		return cmp.Or(cmp.Compare(min(a.More, 1), min(b.More, 1)), c)
	})
	for _, c := range n.Children {
		sortNodes(c, o, reverse)
	}
}

// pruneTree keeps a limited number of the most important nodes below n. These are the largest nodes
// in the sort order or, in a difference of two snapshots, the nodes that changed most. It drops the
// given number of n's most important children, because earlier answers had them. An additional last
// child stands for the omitted nodes, and its field More is their number.
func pruneTree(n *memory.Node, most, skip int, o treeOrder) {
	queue := &heaviest{weigh: o.weight}
	byWeight := slices.Clone(n.Children)
	slices.SortFunc(byWeight, queue.compare)
	skip = min(max(skip, 0), len(byWeight))
	skipped := map[*memory.Node]bool{}
	for _, c := range byWeight[:skip] {
		skipped[c] = true
	}
	n.Children = slices.DeleteFunc(n.Children, func(c *memory.Node) bool { return skipped[c] })
	queue.nodes = slices.Clone(n.Children)
	heap.Init(queue)
	kept := map[*memory.Node]bool{n: true}
	for len(kept) <= most && queue.Len() > 0 {
		node := heap.Pop(queue).(*memory.Node)
		kept[node] = true
		for _, c := range node.Children {
			heap.Push(queue, c)
		}
	}
	for node := range kept {
		leaveOut(node, kept)
	}
}

// leaveOut merges the children of n that are not in kept into a single node.
func leaveOut(n *memory.Node, kept map[*memory.Node]bool) {
	rest := &memory.Node{}
	if n.Was != nil {
		rest.Was = &memory.Total{}
	}
	n.Children = slices.DeleteFunc(n.Children, func(c *memory.Node) bool {
		if kept[c] {
			return false
		}
		rest.More++
		rest.Bytes += c.Bytes
		rest.Count += c.Count
		rest.Freed += c.Freed
		rest.Frees += c.Frees
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

// weight returns the importance of a node. No child has a higher weight.
func (o treeOrder) weight(n *memory.Node) int64 {
	switch {
	case o == orderFreed:
		return n.Freed
	case n.Was != nil:
		return n.Change
	case o == orderCount:
		return n.Count
	case o == orderPeak:
		return n.Peak
	}
	return n.Bytes
}

// heaviest is a heap of nodes by weight.
type heaviest struct {
	nodes []*memory.Node
	weigh func(*memory.Node) int64
}

func (h *heaviest) compare(a, b *memory.Node) int {
	return cmp.Or(cmp.Compare(h.weigh(b), h.weigh(a)), cmp.Compare(a.Name, b.Name), cmp.Compare(b.Kind, a.Kind))
}

func (h *heaviest) Len() int           { return len(h.nodes) }
func (h *heaviest) Less(i, j int) bool { return h.compare(h.nodes[i], h.nodes[j]) < 0 }
func (h *heaviest) Swap(i, j int)      { h.nodes[i], h.nodes[j] = h.nodes[j], h.nodes[i] }
func (h *heaviest) Push(n any)         { h.nodes = append(h.nodes, n.(*memory.Node)) }
func (h *heaviest) Pop() any {
	last := h.nodes[len(h.nodes)-1]
	h.nodes = h.nodes[:len(h.nodes)-1]
	return last
}
