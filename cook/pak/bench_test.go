package pak

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// many makes a pak of small files and returns their names.
func many(b *testing.B, n int) (name string, names []string) {
	tree := map[string][]byte{}
	for i := range n {
		file := fmt.Sprintf("textures/level%02d/props/asset_%06d.ktx2", i%40, i)
		tree[file] = []byte("x")
		names = append(names, file)
	}
	name = filepath.Join(b.TempDir(), "many.pak")
	create1(b, name, tree, Options{Level: -1})
	return name, names
}

// Opening a pak of 100,000 files.
func BenchmarkOpen(b *testing.B) {
	name, _ := many(b, 100_000)
	for b.Loop() {
		p, err := Open(name)
		if err != nil {
			b.Fatal(err)
		}
		p.Close()
	}
}

// Opening a zip of 100,000 files.
func BenchmarkOpenZip(b *testing.B) {
	_, names := many(b, 100_000)
	name := filepath.Join(b.TempDir(), "many.zip")
	out, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	w := zip.NewWriter(out)
	for _, n := range names {
		f, err := w.CreateHeader(&zip.FileHeader{Name: n})
		if err != nil {
			b.Fatal(err)
		}
		f.Write([]byte("x"))
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	out.Close()
	for b.Loop() {
		z, err := zip.OpenReader(name)
		if err != nil {
			b.Fatal(err)
		}
		z.Close()
	}
}

// Looking up a file among 100,000.
func BenchmarkLookup(b *testing.B) {
	name, names := many(b, 100_000)
	p := open1(b, name)
	r := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		if _, ok, err := p.Lookup(names[r.IntN(len(names))]); !ok || err != nil {
			b.Fatal(err)
		}
	}
}

// Reading a file of 64 MiB: from a pak, and as it is.
func BenchmarkReadLarge(b *testing.B) {
	dir := b.TempDir()
	data := make([]byte, 64<<20)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	raw := filepath.Join(dir, "raw")
	if err := os.WriteFile(raw, data, 0o666); err != nil {
		b.Fatal(err)
	}
	name := filepath.Join(dir, "a.pak")
	create1(b, name, map[string][]byte{"large": data}, Options{})
	p := open1(b, name)
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
	b.Run("raw", func(b *testing.B) { read(b, func() (io.ReadCloser, error) { return os.Open(raw) }) })
	b.Run("pak", func(b *testing.B) { read(b, func() (io.ReadCloser, error) { return p.Open("large") }) })
}
