package index

import (
	"slices"
	"sync"
	"sync/atomic"
)

// A pass over the whole index would keep all of it in memory, although it reads each block once.
// So unmodified memory is released on the way, and mapped again when it is used.

// A releaser releases memory of the base.
type releaser struct {
	give   func(from, to int) // nil releases nothing
	passed atomic.Int64
	once   sync.Once
	clean  []span // unmodified ranges
}

// A span is a range of bytes, without to.
type span struct{ from, to int }

// passedParts is the number of releases during a pass. Each takes time that grows with the index.
const passedParts = 32

// short is the length below which a range is not worth a system call.
const short = 256 << 10

// ReleaseBy sets the function that releases memory of the base. Released memory was not modified,
// and must be readable again when it is used.
func (x *Index) ReleaseBy(give func(from, to int)) { x.memory.give = give }

// Passed says that about n bytes were read and may not be needed again soon; it releases memory
// from time to time. Goroutines may call it concurrently as long as there are no edits.
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

// unmodifiedRanges returns the ranges of the base that the changes neither patched nor marked, except
// ranges of fewer than short bytes.
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
		{secContents, [2]*bitset{&x.marks.patched, {}}}, // Load patches them
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
