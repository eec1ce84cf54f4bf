package index

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/store"
	"github.com/assetcook/assetcook/hashing"
)

func stamp(n int64) scan.Stamp {
	return scan.Stamp{Size: n, MTime: -n, CTime: n << 33, Inode: uint64(n) * 7, Device: 66, Mode: 0o644}
}

func blob(b byte) store.BlobID { return store.BlobID{0: b, 31: b} }

// content is what a test puts in and expects out again.
type content struct {
	files   []File
	actions []Action
	methods []Method // of each action
}

func sample() content {
	return content{
		files: []File{
			{Path: "/usr/bin/tool", Stamp: stamp(9), Blob: blob(9)},
			{Path: "a\xff\n.png", Stamp: stamp(1), Settled: true, Sum: hashing.Sum128{Hi: 1, Lo: 2}, Blob: blob(1)},
			{Path: "b/c.gltf", Stamp: stamp(2), Sum: hashing.Sum128{Lo: 3}, Blob: blob(2)},
		},
		actions: []Action{
			{
				Path: "a\xff\n.png", ID: store.ActionID{1}, Source: blob(1), CookTime: 5 * time.Second,
				Decided: time.Unix(7, 8), Outcome: "cooked", Why: "new\nforced",
				Made: []Artifact{{Path: "a\xff\n.png.ktx2", Stamp: stamp(3), Settled: true, Sum: hashing.Sum128{Hi: 9}, Blob: blob(3)}},
			},
			{
				Path: "b/c.gltf", Target: "mobile", State: Failed, ID: store.ActionID{2}, Source: blob(2), Decided: time.Unix(0, 0),
				Deps: []Dep{{Name: "c.bin", Path: "b/c.bin", Blob: blob(4), Found: true}, {Name: "d.bin", Path: "b/d.bin"}},
			},
		},
		methods: []Method{{{"recipe", "image"}, {"srgb", "true"}}, {{"recipe", "gltf"}}},
	}
}

func build(c content) []byte {
	b := NewBuilder("xxh3")
	for _, f := range c.files {
		b.AddFile(f)
	}
	for i, a := range c.actions {
		a.Method = b.AddMethod(c.methods[i])
		b.AddAction(a)
	}
	return b.Bytes()
}

func readBack(t testing.TB, x *Index) content {
	t.Helper()
	var c content
	for i := range x.Files() {
		c.files = append(c.files, x.File(i))
		if string(x.FilePath(i)) != x.File(i).Path {
			t.Errorf("FilePath(%d) = %q", i, x.FilePath(i))
		}
	}
	for i := range x.Actions() {
		a := x.Action(i)
		c.methods = append(c.methods, x.Method(a.Method))
		a.Method = 0
		c.actions = append(c.actions, a)
		first, n := x.ActionArtifacts(i)
		for k := range n {
			if d := cmp.Diff(a.Made[k], x.Artifact(first+k)); d != "" {
				t.Errorf("artifact %d of action %d: %s", k, i, d)
			}
		}
	}
	return c
}

func TestRoundTrip(t *testing.T) {
	want := sample()
	reversed := content{slices.Clone(want.files), slices.Clone(want.actions), slices.Clone(want.methods)}
	slices.Reverse(reversed.files)
	slices.Reverse(reversed.actions)
	slices.Reverse(reversed.methods)
	data := build(want)
	if string(data) != string(build(reversed)) {
		t.Error("the order in which things are added shows in the bytes")
	}
	x, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, readBack(t, x), cmp.AllowUnexported(content{})); d != "" {
		t.Error(d)
	}
	if x.Checksum() != "xxh3" {
		t.Errorf("Checksum = %q", x.Checksum())
	}
}

func TestFind(t *testing.T) {
	x, err := Open(build(sample()))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/usr/bin/tool": 0, "a\xff\n.png": 1, "b/c.gltf": 2, "": -1, "b": -1, "z": -1} {
		if i, ok := x.FindFile(path); ok != (want >= 0) || ok && i != want {
			t.Errorf("FindFile(%q) = %d, %v; want %d", path, i, ok, want)
		}
	}
	for _, tc := range []struct {
		path, target string
		want         int
	}{{"a\xff\n.png", "", 0}, {"b/c.gltf", "mobile", 1}, {"b/c.gltf", "", -1}, {"b/c.gltf", "pc", -1}} {
		if i, ok := x.FindAction(tc.path, tc.target); ok != (tc.want >= 0) || ok && i != tc.want {
			t.Errorf("FindAction(%q, %q) = %d, %v; want %d", tc.path, tc.target, i, ok, tc.want)
		}
	}
}

func TestEmptyIndexKnowsNothing(t *testing.T) {
	x := &Index{}
	if _, ok := x.FindFile("a"); ok || x.Files() != 0 || x.Actions() != 0 || x.Artifacts() != 0 {
		t.Error("the zero index has rows")
	}
	y, err := Open(NewBuilder("crc32").Bytes())
	if err != nil || y.Files() != 0 || y.Checksum() != "crc32" {
		t.Errorf("an index without rows: %v", err)
	}
}

// Match pairs what a nested loop would pair.
func TestMatch(t *testing.T) {
	names := rapid.SliceOfDistinct(rapid.StringOfN(rapid.RuneFrom([]rune("ab/-")), 1, 4, -1), rapid.ID)
	rapid.Check(t, func(t *rapid.T) {
		now, before := names.Draw(t, "now"), names.Draw(t, "before")
		slices.Sort(now)
		slices.Sort(before)
		var entries []scan.Entry
		for _, n := range now {
			entries = append(entries, scan.Entry{Path: n})
		}
		b := NewBuilder("xxh3")
		for _, n := range before {
			b.AddFile(File{Path: n})
		}
		x, err := Open(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		got := map[[2]int]bool{}
		x.Match(entries, func(e, r int) { got[[2]int{e, r}] = true })
		want := map[[2]int]bool{}
		for e, n := range now {
			want[[2]int{e, slices.Index(before, n)}] = true
		}
		for r, n := range before {
			if !slices.Contains(now, n) {
				want[[2]int{-1, r}] = true
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	})
}

func TestLookingDoesNotAllocate(t *testing.T) {
	x, err := Open(build(sample()))
	if err != nil {
		t.Fatal(err)
	}
	entries := []scan.Entry{{Path: "/usr/bin/tool"}, {Path: "a\xff\n.png"}, {Path: "b/c.gltf"}}
	same := 0
	if n := testing.AllocsPerRun(100, func() {
		x.Match(entries, func(e, r int) {
			if e == r {
				same++
			}
		})
	}); n != 0 {
		t.Errorf("%v allocations for 3 unchanged paths", n)
	}
	if same == 0 {
		t.Error("nothing matched")
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
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
		if _, err := Open(tc.data); !errors.Is(err, tc.want) {
			t.Errorf("%s: error %v, want %v", tc.name, err, tc.want)
		}
	}
}

func TestEveryBitAndEveryCutIsNoticed(t *testing.T) {
	good := build(sample())
	for i := range good {
		for bit := range 8 {
			bad := slices.Clone(good)
			bad[i] ^= 1 << bit
			if _, err := Open(bad); err == nil {
				t.Fatalf("byte %d bit %d flipped: not noticed", i, bit)
			}
		}
		if _, err := Open(good[:i]); err == nil {
			t.Fatalf("cut to %d bytes: not noticed", i)
		}
	}
}

// forge makes the trailer fit again after a change to the body, as no accident
// would.
func forge(data []byte) []byte {
	data = slices.Clone(data[:len(data)-trailerSize])
	sum := seal(data)
	return append(data, sum[:]...)
}

// Even a forged index must not make an accessor leave its bounds.
func TestForgedIndexIsRefusedOrHarmless(t *testing.T) {
	good := build(sample())
	for i := 8; i < len(good)-trailerSize; i++ {
		for _, v := range []byte{0, 1, 0x7f, 0x80, 0xff} {
			bad := slices.Clone(good)
			bad[i] = v
			if x, err := Open(forge(bad)); err == nil {
				readBack(t, x)
			}
		}
	}
}

func TestNewBuilderRefusesLongNames(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	NewBuilder(strings.Repeat("x", nameSize+1))
}

func FuzzOpen(f *testing.F) {
	f.Add(build(sample()), false)
	f.Add(NewBuilder("xxh3").Bytes(), true)
	f.Add([]byte("cookidx\n"), false)
	f.Fuzz(func(t *testing.T, data []byte, sealed bool) {
		if sealed && len(data) >= trailerSize {
			data = forge(data)
		}
		if x, err := Open(data); err == nil {
			readBack(t, x)
		}
	})
}
