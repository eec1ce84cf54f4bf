package dirfd

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAskReportsWriters checks that Read, called with ask set, reports whether another descriptor
// could write to the file.
func TestAskReportsWriters(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"quiet", "busy"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("text"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	w, err := os.OpenFile(filepath.Join(dir, "busy"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	fd, err := openFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer fd.Close()
	root, err := openRootFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, want := range map[string]bool{"quiet": false, "busy": true} {
		base := append([]byte(name), 0)
		buf := make([]byte, 9)
		for kind, read := range map[string]func([]byte, int64, bool, []byte) (int, bool, bool, error){"fd": fd.Read, "root": root.Read} {
			for _, ask := range []bool{true, false} {
				n, end, busy, err := read(base, 4, ask, buf)
				if string(buf[:n]) != "text" || !end || busy != (want && ask) || err != nil {
					t.Errorf("%s, %s, ask %v: %q, end %v, busy %v, %v", kind, name, ask, buf[:n], end, busy, err)
				}
			}
		}
		a, err := fd.OpenFile(base, new(Info))
		if err != nil {
			t.Fatal(err)
		}
		b, err := root.OpenFile(base, new(Info))
		if err != nil {
			t.Fatal(err)
		}
		if a.Busy() != want || b.Busy() != want {
			t.Errorf("%s: busy %v and %v", name, a.Busy(), b.Busy())
		}
		a.Close()
		b.Close()
	}
	if _, _, busy, err := fd.Read([]byte("gone\x00"), 4, true, nil); busy || err == nil {
		t.Errorf("gone: busy %v, %v", busy, err)
	}
	if (fdFile{}).Busy() || (rootFile{}).Busy() {
		t.Error("a closed file is busy")
	}
}
