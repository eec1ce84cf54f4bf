//go:build amd64 || arm64

package sandbox

import (
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// A stamp is a file or folder as it was when a program got it: the same stamp later proves that
// it is the same one, and holds the same.
type stamp struct {
	device, inode uint64
	size          int64
	written       unix.Timespec
	changed       unix.Timespec
}

func stampOf(st *unix.Stat_t) stamp {
	return stamp{uint64(st.Dev), st.Ino, st.Size, st.Mtim, st.Ctim}
}

// tick is longer than the clock of files stands still, on a busy machine as well. coarse is that
// for file systems that keep no fractions of seconds.
const (
	tick   = 100 * time.Millisecond
	coarse = 2200 * time.Millisecond
)

// freshFor returns how long something is fresh yet: it has changed so little ago that another
// change might not show. It is 0 for what is not, or has changed in the future.
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

// letSettle waits until a folder is not fresh any more, before somebody lists it. Its fstat is
// known, and is again.
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

// record records what was found out. What contradicts an earlier record has changed.
func (s *server) record(f found) {
	if f.name == nil {
		return
	}
	t := s.trace
	old, known := t.Seen[string(f.name)]
	is := f.how != Missing
	switch {
	case known && is != (old != Missing), known && is && (f.how == Read) != (old == Read):
		t.note(string(f.name))
	case known && f.how == old:
		if was := t.stamps[string(f.name)]; f.how <= List && f.stamp != was && f.stamp != (stamp{}) && was != (stamp{}) {
			t.note(string(f.name))
		}
	case f.how == List && f.stamp.freshFor(time.Now()) > 0: // somebody changes it all the time
		t.note(string(f.name))
	}
	if !known || f.how < old {
		t.Seen[string(f.name)] = f.how
		if f.how <= List {
			t.stamps[string(f.name)] = f.stamp
		}
	}
}

// noteLink records that a name of the folder is a link with a text, or, with a nil text, that
// somebody has seen that it is none.
func (s *server) noteLink(name, text []byte) {
	if s.trace == nil || !s.traces(name) || string(name) == s.root {
		return
	}
	t := s.trace
	old, known := t.Links[string(name)]
	if known && (old != string(text) || (text == nil) != (old == "")) {
		t.note(string(name))
	}
	if !known {
		t.Links[string(name)] = string(text)
	}
}

// noteStraight records that there are no links on the way to a name.
func (s *server) noteStraight(name []byte) {
	for at := string(name); len(at) > len(s.root); at = filepath.Dir(at) {
		s.noteLink([]byte(at), nil)
	}
}

// notePlace records where a folder is from which a program may look for more. Names are known by
// where it is then: if it, or one above, is moved away and back, these were others meanwhile.
func (s *server) notePlace(name []byte) {
	for at := string(name); len(at) > len(s.root); at = filepath.Dir(at) {
		var st unix.Stat_t
		s.calls++
		if unix.Lstat(at, &st) != nil {
			s.trace.note(at)
			return
		}
		if was, known := s.trace.places[at]; !known {
			s.trace.places[at] = stampOf(&st)
		} else if was.hasMoved(stampOf(&st)) {
			s.trace.note(at)
		}
	}
}

// hasMoved reports whether a folder is another one now, or was renamed. That changes no more than
// the time of its last change.
func (st stamp) hasMoved(now stamp) bool {
	return st.device != now.device || st.inode != now.inode || st.changed != now.changed && st.written == now.written
}

// begin makes the parts of a trace that nobody else needs.
func (t *Trace) begin() {
	t.stamps, t.places = map[string]stamp{}, map[string]stamp{}
	if t.Links == nil {
		t.Links = map[string]string{}
	}
}

// note notes the first of all that has changed.
func (t *Trace) note(name string) {
	if t.changed == "" {
		t.changed = name
	}
}

// Changed returns a path that is not any more what it was when a program saw it, or that was not
// the same all the time; "" if there is none. It may be called once the box has ended. What was
// looked at before the call is then what the program saw.
func (t *Trace) Changed() string {
	for name, how := range t.Seen {
		if t.changed == "" && !t.isSame(name, how) {
			t.note(name)
		}
	}
	for name, was := range t.places {
		var st unix.Stat_t
		if unix.Lstat(name, &st) != nil || was.hasMoved(stampOf(&st)) {
			t.note(name)
		}
	}
	for name, text := range t.Links {
		if now, err := os.Readlink(name); (err == nil) != (text != "") || now != text {
			t.note(name)
		}
	}
	return t.changed
}

func (t *Trace) isSame(name string, how Access) bool {
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
		return true // nothing of it was seen
	}
	return err == nil && folder == (how == List) && stampOf(&st) == was
}
