package index

import (
	"slices"
	"sync"
	"sync/atomic"
)

// A run that passes over all of an index would hold all of it in memory at its end, though
// it needs nothing of it twice. So what was not written to is given back on the way, and
// mapped again where it is used.

// A releaser gives memory of the base back.
type releaser struct {
	give   func(from, to int) // nil for nothing
	passed atomic.Int64
	once   sync.Once
	clean  []span // what was not written to
}

// A span is bytes from up to to.
type span struct{ from, to int }

// passedParts is in how many steps an index is given back on the way: each takes time that
// grows with the index.
const passedParts = 32

// short are runs of bytes that are not worth a system call.
const short = 256 << 10

// ReleaseBy says how memory of the base is given back. What is released was not written
// to, and must come back when it is used.
func (x *Index) ReleaseBy(give func(from, to int)) { x.live.releaser.give = give }

// Passed says that about so many bytes were used that may not be needed again soon, and
// gives memory back from time to time. It can be called by many goroutines, as long as
// there are no edits.
func (x *Index) Passed(n int) {
	r := &x.live.releaser
	if r.give == nil {
		return
	}
	step := max(1<<20, int64(len(x.live.base.data)/passedParts))
	if now := r.passed.Add(int64(n)); now/step > (now-int64(n))/step {
		r.once.Do(func() { r.clean = x.live.unwritten(short) })
		for _, s := range r.clean {
			r.give(s.from, s.to)
		}
	}
}

// unwritten returns what the changes have not patched nor marked in the base, but for what
// is shorter than short.
func (l *live) unwritten(short int) (list []span) {
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
		{secFolders, [2]*bitset{&l.patchedFolders, &l.deadFolder}},
		{secNodes, [2]*bitset{&l.patched, &l.deadNodes}},
		{secContents, [2]*bitset{&l.patched, {}}}, // by Load
	} {
		var rows []int
		for _, some := range written.rows {
			some.each(func(i int) { rows = append(rows, i) })
		}
		slices.Sort(rows)
		at, size := l.base.sections[written.section].offset, rowSize[written.section]
		for _, i := range rows {
			add(at+i*size, at+(i+1)*size)
		}
	}
	add(len(l.base.data), len(l.base.data))
	return list
}
