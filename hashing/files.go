package hashing

import (
	"context"
	"errors"
	"hash"
	"iter"
	"runtime"
	"slices"
	"sync"
)

// Files says how named files are summed.
//
// Several files are summed at once, and several workers share a file of more than
// 256 KiB: they sum its blocks where the function allows it ([Func.Parallel]), and
// otherwise read ahead of the one that sums. A worker needs 256 KiB of memory, 768 KiB
// where blocks are read ahead; nothing grows with the size of the files, and with
// their number nothing but the names.
//
// Regular files, links to them, pipes and devices are read to their end;
// directories are errors. Nothing is mapped into memory, so that a file which is
// truncated meanwhile is an error too and not a fault.
type Files struct {
	Func     Func
	Workers  int           // goroutines that open, read and sum; 0 is GOMAXPROCS
	Progress func(n int64) // nil, or hears of n more bytes from several goroutines at once
}

// FileResult is what became of one file.
type FileResult struct {
	Index int    // its place in the names, from 0
	Name  string // as it was given
	Sum   Sum    // with an error: the zero Sum
	Size  int64  // bytes that were read; with an error: 0
	Err   error  // names the file
}

// ErrChanged is the error of a file whose size or modification time changed while
// it was read: its sum would be that of a content that the file never had.
var ErrChanged = errors.New("the file changed while it was read; sum it again when nobody writes to it")

// SumFile returns the sum and the size of the named file, for which it uses all
// cores if the file is large.
func SumFile(ctx context.Context, f Func, name string) (Sum, int64, error) {
	var out *FileResult
	err := Files{Func: f}.Sum(ctx, slices.Values([]string{name}), func(r FileResult) { out = &r })
	if out != nil {
		return out.Sum, out.Size, out.Err
	}
	return Sum{}, 0, err
}

// Sum sums the files that names gives and hands each result to done, one at a time
// and in the order of names, from several goroutines. The error of a file is in its
// result and stops nothing else.
//
// names is asked by one goroutine at a time, and only when there is a worker for
// the file and fewer than 1024 results wait for an earlier one.
//
// When ctx ends, no further file is begun and those in work end with its error.
// Sum returns that error unless every file was summed and names had no more. If
// names, done or Progress panics, the work ends in the same way, none of them is
// called again, and Sum panics with the same value; they may not end their
// goroutine (runtime.Goexit, t.FailNow). In all cases all workers have ended.
//
// What cannot be cut short is a wait in names, and one in a read of a device whose
// driver knows no deadlines. A named pipe that has no writer yet is given up, but
// the goroutine that opens it lives until a writer comes.
func (f Files) Sum(ctx context.Context, names iter.Seq[string], done func(FileResult)) error {
	workers := f.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if f.Func.stream == nil {
		return errors.New("sum files: Files.Func is the zero Func; get one from Lookup")
	}
	next, stop := iter.Pull(names)
	defer stop()
	work, end := context.WithCancel(ctx)
	defer end()
	q := &queue{Files: f, ctx: work, end: end, next: next, done: done, early: map[int]FileResult{}}
	q.wake.L = &q.mu
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(q.work)
	}
	q.work() // so that one worker costs no goroutine
	wg.Wait()
	if q.panicked != nil {
		panic(q.panicked)
	}
	if q.exhausted && !q.cut {
		return nil // ctx may have ended since
	}
	return ctx.Err()
}

// blockSize is what is read at once of a large file, and summed by one worker.
// BLAKE3's tree wants a power of two. A block of 1 MiB left the second-level cache
// before it was summed.
const blockSize = 256 << 10

type block [blockSize]byte

// blocks are reused by all calls, as all are of one size.
var blocks = sync.Pool{New: func() any { return new(block) }}

func takeBlock() *block  { return blocks.Get().(*block) }
func giveBlock(b *block) { blocks.Put(b) }

// streamed returns the sum of a streaming hash.
func streamed(h hash.Hash) Sum { return sumOf(h.Sum(make([]byte, 0, maxSize))) }
