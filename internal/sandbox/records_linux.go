//go:build amd64 || arm64

package sandbox

import (
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// A stamp identifies the state of a file or directory when a program accessed it. If the stamp is
// the same later, the file and its content are unchanged.
type stamp struct {
	device, inode uint64
	size          int64
	written       unix.Timespec
	changed       unix.Timespec
}

func stampOf(st *unix.Stat_t) stamp {
	return stamp{uint64(st.Dev), st.Ino, st.Size, st.Mtim, st.Ctim}
}

// tick is longer than the resolution of file times, even on a busy machine. coarse is longer than
// the resolution of file systems that store times in whole seconds.
const (
	tick   = 100 * time.Millisecond
	coarse = 2200 * time.Millisecond
)

// freshFor returns how much longer a file is fresh. A fresh file was changed so recently that
// another change might not change its times. The result is 0 if the file is not fresh, or if its
// change time is in the future.
func (st stamp) freshFor(now time.Time) time.Duration {
	limit := tick
	if st.changed.Nsec == 0 && st.written.Nsec == 0 {
		limit = coarse
	}
	age := now.Sub(time.Unix(st.changed.Unix()))
	if age < 0 {
		return 0
	}
	return max(0, limit-age)
}

// letSettle waits until a directory is no longer fresh. Then a program may list it. s.st must hold
// the directory's attributes, and holds the new ones afterwards.
func (s *server) letSettle(folder int) {
	st := stampOf(&s.st)
	for range 5 {
		wait := st.freshFor(time.Now())
		if wait == 0 {
			return
		}
		time.Sleep(wait)
		if !s.fstat(folder) {
			return
		}
		st = stampOf(&s.st)
	}
}

// recordAccess adds f to the trace. If f contradicts an earlier record of the file, it notes that
// the file has changed.
func (s *server) recordAccess(f accessedFile) {
	if f.name == nil {
		return
	}
	t := s.trace
	old, known := t.Seen[string(f.name)]
	is := f.how != Missing
	switch {
	case known && is != (old != Missing), known && is && (f.how == Read) != (old == Read):
		t.noteChanged(string(f.name))
	case known && f.how == old:
		if was := t.stamps[string(f.name)]; f.how <= List && f.stamp != was && f.stamp != (stamp{}) && was != (stamp{}) {
			t.noteChanged(string(f.name))
		}
	case f.how == List && f.stamp.freshFor(time.Now()) > 0: // the directory kept changing while letSettle waited
		t.noteChanged(string(f.name))
	}
	if !known || f.how < old {
		t.Seen[string(f.name)] = f.how
		if f.how <= List {
			t.stamps[string(f.name)] = f.stamp
		}
	}
}

// noteLink records the target of a symbolic link in the traced directory. A nil text records that a
// program saw that the path is not a symbolic link.
func (s *server) noteLink(name, text []byte) {
	if s.trace == nil || !s.isTraced(name) || string(name) == s.root {
		return
	}
	t := s.trace
	old, known := t.Links[string(name)]
	if known && (old != string(text) || (text == nil) != (old == "")) {
		t.noteChanged(string(name))
	}
	if !known {
		t.Links[string(name)] = string(text)
	}
}

// noteStraight records that no part of a path is a symbolic link.
func (s *server) noteStraight(name []byte) {
	for at := string(name); len(at) > len(s.root); at = filepath.Dir(at) {
		s.noteLink([]byte(at), nil)
	}
}

// notePlace records the state of a directory, and of its parents, where relative paths of a program
// may start. The trace derives names from the path of the directory. If the directory or a parent
// is moved away and back, names recorded in between are wrong.
func (s *server) notePlace(name []byte) {
	for at := string(name); len(at) > len(s.root); at = filepath.Dir(at) {
		var st unix.Stat_t
		s.calls++
		if unix.Lstat(at, &st) != nil {
			s.trace.noteChanged(at)
			return
		}
		if was, known := s.trace.places[at]; !known {
			s.trace.places[at] = stampOf(&st)
		} else if was.hasMoved(stampOf(&st)) {
			s.trace.noteChanged(at)
		}
	}
}

// hasMoved reports whether a directory was replaced or renamed. A rename changes only its change
// time.
func (st stamp) hasMoved(now stamp) bool {
	return st.device != now.device || st.inode != now.inode || st.changed != now.changed && st.written == now.written
}

// makeMaps creates the maps of a trace that its creator may leave nil.
func (t *Trace) makeMaps() {
	t.stamps, t.places = map[string]stamp{}, map[string]stamp{}
	if t.Links == nil {
		t.Links = map[string]string{}
	}
}

// noteChanged records the first path that changed.
func (t *Trace) noteChanged(name string) {
	if t.changed == "" {
		t.changed = name
	}
}

// Changed returns a path that changed after a program accessed it, or while programs ran. It
// returns "" if no path changed. In that case the caller and the programs read the same content.
// Call it after the box has ended.
func (t *Trace) Changed() string {
	for name, how := range t.Seen {
		if t.changed == "" && !t.hasSameState(name, how) {
			t.noteChanged(name)
		}
	}
	for name, was := range t.places {
		var st unix.Stat_t
		if unix.Lstat(name, &st) != nil || was.hasMoved(stampOf(&st)) {
			t.noteChanged(name)
		}
	}
	for name, text := range t.Links {
		if now, err := os.Readlink(name); (err == nil) != (text != "") || now != text {
			t.noteChanged(name)
		}
	}
	return t.changed
}

func (t *Trace) hasSameState(name string, how Access) bool {
	var st unix.Stat_t
	err := unix.Stat(name, &st)
	folder := st.Mode&unix.S_IFMT == unix.S_IFDIR
	was := t.stamps[name]
	switch {
	case how == Missing:
		return err != nil
	case how == Exists:
		return err == nil && folder
	case was == stamp{}:
		return true // the program did not read the content
	}
	return err == nil && folder == (how == List) && stampOf(&st) == was
}
