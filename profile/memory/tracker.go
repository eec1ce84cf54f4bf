package memory

import (
	"cmp"
	"fmt"
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

	// Sites records for each allocation the line of the program that made it. An
	// allocation takes about half a microsecond more then.
	Sites bool

	// Totals keeps the most bytes at once of each pool and of all together, and the most
	// slices and accounts at once of each pool, of each group and of all. That is some
	// words more that all workers write.
	Totals bool

	// Keep is how many bytes that were given back are kept for reuse at most:
	// 0 for 64 MiB, none if negative. With Stomp it is how many stay unreadable, whole
	// pages, 0 for 256 MiB.
	Keep int64

	// Stomp makes accesses outside of slices fault, and records Sites. An allocation takes
	// some 10 to 20 microseconds then.
	Stomp Stomp
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
	stacks  *intern.Table // see stackKey
	coarse  atomic.Int64
	stock   *stock
	callers *callers // nil without Options.Sites
	tally   *tally   // nil without Options.Totals

	mu     sync.Mutex // guards what follows and the sites of all pools
	groups []*Group
	sites  []*site
	pools  int
	name   string // of its captures, "" before the first
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

// Trim gives all memory that is kept for reuse back to the system.
func (t *Tracker) Trim() {
	if t != nil {
		t.stock.trim()
	}
}
