package contents

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/assetcook/assetcook/internal/pathname"
)

// A listing is known by the names in it, and by nothing else of the folder.
func TestListing(t *testing.T) {
	tr := newTree(t, map[string]string{"a.h": "", "b.h": "", "c.x": "", ".d.h": ""})
	headers, hidden, folders, none := pathname.Listing(".", "*.h", false), pathname.Listing(".", ".*", false), pathname.Listing("", "*", true), pathname.Listing("gone", "*", false)
	for _, dir := range []string{"sub", "sub/deeper"} {
		if err := os.Mkdir(tr.path(dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	all := []string{headers, hidden, folders, none}
	s, files := tr.look(false, all...)
	tr.want("at first", files, map[string]How{headers: ByReading, hidden: ByReading, folders: ByReading, none: Absent})
	for path, want := range map[string][]string{headers: {"a.h", "b.h"}, hidden: {".d.h"}, folders: {"sub"}, none: nil} {
		names, found, err := s.List(t.Context(), path)
		if !slices.Equal(names, want) || found != (path != none) || err != nil {
			t.Errorf("%q: %q, %v, %v; want %q", path, names, found, err, want)
		}
	}
	if files[headers].Blob == files[hidden].Blob {
		t.Error("two listings are the same")
	}
	tr.write("e.x", "")
	_, files = tr.look(false, all...)
	tr.want("another file", files, map[string]How{headers: ByChecksum, hidden: ByChecksum, folders: ByChecksum})
	tr.write("sub/deeper/f.h", "")
	tr.write("f.h", "")
	_, files = tr.look(false, all...)
	tr.want("one that matches", files, map[string]How{headers: ByReading, hidden: ByChecksum, folders: ByChecksum})
}

// Links are what they lead to, and folders not followed.
func TestListingOfLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links")
	}
	tr := newTree(t, map[string]string{"a": ""})
	if err := os.Mkdir(tr.path("d"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"file": "../a", "nowhere": "none", "out": "/etc", "outfile": "/etc/passwd", "folder": "."} {
		if err := os.Symlink(to, tr.path("d/"+name)); err != nil {
			t.Fatal(err)
		}
	}
	s := tr.begin(Options{})
	for path, want := range map[string][]string{
		pathname.Listing("d", "*", false): {"file"}, pathname.Listing("d", "*", true): nil, pathname.Listing("d/folder", "f*", false): {"file"},
	} {
		if names, found, err := s.List(t.Context(), path); !slices.Equal(names, want) || !found || err != nil {
			t.Errorf("%q: %q, %v, %v; want %q", path, names, found, err, want)
		}
	}
	for path, absent := range map[string]bool{pathname.Listing("a", "*", false): true, pathname.Listing("d/out", "*", false): false} {
		_, found, err := s.List(t.Context(), path)
		if found || (err == nil) != absent {
			t.Errorf("%q: %v, %v", path, found, err)
		}
	}
}

// A folder that changes after it was listed is noticed.
func TestRelist(t *testing.T) {
	tr := newTree(t, map[string]string{"a.h": ""})
	s := tr.begin(Options{})
	f := s.At(t.Context(), pathname.Listing(".", "*.h", false))
	if same, err := s.Relist(f); !same || err != nil {
		t.Errorf("%v, %v", same, err)
	}
	f.Settled = false
	if same, err := s.Relist(f); !same || err != nil {
		t.Errorf("unsettled: %v, %v", same, err)
	}
	tr.write("b.x", "")
	if same, err := s.Relist(f); !same || err != nil {
		t.Errorf("another file: %v, %v", same, err)
	}
	tr.write("b.h", "")
	if same, err := s.Relist(f); same || err != nil {
		t.Errorf("changed: %v, %v", same, err)
	}
	other := f
	other.Path = pathname.Listing("gone", "*", false)
	if same, err := s.Relist(other); same || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("gone: %v, %v", same, err)
	}
}
