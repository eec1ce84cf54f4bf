package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// changed returns a base, and a changes file with changes of every kind.
func changed(t testing.TB) (base, changes []byte) {
	t.Helper()
	c := sample()
	c.files = append(c.files, File{Path: "b/gone.bin", Role: Other, Stamp: stamp(4)})
	base = build(c)
	x, err := openFlat(base)
	if err != nil {
		t.Fatal(err)
	}
	l := mustLive(t, base, noChanges(x, newVouching(hashing.Digest{8}, []Vouch{{"", []string{"b/c.gltf", "b/new"}}, {"pc", nil}})))
	editor{l}.putFileRecord(File{Path: "a\xff\n.png", Stamp: stamp(11), Settled: true, Blob: blob(11)})
	editor{l}.putFileRecord(File{Path: "b/new", Stamp: stamp(12), Blob: blob(12)})
	editor{l}.forgetFile("b/gone.bin")
	editor{l}.removeActions("b/c.gltf")
	editor{l}.insertAction(Action{
		Path: "b/c.gltf", Target: "pc", State: Failed, Decision: Decision{At: time.Unix(0, 5), Why: "new"},
		Deps: []Dep{{Name: "e", On: dependency.OfFile("b/e")}}, Made: []Artifact{{Path: "o/c.glb", Stamp: stamp(13)}},
		Method: Method{{"recipe", "gltf"}},
	})
	editor{l}.restampFolder(0, 1, stamp(14), false, false)
	_, row, _ := findListed(l, "b/empty/")
	editor{l}.forgetFolder(0, row)
	editor{l}.insertFolder(scan.Folder{Path: "n", Real: "n", Stamp: stamp(15)}, true)
	return base, encodeChanges(l)
}

func mustLive(t testing.TB, base, changes []byte) *Index {
	t.Helper()
	l, err := Open(bytes.Clone(base), changes)
	if err == nil {
		err = l.Load()
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestIndexWithoutChangesEqualsItsBase(t *testing.T) {
	data := build(sample())
	want, err := openFlat(data)
	if err != nil {
		t.Fatal(err)
	}
	l := mustLive(t, data, noChanges(want, vouching{}))
	got, err := mergeBase(l)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.data, data) || l.edited || hasGrown(l) {
		t.Errorf("differs from the base: edited %v, grown %v", l.edited, hasGrown(l))
	}
	if !l.Fingerprint().IsZero() || l.Results().Totals() != (Totals{}) || l.base.checksum != want.checksum || l.base.ID() != want.ID() {
		t.Error("the identity differs from the base")
	}
	if over := l.parts()[1]; over.nodes().len()+over.folders().len()+over.actions().len() != 0 {
		t.Error("the changes have additions")
	}
	if d := cmp.Diff(readBack(t, want), readBack(t, got), cmp.AllowUnexported(content{}, listed{})); d != "" {
		t.Error(d)
	}
}

func TestUnloadedChangesAreWrittenUnchanged(t *testing.T) {
	base, changes := changed(t)
	l, err := Open(bytes.Clone(base), changes)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encodeChanges(l), changes) {
		t.Error("the changes differ")
	}
}

func TestRedundantEditChangesNothing(t *testing.T) {
	base, changes := changed(t)
	l := mustLive(t, base, changes)
	for part, x := range l.parts() {
		for i := range x.nodes().len() {
			if p := x.nodes().probeNode(i); !p.Dead {
				editor{l}.restampNode(part, i, p.Stamp, p.Settled)
			}
		}
		for i := range x.folders().len() {
			if f := x.folders().decodeFolder(i); f.Listed && !f.Dead {
				flags := binary.LittleEndian.Uint32(x.row(secFolders, i)[folderFlagsAt:])
				editor{l}.restampFolder(part, i, f.Stamp, flags&folderFresh == 0, f.Odd)
			}
		}
	}
	for _, path := range []string{"a\xff\n.png", "b/new"} {
		f, ok := l.Files().File(path)
		if !ok {
			t.Fatalf("%q is not there", path)
		}
		editor{l}.putFileRecord(f)
	}
	editor{l}.forgetFile("b/gone.bin")
	editor{l}.removeActions("nobody")
	editor{l}.replaceVouches(newVouching(l.Fingerprint(), []Vouch{{"", []string{"b/c.gltf", "b/new"}}, {"pc", nil}}))
	if l.edited {
		t.Error("edited")
	}
}

func TestRetargetedLinkMovesItsFiles(t *testing.T) {
	b := newIndexBuilder("xxh3")
	b.AddFolder(scan.Folder{Path: "link", Real: "old"}, true)
	b.AddFile(File{Path: "link/a", Stamp: stamp(1)})
	b.AddAction(Action{Path: "link/a", Deps: []Dep{{On: dependency.OfFile("link/no")}}})
	base := b.Bytes()
	x, err := openFlat(base)
	if err != nil {
		t.Fatal(err)
	}
	l := mustLive(t, base, noChanges(x, vouching{}))
	editor{l}.insertFolder(scan.Folder{Path: "link", Real: "new"}, true)
	editor{l}.restampNode(0, x.refAtRow(secByPath, 0), stamp(2), true)
	l = mustLive(t, base, encodeChanges(l))
	type found struct {
		real, path string
		stamp      scan.Stamp
	}
	var got []found
	for _, x := range l.parts() {
		for i := range x.nodes().len() {
			if p := x.nodes().probeNode(i); !p.Idle() {
				f := x.folders().decodeFolder(x.nodes().folderRowOf(i))
				got = append(got, found{string(f.Real), x.nodes().nodePath(i), p.Stamp})
			}
		}
	}
	want := []found{{"new/", "link/no", scan.Stamp{}}, {"new/", "link/a", stamp(2)}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestPathAbsentAgainKeepsItsNode(t *testing.T) {
	base := build(sample())
	x, err := openFlat(base)
	if err != nil {
		t.Fatal(err)
	}
	find := func(l *Index) (dead, alive int) {
		for _, x := range l.parts() {
			for i := range x.nodes().len() {
				if p := x.nodes().probeNode(i); p.Role == Absent && p.Dead {
					dead++
				} else if p.Role == Absent {
					alive++
				}
			}
		}
		return dead, alive
	}
	l := mustLive(t, base, noChanges(x, vouching{}))
	editor{l}.putFileRecord(File{Path: "b/d.bin"})
	came := mustLive(t, base, encodeChanges(l))
	if dead, alive := find(came); dead != 1 || alive != 0 {
		t.Errorf("the file appeared: %d dead, %d alive", dead, alive)
	}
	editor{came}.forgetFile("b/d.bin")
	went := mustLive(t, base, encodeChanges(came))
	if dead, alive := find(went); dead != 0 || alive != 1 {
		t.Errorf("the file vanished: %d dead, %d alive", dead, alive)
	}
	if !bytes.Equal(encodeChanges(came), noChanges(x, vouching{})) {
		t.Error("there are changes although nothing has changed")
	}
}

func TestRewriteOfPatchesIsInPlace(t *testing.T) {
	base := build(sample())
	x, err := openFlat(base)
	if err != nil {
		t.Fatal(err)
	}
	l := mustLive(t, base, noChanges(x, vouching{}))
	f, _ := l.Files().File("a\xff\n.png")
	f.Stamp, f.Blob = stamp(100), blob(100)
	editor{l}.putFileRecord(f)
	y, changes := rewriteBase(l)
	if y != l.base {
		t.Fatal("the index was not rewritten in place")
	}
	y, err = openFlat(bytes.Clone(y.data))
	if err != nil {
		t.Fatal(err)
	}
	again := mustLive(t, y.data, changes)
	if got, ok := again.Files().File(f.Path); again.Results().Totals() != l.Results().Totals() || again.Fingerprint() != l.Fingerprint() || !ok || got != f {
		t.Errorf("Totals = %+v, Identity = %v, File = %+v", again.Results().Totals(), again.Fingerprint(), got)
	}
	if y.ID() == x.ID() {
		t.Error("the changes of the old index would fit the new one")
	}
}

// TestEditedSourceKeepsContentOfItsCopy edits a source without cooking it. The action and the
// artifact, which shared the content of the source, must keep the old content.
func TestEditedSourceKeepsContentOfItsCopy(t *testing.T) {
	base := build(sample())
	x := mustOpen(t, base)
	l := mustLive(t, base, noChanges(x, vouching{}))
	f, _ := l.Files().File("b/copy.txt")
	old := f.Blob
	f.Sum, f.Blob = hashing.Sum128{Hi: 99}, blob(99)
	check := func(step string, l *Index) {
		t.Helper()
		ref, got, _ := l.Files().Find(f.Path)
		sum, id := l.Content(ref)
		if a := l.Results().ActionsOf(f.Path)[0]; got != f || sum != f.Sum || id != f.Blob || a.Source != old || a.Made[0].Blob != old {
			t.Errorf("%s: file %v, %v, %v; source %v, artifact %v", step, got, sum, id, a.Source, a.Made[0])
		}
	}
	editor{l}.putFileRecord(f)
	check("edited", l)
	l = mustLive(t, base, encodeChanges(l))
	check("opened again", l)
	merged, err := mergeBase(l)
	if err != nil {
		t.Fatal(err)
	}
	check("merged", mustLive(t, merged.data, noChanges(merged, vouching{})))
	for part, x := range l.parts() {
		for i := range x.nodes().len() {
			if x.nodes().roleOf(i) != Absent {
				editor{l}.restampNode(part, i, stamp(77), true)
			}
		}
	}
	f.Stamp, f.Settled = stamp(77), true
	rewritten, changes := rewriteBase(l)
	l = mustLive(t, rewritten.data, changes)
	check("rewritten", l)
	f.Sum, f.Blob = hashing.Sum128{Hi: 8}, old
	editor{l}.putFileRecord(f)
	check("edited back", l)
	if !bytes.Equal(encodeChanges(mustLive(t, rewritten.data, encodeChanges(l))), noChanges(mustOpen(t, rewritten.data), vouching{})) {
		t.Error("the changes file has an old content")
	}
}

func TestManyChangesCallForANewIndex(t *testing.T) {
	x, err := openFlat(build(sample()))
	if err != nil {
		t.Fatal(err)
	}
	l := mustLive(t, x.data, noChanges(x, vouching{}))
	n := 0
	for ; !hasGrown(l) && n < 1e6; n++ {
		editor{l}.putFileRecord(File{Path: string(binary.BigEndian.AppendUint32(nil, uint32(n)))})
	}
	if size := len(encodeChanges(l)); size < 64<<10 || size > 1<<20 {
		t.Errorf("grown after %d files, %d bytes", n, size)
	}
}

func TestOpenDetectsDamageOfTheBase(t *testing.T) {
	base, changes := changed(t)
	for i := range base {
		bad := bytes.Clone(base)
		bad[i] ^= 1 << (i % 8)
		l, err := Open(bad, changes)
		want := ErrDamaged
		switch {
		case i < len(magic):
			want = ErrForeign
		case i < len(magic)+4:
			want = ErrVersion
		case err == nil:
			if _, err := mergeBase(l); !errors.Is(err, ErrDamaged) {
				t.Fatalf("byte %d: Flat returns %v", i, err)
			}
			err = (l).Check()
		}
		if !errors.Is(err, want) {
			t.Fatalf("byte %d: %v, want %v", i, err, want)
		}
	}
	for n := range base {
		if _, err := Open(bytes.Clone(base[:n]), changes); err == nil {
			t.Fatalf("cut to %d bytes: not detected", n)
		}
	}
}

func TestOpenDetectsDamageOfTheChanges(t *testing.T) {
	base, changes := changed(t)
	check := func(what string, i int, data []byte) {
		t.Helper()
		if _, err := Open(bytes.Clone(base), data); !errors.Is(err, ErrDamaged) {
			t.Fatalf("%s %d: %v", what, i, err)
		}
	}
	for i := range changes {
		for bit := range 8 {
			bad := bytes.Clone(changes)
			bad[i] ^= 1 << bit
			check("byte", i, bad)
		}
		check("cut to", i, changes[:i])
	}
	check("longer by", 1, append(bytes.Clone(changes), 0))
	other, err := openFlat(build(content{}))
	if err != nil {
		t.Fatal(err)
	}
	check("of another base", 0, noChanges(other, vouching{}))
	newer := bytes.Clone(changes)
	newer[len(changesMagic)]++
	if _, err := Open(bytes.Clone(base), forgeChanges(newer, base)); !errors.Is(err, ErrVersion) {
		t.Errorf("another version: %v", err)
	}
}

// forgeChanges makes changes refer to a base, and recomputes all seals.
func forgeChanges(data, base []byte) []byte {
	data = bytes.Clone(data)
	if len(data) < changesHeader+sealSize {
		return data
	}
	copy(data, changesMagic[:])
	copy(data[changesBaseAt:changesIDAt], base[headerEnd:headerSize])
	at := uint64(changesHeader)
	for i, size := range []uint64{patchSize, patchContentSize, patchFolderSize, 4, 4, 4} {
		at += uint64(binary.LittleEndian.Uint32(data[changesListsAt+4*i:])) * size
	}
	at += uint64(binary.LittleEndian.Uint32(data[changesHeader-4:]))
	body := data[:len(data)-sealSize]
	if at < uint64(len(body)) {
		copy(body[at:], forge(body[at:]))
	}
	sum := seal(body)
	copy(data[len(body):], sum[:])
	return data
}

// TestForgedChangesAreRefusedOrHarmless opens forged changes. Either Open refuses them, or all
// queries and edits work.
func TestForgedChangesAreRefusedOrHarmless(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and starts no goroutines")
	}
	base, changes := changed(t)
	useAll(t, base, forgeChanges(changes, base))
	accepted := 0
	for i := changesBaseAt; i < len(changes)-sealSize; i++ {
		for _, v := range []byte{0, changes[i] ^ 2, 0xff} {
			bad := bytes.Clone(changes)
			bad[i] = v
			if useAll(t, base, forgeChanges(bad, base)) {
				accepted++
			}
		}
	}
	if accepted == 0 {
		t.Error("no forged file passed the seals")
	}
}

func TestChangesThatRepeatTheBaseAreRefused(t *testing.T) {
	base := build(sample())
	for name, add := range map[string]func(b *builder){
		"file":   func(b *builder) { b.AddFile(sample().files[1]) },
		"action": func(b *builder) { b.AddAction(sample().actions[0]) },
	} {
		x, err := openFlat(base)
		if err != nil {
			t.Fatal(err)
		}
		b := newIndexBuilder("xxh3")
		add(b)
		over, err := openFlat(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		l := &Index{base: x, over: over}
		l, err = Open(bytes.Clone(base), encodeChanges(l))
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Load(); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// useAll runs all queries and edits, unless Open refuses the changes. No query or edit may panic,
// and the written files must be readable.
func useAll(t testing.TB, base, changes []byte) bool {
	t.Helper()
	l, err := Open(bytes.Clone(base), changes)
	if err != nil {
		return false
	}
	probeAll(l)
	_ = l.Results().Methods(func(Method) {})
	mustLiveOrDamaged(t, base, encodeChanges(l))
	if err := l.Load(); err != nil {
		if !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
		return false
	}
	askAll(l)
	writable(t, base, l)
	editAll(l)
	writable(t, base, l)
	probeAll(l)
	askAll(l)
	dropAll(l)
	writable(t, base, l)
	x, changes := rewriteBase(l)
	l, err = Open(bytes.Clone(x.data), changes)
	if err == nil {
		err = l.Load()
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}

func mustLiveOrDamaged(t testing.TB, base, changes []byte) {
	t.Helper()
	l, err := Open(bytes.Clone(base), changes)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Load(); err != nil && !errors.Is(err, ErrDamaged) {
		t.Fatal(err)
	}
}

// writable checks that the files of an edited index can be read.
func writable(t testing.TB, base []byte, l *Index) {
	t.Helper()
	mustLive(t, base, encodeChanges(l))
	if _, err := mergeBase(l); err != nil {
		t.Fatal(err)
	}
}

func probeAll(l *Index) {
	for part, x := range l.parts() {
		for i := range x.folders().len() {
			f := x.folders().decodeFolder(i)
			_ = [trees]int{}[f.Tree]
			findListed(l, string(f.Path))
			for node := f.First; node < f.First+f.Count; node++ {
				if p := x.nodes().probeNode(node); p.Role == Made {
					l.Results().Source(refAt(l, part, node))
				}
				l.parts()[part].nodes().nodePath(node)
				x.nodes().nodeContent(node)
			}
		}
	}
}

func askAll(l *Index) {
	paths := map[string]bool{}
	for part, x := range l.parts() {
		for i := range x.nodes().len() {
			paths[l.parts()[part].nodes().nodePath(i)] = true
		}
	}
	for p := range paths {
		l.Files().File(p)
		l.Files().sizeOfFile(p)
		l.Results().Owner(p)
		l.Results().HoldsOutputs(p)
		l.Results().eachOf(p, func(*Action) {})
	}
	l.Results().HoldsOutputs("")
	l.Results().Dependents(map[dependency.Dependency]bool{dependency.OfFile("b/e"): true}, func(string) {})
	l.Results().Deps(dependency.Kind.IsExtract, func(string, Dep) {})
	l.Results().Failed(func(string) {})
	_ = l.Results().Methods(func(Method) {})
	l.Files().Configs()
	hasGrown(l)
}

func editAll(l *Index) {
	for part, x := range l.parts() {
		for i := range x.nodes().len() {
			editor{l}.restampNode(part, i, stamp(int64(i)), i%2 == 0)
		}
		for i := range x.folders().len() {
			f := x.folders().decodeFolder(i)
			editor{l}.restampFolder(part, i, stamp(int64(i)), i%2 == 0, i%3 == 0)
			editor{l}.insertFolder(scan.Folder{Path: string(f.Path), Real: "r"}, true)
		}
	}
	for i, f := range slices.Concat(sample().files, []File{{Path: "b/e"}, {Path: "b/d.bin"}}) {
		editor{l}.putFileRecord(f)
		editor{l}.removeActions(f.Path)
		editor{l}.insertAction(Action{Path: f.Path, Decision: Decision{At: time.Unix(0, 0)}, Method: Method{{"k", "v"}}, Deps: []Dep{{On: dependency.OfFile("b/e")}, {On: dependency.OfFile("b/x")}}})
		if i%2 == 0 {
			editor{l}.forgetFile(f.Path)
		}
	}
}

func dropAll(l *Index) {
	for part, x := range l.parts() {
		for i := range x.actions().len() {
			editor{l}.removeActions(x.actions().sourcePath(i))
		}
		for i := range x.nodes().len() {
			editor{l}.dropNodeFile(part, i)
		}
		for i := range x.folders().len() {
			editor{l}.forgetFolder(part, i)
		}
	}
}

func FuzzOpen(f *testing.F) {
	base, changes := changed(f)
	x, err := openFlat(base)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(changes, true)
	f.Add(noChanges(x, vouching{}), false)
	f.Add([]byte("cookchg\n"), true)
	f.Fuzz(func(t *testing.T, data []byte, sealed bool) {
		if sealed {
			data = forgeChanges(data, base)
		}
		useAll(t, base, data)
	})
}

func TestEmptyOutputDirectoriesAreDropped(t *testing.T) {
	for _, others := range []bool{false, true} {
		b := newIndexBuilder("xxh3")
		b.folders = []folderIn{{folderKey: folderKey{Out, "empty/"}}, {folderKey: folderKey{Out, "full/"}}}
		want := 1
		if others {
			b.AddFolder(scan.Folder{}, true)
			want++
		}
		b.AddAction(Action{Path: "a", Made: []Artifact{{Path: "full/a.out"}}})
		dropEmptyFolders((&Index{}), b)
		if len(b.folders) != want || b.folders[0].path != "full/" {
			t.Errorf("with others %t: %+v", others, b.folders)
		}
	}
}

// refAt returns the Ref of a node in the base or in the additions.
func refAt(x *Index, part, node int) Ref {
	if part == 1 {
		node += x.base.nodes().len()
	}
	return Ref(node)
}
