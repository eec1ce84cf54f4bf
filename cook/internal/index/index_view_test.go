package index

import (
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/dependency"
)

func TestEmptyIndexYieldsNothing(t *testing.T) {
	x := Empty()
	if x.ID() != "" || x.Folders()+x.Nodes() != 0 || !x.Fingerprint().IsZero() || x.Results().Totals() != (Totals{}) {
		t.Errorf("%q, %d directories, %d nodes", x.ID(), x.Folders(), x.Nodes())
	}
	for a := range x.Results().Actions() {
		t.Errorf("action %v", a)
	}
	for e, f := range x.Files().Match([]scan.Entry{{Path: "a"}}) {
		if e.Path != "a" || f != nil {
			t.Errorf("%v is %v", e, f)
		}
	}
}

// TestEditedIndexEqualsItsFlatFile edits an index. It must yield and find the same entries as the
// flat file that would be written for it.
func TestEditedIndexEqualsItsFlatFile(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		before, after := drawModel(rt), drawModel(rt)
		base := before.flat()
		l := mustLive(t, base, noChanges(mustOpen(rt, base), vouching{}))
		if err := l.Load(); err != nil {
			rt.Fatal(err)
		}
		for path := range before.files {
			if rapid.Bool().Draw(rt, "drop file") {
				editor{l}.forgetFile(path)
			}
		}
		for key := range before.actions {
			if rapid.Bool().Draw(rt, "drop actions") {
				editor{l}.removeActions(key[0])
			}
		}
		for _, f := range after.files {
			editor{l}.putFileRecord(f)
		}
		for key, a := range after.actions {
			if len(l.Results().ActionsOf(key[0])) == 0 {
				editor{l}.insertAction(a)
			}
		}
		x := l
		flat, err := mergeBase(l)
		if err != nil {
			rt.Fatal(err)
		}
		var actions []Action
		for a := range x.Results().Actions() {
			actions = append(actions, *a)
		}
		want := readBack(discard{}, flat)
		if d := gocmp.Diff(want.actions, actions, cmpopts.EquateEmpty()); d != "" {
			rt.Fatal(d)
		}
		var entries []scan.Entry
		for _, path := range append(slices.Clone(filePaths), missingPaths...) {
			entries = append(entries, scan.Entry{Path: path})
		}
		slices.SortFunc(entries, func(a, b scan.Entry) int { return compareNameTo([]byte(a.Path), b.Path) })
		n := 0
		for e, f := range x.Files().Match(entries) {
			known, ok := x.Files().File(e.Path)
			if ref, again, there := x.Files().Find(e.Path); there && (again != known || x.Path(ref) != e.Path) {
				rt.Fatalf("%q: found %v, and %v at %d", e.Path, known, again, ref)
			}
			if e.Path != entries[n].Path || ok != (f != nil) || ok && *f != known {
				rt.Fatalf("%q: matched %v, found %v", e.Path, f, known)
			}
			n++
		}
		var files []File
		for on, f := range x.Files().Below(".") {
			if f.Path != on.Path {
				rt.Fatalf("%+v is of %+v", f, on)
			}
			f.Path = dependency.Encode(on)
			files = append(files, f)
		}
		slices.SortFunc(files, func(a, b File) int { return compareNameTo([]byte(a.Path), b.Path) })
		if d := gocmp.Diff(want.files, files, cmpopts.EquateEmpty()); d != "" || n != len(entries) {
			rt.Fatal(n, d)
		}
	})
}

func TestRefsAndCursorReachTheSameNodes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := drawModel(rt)
		base := m.flat()
		first := mustLive(t, base, noChanges(mustOpen(rt, base), vouching{}))
		if err := first.Load(); err != nil {
			rt.Fatal(err)
		}
		for _, f := range drawModel(rt).files {
			editor{first}.putFileRecord(f)
		}
		x, err := Open(m.flat(), encodeChanges(first))
		if err != nil {
			rt.Fatal(err)
		}
		last := -1
		for ref := range x.Folders() {
			f := x.Folder(FolderRef(ref))
			for i := range f.Len() {
				n, ok := f.Node(i)
				if !ok {
					continue
				}
				if again := x.Node(n.Ref); string(again.Name) != string(n.Name) || again.Stamp != n.Stamp || x.FolderOf(n.Ref) != f.Ref {
					rt.Fatalf("node %d: %v, %v", n.Ref, n, again)
				}
				if int(n.Ref) <= last || int(n.Ref) >= x.Nodes() {
					rt.Fatalf("node %d comes after %d of %d", n.Ref, last, x.Nodes())
				}
				last = int(n.Ref)
				if p := x.Path(n.Ref); f.Path() != "" && len(p) <= len(f.Path()) || p[len(p)-len(n.Name)+1:] != string(n.Name[:len(n.Name)-1]) {
					rt.Fatalf("%q in %q has the path %q", n.Name, f.Path(), p)
				}
			}
			if g, ok := x.FindFolder(f.Path()); f.Tree == Assets && f.Listed && (!ok || g.Ref != f.Ref || g.Real() != f.Real()) {
				rt.Fatalf("directory %q: %v, %t", f.Path(), g, ok)
			}
		}
	})
}
