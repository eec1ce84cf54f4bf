package notify

import (
	"os"
	"path/filepath"
	"slices"
)

// watchID is a watch's number in its queue. The system never reuses a number.
type watchID int32

const noWatch watchID = -1

// event is the relevant part of a system event.
type event struct {
	watch  watchID
	name   []byte // the changed entry; empty for the directory itself
	kind   kind
	folder bool   // the entry is a directory
	cookie uint32 // equal in the two events of a move
}

type kind uint8

const (
	changed   kind = iota // the attributes of an entry or of the directory changed
	written               // an entry was written
	closed                // an entry that was open for writing was closed
	made                  // an entry was created
	removed               // an entry was removed
	movedFrom             // an entry was moved away
	movedTo               // an entry was moved here
	ended                 // the directory's own path now leads elsewhere
	overflowed
)

// folder is one added path.
type folder struct {
	path  string
	watch watchID
	next  *folder // next path that leads to the same directory
}

// folders holds the added paths and their changes. Its memory depends on the number of paths, not
// on the number of events.
type folders struct {
	byPath  map[string]*folder
	byWatch map[watchID]*folder
	changed map[string]struct{} // paths in byPath whose directories changed
	ended   map[string]struct{} // paths that led to another directory since the last takeChanges
	child   []byte              // scratch buffer for the path of a child
	comings comings
	burst   burst
}

func newFolders() folders {
	return folders{
		byPath:  map[string]*folder{},
		byWatch: map[watchID]*folder{},
		changed: map[string]struct{}{},
		ended:   map[string]struct{}{},
		comings: newComings(),
		burst:   newBurst(),
	}
}

// addWatch records that path is watched by id, and returns the path's old watch if no other path
// has it.
func (f *folders) addWatch(path string, id watchID) (unused watchID) {
	unused = noWatch
	if old := f.byPath[path]; old != nil {
		if old.watch == id {
			return noWatch
		}
		// The path now leads to another directory. The queue still has the event about this change,
		// but that event will not be recognized, because the old watch is forgotten here.
		unused = f.unlink(old)
		f.end(path)
	}
	entry := &folder{path: path, watch: id, next: f.byWatch[id]}
	f.byPath[path], f.byWatch[id] = entry, entry
	return unused
}

func (f *folders) unlink(entry *folder) (unused watchID) {
	first := f.byWatch[entry.watch]
	switch {
	case first != entry:
		for first.next != entry {
			first = first.next
		}
		first.next = entry.next
	case entry.next != nil:
		f.byWatch[entry.watch] = entry.next
	default:
		delete(f.byWatch, entry.watch)
		return entry.watch
	}
	return noWatch
}

// note records an event and reports whether the event belongs to a directory that was added.
func (f *folders) note(e event) bool {
	first := f.byWatch[e.watch]
	if first != nil {
		f.comings.note(e)
		f.burst.note(e)
	}
	for entry := first; entry != nil; entry = entry.next {
		f.changed[entry.path] = struct{}{}
		switch {
		case e.kind == ended:
			f.end(entry.path)
			if parent := filepath.Dir(entry.path); f.byPath[parent] != nil {
				f.changed[parent] = struct{}{}
			}
		case e.kind == removed, e.kind == movedFrom, e.kind == movedTo:
			// The entry may be a link to an added directory. That directory has no event of its
			// own, because it was not moved.
			f.child = append(f.child[:0], entry.path...)
			if last := len(entry.path) - 1; !os.IsPathSeparator(entry.path[last]) {
				f.child = append(f.child, filepath.Separator)
			}
			f.child = append(f.child, e.name...)
			if child := f.byPath[string(f.child)]; child != nil {
				f.end(child.path)
			}
		}
	}
	return first != nil
}

// end records that the path, and all paths below it, may now lead to other directories.
func (f *folders) end(path string) {
	f.changed[path] = struct{}{}
	f.ended[path] = struct{}{}
}

// takeChanges returns the collected changes and forgets them. It also forgets the unwatched
// directories, and returns their watches in unused.
func (f *folders) takeChanges() (c Changes, unused []watchID) {
	if len(f.ended) > 0 {
		for path, entry := range f.byPath {
			if f.hasEnded(path) {
				c.Unwatched = append(c.Unwatched, path)
				f.changed[path] = struct{}{}
				delete(f.byPath, path)
				if id := f.unlink(entry); id != noWatch {
					unused = append(unused, id)
				}
			}
		}
		f.ended = map[string]struct{}{}
		slices.Sort(c.Unwatched)
	}
	if len(f.changed) > 0 {
		c.Folders = make([]string, 0, len(f.changed))
		for path := range f.changed {
			c.Folders = append(c.Folders, path)
		}
		f.changed = map[string]struct{}{}
		slices.Sort(c.Folders)
	}
	c.Vanished = f.comings.takeVanished()
	f.burst.clear()
	return c, unused
}

// hasEnded reports whether path or a directory above it is in ended.
func (f *folders) hasEnded(path string) bool {
	for {
		if _, ok := f.ended[path]; ok {
			return true
		}
		parent := filepath.Dir(path)
		if parent == path {
			return false
		}
		path = parent
	}
}
