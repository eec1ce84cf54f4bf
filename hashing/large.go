package hashing

import (
	"hash"
	"io"
)

// A large is a file of at least two blocks in progress. Workers claim its blocks in order and read
// them concurrently. One worker at a time folds the results, in order. queue.mu guards all fields
// except joiner, hash, and the first group. The first group identifies the file. joiner and hash
// belong to the folding worker.
type large struct {
	index  int
	name   string
	f      source
	before stamp
	blocks int64

	joiner joiner    // if not nil, workers compute the parts of the blocks that they read
	hash   hash.Hash // used if parts cannot be joined; blocks are then added in order

	claimed int64 // number of blocks given to workers
	folded  int64
	active  int // number of workers that are reading a block or folding
	folding bool
	ready   map[int64]piece // blocks that were read but not yet folded
	err     error           // first error; no blocks are claimed after an error
}

type piece struct {
	part part   // used if parts can be joined
	buf  *block // content of the block, if parts cannot be joined
	n    int    // number of bytes in the block
}

// maxAhead limits how many blocks of a file are read ahead if they must be processed in order.
const maxAhead = 3

func newLarge(f Func, file source, before stamp) *large {
	l := &large{
		f: file, before: before,
		blocks: (before.size-1)/blockSize + 1,
		ready:  map[int64]piece{},
	}
	if f.joints != nil {
		l.joiner = f.joints.join()
	} else {
		l.hash = f.New()
	}
	return l
}

// claimBlock assigns the next block to a worker. It reports whether a block is available.
func (l *large) claimBlock() (int64, bool) {
	if l.err != nil || l.claimed == l.blocks || l.hash != nil && l.claimed-l.folded >= maxAhead {
		return 0, false
	}
	l.claimed++
	l.active++
	return l.claimed - 1, true
}

// beginLargeFile shares a large file with other workers. buf holds its first block, which the
// caller has read.
func (q *queue) beginLargeFile(l *large, buf *block) {
	q.mu.Lock()
	i, _ := l.claimBlock()
	q.large = append(q.large, l)
	q.mu.Unlock()
	q.wake.Broadcast()
	q.queueBlock(l, i, buf, blockSize)
}

func (q *queue) readBlock(l *large, i int64) {
	n := int(min(l.before.size-i*blockSize, blockSize))
	buf := takeBlock()
	err := q.ctx.Err()
	if err == nil {
		var k int
		k, err = l.f.ReadAt(buf[:n], i*blockSize)
		q.progress(k)
		switch {
		case k == n:
			err = nil // io.EOF is valid here
		case err == io.EOF:
			err = ErrChanged
		}
	}
	if err != nil {
		giveBlock(buf)
		q.failLargeFile(l, q.readError(l.name, err))
		return
	}
	q.queueBlock(l, i, buf, n)
}

// queueBlock queues block i, which is the first n bytes of buf. It takes ownership of buf.
func (q *queue) queueBlock(l *large, i int64, buf *block, n int) {
	p := piece{buf: buf, n: n}
	if l.joiner != nil {
		p = piece{part: q.Func.joints.part(buf[:n], i), n: n}
		giveBlock(buf)
	}
	q.mu.Lock()
	l.ready[i] = p
	if !l.folding {
		l.folding = true
		for {
			p, ok := l.ready[l.folded]
			if !ok || l.err != nil {
				break
			}
			delete(l.ready, l.folded)
			q.mu.Unlock()
			l.foldPiece(p)
			q.mu.Lock()
			l.folded++
			if l.hash != nil {
				q.wake.Broadcast() // another block may now be read ahead
			}
		}
		l.folding = false
	}
	q.releaseLargeFile(l)
}

func (l *large) foldPiece(p piece) {
	if l.joiner != nil {
		l.joiner.joinPart(p.part, p.n)
		return
	}
	l.hash.Write(p.buf[:p.n])
	giveBlock(p.buf)
}

func (q *queue) failLargeFile(l *large, err error) {
	q.mu.Lock()
	if l.err == nil {
		l.err = err
	}
	q.releaseLargeFile(l)
}

// releaseLargeFile ends a worker's use of l, and closes l after the last worker. The caller must
// hold mu, which releaseLargeFile unlocks.
func (q *queue) releaseLargeFile(l *large) {
	l.active--
	if l.active > 0 || l.err == nil && l.folded < l.blocks {
		q.mu.Unlock()
		q.wake.Broadcast()
		return
	}
	for i := range q.large {
		if q.large[i] == l {
			q.large = append(q.large[:i], q.large[i+1:]...)
			break
		}
	}
	q.mu.Unlock()

	r := FileResult{Index: l.index, Name: l.name, Err: l.err}
	if r.Err == nil {
		r.Err = unchanged(l.f, l.name, l.before)
	}
	l.f.Close() // ignore the error, because the file was only read
	if r.Err == nil {
		r.Size = l.before.size
		if l.joiner != nil {
			r.Sum = l.joiner.sum()
		} else {
			r.Sum = sumOfStream(l.hash)
		}
	}
	q.deliverResult(r)
}

// joints combine results of consecutive blocks into the checksum of the whole input.
type joints struct {
	// part processes block i of an input of at least two blocks. All blocks but the last have
	// blockSize bytes. Several goroutines may call it at the same time.
	part func(block []byte, i int64) part
	// join returns a joiner for one input.
	join func() joiner
}

// A part is the intermediate result of one block. The meaning of the words depends on the function.
type part [4]uint64

// A joiner combines the parts of all blocks, in order.
type joiner interface {
	joinPart(p part, n int) // adds the part p of a block of n bytes
	sum() Sum
}

// narrowJoints describes how to sum the blocks of a large input in parallel. combiner returns a
// function for one input. That function combines the checksums of two neighboring blocks, given the
// length of the second block.
func narrowJoints(size int, sum func([]byte) Sum128, combiner func() func(a, b uint64, lenB int64) uint64) *joints {
	return &joints{
		part: func(block []byte, _ int64) part { return part{sum(block).Lo} },
		join: func() joiner { return &narrowJoiner{size: size, combine: combiner()} },
	}
}

type narrowJoiner struct {
	size    int
	combine func(a, b uint64, lenB int64) uint64
	begun   bool
	all     uint64
}

func (j *narrowJoiner) joinPart(p part, n int) {
	if !j.begun {
		j.begun, j.all = true, p[0]
		return
	}
	j.all = j.combine(j.all, p[0], int64(n))
}

func (j *narrowJoiner) sum() Sum { return Sum128{Lo: j.all}.sum(j.size) }
