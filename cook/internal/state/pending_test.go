package state

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dependency"
)

func stampOn(device, inode uint64, ctime int64) scan.Stamp {
	return scan.Stamp{Size: 4, MTime: ctime, CTime: ctime, Inode: inode, Device: device}
}

func sumOf(text string) hashing.Sum128 {
	f, _ := hashing.Lookup("xxh128")
	return f.Sum128([]byte(text))
}

// TestPendingAddFile checks that only files with new index entries are pending. A file that was
// edited in place must be distinguished from a replaced file.
func TestPendingAddFile(t *testing.T) {
	const home, away = 1, 2
	next := index.Empty().Anew("xxh128")
	for path, device := range map[string]uint64{"near": home, "far": away} {
		next.PutFile(index.File{Path: path, Stamp: stampOn(device, 10, 100), Settled: true, Sum: sumOf("old")})
	}
	last, err := next.Index()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		what            string
		path            string
		stamp           scan.Stamp
		text            string
		pending         uint64 // number of the device; 0 if nothing is pending
		home, elsewhere bool   // expected editedHome and editedElsewhere
	}{
		{"unchanged", "near", stampOn(home, 10, 100), "old", 0, false, false},
		{"same stamp, other content", "near", stampOn(home, 10, 100), "new", home, true, false},
		{"touched", "near", stampOn(home, 10, 200), "old", home, false, false},
		{"edited in place", "near", stampOn(home, 10, 200), "new", home, true, false},
		{"replaced", "near", stampOn(home, 11, 200), "new", home, false, false},
		{"new", "new", stampOn(home, 12, 200), "new", home, false, false},
		{"elsewhere, unchanged", "far", stampOn(away, 10, 100), "old", 0, false, false},
		{"elsewhere, touched", "far", stampOn(away, 10, 200), "old", away, false, false},
		{"elsewhere, edited in place", "far", stampOn(away, 10, 200), "new", away, false, true},
		{"elsewhere, replaced", "far", stampOn(away, 11, 200), "new", away, false, false},
	} {
		p := &Pending{home: home, files: map[uint64]string{}}
		p.AddFile(last, index.File{Path: tt.path, Stamp: tt.stamp, Sum: sumOf(tt.text)})
		want := map[uint64]string{}
		if tt.pending != 0 {
			want[tt.pending] = tt.path
		}
		if len(p.files) != len(want) || p.files[tt.pending] != want[tt.pending] || p.editedHome != tt.home || p.editedElsewhere != tt.elsewhere {
			t.Errorf("%s: pending %v, edited in place %v and elsewhere %v", tt.what, p.files, p.editedHome, p.editedElsewhere)
		}
	}
}

// locked returns the locked state of a new output directory, and an asset directory.
func locked(t *testing.T) (d *Dir, assets *confine.Dir) {
	t.Helper()
	out, err := confine.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	if assets, err = confine.Open(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { assets.Close() })
	d = Open(out)
	if err := d.Make(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Lock(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d, assets
}

// TestDirtyMarker checks that a marker is written before the sync if a file on another file system
// was edited in place. A run over a part of the tree must not remove an older marker.
func TestDirtyMarker(t *testing.T) {
	d, assets := locked(t)
	pending, err := d.NewPending(assets)
	if err != nil {
		t.Fatal(err)
	}
	marker := filepath.Join(d.Folder(), "dirty")
	there := func() bool {
		t.Helper()
		_, err := os.Lstat(marker)
		return err == nil
	}
	away := pending.home + 1

	// A directory as asset makes the sync fail, as a power cut would.
	if err := os.Mkdir(filepath.Join(assets.Name(), "folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	pending.Add(dependency.OfFile("folder"), stampOn(away, 10, 100))
	if err := d.disk.syncPending(pending); err == nil {
		t.Fatal("a directory was synced as if it were an asset")
	}
	if there() {
		t.Error("a dirty marker though no file was edited in place")
	}
	pending.editedElsewhere = true
	if err := d.disk.syncPending(pending); err == nil {
		t.Fatal("a directory was synced as if it were an asset")
	}
	if !there() {
		t.Error("no dirty marker before the sync")
	}

	later := Open(d.files.out)
	for _, whole := range []bool{false, true} {
		if !later.Dirty() {
			t.Error("the marker is not seen")
		}
		if err := later.disk.endDirty(whole); err != nil {
			t.Error(err)
		}
		if there() == whole {
			t.Errorf("marker after a run that looked at the whole tree %v: %v", whole, there())
		}
	}

	// A run removes its own marker even if it covers only a part of the tree.
	delete(pending.files, away)
	pending.Add(dependency.OfFile("gone"), stampOn(away, 11, 100))
	if err := d.disk.syncPending(pending); err != nil {
		t.Errorf("a source that is gone: %v", err)
	}
	if !there() {
		t.Error("no dirty marker after the sync, before the index is there")
	}
	if err := d.disk.endDirty(false); err != nil || there() {
		t.Errorf("a run leaves its own marker: %v", err)
	}
	if err := d.disk.endDirty(true); err != nil {
		t.Errorf("without a marker: %v", err)
	}
}

// TestChangesAreSyncedFirst checks when the file of the changes needs its own sync.
func TestChangesAreSyncedFirst(t *testing.T) {
	const home, away = 1, 2
	for _, tt := range []struct {
		what           string
		edited, logged bool
		pending        uint64
		waits, first   bool
	}{
		{what: "new outputs", pending: home, waits: true},
		{what: "edited in place", edited: true, pending: home, waits: true, first: true},
		{what: "edited in place, synced since", edited: true, logged: true, pending: home, waits: true},
		{what: "nothing edited, synced since", logged: true, pending: home, waits: true},
		{what: "pending elsewhere only", pending: away, waits: true, first: true},
		{what: "pending elsewhere only, synced since", logged: true, pending: away, waits: true, first: true},
		{what: "a sync that does not wait", pending: home, first: true},
		{what: "a sync that does not wait, after another", logged: true, pending: home, first: true},
	} {
		p := &Pending{home: home, files: map[uint64]string{tt.pending: "f"}, editedHome: tt.edited}
		if got := (&syncer{files: &files{logged: tt.logged}}).syncsChangesFirst(p, tt.waits); got != tt.first {
			t.Errorf("%s: %t", tt.what, got)
		}
	}
}
