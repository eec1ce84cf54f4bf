package index

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

func stamp(n int64) scan.Stamp {
	return scan.Stamp{Size: n, MTime: -n, CTime: n << 33, Inode: uint64(n) * 7, Device: 66, Mode: 0o644}
}

func blob(b byte) store.BlobID { return store.BlobID{0: b, 31: b} }

// content is the input of a builder, and the expected content of its index.
type content struct {
	folders []listed
	files   []File
	actions []Action
}

type listed struct {
	scan.Folder
	settled bool
	tree    Tree
}

func sample() content {
	return content{
		folders: []listed{
			{scan.Folder{Path: "", Stamp: stamp(5)}, true, Assets},
			{scan.Folder{Path: "b", Real: "elsewhere/b", Stamp: stamp(6), Odd: true}, true, Assets},
			{scan.Folder{Path: "b/empty", Real: "b/empty", Stamp: stamp(7)}, false, Assets},
		},
		files: []File{
			{Path: "/usr/bin/tool", Role: Other, Stamp: stamp(9), Blob: blob(9)},
			{Path: "a\xff\n.png", Stamp: stamp(1), Settled: true, Sum: hashing.Sum128{Hi: 1, Lo: 2}, Blob: blob(1)},
			{Path: "b/c.gltf", Stamp: stamp(2), Sum: hashing.Sum128{Lo: 3}, Blob: blob(2)},
			{Path: "b/copy.txt", Stamp: stamp(8), Sum: hashing.Sum128{Hi: 8}, Blob: blob(8)},
		},
		actions: []Action{
			{
				Path: "a\xff\n.png", ID: store.ActionID{1}, Source: blob(1), CookTime: 5 * time.Second,
				Decision: Decision{time.Unix(7, 8), "cooked", "new\nforced"},
				Method:   Method{{"recipe", "image"}, {"srgb", "true"}},
				Made:     []Artifact{{Path: "a\xff\n.png.ktx2", Stamp: stamp(3), Settled: true, Sum: hashing.Sum128{Hi: 9}, Blob: blob(3), Role: "color"}},
			},
			{
				Path: "b/c.gltf", Target: "mobile", State: Failed, ID: store.ActionID{2}, Source: blob(2), Decision: Decision{At: time.Unix(0, 0)},
				Method: Method{{"recipe", "gltf"}},
				Deps:   []Dep{{Name: "c.bin", On: dependency.OfFile("b/c.bin"), Blob: blob(4), Found: true}, {Name: "d.bin", On: dependency.OfFile("b/d.bin")}},
			},
			copyOf("b/copy.txt", 8),
			{
				Path: "b/copy.txt", Target: "pc", ID: store.ActionID{4}, Source: blob(7), Decision: Decision{time.Unix(7, 8), "cooked", "new\nforced"},
				Method: Method{{"recipe", "copy"}},
				Deps:   []Dep{{Name: "c.gltf", On: dependency.OfFile("b/c.gltf"), Blob: blob(2), Found: true}},
			},
		},
	}
}

// copyOf returns an action whose artifact has the name and the content of its source.
func copyOf(path string, n byte) Action {
	return Action{
		Path: path, ID: store.ActionID{n}, Source: blob(n), Decision: Decision{time.Unix(7, 8), "cooked", "new"},
		Method: Method{{"recipe", "copy"}},
		Made:   []Artifact{{Path: path, Stamp: stamp(int64(n)), Sum: hashing.Sum128{Hi: uint64(n)}, Blob: blob(n)}},
	}
}

func build(c content) []byte {
	b := newIndexBuilder("xxh3")
	for _, f := range c.folders {
		b.AddFolder(f.Folder, f.settled)
	}
	for _, f := range c.files {
		b.AddFile(f)
	}
	for _, a := range c.actions {
		b.AddAction(a)
	}
	return b.Bytes()
}

type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

func readBack(t reporter, x *flat) content {
	t.Helper()
	var c content
	for i := range x.folders().len() {
		f := x.folders().decodeFolder(i)
		if string(f.RealName()) != string(f.Real)+"\x00" || f.End <= i || f.Dead || f.Usable && !f.Listed {
			t.Errorf("directory %d: %+v", i, f)
		}
		if flags := binary.LittleEndian.Uint32(x.row(secFolders, i)[folderFlagsAt:]); f.Listed {
			path, real := strings.TrimSuffix(string(f.Path), "/"), strings.TrimSuffix(string(f.Real), "/")
			c.folders = append(c.folders, listed{
				scan.Folder{Path: path, Real: real, Stamp: f.Stamp, Odd: f.Odd}, flags&folderFresh == 0, f.Tree,
			})
		}
		for n := f.First; n < f.First+f.Count; n++ {
			if x.nodes().folderRowOf(n) != i {
				t.Errorf("node %d is in directory %d, not %d", n, x.nodes().folderRowOf(n), i)
			}
		}
	}
	for i := range x.nodes().len() {
		p := x.nodes().probeNode(i)
		if path := x.nodes().nodePath(i) + "\x00"; p.Dead || !strings.HasSuffix(path, string(p.Name)) {
			t.Errorf("node %d, %q: %+v", i, path, p)
		}
		x.nodes().nodeContent(i)
	}
	for i := range x.files().len() {
		c.files = append(c.files, x.files().decodeFileAt(i))
		if string(x.files().filePath(i)) != x.files().decodeFileAt(i).Path {
			t.Errorf("FilePath(%d) = %q", i, x.files().filePath(i))
		}
	}
	for i := range x.actions().len() {
		a := x.actions().decodeAction(i)
		c.actions = append(c.actions, a)
		if x.actions().sourcePath(i) != a.Path || x.actions().factsOf(i).target != a.Target || x.actions().factsOf(i).state != a.State {
			t.Errorf("action %d: Action and its accessors differ", i)
		}
		x.actions().findActionRow(a.Path, a.Target)
		first, n := x.actions().artifactRange(i)
		for k := range n {
			if d := cmp.Diff(a.Made[k], x.artifacts().decodeArtifact(first+k)); d != "" {
				t.Errorf("artifact %d of action %d: %s", k, i, d)
			}
			if at, ok := x.artifacts().findOutput(a.Made[k].Path); ok {
				x.artifacts().actionOfArtifact(x.refAtRow(secByOutput, at))
			}
		}
	}
	return c
}

func TestIndexReturnsItsInput(t *testing.T) {
	want := sample()
	reversed := content{
		slices.Clone(want.folders), slices.Clone(want.files), slices.Clone(want.actions),
	}
	slices.Reverse(reversed.folders)
	slices.Reverse(reversed.files)
	slices.Reverse(reversed.actions)
	data := build(want)
	if string(data) != string(build(reversed)) {
		t.Error("the bytes depend on the order of additions")
	}
	x, err := openFlat(data)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, readBack(t, x), cmp.AllowUnexported(content{}, listed{})); d != "" {
		t.Error(d)
	}
	if x.checksum != "xxh3" {
		t.Errorf("Checksum = %q", x.checksum)
	}
	if id, err := ReadID(data); err != nil || id != x.ID() || len(id) != 2*sealSize {
		t.Errorf("ReadID = %q, %v; ID = %q", id, err, x.ID())
	}
}

// TestAnyIndexReturnsItsInput reads an index back, and builds an equal index from the result.
func TestAnyIndexReturnsItsInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		data := m.flat()
		x, err := openFlat(data)
		if err != nil {
			t.Fatal(err)
		}
		c := readBack(t, x)
		if d := cmp.Diff(m.content(), c, cmp.AllowUnexported(content{}, listed{}), cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
		if d := cmp.Diff(m.probes(), probesOf(m, x)); d != "" {
			t.Fatal(d)
		}
		if b := rebuild(x); !bytes.Equal(b, data) {
			t.Fatal("an index built from its own contents has other bytes")
		}
	})
}

func TestNodesAreOrderedByInode(t *testing.T) {
	b := newIndexBuilder("xxh3")
	for i, name := range []string{"d/a", "d/b", "d/c"} {
		b.AddFile(File{Path: name, Stamp: scan.Stamp{Inode: uint64(9 - i)}})
	}
	x, err := openFlat(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range x.nodes().len() {
		got = append(got, x.nodes().nodePath(i))
	}
	if d := cmp.Diff([]string{"d/c", "d/b", "d/a"}, got); d != "" {
		t.Error(d)
	}
}

func TestDirectoryRangeCoversItsSubdirectories(t *testing.T) {
	b := newIndexBuilder("xxh3")
	for _, path := range []string{"", "a", "a-", "a/b", "a/b/c", "ab"} {
		b.AddFolder(scan.Folder{Path: path, Real: path}, true)
	}
	b.AddAction(Action{Path: "a/s", Made: []Artifact{{Path: "a.out/o"}}})
	x, err := openFlat(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for i := range x.folders().len() {
		f := x.folders().decodeFolder(i)
		got[string(f.Path)] = f.End - i - 1
	}
	if d := cmp.Diff(map[string]int{"": 5, "a/": 2, "a-/": 0, "a/b/": 1, "a/b/c/": 0, "ab/": 0, "a.out/": 0}, got); d != "" {
		t.Error(d)
	}
}

func TestFindFileAndActionByBinarySearch(t *testing.T) {
	x, err := openFlat(build(sample()))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/usr/bin/tool": 0, "a\xff\n.png": 1, "b/c.gltf": 2, "": -1, "b": -1, "z": -1} {
		if i, ok := x.files().findFileRow(path); ok != (want >= 0) || ok && i != want {
			t.Errorf("FindFile(%q) = %d, %v; want %d", path, i, ok, want)
		}
	}
	for _, tc := range []struct {
		path, target string
		want         int
	}{{"a\xff\n.png", "", 0}, {"b/c.gltf", "mobile", 1}, {"b/c.gltf", "", -1}, {"b/c.gltf", "pc", -1}} {
		if i, ok := x.actions().findActionRow(tc.path, tc.target); ok != (tc.want >= 0) || ok && i != tc.want {
			t.Errorf("FindAction(%q, %q) = %d, %v; want %d", tc.path, tc.target, i, ok, tc.want)
		}
	}
}

func TestEmptyIndexKnowsNothing(t *testing.T) {
	x := &flat{}
	if _, ok := x.files().findFileRow("a"); ok || x.files().len() != 0 || x.actions().len() != 0 || x.artifacts().len() != 0 {
		t.Error("the zero index has rows")
	}
	y, err := openFlat(newIndexBuilder("crc32").Bytes())
	if err != nil || y.files().len() != 0 || y.checksum != "crc32" {
		t.Errorf("an index without rows: %v", err)
	}
}

func TestProbingDoesNotAllocate(t *testing.T) {
	x, err := openFlat(build(sample()))
	if err != nil {
		t.Fatal(err)
	}
	busy, bytes := 0, 0
	if n := testing.AllocsPerRun(100, func() {
		for i := range x.folders().len() {
			f := x.folders().decodeFolder(i)
			bytes += len(f.RealName())
			for node := f.First; node < f.First+f.Count; node++ {
				if p := x.nodes().probeNode(node); !p.Idle() {
					busy++
					bytes += len(p.Name) + int(p.Stamp.Size)
					if p.Follow() && p.Settled {
						bytes++
					}
				}
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations for %d nodes", n, x.nodes().len())
	}
	if busy%7 != 0 || busy == 0 || bytes == 0 {
		t.Errorf("%d probes, want 7 a run", busy)
	}
}

func TestOpenErrorNamesTheCause(t *testing.T) {
	good := build(sample())
	newer := slices.Clone(good)
	newer[8] = Version + 1
	for _, tc := range []struct {
		name string
		data []byte
		want error
	}{
		{"empty", nil, ErrForeign},
		{"text", []byte("not an index at all, but long enough"), ErrForeign},
		{"newer", newer, ErrVersion},
		{"header only", good[:headerSize], ErrDamaged},
		{"magic only", good[:8], ErrDamaged},
		{"longer", append(slices.Clone(good), 0), ErrDamaged},
	} {
		if _, err := openFlat(tc.data); !errors.Is(err, tc.want) {
			t.Errorf("%s: error %v, want %v", tc.name, err, tc.want)
		}
	}
}

func TestEveryFlippedBitAndEveryCutIsDetected(t *testing.T) {
	good := build(sample())
	for i := range good {
		for bit := range 8 {
			bad := slices.Clone(good)
			bad[i] ^= 1 << bit
			if _, err := openFlat(bad); err == nil {
				t.Fatalf("byte %d bit %d flipped: not detected", i, bit)
			}
		}
		if _, err := openFlat(good[:i]); err == nil {
			t.Fatalf("cut to %d bytes: not detected", i)
		}
	}
}

// forge recomputes all seals after a change, so that checksums do not reveal the change.
func forge(data []byte) []byte {
	data = slices.Clone(data)
	if len(data) < headerSize {
		return data
	}
	n := (len(data) - headerSize + blockSize + sealSize - 1) / (blockSize + sealSize)
	if end := len(data) - n*sealSize; end >= headerSize {
		copy(data[end:], appendSeals(nil, data[headerSize:end]))
		sum := seal(data[end:])
		copy(data[sealsAt:], sum[:])
	}
	sum := seal(data[:headerEnd])
	copy(data[headerEnd:], sum[:])
	return data
}

// TestForgePassesTheSeals checks that forged files pass the checksums. The tests of forged files
// rely on this.
func TestForgePassesTheSeals(t *testing.T) {
	good := build(sample())
	for s := range sectionCount {
		bad := slices.Clone(good)
		bad[binary.LittleEndian.Uint64(bad[tableAt+s*entrySize:])] ^= 1
		x, err := openHeader(forge(bad))
		if err != nil {
			t.Fatal(err)
		}
		if err := x.checkSeals(0, sectionCount); err != nil {
			t.Errorf("section %d: %v", s, err)
		}
	}
}

// TestForgedIndexIsRefusedOrHarmless checks that no accessor leaves its bounds in a forged index.
func TestForgedIndexIsRefusedOrHarmless(t *testing.T) {
	good := build(sample())
	for i := 8; i < len(good); i++ {
		for _, v := range []byte{0, 1, 0x7f, 0x80, 0xff} {
			bad := slices.Clone(good)
			bad[i] = v
			if x, err := openFlat(forge(bad)); err == nil {
				readBack(discard{}, x)
			}
		}
	}
}

// TestOpenRefusesForgedFlags checks that Open refuses roles and flags that no writer produces.
func TestOpenRefusesForgedFlags(t *testing.T) {
	good := build(sample())
	x, err := openFlat(good)
	if err != nil {
		t.Fatal(err)
	}
	set := func(s, row, at int, v uint32) []byte {
		bad := slices.Clone(good)
		binary.LittleEndian.PutUint32(bad[x.sections[s].offset+row*rowSize[s]+at:], v)
		return forge(bad)
	}
	file, artifact := x.refAtRow(secByPath, 0), x.refAtRow(secMade, 0)
	length := binary.LittleEndian.Uint32(x.row(secNodes, file)[nodeFlagsAt:]) >> nodeLengthShift << nodeLengthShift
	contents, texts := uint32(x.sections[secContents].count), uint32(x.sections[secStrings].count)
	for name, data := range map[string][]byte{
		"a file that is an artifact":     set(secNodes, file, nodeFlagsAt, length|uint32(Made)),
		"a file that is absent":          set(secNodes, file, nodeFlagsAt, length|uint32(Absent)),
		"an artifact that is none":       set(secNodes, artifact, nodeFlagsAt, uint32(Other)),
		"an artifact without an action":  set(secNodes, artifact, nodeActionAt, noAction),
		"rules that are not listed":      set(secNodes, file, nodeFlagsAt, length|uint32(Config)),
		"an unknown role":                set(secNodes, file, nodeFlagsAt, length|nodeRole),
		"a dead node":                    set(secNodes, file, nodeFlagsAt, length|nodeDead),
		"a name that is too long":        set(secNodes, file, nodeFlagsAt, 1<<31),
		"an unknown content of a node":   set(secNodes, file, nodeContentAt, contents),
		"an unknown content of a dep":    set(secDeps, 0, depContentAt, contents),
		"an unknown content of a source": set(secActions, 0, actionSourceAt, contents),
		"unknown facts":                  set(secActions, 0, actionSharedAt, uint32(x.sections[secShared].count)),
		"facts with an unknown method":   set(secShared, 0, sharedMethodAt, uint32(x.methodCount())),
		"facts with an unknown flag":     set(secShared, 0, sharedFlagsAt, 1<<2),
		"a text that begins outside":     set(secShared, 0, sharedTargetAt, texts-textHead+1),
		"a text that ends outside":       set(secStrings, 0, 0, texts-textHead+1),
		"the first artifact is lost":     set(secActions, 0, actionMadeAt, 1),
		"the first dependency is lost":   set(secActions, 0, actionDepsAt, 1),
		"artifacts out of order":         set(secActions, 1, actionMadeAt, uint32(x.artifacts().len()+1)),
		"dependencies out of order":      set(secActions, 2, actionDepsAt, uint32(x.deps().len()+1)),
		"an unknown tree":                set(secFolders, 0, folderFlagsAt, uint32(trees)),
		"a dead directory":               set(secFolders, 0, folderFlagsAt, folderDead),
	} {
		if _, err := openFlat(data); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := openFlat(set(secNodes, file, nodeFlagsAt, length|uint32(Ignore)|nodeSettled)); err != nil {
		t.Errorf("a known role: %v", err)
	}
}

// TestCopiedAssetTakesFewBytes checks that the index stores the name, the content and the facts of a
// copied file only once.
func TestCopiedAssetTakesFewBytes(t *testing.T) {
	const assets, limit = 5000, 270
	var c content
	for i := range assets {
		path := fmt.Sprintf("d%04d/f%04d.dat", i/100, i%100)
		a := copyOf(path, 1)
		a.ID[1], a.ID[2], a.Source[1], a.Source[2] = byte(i), byte(i>>8), byte(i), byte(i>>8)
		a.Made[0].Blob = a.Source
		c.actions = append(c.actions, a)
		c.files = append(c.files, File{Path: path, Stamp: stamp(int64(i)), Sum: a.Made[0].Sum, Blob: a.Source})
	}
	x := mustOpen(t, build(c))
	if rows := x.sections[secContents].count; rows != assets || x.sections[secShared].count != 1 {
		t.Errorf("%d contents and %d rows of shared facts for %d assets", rows, x.sections[secShared].count, assets)
	}
	if size := len(x.data) / assets; size > limit {
		t.Errorf("an asset takes %d bytes; want at most %d", size, limit)
	}
}

// discard ignores errors that a forged index may cause.
type discard struct{}

func (discard) Helper()               {}
func (discard) Errorf(string, ...any) {}

func TestNewBuilderRefusesLongNames(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	newIndexBuilder(strings.Repeat("x", nameSize+1))
}

func FuzzOpenFlat(f *testing.F) {
	f.Add(build(sample()), false)
	f.Add(newIndexBuilder("xxh3").Bytes(), true)
	f.Add([]byte("cookidx\n"), false)
	f.Fuzz(func(t *testing.T, data []byte, sealed bool) {
		if sealed {
			data = forge(data)
		}
		if x, err := openFlat(data); err == nil {
			readBack(discard{}, x)
		}
	})
}

// TestFormatIsFixed checks the bytes of an index and its changes. If they change, Version must
// change too.
func TestFormatIsFixed(t *testing.T) {
	var got [2]string
	for i, b := range [][]byte{build(sample()), noChanges(mustOpen(t, build(sample())), newVouching(hashing.Digest{7}, []Vouch{{"pc", []string{"a"}}}))} {
		sum := seal(b)
		got[i] = hex.EncodeToString(sum[:])
	}
	want := [2]string{"f6f299b87055374de877ef78665c28da", "f858dee2a3da2f3cb5c4a6fb2264303c"}
	if runtime.GOOS == "windows" { // Windows does not treat /usr/bin/tool as an absolute path, so the sums differ
		want = [2]string{"46c036e3f41f05b7eab7483d10bde0ba", "b54e7d3910c2acf43838fd37fbe1ca71"}
	}
	if got != want {
		t.Errorf("sums %q, want %q; increase Version", got, want)
	}
}
