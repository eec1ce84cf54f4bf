package hashing

import (
	"context"
	"errors"
	"sync"
)

// maxEarly is how many files may be begun after the first undelivered one.
const maxEarly = 1024

// queue distributes the work of one call of Files.Sum and puts the results in order. Large files
// come before new ones, so that few files are open at a time.
type queue struct {
	Files
	ctx  context.Context // ends with the caller's context, or by end
	end  func()
	done func(FileResult)

	names sync.Mutex // held while next runs; locked before mu, never after
	next  func() (string, bool)

	mu         sync.Mutex
	wake       sync.Cond          // signals a change below that workers wait for
	exhausted  bool               // next has no more names
	begun      int                // files taken from next
	busy       int                // files in progress, and workers asking for one
	large      []*large           // files with blocks for other workers
	delivered  int                // results passed to done
	delivering bool               // a goroutine is in done
	early      map[int]FileResult // results that wait for an earlier one
	cut        bool               // ctx ended before some file did
	panicked   any                // first panic in one of the caller's functions
}

// task is a worker's next piece of work: a block of a large file, or a whole file.
type task struct {
	large *large
	block int64

	index int
	name  string
}

func (q *queue) work() {
	for {
		t, ok := q.waitForTask()
		switch {
		case !ok:
			return
		case t.large != nil:
			q.readBlock(t.large, t.block)
		default:
			q.file(t.index, t.name)
		}
	}
}

// waitForTask waits for the next task. It reports false once no file is in progress and none will
// be begun: until then a file may turn out large, with blocks for all workers.
func (q *queue) waitForTask() (task, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		ended := q.ctx.Err() != nil
		for _, l := range q.large {
			if i, ok := l.claim(); ok {
				return task{large: l, block: i}, true
			}
		}
		if !ended && !q.exhausted && q.begun-q.delivered < maxEarly {
			if t, ok := q.ask(); ok {
				return t, true
			}
			continue // there may be blocks by now
		}
		if (ended || q.exhausted) && q.busy == 0 {
			return task{}, false
		}
		q.wake.Wait()
	}
}

// ask takes the next name. mu must be held; ask unlocks it while it waits.
func (q *queue) ask() (task, bool) {
	q.busy++
	q.mu.Unlock()
	q.names.Lock()
	q.mu.Lock()
	if !q.exhausted && q.ctx.Err() == nil { // recheck after waiting for names
		q.mu.Unlock()
		var name string
		ok := false
		q.call(func() { name, ok = q.next() })
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

// deliver passes the result of a file to done, after the results of all earlier files.
func (q *queue) deliver(r FileResult) {
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
		q.call(func() { q.done(r) })
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
		q.call(func() { q.Progress(int64(n)) })
	}
}

// call calls f, which calls one of the caller's functions, with at most names locked. A panic
// ends the work; Sum panics again when all workers have ended. After a panic call does nothing.
func (q *queue) call(f func()) {
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
