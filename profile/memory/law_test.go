package memory

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// model is what a tracker should know, kept the plain way.
type model struct {
	live   []modelled
	rows   map[Key]*Row
	groups map[string]*GroupRow
}

// modelled is one slice or account.
type modelled struct {
	Key
	bytes int64
	free  func()
	slice []byte // nil for an account
}

func (m *model) add(a modelled) {
	r := m.rows[a.Key]
	if r == nil {
		r = &Row{Key: a.Key}
		m.rows[a.Key] = r
	}
	g := m.groups[a.Group]
	r.Bytes, r.Count = r.Bytes+a.bytes, r.Count+1
	g.Bytes, g.Count = g.Bytes+a.bytes, g.Count+1
	if g.Budget != 0 && g.Bytes > g.Budget && g.Bytes-a.bytes <= g.Budget {
		g.Exceeded++
	}
	r.Peak, g.Peak = max(r.Peak, r.Bytes), max(g.Peak, g.Bytes)
	m.live = append(m.live, a)
}

func (m *model) free(i int) {
	a := m.live[i]
	a.free()
	r, g := m.rows[a.Key], m.groups[a.Group]
	r.Bytes, r.Count = r.Bytes-a.bytes, r.Count-1
	g.Bytes, g.Count = g.Bytes-a.bytes, g.Count-1
	m.live = slices.Delete(m.live, i, i+1)
}

// snapshot is what Tracker.Snapshot should return.
func (m *model) snapshot() (rows []Row, groups []GroupRow) {
	for _, r := range m.rows {
		rows = append(rows, *r)
	}
	slices.SortFunc(rows, func(a, b Row) int { return a.compare(b.Key) })
	for _, name := range slices.Sorted(maps.Keys(m.groups)) {
		groups = append(groups, *m.groups[name])
	}
	return rows, groups
}

// leaks is the text of WriteLeaks for what is held now and was not at a snapshot
// of the model, in any order.
func (m *model) leaks(before []Row) []string {
	type sum struct{ bytes, count int64 }
	sums := map[Key]sum{}
	add := func(rows []Row, sign int64) {
		for _, r := range rows {
			r.Worker = ""
			s := sums[r.Key]
			sums[r.Key] = sum{s.bytes + sign*r.Bytes, s.count + sign*r.Count}
		}
	}
	now, _ := m.snapshot()
	add(now, 1)
	add(before, -1)
	var lines []string
	for k, s := range sums {
		if s.bytes <= 0 && s.count <= 0 {
			continue
		}
		line := fmt.Sprintf("leak: %d bytes in %d of %s", s.bytes, s.count, k.Group)
		if k.Name != "" {
			line += "/" + k.Name
		}
		if k.Scope != "" {
			line += " from " + k.Scope
		}
		lines = append(lines, line)
	}
	return lines
}

// Whatever several workers do in turn, snapshots, leaks and trees say what a plain
// list of all slices says.
func TestTrackerIsTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tracker := New(Options{Keep: int64(rapid.SampledFrom([]int{-1, 5000, 1 << 20}).Draw(t, "keep"))})
		m := model{rows: map[Key]*Row{}, groups: map[string]*GroupRow{}}
		var pools []*Pool
		for i, name := range []string{"files", "images"} {
			budget := int64(3000 * i)
			g := tracker.Group(name, budget)
			m.groups[name] = &GroupRow{Name: name, Budget: budget}
			pools = append(pools, g.Pool(""), g.Pool("p"), g.Pool("q"))
		}
		names := []string{"", "w1", "w2", "w2"}
		workers := []*Worker{nil}
		scopes := make([][]string, len(names))
		for _, name := range names[1:] {
			workers = append(workers, tracker.Worker(name))
		}
		var before *Snapshot
		var modelBefore []Row
		one := func(name string, n int) int { return rapid.IntRange(0, n-1).Draw(t, name) }
		t.Repeat(map[string]func(*rapid.T){
			"alloc": func(*rapid.T) {
				i, p, n := one("worker", len(workers)), pools[one("pool", len(pools))], one("bytes", 2000)
				a := modelled{Key{names[i], p.group.name, p.name, strings.Join(scopes[i], ";")}, int64(n), nil, nil}
				if p.name == "" {
					account := p.group.Grow(workers[i], a.bytes)
					a.free = account.Shrink
				} else {
					b := p.Bytes(workers[i], n)
					a.slice, a.free = b, func() { p.Free(b) }
				}
				m.add(a)
			},
			"free": func(*rapid.T) {
				if len(m.live) > 0 {
					m.free(one("which", len(m.live)))
				}
			},
			"push": func(*rapid.T) {
				i, name := 1+one("worker", len(workers)-1), rapid.SampledFrom([]string{"a", "b", "images"}).Draw(t, "scope")
				workers[i].Push(name)
				scopes[i] = append(scopes[i], name)
			},
			"pop": func(*rapid.T) {
				i := 1 + one("worker", len(workers)-1)
				if n := len(scopes[i]); n > 0 {
					workers[i].Pop()
					scopes[i] = scopes[i][:n-1]
				}
			},
			"remember": func(*rapid.T) {
				before = tracker.Snapshot()
				modelBefore, _ = m.snapshot()
			},
			"": func(t *rapid.T) {
				s := tracker.Snapshot()
				rows, groups := m.snapshot()
				if !slices.Equal(s.Rows, rows) {
					t.Fatalf("rows\n%+v, want\n%+v", s.Rows, rows)
				}
				if !slices.Equal(s.Groups, groups) {
					t.Fatalf("groups\n%+v, want\n%+v", s.Groups, groups)
				}
				if got, want := lines(tracker.Allocations()), m.lines(); !maps.Equal(got, want) {
					t.Fatalf("allocations\n%v, want\n%v", got, want)
				}
				for _, group := range []string{"", "im"} {
					got, want := flat(s.Tree(Filter{Group: group}), ""), m.tree(group)
					if !maps.Equal(got, want) {
						t.Fatalf("tree of groups with %q\n%v, want\n%v", group, got, want)
					}
				}
				if before == nil {
					return
				}
				var text strings.Builder
				if err := s.Sub(before).WriteLeaks(&text); err != nil {
					t.Fatal(err)
				}
				got, want := slices.Sorted(strings.Lines(text.String())), m.leaks(modelBefore)
				slices.Sort(want)
				if strings.Join(got, "") != strings.Join(append(want, ""), "\n") {
					t.Fatalf("leaks\n%s, want\n%s", strings.Join(got, ""), strings.Join(want, "\n"))
				}
			},
		})
		for len(m.live) > 0 {
			m.free(0)
		}
		tracker.Trim()
		if s := tracker.Snapshot(); s.Held != 0 || s.Warm != 0 || s.Untracked != 0 || s.Coarse != 0 {
			t.Fatalf("after all was given back: %+v", s)
		}
	})
}

// flat returns what each node of a tree holds, by the names from the root on. The
// names of leaves, which may be called as a scope is, get brackets.
func flat(n *Node, above string) map[string][2]int64 {
	path := above + n.Name + ";"
	if len(n.Children) == 0 && above != "" {
		path = above + "[" + n.Name + "]"
	}
	all := map[string][2]int64{path: {n.Bytes, n.Count}}
	for _, c := range n.Children {
		maps.Copy(all, flat(c, path))
	}
	return all
}

// tree is flat for what is live in groups whose name contains a string.
func (m *model) tree(group string) map[string][2]int64 {
	all := map[string][2]int64{"total;": {}}
	for _, a := range m.live {
		if !strings.Contains(a.Group, group) {
			continue
		}
		path := "total;"
		enter := func(part string) {
			path += part
			all[path] = [2]int64{all[path][0] + a.bytes, all[path][1] + 1}
		}
		enter("")
		enter(cmp.Or(a.Worker, "(no worker)") + ";")
		for scope := range strings.SplitAfterSeq(a.Scope, ";") {
			if scope != "" {
				enter(strings.TrimSuffix(scope, ";") + ";")
			}
		}
		enter("[" + a.label() + "]")
	}
	return all
}

// A line is what an allocation should say.
type line struct {
	Key
	bytes int64
}

func lines(list Allocations) map[uintptr]line {
	all := map[uintptr]line{}
	for _, a := range list {
		all[a.Address] = line{a.Owner, a.Bytes}
	}
	return all
}

func (m *model) lines() map[uintptr]line {
	all := map[uintptr]line{}
	for _, a := range m.live {
		if a.slice != nil {
			all[uintptr(unsafe.Pointer(unsafe.SliceData(a.slice)))] = line{a.Key, a.bytes}
		}
	}
	return all
}
