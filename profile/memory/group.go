package memory

import (
	"fmt"
	"math"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/assetcook/assetcook/intern"
)

// GroupOptions sets the budget and the parent of a group.
type GroupOptions struct {
	// Budget limits the group's bytes, including the bytes of the groups within it; 0 means no
	// limit.
	Budget int64

	// Enforce refuses allocations that exceed the budget; see [Pool.TryBytes] and [Pool.WaitBytes].
	// Otherwise the group only counts how often the budget was exceeded.
	Enforce bool

	// Parent, if not nil, is the enclosing group, whose figures include this group's. It may have a
	// budget and a parent of its own.
	Parent *Group
}

// Group returns the group with this name. It creates the group with the given options if it does
// not exist. It panics at the 257th name, and if the parent belongs to another tracker. Use scopes
// for names that vary.
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

// Group holds the memory of one purpose. A nil *Group records nothing, and its pools are nil. All
// methods may be called from any goroutine.
type Group struct {
	tracker  *Tracker
	name     string
	parent   *Group // enclosing group, or nil
	more     bool   // true if changes must call site.addMore
	gated    bool   // true if this group or an enclosing group has an enforced budget
	budget   int64  // MaxInt64 without a budget
	held     meter  // bytes held by this group and all enclosed groups
	counts   meter  // number of slices and accounts, with Options.Totals
	exceeded atomic.Int64
	gate     *semaphore.Weighted // the remaining budget; nil if the budget is not enforced
	refused  atomic.Int64
	waited   atomic.Int64
	account  *Pool   // pool of the accounts that Grow records
	pools    []*Pool // guarded by tracker.mu
}

// enterSelf adds n bytes to the group, but not to its enclosing groups.
func (g *Group) enterSelf(n int64) {
	if now := g.held.addHeld(n); now > g.budget && now-n <= g.budget {
		g.exceeded.Add(1)
	}
}

// enter adds n bytes to the group and its enclosing groups, stopping before end.
func (g *Group) enter(n int64, end *Group) {
	for a := g; a != end; a = a.parent {
		a.enterSelf(n)
	}
}

// common returns the innermost group that contains both g and h, where a group contains itself, or
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

// chain returns the names of the enclosing groups, innermost first, separated by " < ".
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

// Bytes returns the number of bytes that the group holds. For its other figures see
// [Tracker.Groups].
func (g *Group) Bytes() int64 {
	if g == nil {
		return 0
	}
	return g.held.bytes.Load()
}

// PoolOptions describes a pool. Reports show Type and Lifetime.
type PoolOptions struct {
	// Type describes the content, such as "RGBA" or "[]float32".
	Type string

	// Lifetime says how long the pool's slices are meant to live.
	Lifetime Lifetime

	// Zeroed makes all functions of the pool return zeroed memory.
	Zeroed bool
}

// Pool returns the group's pool with this name. It creates the pool with the given options if it
// does not exist. It panics at pool 4,097 of the tracker. Use scopes for names that vary, such as
// asset names.
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
