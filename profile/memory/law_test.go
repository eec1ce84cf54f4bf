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

// limited is the name of the group with an enforced budget.
const limited = "limited"

// model is a simple implementation of a tracker, which serves as its specification.
type model struct {
	live   []modelled
	rows   map[Key]*Row
	groups map[string]*GroupRow
	parent map[string]string
	pools  map[string]*Total
	total  Total
}

// A modelled is one slice or account of the model.
type modelled struct {
	Key
	bytes int64
	slice []byte   // nil for an account
	acct  *Account // nil for a slice
}

// chain returns a group and its enclosing groups.
func (m *model) chain(group string) (names []string) {
	for name := group; name != ""; name = m.parent[name] {
		names = append(names, name)
	}
	return names
}

// enter adds bytes and a count to a row and to groups.
func (m *model) enter(k Key, bytes, count int64, groups []string) {
	r := m.rows[k]
	if r == nil {
		r = &Row{Key: k}
		m.rows[k] = r
	}
	r.Bytes, r.Count = r.Bytes+bytes, r.Count+count
	r.Peak = max(r.Peak, r.Bytes)
	r.Freed, r.Frees = r.Freed+max(0, -bytes), r.Frees+max(0, -count)
	p := m.pools[k.label()]
	if p == nil {
		p = &Total{}
		m.pools[k.label()] = p
	}
	p.add(bytes, count)
	for _, name := range groups {
		g := m.groups[name]
		g.Bytes += bytes
		if g.Budget != 0 && g.Bytes > g.Budget && g.Bytes-bytes <= g.Budget {
			g.Exceeded++
		}
		g.Peak = max(g.Peak, g.Bytes)
		g.Count += count
		g.PeakCount = max(g.PeakCount, g.Count)
	}
}

func (t *Total) add(bytes, count int64) {
	t.Bytes, t.Count = t.Bytes+bytes, t.Count+count
	t.Peak, t.PeakCount = max(t.Peak, t.Bytes), max(t.PeakCount, t.Count)
}

// fits reports whether a group has room for the given bytes. If not, it counts a refusal. Only the
// group limited has an enforced budget.
func (m *model) fits(group string, bytes int64) bool {
	g := m.groups[group]
	if group != limited || bytes <= 0 || g.Bytes+bytes <= g.Budget {
		return true
	}
	g.Refused++
	return false
}

func (m *model) add(a modelled) {
	m.enter(a.Key, a.bytes, 1, m.chain(a.Group))
	m.total.add(a.bytes, 1)
	m.live = append(m.live, a)
}

func (m *model) free(i int, pools map[string]*Pool) {
	a := m.live[i]
	if a.acct != nil {
		a.acct.Shrink()
	} else {
		pools[a.label()].Free(nil, a.slice)
	}
	m.enter(a.Key, -a.bytes, -1, m.chain(a.Group))
	m.total.add(-a.bytes, -1)
	m.live = slices.Delete(m.live, i, i+1)
}

// resize gives a slice or account n bytes. It returns an error if the tracker's result is wrong.
func (m *model) resize(a *modelled, n int, p *Pool) error {
	more := int64(n) - a.bytes
	if a.acct != nil {
		fits := m.fits(a.Group, more)
		if err := a.acct.Resize(int64(n)); (err == nil) != fits {
			return fmt.Errorf("account of %d bytes to %d: %v, want fits %t", a.bytes, n, err, fits)
		}
		if fits {
			m.enter(a.Key, more, 0, m.chain(a.Group))
			m.total.add(more, 0)
			a.bytes = int64(n)
		}
		return nil
	}
	for i := range a.slice {
		a.slice[i] = byte(i)
	}
	inPlace, grows := p.group.tracker.stock.source.reuses() && n <= cap(a.slice) && (cap(a.slice) <= 2*n || cap(a.slice) == smallest), more > 0
	fits := inPlace && m.fits(a.Group, more) || !inPlace && m.fits(a.Group, int64(n))
	b, err := p.Resize(a.slice, n)
	if (err == nil) != (fits || !grows) {
		return fmt.Errorf("%d bytes to %d: %v, want fits %t", a.bytes, n, err, fits)
	}
	switch {
	case err != nil:
		return nil
	case inPlace || !fits: // Without room for a copy, the slice stays in place and becomes shorter.
		if inPlace != (unsafe.SliceData(b) == unsafe.SliceData(a.slice)) && fits {
			return fmt.Errorf("%d bytes of %d to %d: wrong decision to move", a.bytes, cap(a.slice), n)
		}
		if fits {
			m.enter(a.Key, more, 0, m.chain(a.Group))
			m.total.add(more, 0)
			a.bytes = int64(n)
		}
	default:
		m.enter(a.Key, int64(n), 1, m.chain(a.Group))
		m.total.add(int64(n), 1)
		m.enter(a.Key, -a.bytes, -1, m.chain(a.Group))
		m.total.add(-a.bytes, -1)
		a.bytes = int64(n)
	}
	a.slice = b
	for i := range min(len(b), n) {
		if int64(i) < a.bytes-max(0, more) && b[i] != byte(i) {
			return fmt.Errorf("byte %d of %d is %#x after Resize to %d", i, a.bytes, b[i], n)
		}
	}
	return nil
}

// retag moves a slice or account to another row.
func (m *model) retag(a *modelled, k Key, w *Worker, to *Pool) error {
	was, now := m.chain(a.Group), m.chain(k.Group)
	for len(was) > 0 && len(now) > 0 && was[len(was)-1] == now[len(now)-1] {
		was, now = was[:len(was)-1], now[:len(now)-1]
	}
	fits := !slices.Contains(now, limited) || m.fits(limited, a.bytes)
	var err error
	if a.acct != nil {
		k.Name = ""
		err = a.acct.Retag(w, to.group)
	} else {
		err = to.Retag(w, a.slice)
	}
	if (err == nil) != fits {
		return fmt.Errorf("retag of %d bytes from %v to %v: %v, want fits %t", a.bytes, a.Key, k, err, fits)
	}
	if fits && k != a.Key {
		m.enter(k, a.bytes, 1, now)
		m.enter(a.Key, -a.bytes, -1, was)
		a.Key = k
	}
	return nil
}

// snapshot returns the snapshot that Tracker.Snapshot must return.
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

// leaks returns the expected lines of WriteLeaks, in any order. They describe the slices that are
// held now but were not held at an earlier snapshot of the model.
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

// TestTrackerAgreesWithModel runs random operations of several workers. Snapshots, leaks and trees
// must agree with a plain list of all slices.
func TestTrackerAgreesWithModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tracker := New(Options{Totals: true, Keep: int64(rapid.SampledFrom([]int{-1, 5000, 1 << 20}).Draw(t, "keep"))})
		m := model{rows: map[Key]*Row{}, groups: map[string]*GroupRow{}, parent: map[string]string{}, pools: map[string]*Total{}}
		var pools []*Pool
		byLabel := map[string]*Pool{}
		for _, g := range []GroupRow{
			{Name: "all", Budget: 5000},
			{Name: "files", Parents: "all"},
			{Name: "images", Parents: "all", Budget: 3000},
			{Name: limited, Parents: "images < all", Budget: 2500},
		} {
			m.groups[g.Name] = &g
			m.parent[g.Name], _, _ = strings.Cut(g.Parents, " ")
			o := GroupOptions{Budget: g.Budget, Enforce: g.Name == limited}
			if name := m.parent[g.Name]; name != "" {
				o.Parent = tracker.Group(name, GroupOptions{})
			}
			group := tracker.Group(g.Name, o)
			pools = append(pools, group.Pool("", PoolOptions{}), group.Pool("p", PoolOptions{}), group.Pool("q", PoolOptions{}))
		}
		for _, p := range pools {
			byLabel[p.label()] = p
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
		where := func() (Key, *Worker, *Pool) {
			i, p := one("worker", len(workers)), pools[one("pool", len(pools))]
			return Key{names[i], p.group.name, p.name, strings.Join(scopes[i], ";")}, workers[i], p
		}
		check := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"alloc": func(*rapid.T) {
				k, w, p := where()
				n := one("bytes", 2000)
				a := modelled{Key: k, bytes: int64(n)}
				fits := m.fits(k.Group, a.bytes)
				var err error
				if p.name == "" {
					var account Account
					account, err = p.group.TryGrow(w, a.bytes)
					a.acct = &account
				} else {
					a.slice, err = p.TryBytes(w, n)
				}
				if fits != (err == nil) || !fits && !isRefusal(err) {
					t.Fatalf("%d bytes of %s: %v, want fits %t", n, k.Group, err, fits)
				}
				if fits {
					m.add(a)
				}
			},
			"free": func(*rapid.T) {
				if len(m.live) > 0 {
					m.free(one("which", len(m.live)), byLabel)
				}
			},
			"resize": func(*rapid.T) {
				if len(m.live) > 0 {
					a := &m.live[one("which", len(m.live))]
					check(m.resize(a, one("bytes", 2000), byLabel[a.label()]))
				}
			},
			"retag": func(*rapid.T) {
				if len(m.live) > 0 {
					a := &m.live[one("which", len(m.live))]
					k, w, p := where()
					check(m.retag(a, k, w, p))
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
				if got, want := lines(tracker.List().flat()), m.lines(); !maps.Equal(got, want) {
					t.Fatalf("allocations\n%v, want\n%v", got, want)
				}
				u := tracker.Usage()
				if u.Total != m.total || len(u.Pools) != len(m.pools) {
					t.Fatalf("total of %d pools %+v, want of %d %+v", len(u.Pools), u.Total, len(m.pools), m.total)
				}
				for _, p := range u.Pools {
					if want := *m.pools[Key{Group: p.Group, Name: p.Name}.label()]; p.Total != want {
						t.Fatalf("pool %+v, want %+v", p, want)
					}
				}
				var inSlices int64
				for _, a := range m.live {
					if a.slice != nil {
						inSlices += a.bytes
					}
				}
				if u.Held != inSlices+u.Rounding+u.Warm {
					t.Fatalf("held %d bytes, want %d in slices, %d by rounding and %d warm", u.Held, inSlices, u.Rounding, u.Warm)
				}
				for _, group := range []string{"", "im"} {
					got, want := flat(s.Tree(Query{Group: group}), ""), m.tree(group)
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
			m.free(0, byLabel)
		}
		tracker.Trim()
		if s := tracker.Snapshot(); s.Held != 0 || s.Warm != 0 || s.Untracked != 0 || s.Coarse != 0 {
			t.Fatalf("after everything was freed: %+v", s)
		}
	})
}

// flat returns the bytes and count of each node of a tree. The keys are the names on the path from
// the root. The names of leaves get brackets, because they may equal the names of scopes.
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

// tree returns the expected result of flat, for slices in groups whose name contains the given
// text.
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

// A line is an allocation that the list must contain.
type line struct {
	Key
	bytes int64
}

func lines(list []heldSlice) map[uint64]line {
	all := map[uint64]line{}
	for _, a := range list {
		all[a.Address] = line{a.Owner.Key, a.Bytes}
	}
	return all
}

func (m *model) lines() map[uint64]line {
	all := map[uint64]line{}
	for _, a := range m.live {
		if a.slice != nil {
			all[addressOf(a.slice)] = line{a.Key, a.bytes}
		}
	}
	return all
}
