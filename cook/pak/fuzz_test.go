package pak

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// FuzzOpen reads arbitrary files as paks. It expects no panics and no endless directory trees.
func FuzzOpen(f *testing.F) {
	dir := f.TempDir()
	seed := filepath.Join(dir, "seed.pak")
	tree := map[string][]byte{"a": []byte("first"), "b/c": []byte("second second second second second second second"), "b/d/e": {}, "f": make([]byte, 5000)}
	create1(f, seed, tree, Options{})
	whole, err := os.ReadFile(seed)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole, []byte{}, 0)
	for _, at := range []int{8, 16, 24, 64, 70} {
		f.Add(whole, []byte{0xff, 0xff, 0xff, 0x7f}, len(whole)-footerSize+at%footerSize)
		f.Add(whole, []byte{0xff, 0xff, 0xff, 0x7f}, 4096+at)
	}
	f.Fuzz(func(t *testing.T, data, patch []byte, at int) {
		if len(data) > 1<<16 {
			return
		}
		if at >= 0 && at < len(data) {
			copy(data[at:], patch)
		}
		name := filepath.Join(t.TempDir(), "x.pak")
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := Open(name)
		if err != nil {
			return
		}
		defer p.Close()
		p.Verify(func(error) {})
		for e, err := range p.Entries() {
			if err != nil {
				break
			}
			if e.Size < 1<<24 {
				p.ReadFile(e.Name)
			}
		}
		n := 0
		fs.WalkDir(p, ".", func(string, fs.DirEntry, error) error {
			if n++; n > 10_000 {
				t.Fatal("there is no end of it")
			}
			return nil
		})
	})
}
