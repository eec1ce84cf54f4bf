package index

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"
)

// Everything after the header is stored in blocks of equal size. Each block has a checksum, its
// seal, which is checked when the block is first read. A query therefore reads only the blocks it
// needs.

// damage is the panic value of methods that find the index damaged. Its text says what is wrong.
// See Guard.
type damage string

func (d damage) Error() string { return "damaged: " + string(d) }

func (damage) Is(target error) bool { return target == ErrDamaged || target == ErrFault }

// errBlock reports a block that does not match its seal.
const errBlock = damage("the checksum of a block does not match")

// blockCount returns the number of blocks that hold n bytes.
func blockCount(n int) int { return (n + blockSize - 1) / blockSize }

// sectionBytes returns n bytes of a section after checking their seals. It panics with errBlock if a
// seal does not match.
func (x *flat) sectionBytes(s, offset, n int) []byte {
	if !x.intact[s] && n > 0 {
		x.checkRange(offset, n)
	}
	return x.data[offset : offset+n : offset+n]
}

// checkRange checks the seals of the blocks of a range that were not checked before.
func (x *flat) checkRange(offset, n int) {
	for b := (offset - headerSize) / blockSize; b <= (offset+n-1-headerSize)/blockSize; b++ {
		if x.sealed[b/32].Load()>>(b%32)&1 == 0 {
			if !x.matchesSeal(b) {
				panic(errBlock)
			}
			x.sealed[b/32].Or(1 << (b % 32))
		}
	}
}

// blockAndSeal returns the bytes of a block and its seal.
func (x *flat) blockAndSeal(b int) (data, sum []byte) {
	end := len(x.data) - len(x.seals)
	at := headerSize + b*blockSize
	return x.data[at:min(at+blockSize, end)], x.seals[b*sealSize : (b+1)*sealSize]
}

func (x *flat) matchesSeal(b int) bool {
	data, want := x.blockAndSeal(b)
	have := seal(data)
	return bytes.Equal(have[:], want)
}

// noticing calls do, and returns a panic with damage as an error.
func noticing(do func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case damage:
			err = p
		default:
			panic(p)
		}
	}()
	return do()
}

// checkSeals checks the seals of the sections in the range [from, to).
func (x *flat) checkSeals(from, to int) error {
	return noticing(func() error {
		for s := from; s < to && len(x.data) > 0; s++ {
			checkSection(x, s)
		}
		return nil
	})
}

// checkSection checks the seals of a section that were not checked before.
func checkSection(x *flat, s int) {
	at := x.sections[s].offset
	for end := at + x.sections[s].count*rowSize[s]; at < end; at += blockSize {
		x.checkRange(at, min(blockSize, end-at))
		if x.passed != nil {
			x.passed(blockSize)
		}
	}
	x.intact[s] = true
}

// passedRow records that row i of a table was read, given the size of a row.
func passedRow(x *flat, i, size int) {
	const rows = 1024
	if i%rows == rows-1 && x.passed != nil {
		x.passed(rows * size)
	}
}

// sealAgain recomputes the seals of the blocks whose rows were changed in place, each block once.
func (x *flat) sealAgain(changed map[int]*bitset) (sealed int) {
	var blocks bitset
	for s, rows := range changed {
		rows.eachSetRow(func(i int) {
			first := x.sections[s].offset + i*rowSize[s] - headerSize
			for b := first / blockSize; b <= (first+rowSize[s]-1)/blockSize; b++ {
				blocks.insertRow(b)
			}
		})
	}
	blocks.eachSetRow(func(b int) {
		data, at := x.blockAndSeal(b)
		sum := seal(data)
		copy(at, sum[:])
	})
	return blocks.n
}

// appendSeals appends the seals of body, which is everything after the header.
func appendSeals(out, body []byte) []byte {
	for len(body) > 0 {
		n := min(blockSize, len(body))
		sum := seal(body[:n])
		out, body = append(out, sum[:]...), body[n:]
	}
	return out
}

// Reading the whole index would keep all of it in memory, although each block is read only once.
// Therefore unmodified memory is released from time to time.

// A releaser releases memory of the mapped base.
type releaser struct {
	give   func(from, to int) // if nil, no memory is released
	passed atomic.Int64
	once   sync.Once
	clean  []span // ranges without modified bytes
}

// A span is the range [from, to) of bytes.
type span struct{ from, to int }

// passedParts is the number of times that memory is released while the whole index is read.
const passedParts = 32

// short is the minimum length of a range that is released. Shorter ranges are not worth a system
// call.
const short = 256 << 10

// ReleaseBy sets the function that releases memory of the base. The function gets only unmodified
// memory, which must be readable again on the next access.
func (x *Index) ReleaseBy(give func(from, to int)) { x.memory.give = give }

// Passed records that about n bytes were read and are probably not needed again. It releases memory
// from time to time. Concurrent calls are allowed while there are no edits.
func (x *Index) Passed(n int) {
	r := &x.memory
	if r.give == nil {
		return
	}
	step := max(1<<20, int64(len(x.base.data)/passedParts))
	if now := r.passed.Add(int64(n)); now/step > (now-int64(n))/step {
		r.once.Do(func() { r.clean = unmodifiedRanges(x, short) })
		for _, s := range r.clean {
			r.give(s.from, s.to)
		}
	}
}

// unmodifiedRanges returns the ranges of the base without modified rows. It omits short ranges,
// whose lengths in bytes are less than short.
func unmodifiedRanges(x *Index, short int) (list []span) {
	from := 0
	add := func(to, next int) {
		if to-from >= short {
			list = append(list, span{from, to})
		}
		from = next
	}
	for _, written := range [...]struct {
		section int
		rows    [2]*bitset
	}{
		{secFolders, [2]*bitset{&x.marks.patchedFolders, &x.marks.deadFolder}},
		{secNodes, [2]*bitset{&x.marks.patched, &x.marks.deadNodes}},
	} {
		var rows []int
		for _, some := range written.rows {
			some.eachSetRow(func(i int) { rows = append(rows, i) })
		}
		slices.Sort(rows)
		at, size := x.base.sections[written.section].offset, rowSize[written.section]
		for _, i := range rows {
			add(at+i*size, at+(i+1)*size)
		}
	}
	add(len(x.base.data), len(x.base.data))
	return list
}
