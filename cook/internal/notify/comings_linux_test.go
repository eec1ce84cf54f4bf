package notify

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

func TestShortLivedFileIsReportedAsVanished(t *testing.T) {
	type at = func(string) string
	make1 := func(t *testing.T, at at) { write(t, at("a/new"), "new") }
	remove := func(t *testing.T, at at) { must(t, os.Remove(at("a/new"))) }
	rename := func(from, to string) func(*testing.T, at) {
		return func(t *testing.T, at at) { must(t, os.Rename(at(from), at(to))) }
	}
	for _, test := range []struct {
		name  string
		steps []func(t *testing.T, at at) // the test calls Sync after each step
		want  []bool
	}{
		{"made", []func(*testing.T, at){make1}, []bool{false}},
		{"removed", []func(*testing.T, at){func(t *testing.T, at at) { must(t, os.Remove(at("a/f"))) }}, []bool{false}},
		{"moved out", []func(*testing.T, at){rename("a/f", "out/f2")}, []bool{false}},
		{"linked and removed", []func(*testing.T, at){func(t *testing.T, at at) {
			must(t, os.Link(at("b/f"), at("a/l")))
			write(t, at("a/l"), "other")
			must(t, os.Remove(at("a/l")))
		}}, []bool{true}},
		{"made again", []func(*testing.T, at){func(t *testing.T, at at) { make1(t, at); remove(t, at); make1(t, at) }}, []bool{true}},
		{"removed before it was listed", []func(*testing.T, at){make1, remove, func(*testing.T, at) {}}, []bool{false, true, false}},
		{"removed later", []func(*testing.T, at){make1, func(*testing.T, at) {}, remove}, []bool{false, false, false}},
		{"moved in and out", []func(*testing.T, at){func(t *testing.T, at at) {
			rename("out/f", "a/g")(t, at)
			rename("a/g", "out/f")(t, at)
		}}, []bool{true}},
		{"moved in and removed", []func(*testing.T, at){rename("out/f", "a/new"), remove}, []bool{false, true}},
		{"saved atomically", []func(*testing.T, at){func(t *testing.T, at at) {
			make1(t, at)
			rename("a/new", "a/f")(t, at)
		}}, []bool{false}},
		{"saved with a backup", []func(*testing.T, at){func(t *testing.T, at at) {
			rename("a/f", "a/f~")(t, at)
			write(t, at("a/f"), "other")
			must(t, os.Remove(at("a/f~")))
		}}, []bool{false}},
		{"moved on and removed", []func(*testing.T, at){func(t *testing.T, at at) {
			make1(t, at)
			rename("a/new", "b/new")(t, at)
			must(t, os.Remove(at("b/new")))
		}}, []bool{true}},
		{"overwritten", []func(*testing.T, at){func(t *testing.T, at at) {
			make1(t, at)
			rename("a/f", "a/new")(t, at)
		}}, []bool{true}},
		{"swapped and removed", []func(*testing.T, at){func(t *testing.T, at at) {
			make1(t, at)
			must(t, unix.Renameat2(unix.AT_FDCWD, at("a/new"), unix.AT_FDCWD, at("a/f"), unix.RENAME_EXCHANGE))
			must(t, os.Remove(at("a/f")))
		}}, []bool{true}},
		{"directory made", []func(*testing.T, at){func(t *testing.T, at at) { must(t, os.Mkdir(at("a/d"), 0o777)) }}, []bool{false}},
		{"directory made and removed", []func(*testing.T, at){func(t *testing.T, at at) {
			must(t, os.Mkdir(at("a/d"), 0o777), os.Link(at("b/f"), at("a/d/l")), os.RemoveAll(at("a/d")))
		}}, []bool{true}},
		{"directory moved in and out", []func(*testing.T, at){func(t *testing.T, at at) {
			rename("out", "a/d")(t, at)
			rename("a/d", "gone/d")(t, at)
		}}, []bool{true}},
		{"unwatched", []func(*testing.T, at){func(t *testing.T, at at) {
			write(t, at("out/new"), "")
			must(t, os.Remove(at("out/new")))
		}}, []bool{false}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			at := func(name string) string { return filepath.Join(dir, name) }
			for _, f := range []string{"a/f", "b/f", "out/f", "gone/f"} {
				must(t, os.Mkdir(filepath.Dir(at(f)), 0o777))
				write(t, at(f), "text")
			}
			w := start(t)
			add(t, w, at("a"), at("b"))
			for i, step := range test.steps {
				step(t, at)
				if c := sync1(t, w); c.Vanished != test.want[i] {
					t.Errorf("step %d: vanished %t, want %t", i, c.Vanished, test.want[i])
				}
			}
		})
	}
}

// The watcher remembers a limited number of names. Beyond the limit, every removed name counts as
// vanished.
func TestRememberedNamesAreLimited(t *testing.T) {
	c := newComings()
	for i := range 2*mostComings + 1 {
		c.note(event{watch: 1, name: []byte(strconv.Itoa(i)), kind: made})
	}
	if n := len(c.now.set); n > mostComings {
		t.Errorf("%d names", n)
	}
	if c.takeVanished() {
		t.Error("no name is reported as vanished")
	}
	last := event{watch: 1, name: []byte(strconv.Itoa(2 * mostComings)), kind: removed}
	c.note(last)
	if !c.takeVanished() {
		t.Error("the last name is forgotten too early")
	}
	c.note(last)
	if c.takeVanished() {
		t.Error("the last name is not forgotten")
	}
	for i := range uint32(2*mostComings + 1) {
		c.note(event{watch: 1, name: []byte("f"), kind: movedFrom, cookie: i + 1})
	}
	if n := len(c.moving); n > mostComings {
		t.Errorf("%d moves", n)
	}
	if !c.takeVanished() {
		t.Error("moves were forgotten")
	}
}

// A file that the caller placed does not count as vanished when it is replaced or removed. A file
// that another program puts in its place counts as vanished.
func TestPlacedFileDoesNotVanish(t *testing.T) {
	for _, test := range []struct {
		name   string
		placed int
		others func(t *testing.T, at func(string) string)
		want   bool
	}{
		{"not said", 0, func(*testing.T, func(string) string) {}, true},
		{"said", 1, func(*testing.T, func(string) string) {}, false},
		{"linked by others afterwards", 1, func(t *testing.T, at func(string) string) {
			must(t, os.Remove(at("a/new")), os.Link(at("a/f"), at("a/new")))
		}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			at := func(name string) string { return filepath.Join(dir, name) }
			for _, f := range []string{"a/f", "out/f"} {
				must(t, os.Mkdir(filepath.Dir(at(f)), 0o777))
				write(t, at(f), "text")
			}
			w := start(t)
			add(t, w, at("a"))
			must(t, os.Rename(at("out/f"), at("a/new")))
			test.others(t, at)
			for range test.placed {
				w.Placed([]string{at("a/new"), at("a/never"), at("out/f")})
			}
			vanished := sync1(t, w).Vanished
			must(t, os.Remove(at("a/new")))
			vanished = vanished || sync1(t, w).Vanished
			if vanished != test.want {
				t.Errorf("vanished %t, want %t", vanished, test.want)
			}
		})
	}
}
