package notify

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// known returns folders with the given watch for each path.
func known(watches map[string]watchID) folders {
	f := newFolders()
	for path, id := range watches {
		f.addWatch(filepath.FromSlash(path), id)
	}
	return f
}

// native replaces the slashes in the paths of changes with the system's separators.
func native(c Changes) Changes {
	for _, paths := range [][]string{c.Folders, c.Unwatched} {
		for i, path := range paths {
			paths[i] = filepath.FromSlash(path)
		}
	}
	return c
}

func TestEventChangesItsDirectory(t *testing.T) {
	tree := map[string]watchID{"/t": 1, "/t/a": 2, "/t/a/x": 3, "/t/a/x/y": 4, "/t/ab": 5, "/t/l": 2, "/t/l/x": 3}
	for _, test := range []struct {
		name   string
		event  event
		ours   bool
		want   Changes
		unused []watchID
	}{
		{"entry", event{watch: 1, name: []byte("f"), kind: changed}, true, Changes{Folders: []string{"/t"}}, nil},
		{"two paths", event{watch: 3, name: []byte("f"), kind: changed}, true, Changes{Folders: []string{"/t/a/x", "/t/l/x"}}, nil},
		{"unknown watch", event{watch: 9, name: []byte("f"), kind: changed}, false, Changes{}, nil},
		{"unknown entry goes", event{watch: 1, name: []byte("f"), kind: removed}, true, Changes{Folders: []string{"/t"}}, nil},
		{"directory goes, and what is below", event{watch: 1, name: []byte("a"), kind: removed}, true, Changes{
			Folders:   []string{"/t", "/t/a", "/t/a/x", "/t/a/x/y"},
			Unwatched: []string{"/t/a", "/t/a/x", "/t/a/x/y"}}, []watchID{4}},
		{"link goes", event{watch: 1, name: []byte("l"), kind: removed}, true, Changes{
			Folders:   []string{"/t", "/t/l", "/t/l/x"},
			Unwatched: []string{"/t/l", "/t/l/x"}}, nil},
		{"goes itself", event{watch: 5, kind: ended}, true, Changes{
			Folders: []string{"/t", "/t/ab"}, Unwatched: []string{"/t/ab"}}, []watchID{5}},
		{"root goes", event{watch: 1, kind: ended}, true, Changes{
			Folders:   []string{"/t", "/t/a", "/t/a/x", "/t/a/x/y", "/t/ab", "/t/l", "/t/l/x"},
			Unwatched: []string{"/t", "/t/a", "/t/a/x", "/t/a/x/y", "/t/ab", "/t/l", "/t/l/x"}}, []watchID{1, 2, 3, 4, 5}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := known(tree)
			if ours := f.note(test.event); ours != test.ours {
				t.Errorf("concerns an added directory: %t", ours)
			}
			got, unused := f.takeChanges()
			if diff := cmp.Diff(native(test.want), got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.unused, unused, sortWatches); diff != "" {
				t.Error("unused watches: ", diff)
			}
			if again, unused := f.takeChanges(); len(again.Folders)+len(again.Unwatched)+len(unused) > 0 {
				t.Errorf("taken again: %v", again)
			}
			for _, path := range got.Unwatched {
				if f.byPath[path] != nil {
					t.Errorf("%s is still known", path)
				}
			}
		})
	}
}

var sortWatches = cmp.Transformer("set", func(ids []watchID) map[watchID]int {
	set := map[watchID]int{}
	for _, id := range ids {
		set[id]++
	}
	return set
})

// A watch becomes unused when its last path is removed, in any order.
func TestSharedWatchIsUnusedAfterItsLastPath(t *testing.T) {
	for _, order := range [][]string{{"/a", "/b", "/c"}, {"/c", "/b", "/a"}, {"/b", "/c", "/a"}, {"/b", "/a", "/c"}} {
		f := known(map[string]watchID{"/a": 7, "/b": 7, "/c": 7})
		for i, path := range order {
			want := noWatch
			if i == 2 {
				want = 7
			}
			f.end(filepath.FromSlash(path))
			_, unused := f.takeChanges()
			if got := append(unused, noWatch)[0]; got != want {
				t.Errorf("%v: the end of %s leaves watch %d unused, want %d", order, path, got, want)
			}
		}
		if len(f.byPath)+len(f.byWatch) > 0 {
			t.Errorf("%v: some path is left", order)
		}
	}
}

// TestReplacedDirectoryEndsItsOldWatch adds a replaced directory again before any event has
// reported the change. Paths below it still belong to the old directory.
func TestReplacedDirectoryEndsItsOldWatch(t *testing.T) {
	f := known(map[string]watchID{"/t": 1, "/t/a": 2, "/t/a/x": 3})
	if unused := f.addWatch(filepath.FromSlash("/t/a"), 8); unused != 2 {
		t.Errorf("watch %d is unused, want 2", unused)
	}
	if f.note(event{watch: 2, kind: ended}) {
		t.Error("the old watch is still used")
	}
	got, unused := f.takeChanges()
	want := Changes{Folders: []string{"/t/a", "/t/a/x"}, Unwatched: []string{"/t/a", "/t/a/x"}}
	if diff := cmp.Diff(native(want), got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]watchID{3, 8}, unused, sortWatches); diff != "" {
		t.Error(diff)
	}
	f.addWatch(filepath.FromSlash("/t/a"), 9)
	if got, _ := f.takeChanges(); len(got.Unwatched) > 0 {
		t.Errorf("unwatched again: %v", got)
	}
}

func TestMemoryDoesNotGrowWithEvents(t *testing.T) {
	f := known(map[string]watchID{"/": 1, "/a": 2})
	for i := range 1000 {
		name := []byte{byte(i), byte(i >> 8)}
		for _, k := range []kind{changed, made, removed, movedFrom} {
			f.note(event{watch: 1, name: name, kind: k})
			f.note(event{watch: 2, name: name, kind: k})
			f.note(event{watch: watchID(i + 3), name: name, kind: k})
		}
	}
	if n := len(f.changed) + len(f.ended); n > 2 {
		t.Errorf("%d entries for two directories", n)
	}
	f.note(event{watch: 1, name: []byte("a"), kind: removed})
	if got, _ := f.takeChanges(); cmp.Diff(native(Changes{Folders: []string{"/a"}}).Folders, got.Unwatched) != "" {
		t.Errorf("below the root: %v", got)
	}
}
