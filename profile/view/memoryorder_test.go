package view

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/profile/memory"
)

// nodesAsText formats a tree as lines "kind:name bytes/count", with the bytes and count in the
// earlier snapshot.
func nodesAsText(n *memory.Node, depth int) string {
	text := fmt.Sprintf("%s%s:%s %d/%d", strings.Repeat(" ", depth), n.Kind, n.Name, n.Bytes, n.Count)
	if n.Was != nil {
		text += fmt.Sprintf(" was %d/%d", n.Was.Bytes, n.Was.Count)
	}
	if n.More > 0 {
		text += fmt.Sprintf(" more %d", n.More)
	}
	text += "\n"
	for _, c := range n.Children {
		text += nodesAsText(c, depth+1)
	}
	return text
}

// In a difference, the nodes that changed most must be kept, in any order of sorting.
func TestPruneKeepsTheMostChangedNodes(t *testing.T) {
	row := func(worker, group, scope string, bytes, count int64) memory.Row {
		return memory.Row{Key: memory.Key{Worker: worker, Group: group, Scope: scope}, Bytes: bytes, Count: count, Peak: bytes}
	}
	was := &memory.Snapshot{Rows: []memory.Row{row("v", "g", "", 7, 1), row("w", "g", "a", 5, 1), row("w", "g", "b", 3, 1)}}
	now := &memory.Snapshot{Rows: []memory.Row{row("w", "g", "a", 25, 2), row("w", "g", "b", 3, 1), row("w", "h", "c", 1, 1)}}
	tree := now.Tree(memory.Query{Since: was, By: []memory.Part{"asset"}})
	sortNodes(tree, orderGrowth, false)
	want := `:total 29/4 was 15/3
 asset:a 25/2 was 5/1
 asset:c 1/1 was 0/0
 asset:b 3/1 was 3/1
 asset:(no scope) 0/0 was 7/1
`
	if got := nodesAsText(tree, 0); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	pruneTree(tree, 2, 0, orderGrowth)
	want = `:total 29/4 was 15/3
 asset:a 25/2 was 5/1
 asset:(no scope) 0/0 was 7/1
 : 4/2 was 3/1 more 2
`
	if got := nodesAsText(tree, 0); got != want {
		t.Errorf("pruned\n%swant\n%s", got, want)
	}
}

func TestPruneKeepsTheLargestNodes(t *testing.T) {
	tree := func() *memory.Node {
		s := &memory.Snapshot{}
		for i := range 10 {
			for j := range 10 {
				s.Rows = append(s.Rows, memory.Row{
					Key:   memory.Key{Worker: fmt.Sprint("w", i), Group: fmt.Sprint("g", j)},
					Bytes: int64(i*10 + j + 1), Count: int64(10 - i),
				})
			}
		}
		return s.Tree(memory.Query{By: []memory.Part{"worker", "group"}})
	}
	n := tree()
	pruneTree(n, 3, 0, orderBytes)
	want := `:total 5050/550
 worker:w9 955/10
 worker:w8 855/20
 worker:w7 755/30
`
	got := nodesAsText(n, 0)
	if more := n.Children[len(n.Children)-1]; more.More != 7 || more.Bytes != 5050-955-855-755 || n.Bytes != 5050 {
		t.Errorf("more is %+v", more)
	}
	for line := range strings.Lines(want) {
		if !strings.Contains(got, line) {
			t.Errorf("no %q in\n%s", line, got)
		}
	}
	for _, o := range treeOrders {
		for _, reverse := range []bool{false, true} {
			if sortNodes(n, o, reverse); n.Children[len(n.Children)-1].More != 7 {
				t.Errorf("by %s: %s", o, nodesAsText(n, 0))
			}
		}
	}
	n = tree()
	pruneTree(n, 2, 3, orderCount)
	if got := n.Children; len(got) != 3 || got[0].Name != "w4" && got[1].Name != "w4" || got[2].More != 5 {
		t.Errorf("after three: %s", nodesAsText(n, 0))
	}
	n = tree()
	pruneTree(n, 1000, 99, orderBytes)
	if len(n.Children) != 0 {
		t.Errorf("after all: %s", nodesAsText(n, 0))
	}
	pruneTree(n, -1, -5, orderName)
}
