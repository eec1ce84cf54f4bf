package memory

import (
	"fmt"
	"math"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/assetcook/assetcook/intern"
)

// GroupOptions are the budget of a group and the group that it is a part of.
type GroupOptions struct {
	// Budget is how many bytes the group should not exceed, those of the groups that
	// are parts of it included; 0 for no limit.
	Budget int64

	// Enforce refuses what is over the budget: see [Pool.TryBytes] and
	// [Pool.WaitBytes]. Otherwise it is only counted how often the budget was exceeded.
	Enforce bool

	// Parent is the group that also holds what this one holds, and so does its
	// parent: each has a budget of its own. nil for none.
	Parent *Group
}

// Group returns the group of that name and makes it first if there is none, with a
// budget that is not enforced, 0 for none, and without a parent. Group panics at the
// 257th name: what varies belongs in scopes.
func (t *Tracker) Group(name string, budget int64) *Group {
	return t.GroupWith(name, GroupOptions{Budget: budget})
}

// GroupWith is [Tracker.Group] with options, which count when the group is made. It
// panics if the parent is another tracker's.
func (t *Tracker) GroupWith(name string, o GroupOptions) *Group {
	if t == nil {
		return nil
	}
	if o.Parent != nil && o.Parent.tracker != t {
		panic(fmt.Sprintf("memory: group %q: its parent %q is of another tracker", name, o.Parent.name))
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
	g := &Group{tracker: t, name: name, parent: o.Parent, budget: math.MaxInt64}
	if o.Budget > 0 {
		g.budget = o.Budget
		if o.Enforce {
			g.gate = semaphore.NewWeighted(o.Budget)
		}
	}
	g.gated = g.gate != nil || g.parent != nil && g.parent.gated
	g.more = g.parent != nil || g.gated || t.tally != nil
	g.account = g.pool("", PoolOptions{})
	t.groups = append(t.groups, g)
	return g
}

// Group is the memory of one purpose. A nil *Group enters nothing, and its pools
// are nil. All methods may be called from any goroutine.
type Group struct {
	tracker  *Tracker
	name     string
	parent   *Group // that holds what this one holds, nil for none
	more     bool   // see site.addMore
	gated    bool   // has a budget that is enforced, or a group above it has
	budget   int64  // MaxInt64 for none
	held     meter  // with those of the groups below
	counts   meter  // of slices and accounts, kept with Options.Totals
	exceeded atomic.Int64
	gate     *semaphore.Weighted // what is left of the budget, nil if it is not enforced
	refused  atomic.Int64
	waited   atomic.Int64
	account  *Pool   // whose rows are those of Grow
	pools    []*Pool // guarded by tracker.mu
}

// enterSelf adds n bytes to the group alone.
func (g *Group) enterSelf(n int64) {
	if now := g.held.addHeld(n); now > g.budget && now-n <= g.budget {
		g.exceeded.Add(1)
	}
}

// enter adds n bytes to the group and to those above it, up to the group end and
// without it.
func (g *Group) enter(n int64, end *Group) {
	for a := g; a != end; a = a.parent {
		a.enterSelf(n)
	}
}

// common returns the first of g and the groups above it that is also h or above it,
// nil if there is none.
func (g *Group) common(h *Group) *Group {
	for ; g != nil; g = g.parent {
		for a := h; a != nil; a = a.parent {
			if a == g {
				return g
			}
		}
	}
	return nil
}

// chain names the groups above g, the nearest first, with a blank and a sign between.
func (g *Group) chain() string {
	text := ""
	for a := g.parent; a != nil; a = a.parent {
		if text != "" {
			text += " < "
		}
		text += a.name
	}
	return text
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

// PoolOptions say what a pool is for. Type and Lifetime are shown with its figures.
type PoolOptions struct {
	// Type says what the bytes are: "RGBA", "[]float32".
	Type string

	// Lifetime says how long slices are meant to live.
	Lifetime Lifetime

	// Zeroed makes all functions of the pool return zeros, as [Pool.Zeroed] does.
	Zeroed bool
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
	if t.tally != nil {
		p.tally = &tally{}
	}
	p.outside = p.siteLocked(noWorker)
	g.pools = append(g.pools, p)
	return p
}
