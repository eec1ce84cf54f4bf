package memory

import (
	"cmp"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/assetcook/assetcook/intern"
)

// Options are the sizes of a [Tracker].
type Options struct {
	// Live is how many slices of pools can be tracked at once, those kept for
	// reuse included: 1 to 1<<26, 0 for 65,536. The table of addresses takes 4 to
	// 8 bytes for each from the start, and 56 more for each that there is.
	Live int

	// Scopes is how many different stacks of scopes can be told apart, a worker
	// being the bottom of its own: 1 to 1<<24, 0 for 65,536. Each takes about 100
	// bytes from the start, 64 of which are for the name of its innermost scope;
	// longer names take from the others.
	Scopes int

	// Keep is how many bytes that were given back are kept for reuse at most:
	// 0 for 64 MiB, none if negative.
	Keep int64
}

// The most of each that a [Tracker] takes.
const (
	MaxGroups = 256
	MaxPools  = 4096 // of all groups together, one of each group for what Grow enters
)

const (
	maxLive      = 1 << 26
	maxScopes    = 1 << 24
	bytesOfScope = 64
)

// Tracker knows the memory that its pools have handed out. Use [New]; a nil
// *Tracker tracks nothing. All methods may be called from any goroutine.
type Tracker struct {
	stacks *intern.Table // see stackKey
	coarse atomic.Int64
	stock  *stock

	mu     sync.Mutex // guards what follows and the sites of all pools
	groups []*Group
	sites  []*site
	pools  int
}

// New returns a Tracker without groups. It panics if an option is out of its
// range.
func New(o Options) *Tracker {
	live, scopes := cmp.Or(o.Live, 1<<16), cmp.Or(o.Scopes, 1<<16)
	if live < 1 || live > maxLive || scopes < 1 || scopes > maxScopes {
		panic(fmt.Sprintf("memory: new: Live %d and Scopes %d were asked for; they can be 1 to %d and 1 to %d", o.Live, o.Scopes, maxLive, maxScopes))
	}
	stacks, err := intern.New(intern.Config{Entries: scopes + 1, Bytes: bytesOfScope * (scopes + 1)})
	if err == nil {
		_, err = stacks.InternBytes(stackKey(nil, 0, ""))
	}
	if err != nil {
		panic("memory: new: the table of scopes: " + err.Error())
	}
	return &Tracker{stacks: stacks, stock: newStock(live, max(0, cmp.Or(o.Keep, 64<<20)))}
}

// Trim gives all memory that is kept for reuse back to the system.
func (t *Tracker) Trim() {
	if t != nil {
		t.stock.trim()
	}
}

// Group returns the group of that name and makes it first if there is none.
// budget is how many bytes it should not exceed, 0 for no limit; it counts when
// the group is made. Group panics at the 257th name: what varies belongs into
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
	g.account = g.pool("")
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

// Pool returns the pool of that name in the group and makes it first if there is
// none. It panics at pool 4,097 of the tracker: what varies belongs into scopes.
func (g *Group) Pool(name string) *Pool {
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
	return g.pool(name)
}

// pool makes a pool while tracker.mu is held.
func (g *Group) pool(name string) *Pool {
	t := g.tracker
	if t.pools == MaxPools {
		panic(fmt.Sprintf("memory: pool %s/%s: there are %d already; use scopes for what varies", g.name, name, MaxPools))
	}
	p := &Pool{group: g, name: name, number: t.pools, sites: map[intern.Symbol]*site{}}
	t.pools++
	p.outside = p.siteLocked(noWorker)
	g.pools = append(g.pools, p)
	return p
}
