//go:build linux || darwin

package dirfd

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

func stat(t *testing.T, name string) Info {
	t.Helper()
	info, err := os.Stat(name)
	return infoOf(t, info, err)
}

func TestLinks(t *testing.T) {
	each(t, func(t *testing.T, open func(string) (opened, error), dir string) {
		in := filepath.Join(dir, "in")
		write(t, filepath.Join(in, "file"), "inside")
		write(t, filepath.Join(in, "sub", "below", "file"), "below")
		write(t, filepath.Join(dir, "out", "below", "file"), "outside")
		links := map[string]string{
			"file": "file", "folder": "sub", "outside": "../out/below/file", "absolute": filepath.Join(dir, "out"),
			"chain": "link to file",
		}
		for name, target := range links {
			link(t, target, filepath.Join(in, "link to "+name))
		}
		link(t, "nowhere", filepath.Join(in, "dangling"))
		link(t, "circle", filepath.Join(in, "circle"))

		f, err := open(in)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for name := range links {
			name = "link to " + name
			wantStat(t, f, name, false, lstat(t, filepath.Join(in, name)))
			wantStat(t, f, name, true, stat(t, filepath.Join(in, name)))
			wantNoFile(t, f, name, syscall.ELOOP)
		}
		for _, name := range []string{"dangling", "circle"} {
			wantStat(t, f, name, false, lstat(t, filepath.Join(in, name)))
			wantNoFile(t, f, name, syscall.ELOOP)
		}
		var info Info
		wantErr(t, "dangling", f.Stat("dangling", true, &info), syscall.ENOENT)
		wantErr(t, "circle", f.Stat("circle", true, &info), syscall.ELOOP)

		for _, path := range []string{"link to folder", "link to folder/below", "link to folder/", "link to absolute/below"} {
			_, err := f.Sub(path, true)
			wantErr(t, "beneath "+path, err, syscall.ELOOP)
			sub, err := f.Sub(path, false)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			if err := sub.Info(&info); err != nil || info != stat(t, filepath.Join(in, path)) {
				t.Errorf("%s: got %+v, %v", path, info, err)
			}
			sub.Close()
		}
		for _, beneath := range []bool{true, false} {
			_, err := f.Sub("circle", beneath)
			wantErr(t, "circle", err, syscall.ELOOP)
		}
		_, err = f.Sub("dangling", false)
		wantErr(t, "dangling", err, syscall.ENOENT)
		_, err = f.Sub("link to file", false)
		wantErr(t, "link to file", err, syscall.ENOTDIR)

		through, err := open(filepath.Join(in, "link to folder"))
		if err != nil {
			t.Fatal(err)
		}
		defer through.Close()
		if err := through.Info(&info); err != nil || info != lstat(t, filepath.Join(in, "sub")) {
			t.Errorf("opened through a link: got %+v, %v", info, err)
		}
	})
}

// TestOpenDirectorySurvivesReplacement checks that an open directory refers to the same directory
// after a move, even if a symbolic link replaces it.
func TestOpenDirectorySurvivesReplacement(t *testing.T) {
	eachOpen(t, func(t *testing.T, f opened, dir string) {
		write(t, filepath.Join(dir, "a", "b", "file"), "right")
		write(t, filepath.Join(dir, "elsewhere", "b", "file"), "wrong")
		before, err := f.Sub("a/b", true)
		if err != nil {
			t.Fatal(err)
		}
		defer before.Close()
		if err := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "moved")); err != nil {
			t.Fatal(err)
		}
		link(t, "elsewhere", filepath.Join(dir, "a"))
		for _, path := range []string{"a", "a/b"} {
			_, err := f.Sub(path, true)
			wantErr(t, path, err, syscall.ELOOP)
		}
		wantFile(t, before, "file", "right")
		wantStat(t, before, "file", false, lstat(t, filepath.Join(dir, "moved", "b", "file")))
	})
}

// TestOnlyRegularFilesAreRead checks that reading a pipe returns an error at once and removes no
// bytes from the pipe.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	eachOpen(t, func(t *testing.T, f opened, dir string) {
		for _, name := range []string{"pipe", "full pipe"} {
			if err := unix.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		writer, err := os.OpenFile(filepath.Join(dir, "full pipe"), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer writer.Close()
		if _, err := writer.WriteString("bytes"); err != nil {
			t.Fatal(err)
		}
		// The maximum length of a socket's path is short, so the test uses a relative path.
		t.Chdir(dir)
		socket, err := net.Listen("unix", "socket")
		if err != nil {
			t.Fatal(err)
		}
		defer socket.Close()

		wantNoFile(t, f, "pipe", syscall.ESPIPE)
		wantNoFile(t, f, "full pipe", syscall.ESPIPE)
		wantNoFile(t, f, "socket", syscall.ENXIO)
		for _, name := range []string{"pipe", "socket"} {
			wantStat(t, f, name, false, lstat(t, filepath.Join(dir, name)))
			for _, beneath := range []bool{true, false} {
				_, err := f.Sub(name, beneath)
				wantErr(t, name, err, syscall.ENOTDIR)
			}
		}
	})
	each(t, func(t *testing.T, open func(string) (opened, error), dir string) {
		if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := open(filepath.Join(dir, "pipe")); err == nil {
			t.Error("a pipe was opened as folder")
		}
	})
}

func TestDevice(t *testing.T) {
	each(t, func(t *testing.T, open func(string) (opened, error), _ string) {
		f, err := open("/dev")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		wantStat(t, f, "null", false, lstat(t, "/dev/null"))
		_, err = f.OpenFile("null")
		wantErr(t, "open a device", err, syscall.ENXIO)
	})
}

func TestModes(t *testing.T) {
	eachOpen(t, func(t *testing.T, f opened, dir string) {
		write(t, filepath.Join(dir, "file"), "")
		write(t, filepath.Join(dir, "folder", "file"), "")
		for _, mode := range []uint32{0, 0o777, 0o640, 0o4755, 0o2755, 0o1777, 0o7111} {
			for _, name := range []string{"file", "folder"} {
				if err := unix.Chmod(filepath.Join(dir, name), mode|0o700); err != nil {
					t.Fatal(err)
				}
				wantStat(t, f, name, false, lstat(t, filepath.Join(dir, name)))
			}
		}
		if err := os.Link(filepath.Join(dir, "file"), filepath.Join(dir, "again")); err != nil {
			t.Fatal(err)
		}
		var info Info
		if err := f.Stat("again", false, &info); err != nil || info.Links != 2 || info.Inode == 0 || info.Device == 0 || info.CTime == 0 {
			t.Errorf("got %+v, %v of a file with two names", info, err)
		}
	})
}

func TestLongNames(t *testing.T) {
	eachOpen(t, func(t *testing.T, f opened, dir string) {
		for _, length := range []int{256, 4095, 4096, 1 << 20} {
			long := strings.Repeat("x", length)
			var info Info
			wantErr(t, "stat", f.Stat(long, false, &info), syscall.ENAMETOOLONG)
			_, _, err := f.Read(long, 0, nil)
			wantErr(t, "read", err, syscall.ENAMETOOLONG)
			for _, beneath := range []bool{true, false} {
				_, err = f.Sub(long, beneath)
				wantErr(t, "sub", err, syscall.ENAMETOOLONG)
			}
		}
	})
}

// TestDeepPathIsOpenedInSteps opens a directory by a path that is too long for one system call.
func TestDeepPathIsOpenedInSteps(t *testing.T) {
	eachOpen(t, func(t *testing.T, f opened, dir string) {
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		path := strings.Repeat(strings.Repeat("d", 200)+"/", 25) + "last"
		if err := root.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := root.WriteFile(path+"/file", []byte("deep"), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, beneath := range []bool{true, false} {
			sub, err := f.Sub(path, beneath)
			if err != nil {
				t.Fatal(err)
			}
			wantFile(t, sub, "file", "deep")
			sub.Close()
			_, err = f.Sub(path+"/gone", beneath)
			wantErr(t, "gone", err, syscall.ENOENT)
		}
	})
}
