package restat_test

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Compare marks files that other processes had open for writing while it read them.
func TestCompareNotesWhoIsBusy(t *testing.T) {
	for _, size := range []int{1, buffer - 1, buffer + 1} {
		w := &tree{TB: t, base: t.TempDir()}
		for _, name := range []string{"assets/a", "assets/b"} {
			w.write(name, strings.Repeat("x", size))
		}
		opt := w.options(w.live())
		w.touch("assets/a")
		w.touch("assets/b")
		f, err := os.OpenFile(w.name("assets/b"), os.O_RDWR, 0)
		w.must(err)
		defer f.Close()
		found := w.sweep(opt)
		if same := w.compare(opt, found, 2, int64(2*size)); len(same) != 2 {
			t.Errorf("%d bytes: %q are the same", size, same)
		}
		for _, file := range found.Files {
			if name := w.shown(opt.Index, file); file.Busy != (name == "asset b") {
				t.Errorf("%d bytes: %s is busy: %v", size, name, file.Busy)
			}
		}
	}
}

// Even if stamps are ignored, Compare skips the check for writers if a file still has its old
// trusted stamp. An earlier run made this check when it first read the content.
func TestCompareAsksWhereStampsChanged(t *testing.T) {
	w := &tree{TB: t, base: t.TempDir()}
	for _, name := range []string{"assets/a", "assets/b"} {
		w.write(name, "text")
	}
	opt := w.options(w.live())
	opt.IgnoreStamps = true
	w.touch("assets/b")
	for _, name := range []string{"assets/a", "assets/b"} {
		f, err := os.OpenFile(w.name(name), os.O_RDWR, 0)
		w.must(err)
		defer f.Close()
	}
	found := w.sweep(opt)
	if same := w.compare(opt, found, 2, 8); len(same) != 2 {
		t.Errorf("%q are the same", same)
	}
	for _, file := range found.Files {
		if name := w.shown(opt.Index, file); file.Busy != (name == "asset b") {
			t.Errorf("%s is busy: %v", name, file.Busy)
		}
	}
}

// Find also checks for writers of a file whose content it compares immediately. It does not check a
// file that still has its trusted stamp.
func TestReadingEarlyNotesWhoIsBusy(t *testing.T) {
	for _, ignore := range []bool{false, true} {
		w := &tree{TB: t, base: t.TempDir()}
		for _, name := range []string{"assets/a", "assets/b", "assets/c", "assets/d", "assets/e"} {
			w.write(name, "text")
		}
		opt := w.options(w.live())
		opt.IgnoreStamps, opt.Checksum = ignore, function(t)
		for _, name := range []string{"assets/a", "assets/b", "assets/c", "assets/d"} {
			w.touch(name)
		}
		for _, name := range []string{"assets/d", "assets/e"} {
			f, err := os.OpenFile(w.name(name), os.O_RDWR, 0)
			w.must(err)
			defer f.Close()
		}
		found := w.sweep(opt)
		busy, early := []string{}, 0
		for _, f := range found.Files {
			if f.Compared && f.Same {
				early++
			}
			if f.Busy {
				busy = append(busy, w.shown(opt.Index, f))
			}
		}
		reread := 0
		if ignore {
			reread = 1
		}
		if len(found.Files) != 4 || early < 2 || !slices.Equal(busy, []string{"asset d"}) || len(found.Reread) != reread {
			t.Errorf("stamps ignored: %v: %d read, %q busy, %d read again; files %+v", ignore, early, busy, len(found.Reread), found.Files)
		}
	}
}
