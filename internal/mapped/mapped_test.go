package mapped

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestWritesStayInMemory(t *testing.T) {
	for _, content := range []string{"", "some bytes", string(make([]byte, 1<<20))} {
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := open(name)
		if err != nil {
			t.Fatal(err)
		}
		if string(f.Data) != content {
			t.Errorf("%d bytes, want %d", len(f.Data), len(content))
		}
		// Writing to Data must not change the file.
		for i := range f.Data {
			f.Data[i] = 'x'
		}
		if now, err := os.ReadFile(name); err != nil || string(now) != content {
			t.Errorf("the file changed: %v", err)
		}
		for range 2 {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestDirectoriesAreNotMapped(t *testing.T) {
	if _, err := open(t.TempDir()); err == nil {
		t.Error("a directory was read")
	}
}

// TestReleasedBytesComeBack checks that released bytes are loaded from the file again, and that
// writes to other pages are preserved. Release has no effect on a file that was read instead of
// mapped.
func TestReleasedBytesComeBack(t *testing.T) {
	for _, size := range []int{100, 1 << 20} {
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, bytes.Repeat([]byte{'a'}, size), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := open(name)
		if err != nil {
			t.Fatal(err)
		}
		first, last := size/3, size/3*2
		f.Data[first], f.Data[last-1] = 'b', 'c'
		f.Release(first+1, last-1)
		f.Release(last, last)
		if f.Data[first] != 'b' || f.Data[last-1] != 'c' {
			t.Errorf("%d bytes: a write is lost", size)
		}
		if n := bytes.Count(f.Data, []byte{'a'}); n != size-2 {
			t.Errorf("%d of %d bytes are unchanged", n, size-2)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		f.Release(0, size)
	}
}

// open maps or reads a file by its name.
func open(name string) (*File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Of(f)
}

// TestReplacingKeepsTheMapping replaces a mapped file, and expects the same bytes in memory.
func TestReplacingKeepsTheMapping(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(name, "old")
	old, err := open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	twin, err := open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer twin.Close()
	twin.Data[0] = 'O'
	write(name+"2", "newer")
	if err := os.Rename(name+"2", name); err != nil {
		t.Fatal(err)
	}
	now, err := open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer now.Close()
	if string(old.Data) != "old" || string(twin.Data) != "Old" || string(now.Data) != "newer" {
		t.Errorf("contents %q, %q and %q", old.Data, twin.Data, now.Data)
	}
}

func TestPartIsItsRange(t *testing.T) {
	content := make([]byte, 300_000)
	for i := range content {
		content[i] = byte(i * 7 >> 3)
	}
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, content, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, at := range []int{0, 1, 4096, 5000, 200_000} {
		for _, size := range []int{0, 10, 65_537, 100_000} {
			p, err := Part(f, int64(at), size)
			if err != nil || !bytes.Equal(p.Data, content[at:at+size]) {
				t.Errorf("%d bytes at %d: %v", size, at, err)
				continue
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := Part(f, 299_999, 2); err == nil {
		t.Error("Part reads beyond the end of the file")
	}
}
