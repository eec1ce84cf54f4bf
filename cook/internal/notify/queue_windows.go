package notify

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/windows"
)

// treeBuffer is the buffer size for a whole tree, the largest that network drives accept.
// folderBuffer is the buffer size for a single directory.
const (
	treeBuffer   = 64 << 10
	folderBuffer = 8 << 10
)

// queue reads directory changes by overlapped I/O. One handle serves a whole tree: with a handle
// for each directory, no directory above an open one could be renamed.
//
// All handles signal one event. A request resets the event, so readEvents checks all handles once
// more after its last request.
type queue struct {
	trees   []string // absolute roots, each with one handle for the tree
	event   windows.Handle
	handles map[string]*dirHandle // open handles by the dirKey of their path
	folders map[string]watchID    // watches of directories by dirKey
	paths   map[watchID]string    // the dirKey of each watched directory, by watch
	last    watchID
	cookie  uint32
	closing atomic.Bool
	ended   chan struct{} // closed when the method each returns
}

func openQueue() (*queue, error) {
	event, err := windows.CreateEvent(nil, 0, 0, nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateEvent", err)
	}
	return &queue{
		event: event, handles: map[string]*dirHandle{},
		folders: map[string]watchID{}, paths: map[watchID]string{}, ended: make(chan struct{}),
	}, nil
}

func (q *queue) within(trees []string) { q.trees = trees }

// dirKey returns the same key for paths that differ in case only.
func dirKey(path string) string { return strings.ToLower(path) }

// watchFolder watches a directory. Directories in a tree share the handle of the tree; a
// directory below a link has its own, because the system follows no links.
func (q *queue) watchFolder(path string) (watchID, error) {
	key := dirKey(path)
	if h := q.handles[key]; h != nil && !h.current() {
		q.drop(h)
	}
	if id, known := q.folders[key]; known {
		return id, requireFolder(path)
	}
	if err := requireFolder(path); err != nil {
		return noWatch, err
	}
	if q.handles[key] == nil {
		if err := q.cover(path); err != nil {
			return noWatch, err
		}
	}
	q.last++
	q.folders[key], q.paths[q.last] = q.last, key
	return q.last, nil
}

// cover opens a handle that reports the changes in a directory, unless such a handle is open
// already.
func (q *queue) cover(path string) error {
	for _, tree := range q.trees {
		if dirKey(path) != dirKey(tree) && !q.plainlyBelow(tree, path) {
			continue
		}
		if q.handles[dirKey(tree)] != nil {
			return nil
		}
		return q.open(tree, true)
	}
	return q.open(path, false)
}

// plainlyBelow reports whether path is in a tree and no directory on the way from the root of the
// tree to path is a link. It assumes that directories that are already watched are not links.
func (q *queue) plainlyBelow(tree, path string) bool {
	if !strings.HasPrefix(dirKey(path), strings.TrimSuffix(dirKey(tree), `\`)+`\`) {
		return false
	}
	for at := path; dirKey(at) != dirKey(tree); at = filepath.Dir(at) {
		key := dirKey(at)
		if q.handles[key] != nil {
			return false
		}
		if _, known := q.folders[key]; known {
			return true
		}
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0 {
			return false
		}
	}
	return true
}

// open opens a handle and requests the first changes.
func (q *queue) open(path string, tree bool) error {
	h, err := openDir(path, tree)
	if err != nil {
		return err
	}
	if err := h.request(q.event); err != nil {
		windows.CloseHandle(h.handle)
		return fmt.Errorf("Windows does not report changes in this directory (%w): %w", err, errors.ErrUnsupported)
	}
	q.handles[dirKey(path)] = h
	return windows.SetEvent(q.event) // the request may have reset the event
}

// drop closes a handle and forgets the directories whose changes only this handle reported.
func (q *queue) drop(h *dirHandle) {
	key := dirKey(h.path)
	for _, path := range q.served(h) {
		delete(q.paths, q.folders[path])
		delete(q.folders, path)
	}
	delete(q.handles, key)
	h.close(q.event)
}

// served returns the keys of the directories whose changes are reported only by the handle in h.
func (q *queue) served(h *dirHandle) (keys []string) {
	own := dirKey(h.path)
	for key := range q.folders {
		below := h.tree && strings.HasPrefix(key, strings.TrimSuffix(own, `\`)+`\`) && q.handles[key] == nil
		if key == own || below {
			keys = append(keys, key)
		}
	}
	return keys
}

// remove ends a watch and closes the handle of its directory, if it has one. The handle of a tree
// above the directory stays open.
func (q *queue) remove(id watchID) {
	key, known := q.paths[id]
	if !known {
		return
	}
	delete(q.paths, id)
	delete(q.folders, key)
	if h := q.handles[key]; h != nil {
		q.drop(h)
	}
}

// size returns an upper bound of the bytes that wait to be read, 0 if there are none. It
// also checks whether the root of a tree was renamed, which the system does not report.
func (q *queue) size() (n int, err error) {
	for _, h := range q.handles {
		h.moved = h.moved || !h.current()
		if h.moved || h.done() {
			n = treeBuffer
		}
	}
	return n, nil
}

// readEvents calls note for each waiting change, and returns the size of these changes in bytes. It
// returns 0 if there are none.
func (q *queue) readEvents(note func(event)) (n int, err error) {
	for more := true; more; {
		more = false
		for _, h := range q.handles {
			if h.done() {
				more = true
				n += q.take(h, note)
			}
			if h.moved {
				q.end(h, note)
				n++
			}
			if n > treeBuffer {
				return n, windows.SetEvent(q.event) // a busy writer must not prevent the return
			}
		}
	}
	return n, nil
}

// take calls note for each change of a complete request, and makes the next request.
func (q *queue) take(h *dirHandle, note func(event)) int {
	buf, err := h.result()
	switch {
	case errors.Is(err, windows.ERROR_NOTIFY_ENUM_DIR), errors.Is(err, windows.ERROR_OPERATION_ABORTED), err == nil && len(buf) == 0:
		note(event{watch: noWatch, kind: overflowed})
	case err == nil:
		if q.decode(h.path, buf, note) != nil {
			note(event{watch: noWatch, kind: overflowed})
		}
	}
	if err == nil {
		err = h.request(q.event)
	}
	h.moved = h.moved || err != nil
	return len(buf) + 1
}

// end closes a handle that failed, and records that its directories are no longer watched. The
// handle fails if the directory was removed or renamed, or its drive was removed.
func (q *queue) end(h *dirHandle, note func(event)) {
	var ids []watchID
	for _, key := range q.served(h) {
		ids = append(ids, q.folders[key])
	}
	q.drop(h)
	for _, id := range ids {
		note(event{watch: id, kind: ended, folder: true})
	}
}

// each calls take whenever changes are waiting. It returns when take fails or the queue is closed.
// take must call readEvents.
func (q *queue) each(take func() (more bool, err error)) error {
	defer close(q.ended)
	for {
		for more := true; more; {
			var err error
			if more, err = take(); err != nil {
				return err
			}
		}
		if _, err := windows.WaitForSingleObject(q.event, windows.INFINITE); err != nil {
			return os.NewSyscallError("WaitForSingleObject", err)
		}
		if q.closing.Load() {
			return fs.ErrClosed
		}
	}
}

// closeQueue closes all handles and ends the method each. Callbacks of each must not call it.
func (q *queue) closeQueue() error {
	q.closing.Store(true)
	if err := windows.SetEvent(q.event); err != nil {
		return os.NewSyscallError("SetEvent", err)
	}
	<-q.ended
	for _, h := range q.handles {
		h.close(q.event)
	}
	return windows.CloseHandle(q.event)
}
