package memory

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// A stock manages all blocks of a tracker. No goroutine ever holds two of its locks.
type stock struct {
	kept [classes]shelf // This field is first, to keep it off the cache lines at page starts.
	gone gone

	*table
	keep   int64         // maximum number of bytes to keep for reuse
	limit  int64         // maximum number of blocks
	blocks atomic.Int64  // number of blocks, including blocks that are being moved
	held   atomic.Int64  // number of bytes in all blocks
	warm   atomic.Int64  // number of bytes in blocks kept for reuse
	turn   atomic.Uint32 // counter that selects the next class to release blocks from
	source *source

	untracked atomic.Int64
}

// A shelf holds the blocks of one size that are kept for reuse. It reuses the latest block first,
// because its pages are most likely cached.
type shelf struct {
	mu     sync.Mutex
	blocks []*block

	_ [32]byte // Padding fills a cache line.
}

func newStock(limit int, keep int64, src *source) *stock {
	k := &stock{table: newTable(limit), keep: keep, limit: int64(limit), source: src}
	if !src.reuses() {
		k.keep = 0
	}
	return k
}

// takeBlock returns a block of at least n bytes, or nil if no more blocks can be tracked.
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

// admit counts one more block. It returns false if that would exceed the limit.
func (k *stock) admit() bool {
	if k.blocks.Add(1) <= k.limit {
		return true
	}
	k.blocks.Add(-1)
	return false
}

// putBlock takes back an unused block. It keeps the block if the limit allows that.
func (k *stock) putBlock(b *block) {
	if int(b.class) == exact || int64(b.capacity) > k.keep {
		k.release(b)
		return
	}
	// Count the block first, so that two concurrent calls do not both use the same room. If all
	// classes are empty while warm is still too high, other calls are about to release blocks.
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

// reuse returns a kept block of the class, or nil if there is none.
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

// release frees the memory of an unused block.
func (k *stock) release(b *block) {
	k.gone.noteFreed(b.key(), b.owner.Load())
	// Remove the block from the table first. When the memory has been released, another block may
	// get its address.
	mem, mapped := b.mem(), b.mapped
	k.remove(b)
	k.held.Add(-int64(len(mem)))
	k.blocks.Add(-1)
	k.source.give(mem, mapped)
}

// gone remembers the last owners of recently released blocks, for the message of a second Free.
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

// owner returns the last owner of the block at an address, or nil if the block is unknown.
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

const (
	smallest  = 64
	largest   = 1 << 30
	mapFrom   = 256 << 10 // blocks with at least this capacity are mapped
	classes   = 97
	exact     = -1 // class for sizes greater than largest
	stepsLog2 = 2  // log2 of the number of classes per power of two
)

// classOf returns the class for n bytes, and the capacity of the class. The capacity is smallest,
// or exceeds n by less than a quarter. If n is greater than largest, the capacity is n.
func classOf(n int) (class, capacity int) {
	switch {
	case n <= smallest:
		return 0, smallest
	case n > largest:
		return exact, n
	}
	log2 := bits.Len(uint(n-1)) - 1 // so that 2^log2 < n <= 2^(log2+1)
	step := 1 << (log2 - stepsLog2)
	capacity = (n + step - 1) &^ (step - 1)
	octave := log2 - (bits.Len(smallest) - 1)
	return octave<<stepsLog2 + (capacity-1<<log2)/step, capacity
}
