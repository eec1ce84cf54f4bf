package memory

import (
	"fmt"
	"strings"
	"testing"
)

// levels formats a tree as lines kind:name bytes/count/peak, with the earlier amount.
func levels(n *Node) string {
	var out strings.Builder
	n.walk(0, func(n *Node, depth int) {
		fmt.Fprintf(&out, "%s%s:%s %d/%d", strings.Repeat(" ", depth), n.Kind, n.Name, n.Bytes, n.Count)
		if n.Was != nil {
			fmt.Fprintf(&out, " was %d/%d", n.Was.Bytes, n.Was.Count)
		}
		out.WriteByte('\n')
	})
	return out.String()
}

func TestTreeLevels(t *testing.T) {
	s := &Snapshot{Rows: []Row{
		{Key{"", "files", "", ""}, 5, 1, 5, 0, 0},
		{Key{"w", "images", "pixels", "a;decode;mip"}, 20, 2, 30, 0, 0},
		{Key{"w", "images", "pixels", "b"}, 10, 1, 10, 0, 0},
		{Key{"w", "images", "pixels", "c"}, 0, 0, 99, 0, 0},
	}}
	for _, tc := range []struct {
		by   string
		q    Query
		want string
	}{
		{"group", Query{}, ":total 35/4\n group:images 30/3\n group:files 5/1\n"},
		{"name,asset", Query{Worker: "w"}, ":total 30/3\n name:pixels 30/3\n  asset:a 20/2\n  asset:b 10/1\n"},
		{"asset", Query{Empty: true}, ":total 35/4\n asset:a 20/2\n asset:b 10/1\n asset:(no scope) 5/1\n asset:c 0/0\n"},
		{"scope,asset", Query{Group: "im", Scope: "a"}, ":total 20/2\n scope:decode 20/2\n  scope:mip 20/2\n   asset:a 20/2\n"},
		{"worker,name,pool", Query{Group: "files"}, ":total 5/1\n worker:(no worker) 5/1\n  name:(no pool) 5/1\n   pool:files 5/1\n"},
	} {
		by, err := ParseParts(tc.by)
		if err != nil {
			t.Fatal(err)
		}
		tc.q.By = by
		if got := levels(s.Tree(tc.q)); got != tc.want {
			t.Errorf("by %s:\n%swant\n%s", tc.by, got, tc.want)
		}
	}
	for _, by := range []string{"", "worker,", "worker,worker", "total", strings.Repeat("x", 1000)} {
		if _, err := ParseParts(by); err == nil || len(err.Error()) > 200 {
			t.Errorf("%.20q: %v", by, err)
		}
	}
	deep := &Snapshot{Rows: []Row{{Key{Scope: strings.Repeat("a;", 5000)}, 1, 1, 1, 0, 0}}}
	depth := 0
	deep.Tree(Query{}).walk(0, func(_ *Node, d int) { depth = max(depth, d) })
	if depth != maxDepth+2 {
		t.Errorf("%d levels", depth)
	}
}

// The peak of several rows must be at most their sum, and at most their group's peak.
func TestPeakOfSeveralRowsIsBounded(t *testing.T) {
	tracker := New(Options{})
	p := tracker.Group("g", GroupOptions{}).Pool("p", PoolOptions{})
	for _, asset := range []string{"a", "b", "c"} {
		w := tracker.Worker("w").Push(asset)
		p.Free(nil, p.Bytes(w, 1000))
	}
	q := tracker.Group("h", GroupOptions{}).Pool("q", PoolOptions{})
	q.Free(nil, q.Bytes(tracker.Worker("w").Push("a"), 10))
	tree := tracker.Snapshot().Tree(Query{Empty: true, By: []Part{byAsset, byGroup}})
	if tree.Peak != 1010 || !tree.Bound {
		t.Errorf("total %d, bound %v", tree.Peak, tree.Bound)
	}
	below := func(path ...Step) *Node {
		return tracker.Snapshot().Tree(Query{Empty: true, By: []Part{byAsset, byGroup}, Path: path})
	}
	if a := below(Step{byAsset, "a"}); a.Peak != 1010 || !a.Bound {
		t.Errorf("a: %+v", a)
	}
	if g := below(Step{byAsset, "a"}, Step{byGroup, "g"}); g.Peak != 1000 || g.Bound {
		t.Errorf("a, g: %+v", g)
	}
	if below(Step{byAsset, "a"}, Step{byScope, "g"}) != nil {
		t.Error("the path took a group for a scope")
	}
}

func TestTreeSince(t *testing.T) {
	was := &Snapshot{Rows: []Row{{Key{"v", "g", "", ""}, 7, 1, 7, 0, 0}, {Key{"w", "g", "p", "a"}, 5, 1, 5, 0, 0}, {Key{"w", "g", "p", "b"}, 3, 1, 3, 0, 0}}}
	now := &Snapshot{Rows: []Row{{Key{"w", "g", "p", "a"}, 25, 2, 5, 0, 0}, {Key{"w", "g", "p", "b"}, 3, 1, 3, 0, 0}, {Key{"w", "h", "", "c"}, 1, 1, 1, 0, 0}}}
	tree := now.Tree(Query{Since: was, By: []Part{byAsset}})
	want := `:total 29/4 was 15/3
 asset:a 25/2 was 5/1
 asset:b 3/1 was 3/1
 asset:c 1/1 was 0/0
 asset:(no scope) 0/0 was 7/1
`
	if got := levels(tree); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	d := now.Sub(was)
	if len(d.Rows) != 3 || d.Rows[0].Bytes != -7 || d.Rows[0].Worker != "v" {
		t.Errorf("rows of the earlier snapshot alone are not freed: %+v", d.Rows)
	}
}

func TestRowsOfTheEarlierSnapshotCountAsFreed(t *testing.T) {
	row := func(worker string, bytes int64) Row {
		return Row{Key{Worker: worker, Group: "g"}, bytes, 1, bytes, 0, 0}
	}
	was := &Snapshot{Rows: []Row{row("a", 1), row("c", 2), row("e", 3)}, Groups: []GroupRow{{Name: "g", Bytes: 6}, {Name: "h", Bytes: 9}}}
	now := &Snapshot{Rows: []Row{row("b", 4), row("c", 7), row("d", 5)}, Groups: []GroupRow{{Name: "g", Bytes: 16}}}
	d := now.Sub(was)
	var got []string
	for _, r := range d.Rows {
		got = append(got, fmt.Sprintf("%s %d/%d", r.Worker, r.Bytes, r.Count))
	}
	if text, want := strings.Join(got, ", "), "a -1/-1, b 4/1, c 5/0, d 5/1, e -3/-1"; text != want {
		t.Errorf("rows %s, want %s", text, want)
	}
	if len(d.Groups) != 2 || d.Groups[0].Bytes != 10 || d.Groups[1].Name != "h" || d.Groups[1].Bytes != -9 {
		t.Errorf("groups %+v", d.Groups)
	}
}

// A comparison has the memory that was allocated and freed again between the two snapshots, also if
// nothing else changed. A slice that Retag or Resize takes from a row has left the row.
func TestTreeSinceHasFreedMemory(t *testing.T) {
	tracker := New(Options{})
	p := tracker.Group("g", GroupOptions{}).Pool("p", PoolOptions{})
	w := tracker.Worker("w").Push("a.png")
	p.Free(nil, p.Bytes(w, 5))
	was := tracker.Snapshot()
	for range 3 {
		p.Free(nil, p.Bytes(w, 100))
	}
	moved := p.Bytes(w, 40)
	w.Push("b.png")
	if err := p.Retag(w, moved); err != nil {
		t.Fatal(err)
	}
	account := tracker.Group("h", GroupOptions{}).Grow(w, 30)
	if err := account.Resize(10); err != nil {
		t.Fatal(err)
	}
	var got []string
	tree := tracker.Snapshot().Tree(Query{Since: was, By: []Part{byGroup, byAsset, byScope}})
	tree.walk(0, func(n *Node, _ int) { got = append(got, fmt.Sprintf("%s %d %d/%d", n.Name, n.Bytes, n.Freed, n.Frees)) })
	want := "total 50 360/4, g 40 340/4, a.png 40 340/4, b.png 40 0/0, h 10 20/0, a.png 10 20/0, b.png 10 20/0"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if d := tracker.Snapshot().Sub(was); len(d.Rows) != 2 {
		t.Errorf("rows without growth are in the difference: %+v", d.Rows)
	}
}

func TestUnknownLevelPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	(&Snapshot{Rows: []Row{{Key{Group: "images"}, 1, 1, 1, 0, 0}}}).Tree(Query{By: []Part{"grup"}})
}
