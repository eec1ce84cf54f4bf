package mapped

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOf(t *testing.T) {
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
		// What is written stays in memory.
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

func TestOfAFolder(t *testing.T) {
	if _, err := open(t.TempDir()); err == nil {
		t.Error("a folder was read")
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

// A file that is replaced or removed stays what it was to whoever has it open.
func TestReplaced(t *testing.T) {
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
