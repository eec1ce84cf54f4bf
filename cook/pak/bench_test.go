package pak

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// many returns 100,000 small files.
func many() (tree map[string][]byte, names []string) {
	tree = map[string][]byte{}
	for i := range 100_000 {
		name := fmt.Sprintf("textures/level%02d/props/asset_%06d.ktx2", i%40, i)
		tree[name] = []byte("x")
		names = append(names, name)
	}
	return tree, names
}

// made writes an archive with another archive format, and returns its name and size.
func made(b *testing.B, r rival, tree map[string][]byte) (name string, size int64) {
	name = filepath.Join(b.TempDir(), r.name)
	if err := r.write(name, tree); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		b.Fatal(err)
	}
	return name, info.Size()
}

// mounted opens an archive in another archive format.
func mounted(b *testing.B, r rival, name string) archive {
	a, err := r.mount(name)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { a.Close() })
	return a
}

// BenchmarkMount measures the time to open an archive of 100,000 files, and reports its size.
func BenchmarkMount(b *testing.B) {
	tree, _ := many()
	for _, r := range rivals {
		b.Run(r.name, func(b *testing.B) {
			name, size := made(b, r, tree)
			for b.Loop() {
				a, err := r.mount(name)
				if err != nil {
					b.Fatal(err)
				}
				a.Close()
			}
			b.ReportMetric(float64(size)/1e6, "MB")
		})
	}
}

// BenchmarkLookup measures the time to find a file among 100,000 files in an archive that has been
// used before.
func BenchmarkLookup(b *testing.B) {
	tree, names := many()
	for _, format := range rivals {
		b.Run(format.name, func(b *testing.B) {
			name, _ := made(b, format, tree)
			a, r := mounted(b, format, name), rand.New(rand.NewPCG(1, 1))
			a.find(names[0])
			for b.Loop() {
				if _, _, ok := a.find(names[r.IntN(len(names))]); !ok {
					b.Fatal("not found")
				}
			}
		})
	}
}

// BenchmarkReadLarge measures the time to read an incompressible file of 64 MiB from archives and
// from a plain file.
func BenchmarkReadLarge(b *testing.B) {
	data := make([]byte, 64<<20)
	rand.NewChaCha8([32]byte{}).Read(data)
	buffer := make([]byte, len(data))
	read := func(b *testing.B, open func() (io.ReadCloser, error)) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			f, err := open()
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadFull(f, buffer); err != nil {
				b.Fatal(err)
			}
			f.Close()
		}
		if !bytes.Equal(buffer, data) {
			b.Error("another content")
		}
	}
	raw := filepath.Join(b.TempDir(), "raw")
	if err := os.WriteFile(raw, data, 0o666); err != nil {
		b.Fatal(err)
	}
	b.Run("raw", func(b *testing.B) { read(b, func() (io.ReadCloser, error) { return os.Open(raw) }) })
	for _, r := range rivals {
		b.Run(r.name, func(b *testing.B) {
			name, _ := made(b, r, map[string][]byte{"large": data})
			a := mounted(b, r, name)
			read(b, func() (io.ReadCloser, error) { return a.open("large") })
		})
	}
}

// BenchmarkSize measures the size of an archive of 64 MiB of mixed files, and the time to write it.
func BenchmarkSize(b *testing.B) {
	tree := mixed(64 << 20)
	for _, r := range rivals {
		b.Run(r.name, func(b *testing.B) {
			size := int64(0)
			for b.Loop() {
				_, size = made(b, r, tree)
			}
			b.ReportMetric(float64(size)/1e6, "MB")
		})
	}
}
