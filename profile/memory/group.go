package memory

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/assetcook/assetcook/intern"
)

// Group returns the group of that name and makes it first if there is none.
// budget is how many bytes it should not exceed, 0 for no limit; it counts when
// the group is made. Group panics at the 257th name: what varies belongs in
// scopes.
func (t *Tracker) Group(name string, budget int64) *Group {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, g := range t.groups {
		if g.name == name {
			return g
		}
	}
	if len(t.groups) == MaxGroups {
		panic(fmt.Sprintf("memory: group %q: there are %d already; use scopes for what varies", name, MaxGroups))
	}
	if budget <= 0 {
		budget = math.MaxInt64
	}
	g := &Group{tracker: t, name: name, budget: budget}
	g.account = g.pool("", PoolOptions{})
	t.groups = append(t.groups, g)
	return g
}

// Group is the memory of one purpose. A nil *Group enters nothing, and its pools
// are nil. All methods may be called from any goroutine.
type Group struct {
	tracker  *Tracker
	name     string
	budget   int64 // MaxInt64 for none
	held     meter
	exceeded atomic.Int64
	account  *Pool   // whose rows are those of Grow
	pools    []*Pool // guarded by tracker.mu
}

// Bytes returns how many bytes the group holds.
func (g *Group) Bytes() int64 {
	if g == nil {
		return 0
	}
	return g.held.bytes.Load()
}

// Peak returns the most bytes that the group ever held.
func (g *Group) Peak() int64 {
	if g == nil {
		return 0
	}
	return g.held.peak.Load()
}

// PoolOptions say what a pool is for. All are for those who read its figures.
type PoolOptions struct {
	// Type says what the bytes are: "RGBA", "[]float32".
	Type string

	// Lifetime says how long slices are meant to live.
	Lifetime Lifetime
}

// Pool returns the pool of that name in the group and makes it first if there is
// none, without options. It panics at pool 4,097 of the tracker: what varies belongs
// in scopes.
func (g *Group) Pool(name string) *Pool { return g.PoolWith(name, PoolOptions{}) }

// PoolWith is [Group.Pool] with options, which count when the pool is made.
func (g *Group) PoolWith(name string, o PoolOptions) *Pool {
	if g == nil {
		return nil
	}
	g.tracker.mu.Lock()
	defer g.tracker.mu.Unlock()
	for _, p := range g.pools {
		if p.name == name {
			return p
		}
	}
	return g.pool(name, o)
}

// pool makes a pool while tracker.mu is held.
func (g *Group) pool(name string, o PoolOptions) *Pool {
	t := g.tracker
	if t.pools == MaxPools {
		panic(fmt.Sprintf("memory: pool %s/%s: there are %d already; use scopes for what varies", g.name, name, MaxPools))
	}
	p := &Pool{group: g, name: name, options: o, number: t.pools, sites: map[intern.Symbol]*site{}}
	t.pools++
	p.outside = p.siteLocked(noWorker)
	g.pools = append(g.pools, p)
	return p
}
