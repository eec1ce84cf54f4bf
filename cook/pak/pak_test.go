package pak

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/hashing"
)

// content returns random data. In half of all cases, the data compresses well.
func content(r *rand.Rand, size int) []byte {
	b := make([]byte, size)
	if r.IntN(2) == 0 {
		for i := range b {
			b[i] = "abcd "[r.IntN(5)]
		}
		return b
	}
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// filesOf returns the files of a tree as arguments of Create.
func filesOf(tree map[string][]byte) (files []File) {
	for name, data := range tree {
		files = append(files, File{Name: name, Read: func() ([]byte, error) { return data, nil }})
	}
	return files
}

func create1(t testing.TB, name string, tree map[string][]byte, opt Options) Stats {
	t.Helper()
	stats, err := Create(t.Context(), name, filesOf(tree), opt)
	if err != nil {
		t.Fatal(err)
	}
	return stats
}

func open1(t testing.TB, name string) *Pak {
	t.Helper()
	p, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// verified fails the test unless the pak is undamaged and has exactly the files of the tree.
func verified(t testing.TB, p *Pak, tree map[string][]byte) {
	t.Helper()
	if err := p.Verify(func(err error) { t.Error(err) }); err != nil {
		t.Error(err)
	}
	var names []string
	for e, err := range p.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, e.Name)
		if data, err := p.ReadFile(e.Name); err != nil || !bytes.Equal(data, tree[e.Name]) {
			t.Errorf("%s: %v, %d bytes of %d", e.Name, err, len(data), len(tree[e.Name]))
		}
	}
	if want := slices.Sorted(maps.Keys(tree)); !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
}

// TestFS runs fstest.TestFS on a Pak and on Layers.
func TestFS(t *testing.T) {
	dir := t.TempDir()
	tree := map[string][]byte{
		"a.txt": []byte("a"), "empty": {}, "ui/menu.json": bytes.Repeat([]byte("menu "), 1000), "ui.txt": []byte("beside"),
		"ui/deep/er/x.bin": content(rand.New(rand.NewPCG(1, 2)), 100_000), "ünï/🎮.txt": []byte("x"),
	}
	name := filepath.Join(dir, "a.pak")
	create1(t, name, tree, Options{})
	p := open1(t, name)
	verified(t, p, tree)
	if err := fstest.TestFS(p, slices.Collect(maps.Keys(tree))...); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "/a.txt", "a.txt/", "../a.txt", "ui/none", "none/x"} {
		if _, err := p.Open(bad); err == nil {
			t.Errorf("%q can be opened", bad)
		}
	}
	patch := filepath.Join(dir, "b.pak")
	if _, err := Create(t.Context(), patch, append(filesOf(map[string][]byte{"a.txt": []byte("second"), "new/n": []byte("n")}),
		File{Name: "ui/deep/er/x.bin", Gone: true}, File{Name: "ui.txt", Gone: true}), Options{Patches: p.Digest()}); err != nil {
		t.Fatal(err)
	}
	q := open1(t, patch)
	if q.Patches() != p.Digest() {
		t.Error("it is no patch for the first one")
	}
	if err := fstest.TestFS(q, "a.txt", "new/n"); err != nil {
		t.Error(err)
	}
	layers := Layers(p, q)
	if err := fstest.TestFS(layers, "a.txt", "new/n", "empty", "ui/menu.json"); err != nil {
		t.Error(err)
	}
	if data, err := fs.ReadFile(layers, "a.txt"); err != nil || string(data) != "second" {
		t.Errorf("a.txt is %q, %v", data, err)
	}
	for _, none := range []string{"ui.txt", "ui/deep", "ui/deep/er/x.bin"} {
		if _, err := fs.Stat(layers, none); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", none, err)
		}
	}
}

// TestReplace replaces paks after random edits. A pak with Previous must have the same content as a
// new pak, unchanged data must keep its offset, and Diff must report the edits.
func TestReplace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows may refuse to replace a pak that is open")
	}
	seeds := uint64(24)
	if testing.Short() {
		seeds = 6
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		name, second := filepath.Join(dir, "a.pak"), filepath.Join(dir, "b.pak")
		tree := map[string][]byte{}
		for step := range 6 {
			before := maps.Clone(tree)
			for range 1 + r.IntN(12) {
				file := fmt.Sprintf("%c/%c.bin", 'a'+r.IntN(4), 'a'+r.IntN(10))
				if r.IntN(4) == 0 {
					delete(tree, file)
				} else {
					tree[file] = content(r, r.IntN(1<<(4+r.IntN(15))))
				}
			}
			opt := Options{Previous: name, Level: []int{0, -1, 9}[seed%3], Workers: 1 + int(seed%4)}
			var old *Pak
			if step > 0 {
				old = open1(t, name)
			}
			opt.Workers = 3
			create1(t, second, tree, opt)
			one, err := os.ReadFile(second)
			if err != nil {
				t.Fatal(err)
			}
			opt.Workers = 1
			stats := create1(t, name, tree, opt)
			if two, err := os.ReadFile(name); err != nil || !bytes.Equal(one, two) || int64(len(two)) != stats.Size {
				t.Fatalf("seed %d step %d: two paks differ, %v", seed, step, err)
			}
			p := open1(t, name)
			verified(t, p, tree)
			if t.Failed() {
				t.Fatalf("seed %d step %d", seed, step)
			}
			if old == nil {
				continue
			}
			changed := map[string]bool{}
			for d, err := range Diff(old, p) {
				if err != nil {
					t.Fatal(err)
				}
				changed[d.Old.Name+d.New.Name] = true
			}
			moved := 0
			for file, data := range before {
				same := bytes.Equal(data, tree[file]) && tree[file] != nil
				if differs := changed[file] || changed[file+file]; differs == same {
					t.Errorf("seed %d step %d: %s differs: %v", seed, step, file, differs)
				}
				a, _, _ := old.Lookup(file)
				if b, ok, _ := p.Lookup(file); same && ok && a.Offset != b.Offset {
					moved++
				}
			}
			if stats.Kept > 0 && moved > 0 {
				t.Errorf("seed %d step %d: %d files moved though %d were kept", seed, step, moved, stats.Kept)
			}
		}
	}
}

// TestDiffOfPatch compares a patch with its base in both directions. Diff must yield the files that
// the patch changes, adds and removes. Diff must fail for a patch of another pak if a file of the base
// is missing in the patch.
func TestDiffOfPatch(t *testing.T) {
	dir := t.TempDir()
	type digests [2]hashing.Digest // digests of the old and the new file; zero if the file is missing
	rapid.Check(t, func(t *rapid.T) {
		made := func(name string, files []File, patches hashing.Digest) *Pak {
			name = filepath.Join(dir, name)
			if _, err := Create(t.Context(), name, files, Options{Patches: patches}); err != nil {
				t.Fatal(err)
			}
			p, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { p.Close() })
			return p
		}
		var before, after, patch []File
		var changes, undone []digests
		lacking := false // whether the base has a file that the patch lacks
		patch = append(patch, File{Name: "0", Gone: true})
		for i, old := range rapid.SliceOfN(rapid.StringN(0, 2, -1), 0, 9).Draw(t, "old files, empty for none") {
			file := func(text string) File {
				return File{Name: fmt.Sprint(i + 1), Gone: text == "", Read: func() ([]byte, error) { return []byte(text), nil }}
			}
			now := rapid.SampledFrom([]string{old, "", "new"}).Draw(t, "now")
			d := digests{}
			if old != "" {
				before, d[0] = append(before, file(old)), hashing.DigestOf([]byte(old))
			}
			if now != "" {
				after, d[1] = append(after, file(now)), hashing.DigestOf([]byte(now))
			}
			if old == now {
				lacking = lacking || old != ""
				continue
			}
			patch = append(patch, file(now))
			changes, undone = append(changes, d), append(undone, digests{d[1], d[0]})
		}
		base := made("base.pak", before, hashing.Digest{})
		for _, p := range []*Pak{made("whole.pak", after, hashing.Digest{}), made("patch.pak", patch, base.Digest()), made("stranger.pak", patch, hashing.DigestOf(nil))} {
			for _, tt := range []struct {
				from, to *Pak
				want     []digests
			}{{base, p, changes}, {p, base, undone}} {
				var got []digests
				var failed error
				for d, err := range Diff(tt.from, tt.to) {
					if err != nil {
						failed = err
						break
					}
					got = append(got, digests{d.Old.Digest, d.New.Digest})
				}
				if fails := lacking && strings.HasSuffix(p.file.Name(), "stranger.pak"); fails != (failed != nil) {
					t.Errorf("%s to %s: %v", tt.from.file.Name(), tt.to.file.Name(), failed)
				} else if !fails && !slices.Equal(got, tt.want) {
					t.Errorf("%s to %s: %v, want %v", tt.from.file.Name(), tt.to.file.Name(), got, tt.want)
				}
			}
		}
	})
}

// TestEditTouchesLittle edits 64 KiB in a pak of 48 MiB. Only the bytes of the file and of the
// directory may change, in two chunks.
func TestEditTouchesLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and starts no goroutines")
	}
	r := rand.New(rand.NewPCG(7, 7))
	tree := map[string][]byte{}
	for i := range 300 {
		b := make([]byte, 160<<10)
		for k := range b {
			b[k] = byte(r.Uint32())
		}
		tree[fmt.Sprintf("%d/asset%d.bin", i%7, i)] = b
	}
	name := filepath.Join(t.TempDir(), "a.pak")
	create1(t, name, tree, Options{})
	before, _ := os.ReadFile(name)
	edited := tree["3/asset150.bin"]
	for i := range 64 << 10 {
		edited[i+5000] ^= 0x55
	}
	stats := create1(t, name, tree, Options{Previous: name})
	after, _ := os.ReadFile(name)
	chunks := map[int]bool{}
	for i := range max(len(before), len(after)) {
		if i >= len(before) || i >= len(after) || before[i] != after[i] {
			chunks[i>>20] = true
		}
	}
	if len(chunks) > 2 || stats.Written > 2<<20 || stats.Kept != 299 {
		t.Errorf("%d chunks of 1 MiB differ, %+v", len(chunks), stats)
	}
	verified(t, open1(t, name), tree)
}

// TestOpenAllocations expects the allocations of Open not to depend on the number of files. A
// lookup may allocate only a few times.
func TestOpenAllocations(t *testing.T) {
	allocations := func(files int) float64 {
		tree := map[string][]byte{}
		for i := range files {
			tree[fmt.Sprintf("folder%d/file%d.dat", i%50, i)] = []byte("x")
		}
		name := filepath.Join(t.TempDir(), "a.pak")
		create1(t, name, tree, Options{Level: -1})
		p := open1(t, name)
		if n := testing.AllocsPerRun(100, func() { p.Lookup("folder7/file7.dat") }); n > 8 {
			t.Errorf("%v allocations for a lookup among %d", n, files)
		}
		return testing.AllocsPerRun(20, func() {
			p, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			p.Close()
		})
	}
	if few, many := allocations(1000), allocations(20_000); many > few+2 {
		t.Errorf("%v allocations for 1,000 files, %v for 20,000", few, many)
	}
}

// TestDamage flips bytes. Verify must detect changes of files and of the directory, and
// VerifySignature must detect changes of the signed part.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	public, key, _ := ed25519.GenerateKey(nil)
	tree := map[string][]byte{"a": []byte("first"), "b/c": bytes.Repeat([]byte("second "), 50), "b/d": content(rand.New(rand.NewPCG(3, 1)), 300)}
	name := filepath.Join(dir, "a.pak")
	create1(t, name, tree, Options{Key: key})
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	p := open1(t, name)
	if err := p.VerifySignature(public); err != nil {
		t.Error(err)
	}
	other, _, _ := ed25519.GenerateKey(nil)
	if err := p.VerifySignature(other); !errors.Is(err, ErrSignature) {
		t.Errorf("another key: %v", err)
	}
	used := func(at int) bool {
		if at >= int(p.footer.records) || at < 8 {
			return true
		}
		for e := range p.Entries() {
			if int64(at) >= e.Offset && int64(at) < e.Offset+e.Packed {
				return true
			}
		}
		return false
	}
	bad := filepath.Join(dir, "bad.pak")
	for at := range whole {
		if !used(at) {
			continue
		}
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1 << (at % 8)
		if err := os.WriteFile(bad, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		found := false
		q, err := Open(bad)
		if err != nil {
			continue
		}
		if err := q.Verify(func(error) { found = true }); err != nil {
			found = true
		}
		signed := q.VerifySignature(public)
		if at >= int(p.footer.records) && signed == nil {
			t.Errorf("byte %d of %d is not signed", at, len(whole))
		}
		if !found && signed == nil { // the changed frame may decode to the same content
			verified(t, q, tree)
		}
		q.Close()
	}
	for cut := range len(whole) {
		if err := os.WriteFile(bad, whole[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		if q, err := Open(bad); err == nil {
			q.Close()
			t.Errorf("a pak of %d bytes of %d can be opened", cut, len(whole))
		} else if !errors.Is(err, ErrDamaged) {
			t.Errorf("%d bytes: %v", cut, err)
		}
	}
}

// TestCreateFails expects an error for an invalid or unreadable file. The new pak must not exist,
// and the previous pak must remain.
func TestCreateFails(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.pak")
	tree := map[string][]byte{"a": []byte("a")}
	create1(t, name, tree, Options{})
	torn := errors.New("torn")
	for _, files := range [][]File{
		{{Name: "/a"}}, {{Name: ""}}, {{Name: "."}}, {{Name: "a/../b"}}, {{Name: "\xff"}}, {{Name: "a\x00b"}}, {{Name: strings.Repeat("x", 1<<16)}},
		append(filesOf(tree), filesOf(tree)...),
		append(filesOf(tree), File{Name: "b", Read: func() ([]byte, error) { return nil, torn }}),
	} {
		if _, err := Create(t.Context(), name, files, Options{Previous: name}); err == nil {
			t.Errorf("%.20q is created", files[len(files)-1].Name)
		}
	}
	verified(t, open1(t, name), tree)
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("%d files are left", len(list))
	}
}

// TestConcurrent reads files from many goroutines at random offsets. It then truncates the open pak
// and expects errors.
func TestConcurrent(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	tree := map[string][]byte{}
	for i := range 40 {
		tree[fmt.Sprint("f", i)] = content(r, 20_000)
	}
	name := filepath.Join(t.TempDir(), "a.pak")
	create1(t, name, tree, Options{Workers: 4})
	p := open1(t, name)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 0))
			for range 200 {
				file := fmt.Sprint("f", r.IntN(40))
				f, err := p.Open(file)
				if err != nil {
					t.Error(err)
					return
				}
				at := r.Int64N(19_000)
				b := make([]byte, 1000)
				if _, err := f.(io.ReaderAt).ReadAt(b, at); err != nil || !bytes.Equal(b, tree[file][at:at+1000]) {
					t.Errorf("%s at %d: %v", file, at, err)
				}
				f.Close()
			}
		})
	}
	all.Wait()
	if err := os.Truncate(name, 4096); err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		if _, err := p.ReadVerified(fmt.Sprint("f", i)); err == nil && p.footer.records > 4096 {
			if e, _, lookErr := p.Lookup(fmt.Sprint("f", i)); lookErr != nil || e.Offset+e.Packed > 4096 {
				t.Errorf("f%d is read from a pak that was cut off", i)
			}
		}
	}
}

// TestCutWhileMapped truncates a mapped directory, and expects an error instead of a crash.
func TestCutWhileMapped(t *testing.T) {
	tree := map[string][]byte{}
	for i := range 5000 {
		tree[fmt.Sprintf("folder/file%d", i)] = []byte("x")
	}
	name := filepath.Join(t.TempDir(), "a.pak")
	create1(t, name, tree, Options{Level: -1})
	p := open1(t, name)
	if err := os.Truncate(name, 4096); err != nil {
		t.Skip(err) // this system cannot truncate open files
	}
	if data := p.directory.Data; len(data) < 64<<10 {
		t.Fatalf("a directory of %d bytes is not mapped", len(data))
	}
	failed := 0
	for file := range tree {
		if _, _, err := p.Lookup(file); errors.Is(err, ErrDamaged) {
			failed++
		}
	}
	if runtime.GOOS == "linux" && failed == 0 {
		t.Error("all files are found in a directory that was cut off")
	}
	if _, err := p.ReadDir("."); err == nil && runtime.GOOS == "linux" {
		t.Error("a directory that was cut off is listed")
	}
	p.Verify(func(error) {})
}
