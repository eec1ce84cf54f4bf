package memory

import (
	"fmt"
	"math"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/assetcook/assetcook/intern"
)

// GroupOptions are the budget and the parent of a group.
type GroupOptions struct {
	// Budget limits the group's bytes, including the bytes of the groups within it; 0 means no
	// limit.
	Budget int64

	// Enforce refuses allocations above the budget: see [Pool.TryBytes] and [Pool.WaitBytes].
	// Otherwise allocations above the budget are only counted.
	Enforce bool

	// Parent is the enclosing group, whose figures include this group's; it may have a budget and
	// a parent of its own. It may be nil.
	Parent *Group
}

// Group returns the group with this name, creating it if it does not exist; options matter only
// then. It panics at the 257th name, and if the parent belongs to another tracker. If names vary,
// use scopes.
func (t *Tracker) Group(name string, o GroupOptions) *Group {
	if t == nil {
		return nil
	}
	if o.Parent != nil && o.Parent.tracker != t {
		panic(fmt.Sprintf("memory: group %q: its parent %q belongs to another tracker", name, o.Parent.name))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, g := range t.groups {
		if g.name == name {
			return g
		}
	}
	if len(t.groups) == maxGroups {
		panic(fmt.Sprintf("memory: group %q: there are already %d groups; use scopes for names that vary", name, maxGroups))
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

// Group is the memory of one purpose. A nil *Group records nothing, and its pools are nil. All
// methods may be called from any goroutine.
type Group struct {
	tracker  *Tracker
	name     string
	parent   *Group // enclosing group, nil for none
	more     bool   // see site.addMore
	gated    bool   // this group or a group above it has an enforced budget
	budget   int64  // MaxInt64 for none
	held     meter  // bytes, including the groups below
	counts   meter  // counts slices and accounts, with Options.Totals
	exceeded atomic.Int64
	gate     *semaphore.Weighted // remaining budget, nil if not enforced
	refused  atomic.Int64
	waited   atomic.Int64
	account  *Pool   // pool for the rows of Grow
	pools    []*Pool // guarded by tracker.mu
}

// enterSelf adds n bytes to the group alone.
func (g *Group) enterSelf(n int64) {
	if now := g.held.addHeld(n); now > g.budget && now-n <= g.budget {
		g.exceeded.Add(1)
	}
}

// enter adds n bytes to the group and to the groups above it, up to but excluding end.
func (g *Group) enter(n int64, end *Group) {
	for a := g; a != end; a = a.parent {
		a.enterSelf(n)
	}
}

// common returns the nearest group that is g or above g and also h or above h, or nil if there is
// none.
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

// chain names the groups above g, nearest first, separated by " < ".
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

// Bytes returns how many bytes the group holds; see [Tracker.Groups] for its other figures.
func (g *Group) Bytes() int64 {
	if g == nil {
		return 0
	}
	return g.held.bytes.Load()
}

// PoolOptions describe a pool. Type and Lifetime are shown with its figures.
type PoolOptions struct {
	// Type describes the content: "RGBA", "[]float32".
	Type string

	// Lifetime is the intended lifetime of its slices.
	Lifetime Lifetime

	// Zeroed makes all functions of the pool return zeroed memory.
	Zeroed bool
}

// Pool returns the pool of that name in the group, creating it if it does not exist; options
// matter only then. It panics at pool 4,097 of the tracker: names that vary, such as asset names,
// belong in scopes.
func (g *Group) Pool(name string, o PoolOptions) *Pool {
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

// pool creates a pool; tracker.mu must be held.
func (g *Group) pool(name string, o PoolOptions) *Pool {
	t := g.tracker
	if t.pools == maxPools {
		panic(fmt.Sprintf("memory: pool %s/%s: there are already %d pools; use scopes for names that vary", g.name, name, maxPools))
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
