package notify

import (
	"os"
	"path/filepath"
	"slices"
)

// watchID is a watch's number in its queue. The system does not use one twice.
type watchID int32

const noWatch watchID = -1

// event is what the system says, as far as it matters here.
type event struct {
	watch  watchID
	name   []byte // the entry it is about; empty for the folder itself
	kind   kind
	folder bool   // the entry is one
	cookie uint32 // pairs the two events of a move
}

type kind uint8

const (
	changed    kind = iota // an entry's attributes, or the folder's own
	written                // an entry
	closed                 // an entry that was open for writing
	made                   // an entry
	removed                // an entry: its name leads nowhere from now on
	movedFrom              // likewise
	movedTo                // an entry: its name leads elsewhere from now on
	ended                  // the folder's own path does
	overflowed             // events were dropped
)

// folder is one added path.
type folder struct {
	path  string
	watch watchID
	next  *folder // another path of the same directory
}

// folders are the added paths and what became of them. Everything but the comings and the
// burst, which have bounds of their own, is bounded by their number, however many events come.
type folders struct {
	byPath  map[string]*folder
	byWatch map[watchID]*folder
	changed map[string]struct{} // paths in byPath
	ended   map[string]struct{} // paths that led elsewhere at some time since the last take
	child   []byte              // scratch
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

// addWatch records that path is watched by id, and returns the watch that it had
// before if no path has that any more.
func (f *folders) addWatch(path string, id watchID) (unused watchID) {
	unused = noWatch
	if old := f.byPath[path]; old != nil {
		if old.watch == id {
			return noWatch
		}
		// Another directory is in its place, and the event that says so, still
		// in the queue, will not be recognised: its watch is forgotten here.
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

// note records an event and reports whether it is about an added folder.
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
			// The entry may be a link to an added folder, which itself stays
			// where it is and has no event.
			f.child = append(f.child[:0], entry.path...)
			if last := len(entry.path) - 1; !os.IsPathSeparator(entry.path[last]) { // not the root
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

// end records that path, and with it those below, may lead elsewhere.
func (f *folders) end(path string) {
	f.changed[path] = struct{}{}
	f.ended[path] = struct{}{}
}

// takeChanges returns what changed and forgets it, together with the folders that
// ended. No path has the watches of unused any more.
func (f *folders) takeChanges() (c Changes, unused []watchID) {
	if len(f.ended) > 0 {
		// Once for all of them: searching what lies below each folder as it is
		// renamed would take a pass for each.
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

// hasEnded reports whether path or a folder above it is in ended.
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
