package bulk

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/hashtest"
)

func TestFileWithSeveralNamesIsReadOnce(t *testing.T) {
	dir := t.TempDir()
	w, tree := worker(t, dir)
	const n = 200_000
	write(t, filepath.Join(dir, "a"), hashtest.Bytes(n))
	must(t, os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "b")))
	write(t, filepath.Join(dir, "copy"), hashtest.Bytes(n))
	sum := func(path string) {
		got, err := w.Sum(tree, path, Ask{Want: hashing.WantDigest})
		if err != nil || got.FileSum != wanted(hashtest.Bytes(n), hashing.WantDigest) {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
	}
	sum("a")
	before := bytesRead(t)
	sum("b")
	sum("a")
	between := bytesRead(t)
	sum("copy")
	if twice, copied := between-before, bytesRead(t)-between; twice >= n || copied < n {
		t.Errorf("the same file again took %d bytes, its copy %d", twice, copied)
	}
}

// bytesRead returns the number of bytes this process has read by system calls.
func bytesRead(t *testing.T) (n int64) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skip(err)
	}
	if _, err := fmt.Sscanf(string(text), "rchar: %d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPipeIsRefusedWithoutWaiting(t *testing.T) {
	dir := t.TempDir()
	w, tree := worker(t, dir)
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666))
	if got, err := w.Sum(tree, "pipe", Ask{Want: both, Busy: true}); err == nil {
		t.Errorf("pipe: %+v", got)
	}
	for _, name := range []string{"new\nline", "\xff\xfe", "a b", "...", strings.Repeat("é", 100)} {
		write(t, filepath.Join(dir, name, name), []byte(name))
		if got, err := w.Sum(tree, name+"/"+name, Ask{Want: both}); err != nil || got.FileSum != wanted([]byte(name), both) {
			t.Errorf("%q: %+v, %v", name, got, err)
		}
	}
	write(t, filepath.Join(dir, "busy"), []byte("text"))
	f, err := os.OpenFile(filepath.Join(dir, "busy"), os.O_WRONLY, 0)
	must(t, err)
	defer f.Close()
	for _, busy := range []bool{true, false} {
		if got, err := w.Sum(tree, "busy", Ask{Want: both, Busy: busy}); err != nil || got.Busy != busy {
			t.Errorf("asked %v: %+v, %v", busy, got, err)
		}
	}
	if os.Geteuid() != 0 {
		must(t, os.Chmod(filepath.Join(dir, "busy"), 0))
		if got, err := w.Sum(tree, "busy", Ask{Want: both}); err == nil {
			t.Errorf("unreadable: %+v", got)
		}
	}
}

// Reading files must not allocate memory for each file.
func TestFilesAllocateNothing(t *testing.T) {
	dir := t.TempDir()
	w, tree := worker(t, dir)
	for i := range 2 {
		write(t, filepath.Join(dir, "in", fmt.Sprint(i)), hashtest.Bytes(100+i))
	}
	n := testing.AllocsPerRun(100, func() {
		for _, path := range []string{"in/0", "in/1"} {
			if _, err := w.Sum(tree, path, Ask{Want: hashing.WantSum, Busy: true}); err != nil {
				t.Fatal(err)
			}
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
