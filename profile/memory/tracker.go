package memory

import (
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/assetcook/assetcook/intern"
)

// Options sets the sizes of a [Tracker].
type Options struct {
	// Live is the maximum number of slices that can be tracked, including slices kept for reuse. It
	// is 1 to 1<<26; 0 means 65,536. The table of addresses takes 4 to 8 bytes for each from the
	// start, and 56 more for each tracked slice.
	Live int

	// Scopes is the maximum number of different stacks of scopes, from 1 to 1<<24; 0 means 65,536.
	// The worker is the bottom of each stack. Each stack takes about 100 bytes from the start, of
	// which 64 are for the name of the innermost scope. Longer names use space that shorter names
	// leave.
	Scopes int

	// Sites records the calling line of each allocation. This adds about half a microsecond to an
	// allocation.
	Sites bool

	// Totals records the peak bytes of each pool and of all pools together. It also records the
	// peak number of slices and accounts of each pool, of each group and of the tracker. With it,
	// all workers write a few more shared words.
	Totals bool

	// Keep is the maximum number of freed bytes that are kept for reuse: 0 means 64 MiB, a negative
	// value none. With Stomp it is the number of freed bytes, in whole pages, that stay unreadable:
	// 0 means 256 MiB.
	Keep int64

	// Stomp makes accesses outside slices fault, and records Sites. An allocation then takes
	// about 10 to 20 microseconds.
	Stomp Stomp
}

// These are the limits of a tracker.
const (
	maxGroups = 256
	maxPools  = 4096 // number of pools of all groups; Grow takes one per group
)

const (
	maxLive      = 1 << 26
	maxScopes    = 1 << 24
	bytesOfScope = 64
)

// Tracker tracks the memory of its pools. Use [New] to make one. A nil *Tracker tracks nothing. All
// methods may be called from any goroutine.
type Tracker struct {
	stacks  *intern.Table // table of interned stacks; stackKey makes the keys
	coarse  atomic.Int64
	stock   *stock
	callers *callers // nil without Options.Sites
	tally   *tally   // nil without Options.Totals

	mu     sync.Mutex // guards the fields below and the sites of all pools
	groups []*Group
	sites  []*site
	pools  int
	name   string // random name of the tracker in its captures; "" before the first capture
}

// New returns a Tracker without groups. It panics if an option is out of range.
func New(o Options) *Tracker {
	live, scopes := cmp.Or(o.Live, 1<<16), cmp.Or(o.Scopes, 1<<16)
	if live < 1 || live > maxLive || scopes < 1 || scopes > maxScopes {
		panic(fmt.Sprintf("memory: new: Live is %d and Scopes is %d; they must be 1 to %d and 1 to %d", o.Live, o.Scopes, maxLive, maxScopes))
	}
	stacks, err := intern.New(intern.Config{Entries: scopes + 1, Bytes: bytesOfScope * (scopes + 1)})
	if err == nil {
		_, err = stacks.InternBytes(stackKey(nil, 0, ""))
	}
	if err != nil {
		panic("memory: new: the table of scopes: " + err.Error())
	}
	source := newSource(o, max(0, cmp.Or(o.Keep, keepUnreadable)))
	t := &Tracker{stacks: stacks, stock: newStock(live, max(0, cmp.Or(o.Keep, 64<<20)), source)}
	if o.Sites || source.stomp != nil {
		t.callers = newCallers()
	}
	if o.Totals {
		t.tally = &tally{}
	}
	return t
}

// Trim returns all memory kept for reuse to the system.
func (t *Tracker) Trim() {
	if t != nil {
		t.stock.trim()
	}
}
