package memory

import (
	"sync"
	"sync/atomic"
)

// A stock is all blocks of a tracker. No two of its locks are ever held at once.
type stock struct {
	kept [classes]shelf // first, as what begins where pages do shares its place in the cache with the pages of users
	gone gone

	*table
	keep   int64         // most bytes to keep for reuse
	limit  int64         // most blocks
	blocks atomic.Int64  // of blocks, those on their way too
	held   atomic.Int64  // bytes of all blocks
	warm   atomic.Int64  // bytes of those kept for reuse
	turn   atomic.Uint32 // whose it is to make room, modulo classes
	source *source

	untracked atomic.Int64
}

// A shelf has the blocks of one size that are kept for reuse, and gives the one
// that came last, as its pages are the likeliest to be in a cache.
type shelf struct {
	mu     sync.Mutex
	blocks []*block

	_ [32]byte // a cache line
}

func newStock(limit int, keep int64, src *source) *stock {
	k := &stock{table: newTable(limit), keep: keep, limit: int64(limit), source: src}
	if !src.reuses() {
		k.keep = 0
	}
	return k
}

// takeBlock returns a block of at least n bytes, nil if no more can be tracked.
func (k *stock) takeBlock(n int) *block {
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
	mem, mapped := k.source.takeMemory(n, capacity)
	k.held.Add(int64(len(mem)))
	return k.insert(mem, class, mapped)
}

// admit counts one more block, if there may be one.
func (k *stock) admit() bool {
	if k.blocks.Add(1) <= k.limit {
		return true
	}
	k.blocks.Add(-1)
	return false
}

// putBlock takes back an unused block, and keeps it if the limit allows that.
func (k *stock) putBlock(b *block) {
	if int(b.class) == exact || int64(b.capacity) > k.keep {
		k.release(b)
		return
	}
	// The block counts from here on, so that two who make room at a time do not
	// take the same room. That a whole round finds nothing, and there is too much
	// all the same, means that what others count is under way.
	size := int64(b.capacity)
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
	last := len(shelf.blocks) - 1
	if last < 0 {
		shelf.mu.Unlock()
		return nil
	}
	b := shelf.blocks[last]
	shelf.blocks[last] = nil
	shelf.blocks = shelf.blocks[:last]
	shelf.mu.Unlock()
	k.warm.Add(-int64(b.capacity))
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
	k.gone.noteFreed(b.key(), b.owner.Load())
	// Before the memory is gone: from then on its address may be another block's.
	mem, mapped := b.mem(), b.mapped
	k.remove(b)
	k.held.Add(-int64(len(mem)))
	k.blocks.Add(-1)
	k.source.give(mem, mapped)
}

// gone remembers whose the blocks were that were released last, for the message of
// a second Free.
type gone struct {
	mu     sync.Mutex
	next   int
	keys   [64]uintptr
	owners [64]*site
}

func (g *gone) noteFreed(key uintptr, owner *site) {
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
