package pak

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/hashing"
)

// TestReuse expects Reuse not to change the bytes of a new pak. Files with data in the reused pak
// must not be read.
func TestReuse(t *testing.T) {
	dir := t.TempDir()
	old, fresh, reused := filepath.Join(dir, "old.pak"), filepath.Join(dir, "fresh.pak"), filepath.Join(dir, "reused.pak")
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		opt := Options{Level: []int{0, -1}[r.IntN(2)], Workers: 1 + r.IntN(3), Memory: r.Int64N(1 << 20)}
		tree := map[string][]byte{}
		edit := func() {
			name := fmt.Sprintf("%c/%c.bin", 'a'+r.IntN(3), 'a'+r.IntN(12))
			switch r.IntN(16) {
			case 0, 1, 2:
				delete(tree, name)
			case 3:
				tree[name] = content(r, pieceSize*2+r.IntN(pieceSize))
			default:
				tree[name] = content(r, r.IntN(1<<(4+r.IntN(14))))
			}
		}
		for range 20 {
			edit()
		}
		create := func(name string, files []File) Stats {
			stats, err := Create(t.Context(), name, files, opt)
			if err != nil {
				t.Fatal(err)
			}
			return stats
		}
		create(old, filesOf(tree))
		before := map[hashing.Digest]bool{}
		for _, data := range tree {
			before[hashing.DigestOf(data)] = true
		}
		for range r.IntN(4) {
			edit()
		}
		if name := "moved"; r.IntN(2) == 0 && tree["a/a.bin"] != nil {
			tree[name] = tree["a/a.bin"]
			delete(tree, "a/a.bin")
		}
		create(fresh, filesOf(tree))
		p, err := Open(old)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		opt.Reuse = p
		var files []File
		known := 0
		for name, data := range tree {
			digest := hashing.DigestOf(data)
			f := File{Name: name, Size: int64(len(data)), Digest: digest}
			if f.Read = func() ([]byte, error) { return data, nil }; before[digest] && len(data) > 0 {
				known++
				f.Read = func() ([]byte, error) { return nil, fmt.Errorf("%s is read", name) }
			}
			if r.IntN(4) == 0 { // Size and Digest are unknown for some files
				f.Size, f.Digest, f.Read = 0, hashing.Digest{}, func() ([]byte, error) { return data, nil }
			}
			files = append(files, f)
		}
		if stats := create(reused, files); stats.Reused != known {
			t.Fatalf("%d files were reused, want %d", stats.Reused, known)
		}
		want, err := os.ReadFile(fresh)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(reused); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("a pak of %d bytes differs from one of %d that was made anew, %v", len(got), len(want), err)
		}
	})
	if _, err := os.Stat(reused); err != nil {
		t.Fatal(err)
	}
}

// TestEditInNewPakTouchesLittle edits 64 KiB of a file. Only the chunks of the edited data and of
// the directory may change, for stored and for compressed files. If the file system shares blocks,
// only these chunks may be written.
func TestEditInNewPakTouchesLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and starts no goroutines")
	}
	if runtime.GOOS == "windows" {
		t.Skip("Windows may refuse to replace a pak that is open")
	}
	r := rand.New(rand.NewPCG(7, 7))
	tree := map[string][]byte{"large": make([]byte, 4<<20)}
	for i := range 250 {
		tree[fmt.Sprintf("%d/asset%d.bin", i%7, i)] = make([]byte, 200<<10)
	}
	fill := func(name string, data []byte) {
		for k := range data {
			data[k] = byte(r.Uint32())
			if len(name)%2 == 1 {
				data[k] = "abcdefgh, "[data[k]%10]
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		fill(name, tree[name])
	}
	dir := t.TempDir()
	name, second := filepath.Join(dir, "a.pak"), filepath.Join(dir, "b.pak")
	create1(t, name, tree, Options{Workers: 2})
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"large", "3/asset143.bin", "3/asset150.bin", "1/asset8.bin"} {
		edited := maps.Clone(tree)
		edited[file] = bytes.Clone(tree[file])
		fill(file, edited[file][5000:][:64<<10])
		stats := create1(t, second, edited, Options{Reuse: open1(t, name)})
		after, err := os.ReadFile(second)
		if err != nil {
			t.Fatal(err)
		}
		chunks := map[int]bool{}
		for i := range max(len(before), len(after)) {
			if i >= len(before) || i >= len(after) || before[i] != after[i] {
				chunks[i/chunkSize] = true
			}
		}
		if len(chunks) > 2 || stats.Written > 3<<20 || stats.Reused != 250 {
			t.Errorf("%s: %d chunks differ, %+v", file, len(chunks), stats)
		}
		verified(t, open1(t, second), edited)
	}
}
