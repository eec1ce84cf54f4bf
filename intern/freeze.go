package intern

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

// Freeze returns the names that the table has now. The table can be used
// further; the two share no memory.
func (t *Table) Freeze() *Frozen {
	t.mu.Lock()
	count, used := int(t.count.Load()), t.used
	t.mu.Unlock()
	// What lies below used and count never changes again.
	b := newBuilder(count, t.arena[:used], t.places[:count], t.config.Hash)
	for _, bucket := range b.largestFirst() {
		if !b.place(bucket) {
			b.spill(bucket)
		}
	}
	return b.frozen()
}

// AppendBinary appends the block of the table frozen as it is now; Open takes
// it. The error is always nil.
func (t *Table) AppendBinary(b []byte) ([]byte, error) { return t.Freeze().AppendBinary(b) }

// MarshalBinary returns the block of the table frozen as it is now. The error is
// always nil.
func (t *Table) MarshalBinary() ([]byte, error) { return t.Freeze().block, nil }

// key is what the search for pilots needs to know of a name.
type key struct {
	hash  uint32
	place uint32
}

// builder looks for the pilots of one Frozen.
type builder struct {
	arena  []byte
	places []uint32
	hash   Hash

	keys   []key    // by bucket
	first  []int    // by bucket: its first key; one more at the end
	pilots []byte   // by bucket
	slots  []uint32 // by position: the place of its name, or 0
	spills []key
}

func newBuilder(count int, arena []byte, places []uint32, hash Hash) *builder {
	named := count - 1 // the empty name needs no position
	b := &builder{
		arena:  arena,
		places: places,
		hash:   hash,
		keys:   make([]key, named),
		pilots: make([]byte, named/perName+1),
		slots:  make([]uint32, named+named/slack+1),
	}
	b.first = make([]int, len(b.pilots)+1)
	hashed := make([]key, named)
	for i, place := range places[1:] {
		hashed[i] = key{hash.Sum32(text(arena, place)), place}
		b.first[bucketOf(hashed[i].hash, len(b.pilots))+1]++
	}
	for i := range b.pilots {
		b.first[i+1] += b.first[i]
	}
	next := slices.Clone(b.first)
	for _, k := range hashed {
		bucket := bucketOf(k.hash, len(b.pilots))
		b.keys[next[bucket]] = k
		next[bucket]++
	}
	return b
}

func (b *builder) bucket(i int) []key { return b.keys[b.first[i]:b.first[i+1]] }

// largestFirst returns the buckets in the order in which they are placed: large
// ones need the most luck, so they come while most positions are free.
func (b *builder) largestFirst() []int {
	order := make([]int, len(b.pilots))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(len(b.bucket(j)), len(b.bucket(i))) })
	return order
}

// place gives the bucket the first pilot that leads all its names to free
// positions and reports whether there is one.
func (b *builder) place(bucket int) bool {
	keys := b.bucket(bucket)
	for pilot := range byte(spilled) {
		done := 0
		for _, k := range keys {
			at := positionOf(k.hash, pilot, len(b.slots))
			if b.slots[at] != 0 {
				break
			}
			b.slots[at] = k.place
			done++
		}
		if done == len(keys) {
			b.pilots[bucket] = pilot
			return true
		}
		for _, k := range keys[:done] {
			b.slots[positionOf(k.hash, pilot, len(b.slots))] = 0
		}
	}
	return false
}

func (b *builder) spill(bucket int) {
	b.pilots[bucket] = spilled
	b.spills = append(b.spills, b.bucket(bucket)...)
}

// frozen writes the block.
func (b *builder) frozen() *Frozen {
	slices.SortFunc(b.spills, func(x, y key) int {
		return cmp.Or(cmp.Compare(x.hash, y.hash), strings.Compare(text(b.arena, x.place), text(b.arena, y.place)))
	})
	f := newBlock(header{
		hash:    uint32(b.hash),
		symbols: uint32(len(b.places)),
		slots:   uint32(len(b.slots)),
		spills:  uint32(len(b.spills)),
		pilots:  uint32(len(b.pilots)),
		arena:   uint32(len(b.arena)),
	})
	for i, place := range b.places {
		binary.LittleEndian.PutUint32(f.places[4*i:], place)
	}
	for i, place := range b.slots {
		binary.LittleEndian.PutUint32(f.slots[4*i:], place)
	}
	for i, k := range b.spills {
		binary.LittleEndian.PutUint32(f.spills[spillLen*i:], k.hash)
		binary.LittleEndian.PutUint32(f.spills[spillLen*i+4:], k.place)
	}
	copy(f.pilots, b.pilots)
	copy(f.arena, b.arena)
	seal(f.block)
	return f
}
