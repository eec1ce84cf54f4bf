package restat_test

import (
	"testing"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/dependency"
)

func TestDropped(t *testing.T) {
	w := smallTree(t)
	live := w.edited(func(x *index.Index, l *index.Next) {
		l.DropFile("b.txt")
		l.DropFile("lib/o.inc")
		l.DropActions("x/c.txt")
		z, ok := x.FindFolder("z")
		if !ok {
			t.Fatal("no directory z")
		}
		l.DropFolder(z.Ref)
	})
	found := w.expect(w.options(live))
	want := smallCounts
	want.Stats -= 4 // stat calls of b.txt, o.inc, c.txt.out and the directory z
	if found.Counts != want {
		t.Errorf("counts %+v, want %+v", found.Counts, want)
	}
	w.touch("assets/b.txt")
	w.remove("assets/lib")
	w.remove("out/x/c.txt.out")
	w.mkdir("assets/z/new")
	w.expect(w.options(live), "list ./") // directory to be listed, because lib has disappeared
	// The test removes a directory from the disk. Its entry leaves the index, but the entries of
	// its files stay.
	w.remove("assets/z")
	w.expect(w.options(live), "list ./", "missing asset z/e.txt")
}

// Find compares files that were added to the index since it was last rewritten. It also uses the
// new stamps of touched files.
func TestAdded(t *testing.T) {
	w := smallTree(t)
	live := w.edited(func(x *index.Index, l *index.Next) {
		w.write("assets/x/new.txt", "new")
		w.write("assets/v/w.txt", "new")
		w.write("assets/lib/new.inc", "new")
		w.write("out/v/w.txt.out", "made")
		w.touch("assets/b.txt")
		l.PutFile(w.file(w.name("assets/b.txt"), "b.txt", index.Asset))
		for _, place := range []string{"x/new.txt", "v/w.txt"} {
			l.PutFile(w.file(w.name("assets/"+place), place, index.Asset))
		}
		l.PutFile(w.file(w.name("assets/lib/new.inc"), "lib/new.inc", index.Other))
		made := w.file(w.name("out/v/w.txt.out"), "", index.Made)
		l.PutAction(index.Action{
			Path: "v/w.txt", Deps: []index.Dep{{Name: "n", On: dependency.OfFile("z/absent")}},
			Made: []index.Artifact{{Path: "v/w.txt.out", Stamp: made.Stamp, Settled: true}},
		})
		l.PutFolder(scan.Folder{Path: "v", Real: "v", Stamp: w.stamp(w.name("assets/v"))}, true)
		for _, place := range []string{"", "x"} {
			l.PutFolder(scan.Folder{Path: place, Real: place, Stamp: w.stamp(w.name("assets/" + place))}, true)
		}
	})
	w.expect(w.options(live))
	for _, name := range []string{"assets/b.txt", "assets/x/new.txt", "assets/v/w.txt", "assets/lib/new.inc", "out/v/w.txt.out"} {
		w.write(name, "edited")
	}
	w.expect(w.options(live), "changed asset b.txt", "changed asset x/new.txt", "changed asset v/w.txt", "changed other lib/new.inc",
		"changed made v/w.txt.out")
	w.write("assets/z/absent", "")
	w.write("assets/v/new.txt", "")
	w.remove("assets/x/c.txt")
	w.remove("out/v")
	// No difference is reported for a file in a directory that will be listed.
	found := w.expect(w.options(live), "changed asset b.txt", "list ./x", "list ./v", "list ./z", "changed other lib/new.inc",
		"missing made v/w.txt.out", "appeared absent z/absent")
	for i := 1; i < len(found.Files); i++ {
		a, b := found.Files[i-1], found.Files[i]
		if a.Ref >= b.Ref {
			t.Errorf("%+v comes before %+v", a, b)
		}
	}
	w.remove("assets/x")
	w.remove("assets/v")
	w.expect(w.options(live), "list ./", "gone ./x", "gone ./x/y", "gone ./v", "list ./z",
		"missing other x/p.inc", "changed other lib/new.inc", "missing made v/w.txt.out", "appeared absent z/absent")
}

func TestSort(t *testing.T) {
	files := []restat.File{{Ref: 10}, {Ref: 7}, {Ref: 13}, {Ref: 2}}
	restat.Sort(files)
	for i, want := range []restat.File{{Ref: 2}, {Ref: 7}, {Ref: 10}, {Ref: 13}} {
		if files[i] != want {
			t.Errorf("place %d has %+v, want %+v", i, files[i], want)
		}
	}
}
