package confine

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func tree(t *testing.T) (base string, d *Dir) {
	t.Helper()
	base = t.TempDir()
	for name, text := range map[string]string{"in/a/file": "inside", "in/top": "top", "secret": "outside"} {
		name = filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Open(filepath.Join(base, "in"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return base, d
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatalf("these tests need symbolic links: %v", err)
	}
}

func TestOpenFileStaysInside(t *testing.T) {
	base, d := tree(t)
	in := filepath.Join(base, "in")
	link(t, "a/file", filepath.Join(in, "relative"))
	link(t, filepath.Join(in, "a", "file"), filepath.Join(in, "absolute"))
	link(t, filepath.Join(in, "a"), filepath.Join(in, "folder"))
	link(t, "../secret", filepath.Join(in, "out"))
	link(t, filepath.Join(base, "secret"), filepath.Join(in, "absolute-out"))
	link(t, "circle", filepath.Join(in, "circle"))
	link(t, "nowhere", filepath.Join(in, "dangling"))

	for _, tc := range []struct {
		path, want string // expected content, or a part of the expected error
		absent     bool
	}{
		{path: "a/file", want: "inside"},
		{path: "relative", want: "inside"},
		{path: "absolute", want: "inside"},
		{path: "folder/file", want: "inside"},
		{path: "a/../top", want: "top"},
		{path: "out", want: "escapes"},
		{path: "absolute-out", want: "escapes"},
		{path: "../secret", want: "escapes"},
		{path: filepath.Join(base, "secret"), want: "escapes"},
		{path: "a", want: "is a directory, not a regular file"},
		{path: "circle", want: "too many"},
		{path: "dangling", absent: true},
		{path: "gone", absent: true},
		{path: "top/below", absent: true},
		{path: strings.Repeat("x", 300), absent: true},
	} {
		f, err := d.OpenFile(tc.path)
		if tc.absent {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%.20s: error %v, want fs.ErrNotExist", tc.path, err)
			}
			continue
		}
		if err != nil {
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: error %v, want %q", tc.path, err, tc.want)
			}
			continue
		}
		data, _ := io.ReadAll(f)
		f.Close()
		if string(data) != tc.want {
			t.Errorf("%s: read %q, want %q", tc.path, data, tc.want)
		}
	}
}

func TestSubAndOutward(t *testing.T) {
	base, d := tree(t)
	in := filepath.Join(base, "in")
	link(t, "a", filepath.Join(in, "inward"))
	link(t, "..", filepath.Join(in, "outward"))
	link(t, "nowhere", filepath.Join(in, "dangling"))
	link(t, "../..", filepath.Join(in, "a", "up"))
	for path, want := range map[string]string{
		"a/file": "", "top": "", "outward": "", "outward/secret": "outward", "outward/x/y": "outward",
		"inward/file": "", "inward/up/secret": "inward/up", "a/up/in/top": "a/up", "dangling/x": "", "none/x": "",
	} {
		if got := d.Outward(path); got != want {
			t.Errorf("%s: %q leads outward, want %q", path, got, want)
		}
	}
	sub, err := d.Sub("a")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if want := filepath.Join(d.Name(), "a"); sub.Name() != want {
		t.Errorf("name %q, want %q", sub.Name(), want)
	}
	if _, err := sub.Stat("file"); err != nil {
		t.Error(err)
	}
	if _, err := sub.OpenFile("../top"); err == nil {
		t.Error("a file outside of the directory was opened")
	}
	if _, err := d.Sub("outward"); err == nil {
		t.Error("a directory outside was opened")
	}
}

func TestNameHasNoLinks(t *testing.T) {
	base, d := tree(t)
	link(t, "in", filepath.Join(base, "alias"))
	e, err := Open(filepath.Join(base, "alias"))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if e.Name() != d.Name() || !filepath.IsAbs(e.Name()) {
		t.Errorf("names %q and %q", e.Name(), d.Name())
	}
	if runtime.GOOS == "linux" && strings.Contains(e.Name(), "alias") {
		t.Errorf("name %q has a link in it", e.Name())
	}
}

// TestPipeIsRefusedAtOnce checks that opening a named pipe fails and does not block.
func TestPipeIsRefusedAtOnce(t *testing.T) {
	base, d := tree(t)
	if out, err := exec.Command("mkfifo", filepath.Join(base, "in", "pipe")).CombinedOutput(); err != nil {
		if runtime.GOOS == "windows" {
			return // Windows has no named pipes in directories
		}
		t.Fatalf("mkfifo: %v: %s", err, out)
	}
	if _, err := d.OpenFile("pipe"); err == nil || !strings.Contains(err.Error(), "is a pipe, not a regular file") {
		t.Errorf("error %v", err)
	}
}

func TestRemoveEmptyKeepsOthers(t *testing.T) {
	name := t.TempDir()
	for _, dir := range []string{"empty", "full/empty"} {
		if err := os.MkdirAll(filepath.Join(name, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(name, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for path, want := range map[string]bool{"empty": true, "full": false, "file": false, "file/below": true, "none": true} {
		if gone, err := d.Root().RemoveEmpty(path); gone != want || err != nil {
			t.Errorf("%s: gone %v, %v; want %v", path, gone, err, want)
		}
	}
	if _, err := os.Lstat(filepath.Join(name, "empty")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("empty is still there: %v", err)
	}
	for _, path := range []string{"full/empty", "file"} {
		if _, err := os.Lstat(filepath.Join(name, path)); err != nil {
			t.Error(err)
		}
	}
}

func TestInterruptedCallIsRepeated(t *testing.T) {
	calls := 0
	err := repeatInterrupted(func() error {
		if calls++; calls < 3 {
			return &fs.PathError{Op: "rename", Path: "a", Err: syscall.EINTR}
		}
		return fs.ErrNotExist
	})
	if calls != 3 || err != fs.ErrNotExist {
		t.Errorf("%d calls, error %v; want 3 and that of the last", calls, err)
	}
}

func TestLastFolderFollowsItsPath(t *testing.T) {
	dir := t.TempDir()
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var last LastFolder
	defer last.Close()
	make := func(folder string) {
		t.Helper()
		if err := d.Root().MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, folder, "in-"+folder), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	has := func(folder string, want bool) {
		t.Helper()
		_, err := last.Open(d.Root(), folder).Lstat("in-" + folder)
		if want != (err == nil) || err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("directory %s: error %v, want a file %v", folder, err, want)
		}
	}
	make("a")
	has("a", true)
	has("a", true)
	has("b", false)
	make("b") // the directory that was absent is opened again
	has("b", true)
	has("a", true)
	if err := d.Root().RemoveAll("a"); err != nil {
		t.Fatal(err)
	}
	last.Close()
	has("a", false)
	make("a")
	has("a", true)
}
