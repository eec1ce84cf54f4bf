package hashing

import (
	"context"
	"errors"
	"hash"
	"io"
	"io/fs"
	"iter"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Files computes checksums of named files.
//
// Several files are processed at the same time, and several workers share a file of more than 256
// KiB. If the function allows it ([Func.Parallel]), the workers process blocks in parallel.
// Otherwise one worker computes the checksum while the others read ahead. A worker needs 256 KiB of
// memory, or 768 KiB to read ahead. Memory use does not depend on the sizes of the files. It
// depends on their number only because their names are kept.
//
// Regular files, links to them, pipes and devices are read to their end; directories are errors.
// Files are not memory-mapped, so a file that is truncated while it is read causes an error, not a
// memory fault.
type Files struct {
	Func     Func
	Workers  int           // number of goroutines; 0 means GOMAXPROCS
	Progress func(n int64) // called concurrently after n more bytes were read; may be nil
}

// FileResult is the result for one file.
type FileResult struct {
	Index int    // index of the file's name, from 0
	Name  string // name as passed to Sum
	Sum   Sum    // zero on error
	Size  int64  // number of bytes read; 0 on error
	Err   error  // includes the file's name
}

// ErrChanged means that a file's size or modification time changed while it was read. The checksum
// could belong to content that the file never had.
var ErrChanged = errors.New("the file changed while it was read; sum it again when no program writes to it")

// SumFile returns the checksum and the size of the named file. It uses all cores for a large file.
func SumFile(ctx context.Context, f Func, name string) (Sum, int64, error) {
	var out *FileResult
	err := Files{Func: f}.Sum(ctx, slices.Values([]string{name}), func(r FileResult) { out = &r })
	if out != nil {
		return out.Sum, out.Size, out.Err
	}
	return Sum{}, 0, err
}

// Sum computes checksums of the named files, and passes each result to done in the order of names.
// Calls of done come from several goroutines but never overlap. An error on one file is in its
// result and does not affect other files.
//
// Sum iterates over names in one goroutine at a time. It takes a name only if a worker is free and
// fewer than 1024 results wait for an earlier one.
//
// When ctx ends, Sum begins no further files, and files in progress fail with the context's error.
// Sum returns that error unless all files are finished. If names, done or Progress panics, the work
// ends in the same way, and Sum panics with the same value. These functions must not end their
// goroutine (runtime.Goexit, t.FailNow). When Sum returns or panics, all its workers have ended.
//
// Sum cannot interrupt the iterator names while it waits for a name, or a read of a device whose
// driver does not support deadlines. It abandons a named pipe without a writer, but the goroutine
// that opens the pipe remains until a writer opens it too.
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
		wg.Go(q.runWorker)
	}
	q.runWorker() // a single worker needs no goroutine
	wg.Wait()
	if q.panicked != nil {
		panic(q.panicked)
	}
	if q.exhausted && !q.cut {
		return nil // ctx may have ended after the last file
	}
	return ctx.Err()
}

// blockSize is the size of the blocks that workers read from a large file. BLAKE3's tree requires a
// power of two. A block of 1 MiB would be evicted from the L2 cache before it is hashed.
const blockSize = 256 << 10

type block [blockSize]byte

// blocks is a pool that all calls share, because all blocks have the same size.
var blocks = sync.Pool{New: func() any { return new(block) }}

func takeBlock() *block  { return blocks.Get().(*block) }
func giveBlock(b *block) { blocks.Put(b) }

func sumOfStream(h hash.Hash) Sum { return sumOf(h.Sum(make([]byte, 0, maxSize))) }

// maxEarly limits how many files may begin after the first file whose result is not yet delivered.
const maxEarly = 1024

// A queue distributes the work of one call of Files.Sum and delivers the results in order. Workers
// prefer blocks of large files to new files, so that few files are open at a time.
type queue struct {
	Files
	ctx  context.Context // canceled with the caller's context, or by the function end
	end  func()
	done func(FileResult)

	names sync.Mutex // held while next runs; must be locked before mu
	next  func() (string, bool)

	mu         sync.Mutex
	wake       sync.Cond          // signals changes of the fields below
	exhausted  bool               // whether next has no more names
	begun      int                // number of files taken from next
	busy       int                // number of files in progress, and of workers waiting for a name
	large      []*large           // files with blocks for other workers
	delivered  int                // number of results passed to done
	delivering bool               // whether a goroutine is calling done
	early      map[int]FileResult // results by index that wait for an earlier result
	cut        bool               // whether ctx ended before all files were finished
	panicked   any                // first panic in a function of the caller
}

// A task is the next work of a worker: a block of a large file, or a whole file.
type task struct {
	large *large
	block int64

	index int
	name  string
}

func (q *queue) runWorker() {
	for {
		t, ok := q.waitForTask()
		switch {
		case !ok:
			return
		case t.large != nil:
			q.readBlock(t.large, t.block)
		default:
			q.sumNamedFile(t.index, t.name)
		}
	}
}

// waitForTask waits for the next task. It returns false when no file is in progress and none will
// begin. Until then, a file may turn out to be large and have blocks for all workers.
func (q *queue) waitForTask() (task, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		ended := q.ctx.Err() != nil
		for _, l := range q.large {
			if i, ok := l.claimBlock(); ok {
				return task{large: l, block: i}, true
			}
		}
		if !ended && !q.exhausted && q.begun-q.delivered < maxEarly {
			if t, ok := q.takeNextName(); ok {
				return t, true
			}
			continue // another worker may have added blocks
		}
		if (ended || q.exhausted) && q.busy == 0 {
			return task{}, false
		}
		q.wake.Wait()
	}
}

// takeNextName takes the next name. The caller must hold mu, which takeNextName unlocks while it
// waits.
func (q *queue) takeNextName() (task, bool) {
	q.busy++
	q.mu.Unlock()
	q.names.Lock()
	q.mu.Lock()
	if !q.exhausted && q.ctx.Err() == nil { // recheck after waiting for the names lock
		q.mu.Unlock()
		var name string
		ok := false
		q.callCaller(func() { name, ok = q.next() })
		q.mu.Lock()
		if ok && q.panicked == nil {
			t := task{index: q.begun, name: name}
			q.begun++
			q.names.Unlock()
			return t, true
		}
		q.exhausted = true
	}
	q.names.Unlock()
	q.busy--
	q.wake.Broadcast()
	return task{}, false
}

// deliverResult passes a file's result to done, after the results of all earlier files.
func (q *queue) deliverResult(r FileResult) {
	q.mu.Lock()
	q.busy--
	if end := q.ctx.Err(); end != nil && errors.Is(r.Err, end) {
		q.cut = true
	}
	if q.delivering || r.Index != q.delivered {
		q.early[r.Index] = r
		q.mu.Unlock()
		q.wake.Broadcast()
		return
	}
	q.delivering = true
	for ok := true; ok; {
		q.mu.Unlock()
		q.callCaller(func() { q.done(r) })
		q.mu.Lock()
		q.delivered++
		r, ok = q.early[q.delivered]
		delete(q.early, q.delivered)
	}
	q.delivering = false
	q.mu.Unlock()
	q.wake.Broadcast()
}

func (q *queue) progress(n int) {
	if q.Progress != nil && n > 0 {
		q.callCaller(func() { q.Progress(int64(n)) })
	}
}

// callCaller runs f, which calls a function of the caller, unless an earlier f has panicked. If f
// panics, the work ends, and Sum panics with the same value. No lock other than q.names may be
// held.
func (q *queue) callCaller(f func()) {
	defer func() {
		if p := recover(); p != nil {
			q.mu.Lock()
			if q.panicked == nil {
				q.panicked = p
			}
			q.exhausted = true
			q.mu.Unlock()
			q.end()
			q.wake.Broadcast()
		}
	}()
	q.mu.Lock()
	over := q.panicked != nil
	q.mu.Unlock()
	if !over {
		f()
	}
}

// sumNamedFile processes a small file. It shares a large file with other workers, and processes the
// first block itself.
func (q *queue) sumNamedFile(index int, name string) {
	buf := takeBlock()
	sum, size, big, err := q.sumSmallFile(name, buf)
	if big != nil {
		big.index, big.name = index, name
		q.beginLargeFile(big, buf)
		return
	}
	giveBlock(buf)
	if err != nil {
		sum, size = Sum{}, 0
	}
	q.deliverResult(FileResult{Index: index, Name: name, Sum: sum, Size: size, Err: err})
}

// sumSmallFile returns the checksum of a small file. It returns a large file unfinished, with its
// first block in buf.
func (q *queue) sumSmallFile(name string, buf *block) (Sum, int64, *large, error) {
	f, before, err := openForSum(q.ctx, name)
	if err != nil {
		return Sum{}, 0, nil, err
	}
	keep := false
	defer func() {
		if !keep {
			f.Close() // ignore the error, because the file was only read
		}
	}()
	if f, ok := f.(osFile); ok && before.kind != regular {
		// When ctx ends, interrupt a read from a silent pipe, on systems that support deadlines.
		stop := context.AfterFunc(q.ctx, func() { f.SetReadDeadline(time.Unix(1, 0)) })
		defer stop()
	}

	n, end, err := q.fillBlock(f, buf[:], before)
	switch {
	case err != nil:
		return Sum{}, 0, nil, q.readError(name, err)
	case end:
		if before.kind == regular {
			err = unchanged(f, name, before)
		}
		return q.Func.Sum(buf[:n]), int64(n), nil, err
	case before.kind == regular && before.size > blockSize:
		keep = true
		return Sum{}, 0, newLarge(q.Func, f, before), nil
	}

	h := q.Func.New()
	h.Write(buf[:n])
	rest, err := readPieces(q.ctx, f, buf[:], func(p []byte) {
		h.Write(p)
		q.progress(len(p))
	})
	if err != nil {
		return Sum{}, 0, nil, q.readError(name, err)
	}
	if before.kind == regular {
		err = unchanged(f, name, before)
	}
	return sumOfStream(h), int64(n) + rest, nil, err
}

// fillBlock reads until buf is full or the file ends. For a regular file, it also stops after the
// reported size, which saves the system call that would return io.EOF.
func (q *queue) fillBlock(f source, buf []byte, before stamp) (n int, end bool, err error) {
	for n < len(buf) {
		k, err := readSome(q.ctx, f, buf[n:])
		n += k
		q.progress(k)
		switch {
		case err == io.EOF:
			return n, true, nil
		case err != nil:
			return 0, false, err
		case before.kind == regular && int64(n) == before.size && n < len(buf):
			return n, true, nil
		}
	}
	return n, false, nil
}

// readError replaces a read error with the context's error, if the context has ended.
func (q *queue) readError(name string, err error) error {
	if end := q.ctx.Err(); end != nil {
		err = end
	}
	if _, named := err.(*fs.PathError); named {
		return err
	}
	return fileError(name, err)
}
