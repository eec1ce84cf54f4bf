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

// Files sums named files.
//
// Several files are summed at once, and several workers share a file of more than 256 KiB: they
// sum its blocks if the function allows it ([Func.Parallel]), and otherwise read ahead of the
// worker that sums. A worker needs 256 KiB of memory, or 768 KiB to read ahead. Memory does not
// grow with the size of files, and with their number only by their names.
//
// Regular files, links to them, pipes and devices are read to their end; directories are errors.
// Files are not memory-mapped, so truncating a file during the sum is an error, not a fault.
type Files struct {
	Func     Func
	Workers  int           // goroutines that open, read and sum; 0 means GOMAXPROCS
	Progress func(n int64) // called with n more bytes, concurrently; may be nil
}

// FileResult is the result for one file.
type FileResult struct {
	Index int    // index in the names, from 0
	Name  string // as given
	Sum   Sum    // zero on error
	Size  int64  // bytes read; 0 on error
	Err   error  // names the file
}

// ErrChanged means that a file's size or modification time changed during the sum. The sum would
// be of a content that the file never had.
var ErrChanged = errors.New("the file changed while it was read; sum it again when no program writes to it")

// SumFile returns the sum and the size of the named file. It uses all cores for a large file.
func SumFile(ctx context.Context, f Func, name string) (Sum, int64, error) {
	var out *FileResult
	err := Files{Func: f}.Sum(ctx, slices.Values([]string{name}), func(r FileResult) { out = &r })
	if out != nil {
		return out.Sum, out.Size, out.Err
	}
	return Sum{}, 0, err
}

// Sum sums the named files and passes each result to done, one at a time and in the order of
// names, from several goroutines. An error of a file is in its result and does not affect other
// files.
//
// Sum calls names from one goroutine at a time, and only if a worker is free and fewer than 1024
// results wait for an earlier one.
//
// When ctx ends, Sum begins no further files, and those in progress end with its error. Sum
// returns that error unless all files were summed. If names, done or Progress panics, the work
// ends in the same way, none of them is called again, and Sum panics with the same value; they
// must not end their goroutine (runtime.Goexit, t.FailNow). In all cases all workers have ended.
//
// Sum cannot interrupt a wait in names, or a read of a device whose driver does not support
// deadlines. It abandons a named pipe without a writer, but the goroutine that opens the pipe
// lives until a writer comes.
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
	q.work() // one worker needs no goroutine
	wg.Wait()
	if q.panicked != nil {
		panic(q.panicked)
	}
	if q.exhausted && !q.cut {
		return nil // ctx may have ended after the last file
	}
	return ctx.Err()
}

// blockSize is the unit of reading a large file; one worker sums it. BLAKE3's tree requires a
// power of two. A block of 1 MiB would leave the second-level cache before it is summed.
const blockSize = 256 << 10

type block [blockSize]byte

// blocks are shared by all calls: all have one size.
var blocks = sync.Pool{New: func() any { return new(block) }}

func takeBlock() *block  { return blocks.Get().(*block) }
func giveBlock(b *block) { blocks.Put(b) }

// streamed returns the sum of a streaming hash.
func streamed(h hash.Hash) Sum { return sumOf(h.Sum(make([]byte, 0, maxSize))) }
