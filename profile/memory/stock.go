package memory

import (
	"math"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/assetcook/assetcook/ptrhash"
)

// A block is memory of the system's that is either handed out or kept for reuse.
type block struct {
	mem    []byte // all of it; its address is the block's key
	class  int
	mapped bool // not by Go
	fresh  bool // mem is still as it came

	// live is set by who hands the block out, after size and owner, and cleared by
	// the one Free that may look at both. They stay as they were until the block is
	// handed out again, for the message of a second Free.
	live  atomic.Bool
	size  int64 // as asked for
	owner atomic.Pointer[site]
}

func (b *block) key() uintptr { return ptrhash.Key(unsafe.SliceData(b.mem)) }

// A stock is all blocks of a tracker. No two of its locks are ever held at once.
type stock struct {
	keep   int64         // most bytes to keep for reuse
	limit  int64         // most blocks
	blocks atomic.Int64  // of blocks, those on their way too
	held   atomic.Int64  // bytes of all blocks
	warm   atomic.Int64  // bytes of those kept for reuse
	turn   atomic.Uint32 // whose it is to make room, modulo classes
	source source

	untracked atomic.Int64

	kept   [classes]shelf
	shards [16]shard // by the high bits of Wang's hash of the address
	gone   gone
}

// A shelf has the blocks of one size that are kept for reuse, and gives the one
// that came last, as its pages are the likeliest to be in a cache.
type shelf struct {
	mu     sync.Mutex
	blocks []*block

	_ [32]byte // a cache line
}

type shard struct {
	mu    sync.Mutex
	table *ptrhash.Table[*block]

	_ [48]byte // a cache line
}

func newStock(limit int, keep int64) *stock {
	k := &stock{keep: keep, limit: int64(limit), source: newSource()}
	if !k.source.reuses() {
		k.keep = 0
	}
	// Hashes spread unevenly: four standard deviations more than its part make it
	// unlikely that one shard is full before there are limit blocks.
	part := limit / len(k.shards)
	for i := range k.shards {
		k.shards[i].table = ptrhash.NewTable[*block](min(limit, part+4*int(math.Sqrt(float64(part)))+16))
	}
	return k
}

func (k *stock) shard(key uintptr) *shard {
	return &k.shards[ptrhash.Wang64(uint64(key))>>60]
}

// find returns the block that begins at an address, nil if there is none.
func (k *stock) find(key uintptr) *block {
	s := k.shard(key)
	s.mu.Lock()
	b, _ := s.table.Lookup(key)
	s.mu.Unlock()
	return b
}

// take returns a block of at least n bytes, nil if no more can be tracked.
func (k *stock) take(n int) *block {
	class, capacity := classOf(n)
	if class != exact {
		if b := k.reuse(class); b != nil {
			return b
		}
	}
	if !k.admit() {
		if k.warm.Load() == 0 {
			return nil
		}
		if k.trim(); !k.admit() {
			return nil
		}
	}
	b := &block{class: class, fresh: true}
	b.mem, b.mapped = k.source.take(n, capacity)
	k.held.Add(int64(len(b.mem)))
	s := k.shard(b.key())
	s.mu.Lock()
	err := s.table.Insert(b.key(), b)
	s.mu.Unlock()
	if err != nil {
		k.discard(b)
		return nil
	}
	return b
}

// admit counts one more block, if there may be one.
func (k *stock) admit() bool {
	if k.blocks.Add(1) <= k.limit {
		return true
	}
	k.blocks.Add(-1)
	return false
}

// put takes back an unused block, and keeps it if the limit allows that.
func (k *stock) put(b *block) {
	if b.class == exact || int64(len(b.mem)) > k.keep {
		k.release(b)
		return
	}
	// The block counts from here on, so that two who make room at a time do not
	// take the same room. That a whole round finds nothing, and there is too much
	// all the same, means that what others count is under way.
	size := int64(len(b.mem))
	warm := k.warm.Add(size)
	for empty := 0; warm > k.keep; warm = k.warm.Load() {
		if old := k.reuse(int(k.turn.Add(1) % classes)); old != nil {
			k.release(old)
			empty = 0
		} else if empty++; empty == classes {
			k.warm.Add(-size)
			k.release(b)
			return
		}
	}
	shelf := &k.kept[b.class]
	shelf.mu.Lock()
	shelf.blocks = append(shelf.blocks, b)
	shelf.mu.Unlock()
}

// reuse returns a block that was kept, nil if there is none of the class.
func (k *stock) reuse(class int) *block {
	shelf := &k.kept[class]
	shelf.mu.Lock()
	defer shelf.mu.Unlock()
	last := len(shelf.blocks) - 1
	if last < 0 {
		return nil
	}
	b := shelf.blocks[last]
	shelf.blocks[last] = nil
	shelf.blocks = shelf.blocks[:last]
	k.warm.Add(-int64(len(b.mem)))
	return b
}

func (k *stock) trim() {
	for class := range k.kept {
		for b := k.reuse(class); b != nil; b = k.reuse(class) {
			k.release(b)
		}
	}
}

// release returns an unused block to the system.
func (k *stock) release(b *block) {
	k.gone.add(b.key(), b.owner.Load())
	// Before the memory is gone: from then on its address may be another block's.
	s := k.shard(b.key())
	s.mu.Lock()
	s.table.Delete(b.key())
	s.mu.Unlock()
	k.discard(b)
}

// discard gives the memory of a block that is in no table to the system.
func (k *stock) discard(b *block) {
	k.held.Add(-int64(len(b.mem)))
	k.blocks.Add(-1)
	k.source.give(b.mem, b.mapped)
}

// around returns the block that the address lies in, nil if there is none. It
// looks at all of them.
func (k *stock) around(address uintptr) *block {
	for i := range k.shards {
		s := &k.shards[i]
		s.mu.Lock()
		for start, b := range s.table.All() {
			if address >= start && address-start < uintptr(len((*b).mem)) {
				s.mu.Unlock()
				return *b
			}
		}
		s.mu.Unlock()
	}
	return nil
}

// gone remembers whose the blocks were that were released last, for the message of
// a second Free.
type gone struct {
	mu     sync.Mutex
	next   int
	keys   [64]uintptr
	owners [64]*site
}

func (g *gone) add(key uintptr, owner *site) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.keys[g.next%len(g.keys)], g.owners[g.next%len(g.keys)] = key, owner
	g.next++
}

// owner returns who had the block of an address last, nil if that is not known.
func (g *gone) owner(key uintptr) *site {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := g.next - 1; i >= max(0, g.next-len(g.keys)); i-- {
		if g.keys[i%len(g.keys)] == key {
			return g.owners[i%len(g.keys)]
		}
	}
	return nil
}
