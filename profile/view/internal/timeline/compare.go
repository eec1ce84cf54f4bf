package timeline

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/assetcook/assetcook/profile/events"
)

// A Comparison lists the differences between two recordings, largest first.
type Comparison struct {
	Scopes []Change `json:"scopes"` // changes by name
	Assets []Change `json:"assets"` // changes by name and detail
	More   int      `json:"more"`   // number of omitted changes
}

// A Change compares the scopes of a name, or of a name and a detail, in two recordings.
type Change struct {
	Name   string `json:"name"`
	Detail string `json:"detail,omitempty"`
	A      Took   `json:"a"`
	B      Took   `json:"b"`
}

// Took holds the number of scopes and their total time.
type Took struct {
	Count int64 `json:"count"`
	Total int64 `json:"total"`
}

const (
	mostChanges = 1000    // maximum number of changes in each of the two lists
	mostPairs   = 1 << 20 // maximum number of pairs per recording; further pairs are summed as "(others)"
)

// A pair is the name and the detail of a scope.
type pair struct{ name, detail string }

// Compare compares all scopes of two recordings.
func Compare(ctx context.Context, a, b *Recording) (*Comparison, error) {
	inA, err := a.pairs(ctx)
	if err != nil {
		return nil, err
	}
	inB, err := b.pairs(ctx)
	if err != nil {
		return nil, err
	}
	c := &Comparison{}
	var moreScopes, moreAssets int
	c.Scopes, moreScopes = changes(byName(inA), byName(inB))
	c.Assets, moreAssets = changes(inA, inB)
	c.More = moreScopes + moreAssets
	return c, nil
}

// pairs sums all scopes of a recording by name and detail.
func (r *Recording) pairs(ctx context.Context) (map[pair]Took, error) {
	release, err := r.use(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	var tasks [][]block
	for _, row := range r.rows {
		for part := range slices.Chunk(row.blocks, 256) {
			tasks = append(tasks, part)
		}
	}
	var mu sync.Mutex
	all := map[uint64]Took{}
	err = cores().Each(ctx, len(tasks), func(i int) error {
		s := scratches.Get().(*scratch)
		defer scratches.Put(s)
		here := map[uint64]*Took{}
		for k := range tasks[i] {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s.records, _ = r.tape.Read(&tasks[i][k].Block, s.records[:0])
			for n := range s.records {
				rec := &s.records[n]
				if rec.Kind != events.Scope {
					continue
				}
				key := uint64(rec.Name)<<32 | uint64(rec.Detail)
				t := here[key]
				if t == nil {
					t = new(Took)
					here[key] = t
				}
				t.Count++
				t.Total += rec.Dur
			}
		}
		mu.Lock()
		defer mu.Unlock()
		for key, t := range here {
			if _, ok := all[key]; !ok && len(all) >= mostPairs {
				key = noRoom
			}
			sum := all[key]
			all[key] = Took{sum.Count + t.Count, sum.Total + t.Total}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	names := r.tape.State().Names
	pairs := make(map[pair]Took, len(all))
	for key, t := range all {
		p := pair{others, ""}
		if key != noRoom {
			p = pair{names[key>>32], names[uint32(key)]}
		}
		sum := pairs[p]
		pairs[p] = Took{sum.Count + t.Count, sum.Total + t.Total}
	}
	return pairs, nil
}

// noRoom marks a full table. No pair of names has this value.
const noRoom = 1<<64 - 1

func byName(pairs map[pair]Took) map[pair]Took {
	sums := map[pair]Took{}
	for p, t := range pairs {
		p.detail = ""
		sum := sums[p]
		sums[p] = Took{sum.Count + t.Count, sum.Total + t.Total}
	}
	return sums
}

// changes lists the largest differences, and returns the number of omitted differences.
func changes(a, b map[pair]Took) (list []Change, more int) {
	list = []Change{}
	for p, t := range a {
		if other := b[p]; other != t {
			list = append(list, Change{shown(p.name), shown(p.detail), t, other})
		}
	}
	for p, t := range b {
		if _, ok := a[p]; !ok {
			list = append(list, Change{shown(p.name), shown(p.detail), Took{}, t})
		}
	}
	slices.SortFunc(list, func(x, y Change) int {
		return cmp.Or(cmp.Compare(y.difference(), x.difference()), cmp.Compare(x.Name, y.Name), cmp.Compare(x.Detail, y.Detail))
	})
	kept := min(len(list), mostChanges)
	return slices.Clip(list[:kept]), len(list) - kept
}

func (c *Change) difference() int64 { return max(c.A.Total-c.B.Total, c.B.Total-c.A.Total) }
