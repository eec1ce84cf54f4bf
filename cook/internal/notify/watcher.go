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

// ErrLimit reports that the system grants no more watches. The wrapping error names the limit and
// the remedy.
var ErrLimit = errors.New("the operating system cannot watch more directories")

// Changes are the collected changes between two calls of [Watcher.Sync].
type Changes struct {
	// Folders are the directories that may contain changes, by their added paths. They are sorted,
	// without duplicates, and include Unwatched.
	Folders []string
	// Unwatched are the directories whose watch has ended because they or a directory above them
	// were removed, renamed or replaced. Some of them may still exist, or exist again. Add these
	// again before listing them.
	Unwatched []string
	// Vanished is set if a file or directory appeared and may have vanished before it could be
	// listed. It may have been a hard link to an existing file, or have contained one. In this
	// case, the existing file may have changed, wherever it is.
	Vanished bool
	// Lost is set if the system dropped events. Anything may have changed, the other fields are
	// empty, and no directory is watched any more.
	Lost bool
}

// A Watcher collects the directories that may have changed. Its methods are safe for concurrent
// use.
type Watcher struct {
	// mu is held for at most one system call by Add, and for at most one buffer by drain. Otherwise
	// the queue could fill up meanwhile.
	mu      sync.Mutex
	queue   *queue // nil after Close
	folders folders
	trees   []string
	lost    bool // set until Sync reports the loss; no events are collected meanwhile

	bell   chan struct{} // signals changes; capacity 1
	closed chan struct{}
	drains sync.WaitGroup
}

// New returns a watcher without directories. The error wraps [errors.ErrUnsupported] on systems
// other than Linux and Windows, and ErrLimit if there are too many watchers.
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

// begin sets the queue and starts draining it.
func (w *Watcher) begin(q *queue) {
	w.queue = q
	q.within(w.trees)
	w.drains.Add(1)
	go w.drain(q)
}

// Within names the trees, by absolute and clean paths, that contain most directories added from
// now on. On Windows, one watch serves a tree.
func (w *Watcher) Within(trees ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.trees = trees; w.queue != nil {
		w.queue.within(trees)
	}
}

// Add watches a directory without its subdirectories: changes made after Add returns are
// reported. The path must be absolute and clean. The directories between the tree's root and this
// one must be added too, because only their events show that the path leads elsewhere. Adding a
// directory again is cheap. If its path leads to another directory than before, or to none, the
// next Sync reports it and all paths below it as unwatched.
//
// The error wraps [fs.ErrNotExist] if the directory does not exist, [fs.ErrPermission] if it is
// not readable, ErrLimit if the system grants no more watches, and [errors.ErrUnsupported] if the
// drive reports no changes.
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
		return nil // the next Sync reports the directory as unwatched
	}
	// The system call is made under the lock, because the watch must be recorded before its first
	// event is handled.
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

// release ends a watch that no path has any more.
func (w *Watcher) release(id watchID) {
	if id != noWatch && w.queue != nil {
		w.queue.remove(id)
	}
}

// Sync returns the changes since the last call and forgets them. The result includes every change
// made before the call. After an error, nothing is forgotten.
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

// Placed tells the watcher that its caller has renamed files to these paths since the last Sync,
// each path once. These files do not count as additional links to existing files, and their removal
// does not set [Changes.Vanished]. If another program moves a file to one of these paths right
// afterwards, the watcher may mistake it for the caller's file. The reason is that the system
// merges two equal events in a row.
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

// releaseAll ends watches. The queue must have room, because the system confirms each ended watch
// in the queue.
func (w *Watcher) releaseAll(ids []watchID) {
	for some := range slices.Chunk(ids, 256) {
		w.catchUp()
		for _, id := range some {
			w.queue.remove(id)
		}
	}
}

// catchUp records the events in the queue at the time of the call. It ignores later events,
// because busy writers could add events for ever.
func (w *Watcher) catchUp() {
	left, err := w.queue.size()
	for n := 1; err == nil && left > 0 && n > 0; left -= n {
		n, err = w.queue.readEvents(w.note)
	}
	if err != nil {
		w.lost = true
	}
}

// restart replaces the queue by a new one without watches. The old watches may belong to other
// paths by now.
func (w *Watcher) restart() (Changes, error) {
	q, err := openQueue()
	if err != nil {
		return Changes{}, fmt.Errorf("watch: cannot start again after events were lost: %w", err)
	}
	old := w.queue
	w.folders, w.lost = newFolders(), false
	w.begin(q)
	// Closing waits for drain, and drain waits for the lock.
	w.mu.Unlock()
	old.closeQueue()
	w.mu.Lock()
	return Changes{Lost: true}, nil
}

// note records one event. The caller holds the lock.
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

// drain reads events from the queue as they arrive, so that the queue does not fill up, until it
// is closed or broken.
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

// Wait returns when something has changed since the last Sync and no further change has followed
// for the time that p requires. It also returns when p.Most has passed since the first change, or
// since the call if that is later. Only one goroutine may call Wait at a time, because a change
// wakes one caller.
func (w *Watcher) Wait(ctx context.Context, p Patience) error {
	ended := func() error { return fmt.Errorf("watch: %w", context.Cause(ctx)) }
	quiet, pending := w.quiet(p)
	for !pending {
		select {
		case <-ctx.Done():
			return ended()
		case <-w.closed:
			return fmt.Errorf("watch: %w", fs.ErrClosed)
		case <-w.bell: // a Sync may have reported the change already
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

// quiet returns how long to wait for further changes, and whether anything has changed.
func (w *Watcher) quiet(p Patience) (quiet time.Duration, pending bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return p.quiet(&w.folders.burst), w.lost || len(w.folders.changed) > 0
}

// Close ends all watches and calls of Wait, and forgets all changes.
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

// names counts names in directories, up to a limit.
type names struct {
	set  map[entryName]int
	most int
	full bool // the limit was exceeded
}

type entryName struct {
	watch watchID
	name  string
}

func newNames(most int) names { return names{set: map[entryName]int{}, most: most} }

func (n *names) addEventNames(e event) {
	key := entryName{e.watch, string(e.name)}
	if n.set[key] == 0 && len(n.set) >= n.most {
		n.full = true
		return
	}
	n.set[key]++
}

// has reports whether a name was added. It also returns true if the limit was exceeded.
func (n *names) has(e event) bool {
	_, ok := n.set[entryName{e.watch, string(e.name)}]
	return ok || n.full
}

// remove removes a name and reports whether it was present.
func (n *names) remove(e event) bool {
	key := entryName{e.watch, string(e.name)}
	_, ok := n.set[key]
	delete(n.set, key)
	return ok
}

// takeBack undoes one previous add of a name.
func (n *names) takeBack(key entryName) {
	if n.set[key]--; n.set[key] <= 0 {
		delete(n.set, key)
	}
}

// none reports whether no name was added.
func (n *names) none() bool { return len(n.set) == 0 && !n.full }

func (n *names) clear() {
	clear(n.set)
	n.full = false
}
