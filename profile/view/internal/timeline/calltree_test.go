package timeline

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/profile/events"
)

// pathSums returns the sums by path, for paths such as "/pass/encode", and the time with any scope.
// It looks at each time between two neighboring starts and ends, and at the scopes around that time.
func (s *story) pathSums(q callQuery, end int64) (sums map[string]callSum, busy int64) {
	sums = map[string]callSum{}
	for row, closed := range s.rows {
		if q.row >= 0 && q.row != row {
			continue
		}
		var scopes []happening // outermost first, among scopes at the same time
		for _, h := range s.open[row] {
			h.end = end
			scopes = append(scopes, h)
		}
		for _, h := range slices.Backward(closed) {
			if h.kind == events.Scope {
				scopes = append(scopes, h)
			}
		}
		cuts := []int64{q.from, q.to}
		for i, h := range scopes {
			if h.start > q.to || h.end < q.from {
				continue
			}
			cuts = append(cuts, h.start, h.end)
			path, begin := "", h.start
			for k := i; k >= 0; k-- { // A parent does not begin later than the scope, and is listed before it.
				if scopes[k].start <= begin {
					path, begin = "/"+s.names[scopes[k].name]+path, scopes[k].start
				}
			}
			sum := sums[path]
			sum.count++
			sums[path] = sum
		}
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		for i := range cuts[1:] {
			from, to := cuts[i], cuts[i+1]
			if from < q.from || to > q.to {
				continue
			}
			path := ""
			for _, h := range scopes {
				if h.start <= from && h.end >= to {
					path += "/" + s.names[h.name]
					sum := sums[path]
					sum.total += to - from
					sums[path] = sum
				}
			}
			if path != "" {
				sum := sums[path]
				sum.self += to - from
				sums[path] = sum
				busy += to - from
			}
		}
	}
	return sums, busy
}

// byPath returns the sums of a tree by path. The path of merged paths ends in "/…".
func (t *callTree) byPath(names []string) map[string]callSum {
	sums, paths := map[string]callSum{}, make([]string, len(t.nodes))
	for i := 1; i < len(t.nodes); i++ {
		n := &t.nodes[i]
		name := "…"
		if n.name != otherPaths {
			name = names[n.name]
		}
		paths[i] = paths[n.under] + "/" + name
		sums[paths[i]] = n.callSum
	}
	return sums
}

func drawCallQuery(t *rapid.T, s *story) callQuery {
	q := callQuery{row: rapid.IntRange(-1, len(s.rows)-1).Draw(t, "row")}
	q.from = rapid.Int64Range(-1, s.end()+1).Draw(t, "from")
	q.to = rapid.Int64Range(q.from, s.end()+2).Draw(t, "to")
	return q
}

// The tree must equal the model. Smaller trees must keep the longest paths, and merge all others
// without losing time or scopes.
func TestCallTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		recordings := indexed(t, s)
		for _, how := range slices.Sorted(maps.Keys(recordings)) {
			rec, q := recordings[how], drawCallQuery(t, s)
			if _, err := rec.Window(t.Context(), 0, math.MaxInt64, 1); err != nil {
				t.Fatal(err)
			}
			end := rec.tape.State().End
			q.to = max(min(q.to, end), q.from)
			want, busy := s.pathSums(q, end)
			tree, err := rec.callTree(t.Context(), q, mostBuiltPaths)
			if err != nil {
				t.Fatal(err)
			}
			if got := tree.byPath(s.names); !maps.Equal(got, want) || tree.nodes[0].total != busy {
				t.Fatalf("%s %+v: busy %d, want %d\ngot  %v\nwant %v", how, q, tree.nodes[0].total, busy, got, want)
			}
			most := rapid.IntRange(0, 8).Draw(t, "most")
			cut := tree.cutSmallest(most)
			exactSums(t, cut, want, busy)
			least, left := int64(math.MaxInt64), int64(0)
			got := cut.byPath(s.names)
			kept := 0
			for path, sum := range want {
				if g, ok := got[path]; ok {
					kept, least = kept+1, min(least, sum.total)
					if g.total != sum.total || g.count != sum.count || g.self != sum.self {
						t.Fatalf("%s: %s is %+v, want %+v", how, path, g, sum)
					}
				} else {
					left = max(left, sum.total)
				}
			}
			if kept != min(most, len(want)) || kept > 0 && left > least {
				t.Fatalf("%s: %d of %d paths with %d ns at least; %d ns at most are left out", how, kept, len(want), least, left)
			}
			full, err := rec.callTree(t.Context(), q, rapid.IntRange(0, 8).Draw(t, "room"))
			if err != nil {
				t.Fatal(err)
			}
			exactSums(t, full, want, busy)
		}
	})
}

// exactSums checks that a tree has all time and all scopes of a model, and no more paths than it may.
func exactSums(t *rapid.T, tree *callTree, want map[string]callSum, busy int64) {
	var sum, scopes callSum
	inner := make([]int64, len(tree.nodes))
	for i := len(tree.nodes) - 1; i > 0; i-- {
		n := &tree.nodes[i]
		sum = callSum{sum.count + n.count, 0, sum.self + n.self}
		inner[n.under] += n.total
		if n.self < 0 || n.total != n.self+inner[i] {
			t.Fatalf("node %d has %+v and %d ns below it", i, n.callSum, inner[i])
		}
	}
	for _, w := range want {
		scopes.count += w.count
	}
	if sum.self != busy || inner[0] != busy || tree.nodes[0].total != busy || sum.count != scopes.count {
		t.Fatalf("own times sum to %d, totals to %d, want %d; %d scopes, want %d", sum.self, inner[0], busy, sum.count, scopes.count)
	}
}

// Callers must sum to the total of the name, and callees together with its own time as well. Counts
// must agree with the tree.
func TestCallersAndCallees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		rec := New(events.OpenTape(s.stream()))
		q := drawCallQuery(t, s)
		name := rapid.SampledFrom([]string{"encode", "pass", "none"}).Draw(t, "name")
		got, err := rec.Calls(t.Context(), q.from, q.to, q.row, name)
		if err != nil {
			t.Fatal(err)
		}
		end := rec.tape.State().End
		q.to = max(min(q.to, end), q.from)
		sums, _ := s.pathSums(q, end)
		want := Calls{Name: name}
		callers, callees := map[string]Call{}, map[string]Call{}
		add := func(list map[string]Call, name string, count, total int64) {
			list[name] = Call{name, list[name].Count + count, list[name].Total + total}
		}
		for path, sum := range sums {
			steps := strings.Split(path, "/") // The first step is empty.
			n := len(steps) - 1
			nearest := n // nearest step above the last one with the name; 0 if none
			for nearest--; nearest > 0 && steps[nearest] != name; nearest-- {
			}
			if n > 1 && steps[n-1] == name {
				add(callees, steps[n], sum.count, 0)
			}
			// The own time of a path belongs to the callee that the path takes from the nearest scope
			// with the name.
			if nearest > 0 && steps[n] != name {
				add(callees, steps[nearest+1], 0, sum.self)
			}
			first := slices.Index(steps[1:], name) + 1
			if first > 0 {
				want.Total += sum.self
				caller := outermost
				if first > 1 {
					caller = steps[first-1]
				}
				add(callers, caller, 0, sum.self)
			}
			if steps[n] == name {
				want.Count, want.Self = want.Count+sum.count, want.Self+sum.self
				caller := outermost
				if n > 1 {
					caller = steps[n-1]
				}
				add(callers, caller, sum.count, 0)
			}
		}
		want.Callers, want.Callees = longestCalls(callers), longestCalls(callees)
		if !slices.Equal(got.Callers, want.Callers) || !slices.Equal(got.Callees, want.Callees) ||
			got.Count != want.Count || got.Total != want.Total || got.Self != want.Self {
			t.Fatalf("%+v of %v:\ngot  %+v\nwant %+v", q, sums, got, want)
		}
		var in, out int64
		for _, c := range got.Callers {
			in += c.Total
		}
		for _, c := range got.Callees {
			out += c.Total
		}
		if in != got.Total || out+got.Self != got.Total {
			t.Fatalf("callers sum to %d, callees and own time to %d: %+v", in, out+got.Self, got)
		}
	})
}

// The time of scopes that overlap without nesting must count once.
func TestOverlapsOfCallPathsCountOnce(t *testing.T) {
	for _, c := range []struct {
		list []happening
		want map[string]callSum
	}{
		{[]happening{{name: 1, start: 0, end: 10}, {name: 2, start: 8, end: 20}},
			map[string]callSum{"/a": {1, 8, 8}, "/b": {1, 12, 12}}},
		{[]happening{{name: 1, start: 9, end: 10}, {name: 3, start: 0, end: 19}, {name: 2, start: 8, end: 20}},
			map[string]callSum{"/b": {1, 12, 12}, "/c": {1, 8, 8}, "/c/a": {1, 0, 0}}},
		{[]happening{{name: 1, start: 9, end: 12}, {name: 2, start: 5, end: 14}, {name: 3, start: 10, end: 20}, {name: 4, start: 0, end: 30}},
			map[string]callSum{"/d": {1, 30, 15}, "/d/c": {1, 10, 10}, "/d/b": {1, 5, 4}, "/d/b/a": {1, 1, 1}}},
	} {
		s := &story{names: []string{"", "a", "b", "c", "d"}, rows: [][]happening{c.list}}
		for i := range c.list {
			c.list[i].kind = events.Scope
		}
		rec := New(events.OpenTape(s.stream()))
		if _, err := rec.Paths(t.Context(), 0, 100, -1); err != nil {
			t.Fatal(err)
		}
		if got := rec.latest.calls.Load().tree.byPath(s.names); !maps.Equal(got, c.want) {
			t.Errorf("got %v, want %v", got, c.want)
		}
	}
}

// A canceled query must return an error, and the next query must be complete.
func TestCanceledCallTree(t *testing.T) {
	rec := New(events.OpenTape(sideBySide(20_000).stream()))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rec.Paths(ctx, 0, math.MaxInt64, -1); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	p, err := rec.Paths(t.Context(), 0, math.MaxInt64, -1)
	if err != nil || len(p.Nodes) != 2*pathFields || p.Nodes[2]+p.Nodes[pathFields+2] != 20_000 || p.Total != 20_000*3+200 {
		t.Fatalf("%+v, %v", p, err)
	}
}
