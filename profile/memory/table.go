package memory

import (
	"iter"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A block is memory that is either in use or kept for reuse, and is an entry in the table of
// addresses. Entries never move; the entry of a deleted block is reused for another block.
type block struct {
	start    unsafe.Pointer // start of the memory, which keeps it alive; nil if the entry is free
	capacity int
	size     int                  // requested number of bytes
	owner    atomic.Pointer[site] // owner of the allocation, kept until reuse for the error message of a second Free
	next     uint32               // number of the next entry in the bucket or free list; see shard.slotAt
	uses     uint32               // number of times that a block was allocated in this entry
	caller   uint32               // number of the call site; see callers
	state    atomic.Uint32        // idle, live or listed; other calls may change only idle blocks
	class    int8
	mapped   bool // true if the system mapped the memory; false if it is Go's
	fresh    bool // true if the memory has not been used yet
}

// These are the states of a block.
const (
	idle uint32 = iota
	live
	listed // live, and being read by List, Usage or Catch
)

func (b *block) key() uintptr { return uintptr(b.start) }

func (b *block) mem() []byte { return unsafe.Slice((*byte)(b.start), b.capacity) }

// claim takes a live block away from its user. It returns true for exactly one of several
// concurrent callers, and false if the block is not live.
func (b *block) claim() bool { return b.state.CompareAndSwap(live, idle) || b.claimListed() }

// claimListed waits until no listing uses the block, and then claims it.
func (b *block) claimListed() bool {
	for !b.state.CompareAndSwap(live, idle) {
		if b.state.Load() == idle {
			return false
		}
		runtime.Gosched()
	}
	return true
}

// A table finds blocks by address. Entries are in chunks that are allocated on demand. Buckets link
// entries by number. A table of package ptrhash would need 22 to 43 more bytes per entry, because
// of its free slots.
type table struct {
	shards [16]shard // shards, selected by the high bits of the hash
}

const chunkEntries = 145 // makes a chunk 8 KiB, including Go's header

type shard struct {
	mu     sync.Mutex
	shift  uint8    // shift that maps the remaining hash to a bucket
	heads  []uint32 // number of the first entry in each bucket; 0 if the bucket is empty
	free   uint32   // number of the first free entry
	used   uint32   // number of entries of the last chunk that have been used
	chunks []*[chunkEntries]block
}

func newTable(limit int) *table {
	t := &table{}
	per := (limit + len(t.shards) - 1) / len(t.shards)
	for i := range t.shards {
		log2 := max(1, bits.Len(uint(per-1)))
		t.shards[i].heads, t.shards[i].shift = make([]uint32, 1<<log2), uint8(64-log2)
	}
	return t
}

// locate hashes an address by Fibonacci multiplication. This spreads the addresses of an allocator
// at least as evenly as a random hash.
func (t *table) locate(key uintptr) (s *shard, bucket *uint32) {
	hash := uint64(key) * 0x9e3779b97f4a7c15
	s = &t.shards[hash>>60]
	return s, &s.heads[hash<<4>>(s.shift&63)]
}

// slotAt returns the entry with the given number. The low byte is 1 to chunkEntries, so that 0
// means no entry; the other bits are the number of the chunk.
func (s *shard) slotAt(entry uint32) *block {
	// Entries are numbered from the end of a chunk. Both chunks and mapped slices begin at a page
	// boundary, so a chunk's first entry would compete for the same cache set as the first bytes of
	// slices.
	return &s.chunks[entry>>8][chunkEntries-entry&255]
}

// find returns the block that begins at an address, or nil if there is none.
func (t *table) find(key uintptr) *block {
	s, bucket := t.locate(key)
	s.mu.Lock()
	var found *block
	for entry := *bucket; entry != 0; {
		b := s.slotAt(entry)
		if b.key() == key {
			found = b
			break
		}
		entry = b.next
	}
	s.mu.Unlock()
	return found
}

// insert returns a new idle block for new memory.
func (t *table) insert(mem []byte, class int, mapped bool) *block {
	start := unsafe.Pointer(unsafe.SliceData(mem))
	s, bucket := t.locate(uintptr(start))
	s.mu.Lock()
	defer s.mu.Unlock()
	entry := s.free
	if entry != 0 {
		s.free = s.slotAt(entry).next
	} else {
		if len(s.chunks) == 0 || s.used == chunkEntries {
			s.chunks, s.used = append(s.chunks, new([chunkEntries]block)), 0
		}
		s.used++
		entry = uint32(len(s.chunks)-1)<<8 | s.used
	}
	b := s.slotAt(entry)
	b.start, b.capacity, b.class, b.mapped, b.fresh = start, len(mem), int8(class), mapped, true
	b.next, *bucket = *bucket, entry
	return b
}

// remove deletes an idle block.
func (t *table) remove(b *block) {
	s, link := t.locate(b.key())
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.slotAt(*link) != b {
		link = &s.slotAt(*link).next
	}
	entry := *link
	*link = b.next
	b.start, b.next, s.free = nil, s.free, entry
}

// around returns the block that contains an address, or nil if there is none. It scans all blocks.
func (t *table) around(address uintptr) *block {
	for b := range t.all() {
		if start := b.key(); address >= start && address-start < uintptr(b.capacity) {
			return b
		}
	}
	return nil
}

// all yields each block, with a number that is unique among blocks in use. It holds the lock of the
// block's shard while it yields.
func (t *table) all() iter.Seq2[*block, uint32] {
	return func(yield func(*block, uint32) bool) {
		for i := range t.shards {
			if !t.shards[i].each(func(b *block, entry uint32) bool { return yield(b, entry*uint32(len(t.shards))+uint32(i)) }) {
				return
			}
		}
	}
}

func (s *shard) each(yield func(b *block, entry uint32) bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for chunk := range s.chunks {
		for i := range uint32(chunkEntries) {
			entry := uint32(chunk)<<8 | (i + 1)
			if b := s.slotAt(entry); b.start != nil && !yield(b, entry) {
				return false
			}
		}
	}
	return true
}

// footprint returns the number of bytes that the table has allocated.
func (t *table) footprint() int64 {
	total := int64(unsafe.Sizeof(*t))
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		total += int64(4*cap(s.heads)) + int64(cap(s.chunks))*int64(unsafe.Sizeof(s.chunks[0])) + int64(len(s.chunks))*int64(unsafe.Sizeof([chunkEntries]block{}))
		s.mu.Unlock()
	}
	return total
}
