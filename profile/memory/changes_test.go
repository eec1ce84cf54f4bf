package memory

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

func TestChanges(t *testing.T) {
	tracker := New(Options{Sites: true})
	g := tracker.Group("g", GroupOptions{})
	p, q := g.Pool("p", PoolOptions{}), g.Pool("q", PoolOptions{Lifetime: Permanent})
	w, other := tracker.Worker("w").Push("a.png"), tracker.Worker("v").Push("a.png")
	gone, stays, retagged := p.Bytes(w, 1000), p.Bytes(w, 1001), p.Bytes(w, 1002)
	before := tracker.List()

	p.Free(nil, gone)
	again := p.Bytes(w, 999) // The new slice is very likely at the address of gone.
	for _, worker := range []*Worker{w, other} {
		p.Bytes(worker, 4000) // Both allocations form one line.
	}
	p.Bytes(nil, 7)
	q.Bytes(nil, 8)
	if err := q.Retag(nil, retagged); err != nil {
		t.Fatal(err)
	}
	c := tracker.List().Sub(before)
	if len(c.New.Items) != 5 || len(c.Leaks.Items) != 4 || len(c.Gone.Items) != 1 || len(c.Changed.Items) != 1 ||
		c.Gone.Items[0].Bytes != 1000 || c.Changed.flat()[0].Owner.Name != "q" {
		t.Errorf("changes %+v", c)
	}
	for _, l := range c.New.Items {
		if l.Bytes == int64(len(stays)) {
			t.Errorf("new includes %+v, which existed before", l)
		}
	}
	var out strings.Builder
	if err := c.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	want := `leak: 8000 bytes in 2 of g/p from a.png at memory/changes_test.go:N
leak: 999 bytes in 1 of g/p from a.png at memory/changes_test.go:N
leak: 7 bytes in 1 of g/p at memory/changes_test.go:N
new: 8 bytes in 1 of g/q at memory/changes_test.go:N
changed: 1002 bytes in 1 of g/q at memory/changes_test.go:N
gone: 1000 bytes in 1 of g/p from a.png at memory/changes_test.go:N
`
	if got := regexp.MustCompile(`go:\d+`).ReplaceAllString(out.String(), "go:N"); got != want {
		t.Errorf("changes\n%s, want\n%s", got, want)
	}
	if err := c.WriteText(full{}); !errors.Is(err, errFull) {
		t.Errorf("to a full disk: %v", err)
	}
	p.Free(nil, again)

	now := tracker.List()
	if c := now.Sub(now); len(c.New.Items)+len(c.Gone.Items)+len(c.Changed.Items) != 0 {
		t.Errorf("a list and itself differ by %+v", c)
	}
}
