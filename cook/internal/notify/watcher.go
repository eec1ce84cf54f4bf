package notify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// ErrLimit says that the system grants no more watches. The error around it
// names the limit and what to do.
var ErrLimit = errors.New("limit of the system reached")

// Changes is what happened between two calls of [Watcher.Sync].
type Changes struct {
	// Folders are those in which something may have changed, as they were
	// added, sorted, each once. They include those of Unwatched.
	Folders []string
	// Unwatched are the folders whose watch has ended because they or a folder
	// above them were removed, renamed or replaced. Some may be there again, or
	// still: add them again before listing them.
	Unwatched []string
	// Vanished says that a file or folder came into one of the folders and is gone again
	// before it could be listed, or may be. If it was another name of a file that is
	// still there, or held one, then that may have changed, wherever it is.
	Vanished bool
	// Lost says that the system dropped events. Anything may have changed,
	// the other fields are empty, and no folder is watched any more.
	Lost bool
}

// A Watcher collects which folders may have changed. Its methods may be called
// at the same time.
type Watcher struct {
	// mu is held for one system call at most by Add and for one buffer by drain: the
	// queue must not fill up meanwhile.
	mu      sync.Mutex
	queue   *queue // nil after Close
	folders folders
	trees   []string
	lost    bool // until Sync has said so; meanwhile nothing is collected

	bell   chan struct{} // rung, if it is not ringing, after changes
	closed chan struct{}
	drains sync.WaitGroup
}

// New starts watching nothing. The error wraps [errors.ErrUnsupported] on
// systems other than Linux and Windows, and ErrLimit if there are too many watchers.
func New() (*Watcher, error) {
	q, err := openQueue()
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	w := newWatcher()
	w.begin(q)
	return w, nil
}

func newWatcher() *Watcher {
	return &Watcher{folders: newFolders(), bell: make(chan struct{}, 1), closed: make(chan struct{})}
}

// begin makes q the queue and has it drained.
func (w *Watcher) begin(q *queue) {
	w.queue = q
	q.within(w.trees)
	w.drains.Add(1)
	go w.drain(q)
}

// Within names the trees, by absolute and clean paths, that most folders added
// from now on are in. On Windows one watch serves a tree.
func (w *Watcher) Within(trees ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.trees = trees; w.queue != nil {
		w.queue.within(trees)
	}
}

// Add watches a folder, without those below it: changes made after Add returns
// are reported. The path must be absolute and clean. The folders between the
// tree's root and this one must be added too, because it is their events that
// show that the path ceases to lead here. Adding a folder again is cheap, and if
// its path leads to another directory than before, or to none, then the next
// Sync says that it and those below are unwatched.
//
// The error wraps [fs.ErrNotExist] if there is no folder of that name,
// [fs.ErrPermission] if it may not be read, ErrLimit if the system grants no more
// watches, and [errors.ErrUnsupported] if the drive reports no changes.
func (w *Watcher) Add(folder string) error {
	if !filepath.IsAbs(folder) || filepath.Clean(folder) != folder {
		return fmt.Errorf("watch %q: path must be absolute and clean", folder)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.queue == nil:
		return fmt.Errorf("watch %q: %w", folder, fs.ErrClosed)
	case w.lost:
		return nil // the next Sync says that it is not watched
	}
	// Events of this watch must not be looked at before the folders know it,
	// therefore the system call is made under the lock.
	id, err := w.queue.watchFolder(folder)
	if err != nil {
		if w.folders.byPath[folder] != nil {
			w.folders.end(folder)
			w.ring()
		}
		return fmt.Errorf("watch %q: %w", folder, err)
	}
	w.release(w.folders.addWatch(folder, id))
	if len(w.folders.ended) > 0 {
		w.ring()
	}
	return nil
}

// release gives back a watch that no folder has any more.
func (w *Watcher) release(id watchID) {
	if id != noWatch && w.queue != nil {
		w.queue.remove(id)
	}
}

// Sync returns what changed since the last call and forgets it. Every change
// made before the call is in it. After an error nothing is forgotten.
func (w *Watcher) Sync(ctx context.Context) (Changes, error) {
	if err := ctx.Err(); err != nil {
		return Changes{}, fmt.Errorf("watch: %w", context.Cause(ctx))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queue == nil {
		return Changes{}, fmt.Errorf("watch: %w", fs.ErrClosed)
	}
	w.catchUp()
	if w.lost {
		return w.restart()
	}
	c, ended := w.folders.takeChanges()
	w.releaseAll(ended)
	return c, nil
}

// Placed tells the watcher that its caller has renamed files to these paths since the
// last Sync, each once. So they can be no other names of other files, and if they go
// again that is no case of [Changes.Vanished]. What others move there right afterwards may
// be taken for the same: the system merges two equal events in a row.
func (w *Watcher) Placed(files []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queue == nil || len(files) == 0 {
		return
	}
	w.catchUp()
	for _, file := range files {
		dir, name := filepath.Split(file)
		if f := w.folders.byPath[filepath.Clean(dir)]; f != nil {
			w.folders.comings.placed(f.watch, name)
		}
	}
}

// releaseAll gives watches back. The system acknowledges each in the queue,
// which must have room for that.
func (w *Watcher) releaseAll(ids []watchID) {
	for some := range slices.Chunk(ids, 256) {
		w.catchUp()
		for _, id := range some {
			w.queue.remove(id)
		}
	}
}

// catchUp notes all that is in the queue when it is called, and not what busy
// writers add meanwhile: that could go on for ever.
func (w *Watcher) catchUp() {
	left, err := w.queue.size()
	for n := 1; err == nil && left > 0 && n > 0; left -= n {
		n, err = w.queue.readEvents(w.note)
	}
	if err != nil {
		w.lost = true
	}
}

// restart leaves the watches to the old queue, which may belong to other paths
// by now, and begins with a new one.
func (w *Watcher) restart() (Changes, error) {
	q, err := openQueue()
	if err != nil {
		return Changes{}, fmt.Errorf("watch: begin again after lost events: %w", err)
	}
	old := w.queue
	w.folders, w.lost = newFolders(), false
	w.begin(q)
	// Closing waits for the drain, and the drain for the lock.
	w.mu.Unlock()
	old.closeQueue()
	w.mu.Lock()
	return Changes{Lost: true}, nil
}

// note records one event. The lock is held.
func (w *Watcher) note(e event) {
	if w.lost {
		return
	}
	if e.kind == overflowed {
		w.lost = true
	} else if !w.folders.note(e) {
		return
	}
	w.ring()
}

func (w *Watcher) ring() {
	select {
	case w.bell <- struct{}{}:
	default:
	}
}

// drain takes events from the queue as they come, so that it has room, until
// the queue is closed or broken.
func (w *Watcher) drain(q *queue) {
	defer w.drains.Done()
	err := q.each(func() (more bool, err error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.queue != q {
			return false, fs.ErrClosed
		}
		n, err := q.readEvents(w.note)
		return n > 0, err
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queue == q && err != nil {
		w.lost = true
		w.ring()
	}
}

// Wait returns when something has changed since the last Sync and then nothing more for
// as long as p says, or when p.Most has passed since the first change, counted from the
// call at the earliest. It is for one goroutine at a time: a change wakes one.
func (w *Watcher) Wait(ctx context.Context, p Patience) error {
	ended := func() error { return fmt.Errorf("watch: %w", context.Cause(ctx)) }
	quiet, pending := w.quiet(p)
	for !pending {
		select {
		case <-ctx.Done():
			return ended()
		case <-w.closed:
			return fmt.Errorf("watch: %w", fs.ErrClosed)
		case <-w.bell: // of changes that a Sync may have reported already
		}
		quiet, pending = w.quiet(p)
	}
	calm, enough := time.NewTimer(quiet), time.NewTimer(p.Most)
	defer calm.Stop()
	defer enough.Stop()
	for {
		select {
		case <-ctx.Done():
			return ended()
		case <-w.closed:
			return fmt.Errorf("watch: %w", fs.ErrClosed)
		case <-w.bell:
			quiet, _ := w.quiet(p)
			calm.Reset(quiet)
		case <-calm.C:
			return nil
		case <-enough.C:
			return nil
		}
	}
}

// Settled reports whether the changes since the last Sync look complete; see [Patience].
func (w *Watcher) Settled() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.folders.burst.settled()
}

// quiet returns how long to wait for more after what has changed, and whether anything
// has.
func (w *Watcher) quiet(p Patience) (quiet time.Duration, pending bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return p.quiet(&w.folders.burst), w.lost || len(w.folders.changed) > 0
}

// Close ends all watches and the calls of Wait. What changed is forgotten.
func (w *Watcher) Close() error {
	w.mu.Lock()
	q := w.queue
	w.queue = nil
	if q != nil {
		close(w.closed)
	}
	w.mu.Unlock()
	if q == nil {
		return nil
	}
	err := q.closeQueue()
	w.drains.Wait()
	return err
}
