//go:build linux || darwin

package restat_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/scan"
)

// outFolders are the directories of outputs, by path.
func outFolders(x *index.Index) map[string]index.FolderRef {
	refs := map[string]index.FolderRef{}
	for ref := range index.FolderRef(x.Folders()) {
		if f := x.Folder(ref); f.Tree == index.Out && !f.FromChanges() {
			refs[f.Path()] = ref
		}
	}
	return refs
}

// stamped returns the index like live, but with the stamps of all output directories.
func (w *tree) stamped(settled bool) *index.Index {
	w.Helper()
	return w.edited(func(x *index.Index, l *index.Next) {
		for path, ref := range outFolders(x) {
			l.RestampOutputs(ref, w.stamp(w.name("out/"+path)), settled)
		}
	})
}

func (w *tree) byFolder(live *index.Index) restat.Options {
	opt := w.options(live)
	opt.OutputsByFolder = true
	return opt
}

// stampedAnew checks that exactly the wanted output directories were reported, with their current
// stamps.
func (w *tree) stampedAnew(live *index.Index, found *restat.Found, want ...string) {
	w.Helper()
	got := map[string]scan.Stamp{}
	for _, f := range found.OutFolders {
		folder := live.Folder(f.Ref)
		got[folder.Path()] = f.Now
	}
	stamps := map[string]scan.Stamp{}
	for _, path := range want {
		stamps[path] = w.stamp(w.name("out/" + path))
	}
	if d := cmp.Diff(stamps, got); d != "" {
		w.Errorf("-want +got:\n%s", d)
	}
}

func TestOutputsByFolder(t *testing.T) {
	w := smallTree(t)
	// Without stamps, every output is looked up, and the stamps are reported.
	live := w.live()
	found := w.expect(w.byFolder(live))
	w.stampedAnew(live, found, "", "x", "x/y")
	counts := smallCounts
	counts.Stats += 3
	if found.Counts != counts {
		t.Errorf("counts %+v, want %+v", found.Counts, counts)
	}
	// Every output is also looked up if the stamps were too fresh to be trusted.
	live = w.stamped(false)
	w.stampedAnew(live, w.expect(w.byFolder(live)), "", "x", "x/y")

	live = w.stamped(true)
	found = w.expect(w.byFolder(live))
	w.stampedAnew(live, found)
	if counts.Stats -= 4; found.Counts != counts {
		t.Errorf("counts %+v, want %+v", found.Counts, counts)
	}
	// An edit in place is found only if outputs are compared.
	w.write("out/a.txt.out", "edited")
	w.expect(w.byFolder(live))
	w.expect(w.options(live), "changed made a.txt.out")
	// A new or removed file in the directory is found, and then the edit is found too.
	w.write("out/junk", "")
	w.stampedAnew(live, w.expect(w.byFolder(live), "changed made a.txt.out"), "")
	w.write("new", "content of out/x/c.txt.out")
	w.rename("new", "out/x/c.txt.out")
	w.stampedAnew(live, w.expect(w.byFolder(live), "changed made a.txt.out", "changed made x/c.txt.out"), "", "x")
	w.rename("out/x/y", "out/y")
	w.stampedAnew(live, w.expect(w.byFolder(live), "changed made a.txt.out", "changed made x/c.txt.out", "missing made x/y/d.txt.out"), "", "x")
	w.mkdir("out/x/y")
	w.stampedAnew(live, w.expect(w.byFolder(live), "changed made a.txt.out", "changed made x/c.txt.out", "missing made x/y/d.txt.out"), "", "x", "x/y")
	// Directories of outputs are never listed.
	w.expect(w.options(live), "changed made a.txt.out", "changed made x/c.txt.out", "missing made x/y/d.txt.out")
}

func TestOutputsByFolderWithoutTrust(t *testing.T) {
	w := smallTree(t)
	w.odd = map[string]bool{"": true}
	live := w.stamped(true)
	w.write("out/a.txt.out", "edited")
	w.stampedAnew(live, w.expect(w.byFolder(live), "list ./", "changed made a.txt.out"))
}

// The stamp of a directory proves nothing about an output that appeared after the stamp was taken.
func TestOutputsByFolderAdded(t *testing.T) {
	w := smallTree(t)
	live := w.edited(func(x *index.Index, l *index.Next) {
		w.write("out/x/new", "made")
		made := w.file(w.name("out/x/new"), "", index.Made)
		l.DropActions("z/e.txt")
		l.PutAction(index.Action{Path: "z/e.txt", Made: []index.Artifact{{Path: "x/new", Stamp: made.Stamp, Settled: true}}})
		for path, ref := range outFolders(x) {
			l.RestampOutputs(ref, w.stamp(w.name("out/"+path)), true)
		}
	})
	w.stampedAnew(live, w.expect(w.byFolder(live)))
	w.write("out/x/new", "edited")
	w.stampedAnew(live, w.expect(w.byFolder(live), "changed made x/new"))
}
