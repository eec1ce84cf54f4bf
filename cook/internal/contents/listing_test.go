package contents

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/dependency"
)

// TestListing checks that a listing depends on the names in a directory only.
func TestListing(t *testing.T) {
	tr := newTree(t, map[string]string{"a.h": "", "b.h": "", "c.x": "", ".d.h": ""})
	headers, hidden, folders, none := dependency.OfNames(".", "*.h", false), dependency.OfNames(".", ".*", false), dependency.OfNames(".", "*", true), dependency.OfNames("gone", "*", false)
	for _, dir := range []string{"sub", "sub/deeper"} {
		if err := os.Mkdir(tr.path(dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	all := []dependency.Dependency{headers, hidden, folders, none}
	s, files := tr.look(false, all...)
	tr.want("at first", files, map[string]How{headers.String(): ByReading, hidden.String(): ByReading, folders.String(): ByReading, none.String(): Absent})
	for on, want := range map[dependency.Dependency][]string{headers: {"a.h", "b.h"}, hidden: {".d.h"}, folders: {"sub"}, none: nil} {
		names, found, err := s.List(t.Context(), on)
		if !slices.Equal(names, want) || found != (on != none) || err != nil {
			t.Errorf("%s: %q, %v, %v; want %q", on, names, found, err, want)
		}
	}
	if files[headers.String()].Blob == files[hidden.String()].Blob {
		t.Error("two listings are the same")
	}
	tr.write("e.x", "")
	_, files = tr.look(false, all...)
	tr.want("another file", files, map[string]How{headers.String(): ByChecksum, hidden.String(): ByChecksum, folders.String(): ByChecksum})
	tr.write("sub/deeper/f.h", "")
	tr.write("f.h", "")
	_, files = tr.look(false, all...)
	tr.want("one that matches", files, map[string]How{headers.String(): ByReading, hidden.String(): ByChecksum, folders.String(): ByChecksum})
}

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
	for on, want := range map[dependency.Dependency][]string{
		dependency.OfNames("d", "*", false): {"file"}, dependency.OfNames("d", "*", true): nil, dependency.OfNames("d/folder", "f*", false): {"file"},
	} {
		if names, found, err := s.List(t.Context(), on); !slices.Equal(names, want) || !found || err != nil {
			t.Errorf("%s: %q, %v, %v; want %q", on, names, found, err, want)
		}
	}
	for on, absent := range map[dependency.Dependency]bool{dependency.OfNames("a", "*", false): true, dependency.OfNames("d/out", "*", false): false} {
		_, found, err := s.List(t.Context(), on)
		if found || (err == nil) != absent {
			t.Errorf("%s: %v, %v", on, found, err)
		}
	}
}

// TestRelist checks that Relist notices a change of the directory.
func TestRelist(t *testing.T) {
	tr := newTree(t, map[string]string{"a.h": ""})
	s := tr.begin(Options{})
	headers := dependency.OfNames(".", "*.h", false)
	f := s.At(t.Context(), headers)
	if same, err := s.Relist(headers, f); !same || err != nil {
		t.Errorf("%v, %v", same, err)
	}
	f.Settled = false
	if same, err := s.Relist(headers, f); !same || err != nil {
		t.Errorf("unsettled: %v, %v", same, err)
	}
	tr.write("b.x", "")
	if same, err := s.Relist(headers, f); !same || err != nil {
		t.Errorf("another file: %v, %v", same, err)
	}
	tr.write("b.h", "")
	if same, err := s.Relist(headers, f); same || err != nil {
		t.Errorf("changed: %v, %v", same, err)
	}
	if same, err := s.Relist(dependency.OfNames("gone", "*", false), f); same || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("gone: %v, %v", same, err)
	}
}

// TestFreshFoldersAreListedAgainOnce uses a directory that changes just before the run. Each asset
// lists it again until its stamp can be trusted.
func TestFreshFoldersAreListedAgainOnce(t *testing.T) {
	tr := newTree(t, map[string]string{"model": "a"})
	s := tr.begin(Options{})
	begin := time.Now()
	now := begin
	s.reader.opt.Clock = scan.NewClock(begin, func() time.Time { return now })
	all := dependency.OfNames(".", "*", false)
	listing := s.At(t.Context(), all)
	if listing.Settled {
		t.Fatalf("%+v", listing)
	}
	relist := func(when string, want bool) {
		t.Helper()
		for range 3 {
			if same, err := s.Relist(all, listing); same != want || err != nil {
				t.Errorf("%s: the listing is the same: %v, %v", when, same, err)
			}
		}
	}
	relist("fresh", true)
	if len(s.again) != 0 {
		t.Errorf("fresh: %d are known", len(s.again))
	}
	now = now.Add(time.Hour)
	relist("an hour later", true)
	if len(s.again) != 1 {
		t.Errorf("%d are known, want 1", len(s.again))
	}
	// The clock is an hour ahead, so stamps of new files are trusted.
	tr.write("more", "")
	relist("changed", false)
}
