package timeline

import (
	"cmp"
	"context"
	"slices"
)

// Paths sums the scopes of a window by call path, merged over rows. Scopes count with their part in
// the window.
type Paths struct {
	From  int64    `json:"from"`
	To    int64    `json:"to"`    // end of the window or of the recording
	Total int64    `json:"total"` // time with any scope, summed over rows
	Names []string `json:"names"`
	Nodes []int64  `json:"nodes"` // five numbers for each node; see pathFields
}

// pathFields is the number of fields of a node: the index of the parent, -1 at the top; the name as
// index into Names, -1 for paths that are merged; and count, total time and own time. Parents come
// first.
const pathFields = 5

// Paths returns the sums by call path of the scopes that overlap a window. Row -1 selects all rows.
func (r *Recording) Paths(ctx context.Context, from, to int64, row int) (*Paths, error) {
	release, err := r.use(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	from, to = clampWindow(from, to)
	whole, err := r.callTree(ctx, callQuery{from, to, row}, mostBuiltPaths)
	if err != nil {
		return nil, err
	}
	tree := whole.cutSmallest(mostPaths)
	names := table{all: r.tape.State().Names, local: map[uint32]int64{}, list: []string{}}
	answer := &Paths{From: from, To: min(to, max(r.tape.State().End, r.last, from)), Total: tree.nodes[0].total,
		Nodes: make([]int64, 0, pathFields*len(tree.nodes))}
	for _, n := range tree.nodes[1:] {
		name := int64(-1)
		if n.name != otherPaths {
			name = names.index(n.name)
		}
		answer.Nodes = append(answer.Nodes, int64(n.under)-1, name, n.count, n.total, n.self)
	}
	answer.Names = names.list
	return answer, nil
}

// Calls shows the direct callers and callees of the scopes with a name. The totals of the callers
// sum to Total; Self and the totals of the callees sum to Total as well.
type Calls struct {
	Name    string `json:"name"`
	Count   int64  `json:"count"`
	Total   int64  `json:"total"` // time in scopes with the name; scopes inside each other count once
	Self    int64  `json:"self"`
	Callers []Call `json:"callers"` // names of the scopes directly around, longest total first
	Callees []Call `json:"callees"` // names of the scopes directly inside, longest total first
}

// A Call is a direct caller or a direct callee. No time counts twice: the total of a caller leaves
// out recursive calls, and the total of a callee leaves out calls back to the chosen name.
type Call struct {
	Name  string `json:"name"`
	Count int64  `json:"count"` // number of calls
	Total int64  `json:"total"`
}

const (
	mostCalls = 1000
	outermost = "(outermost)" // caller of scopes without an enclosing scope
)

// Calls returns the callers and callees of a name in a window. Row -1 selects all rows.
func (r *Recording) Calls(ctx context.Context, from, to int64, row int, name string) (*Calls, error) {
	release, err := r.use(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	from, to = clampWindow(from, to)
	tree, err := r.callTree(ctx, callQuery{from, to, row}, mostBuiltPaths)
	if err != nil {
		return nil, err
	}
	return tree.callsOf(name, r.tape.State().Names), nil
}

func (t *callTree) callsOf(name string, names []string) *Calls {
	c := &Calls{Name: shown(name)}
	callers, callees := map[string]Call{}, map[string]Call{}
	add := func(list map[string]Call, name string, count, total int64) {
		sum := list[name]
		list[name] = Call{name, sum.Count + count, sum.Total + total}
	}
	text := func(i int32) string {
		switch n := &t.nodes[i]; {
		case i == 0:
			return outermost
		case n.name == otherPaths:
			return others
		default:
			return names[n.name]
		}
	}
	chosen := make([]bool, len(t.nodes))
	callee := make([]int32, len(t.nodes)) // node of the callee of the nearest chosen node around; 0 if none
	for i := 1; i < len(t.nodes); i++ {
		n := &t.nodes[i]
		chosen[i] = n.name != otherPaths && names[n.name] == name
		if callee[i] = callee[n.under]; chosen[n.under] {
			callee[i] = int32(i)
			add(callees, text(int32(i)), n.count, n.total)
		}
		if !chosen[i] {
			continue
		}
		total := n.total
		if callee[i] != 0 {
			add(callees, text(callee[i]), 0, -n.total)
			total = 0
		}
		c.Count, c.Total, c.Self = c.Count+n.count, c.Total+total, c.Self+n.self
		add(callers, text(n.under), n.count, total)
	}
	c.Callers, c.Callees = longestCalls(callers), longestCalls(callees)
	return c
}

// longestCalls sorts calls by total. If there are too many, it merges the shortest.
func longestCalls(calls map[string]Call) []Call {
	list := []Call{}
	for _, c := range calls {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Call) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	more := Call{Name: others}
	for _, c := range list[min(len(list), mostCalls):] {
		more.Count, more.Total = more.Count+c.Count, more.Total+c.Total
	}
	if list = list[:min(len(list), mostCalls)]; more.Count > 0 {
		list = append(list, more)
	}
	for i := range list {
		list[i].Name = shown(list[i].Name)
	}
	return list
}
