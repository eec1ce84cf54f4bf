package dirfd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// opened is the interface of Directory and its implementations on all systems. Its names have no
// NUL, which makes tests easier to read.
type opened interface {
	Sub(path string, beneath bool) (opened, error)
	Info(into *Info) error
	Stat(name string, follow bool, into *Info) error
	Read(name string, want int64, buf []byte) (n int, end bool, err error)
	OpenFile(name string) (openedFile, error)
	Create(name string, perm fs.FileMode, data []byte, into *Info) error
	Close() error
}

// openedFile is the interface of File and its implementations. Info returns what OpenFile returned.
type openedFile interface {
	io.ReadCloser
	io.ReaderAt
	Info() Info
}

// An implementation opens a directory by name.
type implementation struct {
	name string
	open func(name string) (opened, error)
}

// each runs a test with every implementation, each in a new empty directory.
func each(t *testing.T, test func(t *testing.T, open func(string) (opened, error), dir string)) {
	for _, i := range implementations {
		t.Run(i.name, func(t *testing.T) { test(t, i.open, t.TempDir()) })
	}
}

// eachOpen is like each, for tests that need only the opened directory.
func eachOpen(t *testing.T, test func(t *testing.T, f opened, dir string)) {
	each(t, func(t *testing.T, open func(string) (opened, error), dir string) {
		f, err := open(dir)
		if err != nil {
			t.Fatal(err)
		}
		test(t, f, dir)
		if err := f.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}

func z(name string) []byte { return append([]byte(name), 0) }

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// infoOf converts a FileInfo of package os to an Info, so that tests can compare the two packages.
func infoOf(t *testing.T, info fs.FileInfo, err error) Info {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return InfoOf(info)
}

func lstat(t *testing.T, name string) Info {
	t.Helper()
	info, err := os.Lstat(name)
	return infoOf(t, info, err)
}

func wantStat(t *testing.T, f opened, name string, follow bool, want Info) {
	t.Helper()
	var got Info
	if err := f.Stat(name, follow, &got); err != nil || got != want {
		t.Errorf("stat %q, follow %v: got %+v, %v, want %+v", name, follow, got, err, want)
	}
}

// wantErr fails the test unless err equals want, without wrapping.
func wantErr(t *testing.T, what string, err error, want syscall.Errno) {
	t.Helper()
	if err != want {
		t.Errorf("%s: got %v (%T), want %v", what, err, err, want)
	}
}

// wantAbsent fails the test unless err means that the file does not exist. Windows has several
// error numbers for that.
func wantAbsent(t *testing.T, what string, err error) {
	t.Helper()
	if _, bare := err.(syscall.Errno); !bare || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: got %v (%T), want a number that is fs.ErrNotExist", what, err, err)
	}
}

// wantFile checks that Read and OpenFile return the whole content of a file.
func wantFile(t *testing.T, f opened, name, text string) {
	t.Helper()
	buf := make([]byte, len(text)+1)
	n, end, err := f.Read(name, int64(len(text)), buf)
	if string(buf[:n]) != text || !end || err != nil {
		t.Errorf("read %q: got %q, end %v, %v, want %q", name, buf[:n], end, err, text)
	}
	file, err := f.OpenFile(name)
	if err != nil {
		t.Errorf("open %q: %v", name, err)
		return
	}
	if all, err := io.ReadAll(file); string(all) != text || err != nil {
		t.Errorf("open %q: got %q, %v, want %q", name, all, err, text)
	}
	if err := file.Close(); err != nil {
		t.Errorf("close %q: %v", name, err)
	}
}

// wantNoFile checks that Read and OpenFile return the error want for a file that is not regular.
func wantNoFile(t *testing.T, f opened, name string, want syscall.Errno) {
	t.Helper()
	for _, size := range []int64{0, 1, 5} {
		n, end, err := f.Read(name, size, make([]byte, 9))
		wantErr(t, "read "+name, err, want)
		if n != 0 || end {
			t.Errorf("read %q: %d bytes, end %v, and an error", name, n, end)
		}
	}
	_, err := f.OpenFile(name)
	wantErr(t, "open "+name, err, want)
}

func TestFilesAndFolders(t *testing.T) {
	eachOpen(t, func(t *testing.T, f opened, dir string) {
		write(t, filepath.Join(dir, "a"), "hello")
		write(t, filepath.Join(dir, "empty"), "")
		write(t, filepath.Join(dir, "sub", "deeper", "b"), "below")
		long := strings.Repeat("n", 255)
		write(t, filepath.Join(dir, long), "long")

		for _, name := range []string{"a", "empty", "sub", long} {
			wantStat(t, f, name, false, lstat(t, filepath.Join(dir, name)))
			wantStat(t, f, name, true, lstat(t, filepath.Join(dir, name)))
		}
		var itself Info
		if err := f.Info(&itself); err != nil || itself != lstat(t, dir) {
			t.Errorf("got %+v, %v for the directory, want %+v", itself, err, lstat(t, dir))
		}
		wantFile(t, f, "a", "hello")
		wantFile(t, f, "empty", "")
		wantFile(t, f, long, "long")
		wantNoFile(t, f, "sub", syscall.EISDIR)
	})
}

func TestCreateMakesOnlyNewFiles(t *testing.T) {
	eachOpen(t, func(t *testing.T, f opened, dir string) {
		write(t, filepath.Join(dir, "old"), "old")
		write(t, filepath.Join(dir, "sub", "b"), "below")
		for _, text := range []string{"", "hello", strings.Repeat("long", 100_000)} {
			name := fmt.Sprint("new", len(text))
			var info Info
			if err := f.Create(name, 0o640, []byte(text), &info); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			now := lstat(t, filepath.Join(dir, name))
			// Windows may set the times when the file is closed.
			if runtime.GOOS == "windows" {
				now.MTime, now.CTime = info.MTime, info.CTime
			}
			if info != now || info.Size != int64(len(text)) {
				t.Errorf("%s: got %+v, want %+v", name, info, now)
			}
			wantFile(t, f, name, text)
		}
		exists := []string{"old", "sub", "new5"}
		if os.Symlink("nowhere", filepath.Join(dir, "link")) == nil {
			exists = append(exists, "link")
		}
		for _, name := range exists {
			info := Info{Size: -1}
			if err := f.Create(name, 0o666, []byte("text"), &info); !errors.Is(err, fs.ErrExist) || info.Size != -1 {
				t.Errorf("%s exists: got %v, %+v", name, err, info)
			}
		}
		wantFile(t, f, "old", "old")
		for _, name := range []string{"", ".", "..", "sub/c", "a\x00b"} {
			wantErr(t, "create "+name, f.Create(name, 0o666, nil, new(Info)), syscall.EINVAL)
		}
	})
}

func TestSub(t *testing.T) {
	each(t, func(t *testing.T, open func(string) (opened, error), dir string) {
		write(t, filepath.Join(dir, "a"), "top")
		write(t, filepath.Join(dir, "sub", "deeper", "a"), "below")
		for _, tc := range []struct{ path, folder, text string }{
			{"", "", "top"},
			{".", "", "top"},
			{"./", "", "top"},
			{"sub/deeper", "sub/deeper", "below"},
			{"sub//./deeper/", "sub/deeper", "below"},
		} {
			for _, beneath := range []bool{true, false} {
				f, err := open(dir)
				if err != nil {
					t.Fatal(err)
				}
				sub, err := f.Sub(tc.path, beneath)
				if err != nil {
					t.Errorf("%q, beneath %v: %v", tc.path, beneath, err)
					continue
				}
				// The subdirectory stays open after its parent directory is closed.
				if err := f.Close(); err != nil {
					t.Error(err)
				}
				var info Info
				if err := sub.Info(&info); err != nil || info != lstat(t, filepath.Join(dir, tc.folder)) {
					t.Errorf("%q, beneath %v: got %+v, %v", tc.path, beneath, info, err)
				}
				wantFile(t, sub, "a", tc.text)
				if err := sub.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

func TestSubAbsent(t *testing.T) {
	eachOpen(t, func(t *testing.T, f opened, dir string) {
		write(t, filepath.Join(dir, "sub", "file"), "")
		for _, beneath := range []bool{true, false} {
			for _, path := range []string{"gone", "sub/gone", "gone/sub"} {
				_, err := f.Sub(path, beneath)
				wantAbsent(t, path, err)
			}
			for _, path := range []string{"sub/file", "sub/file/", "sub/file/."} {
				_, err := f.Sub(path, beneath)
				wantErr(t, path, err, syscall.ENOTDIR)
			}
			_, err := f.Sub("sub/file/below", beneath)
			wantErr(t, "below a file", err, syscall.ENOTDIR)
		}
	})
}

func TestOpenAbsent(t *testing.T) {
	each(t, func(t *testing.T, open func(string) (opened, error), dir string) {
		write(t, filepath.Join(dir, "file"), "")
		for _, tc := range []struct {
			name string
			want error
		}{
			{"", fs.ErrNotExist},
			{filepath.Join(dir, "gone"), fs.ErrNotExist},
			{filepath.Join(dir, "file"), syscall.ENOTDIR},
			{dir + "\x00", syscall.EINVAL},
		} {
			_, err := open(tc.name)
			var path *fs.PathError
			if !errors.As(err, &path) || path.Op != "open" || path.Path != tc.name || !errors.Is(err, tc.want) {
				t.Errorf("%q: got %v, want %v", tc.name, err, tc.want)
			}
		}
	})
}

func TestStatAbsent(t *testing.T) {
	eachOpen(t, func(t *testing.T, f opened, dir string) {
		before := Info{Size: 1, Links: 2}
		info := before
		for _, follow := range []bool{false, true} {
			wantAbsent(t, "stat", f.Stat("gone", follow, &info))
		}
		if info != before {
			t.Errorf("a failed stat left %+v", info)
		}
		_, _, err := f.Read("gone", 0, nil)
		wantAbsent(t, "read", err)
		_, err = f.OpenFile("gone")
		wantAbsent(t, "open", err)
	})
}

// TestReadSizes reads files whose size may differ from the size that stat returned.
func TestReadSizes(t *testing.T) {
	eachOpen(t, func(t *testing.T, f opened, dir string) {
		const text = "0123456789"
		write(t, filepath.Join(dir, "file"), text)
		for _, tc := range []struct {
			name string
			want int64
			buf  int
			n    int
			end  bool
		}{
			{"as expected", 10, 11, 10, true},
			{"room to spare", 10, 4096, 10, true},
			{"fills the buffer", 10, 10, 10, false},
			{"grown, all of it fits", 4, 4096, 10, true},
			{"grown past the buffer", 4, 5, 5, false},
			{"shrunk", 20, 21, 10, true},
			{"was empty", 0, 1, 1, false},
			{"larger than the buffer", 10, 3, 3, false},
			{"no buffer", 10, 0, 0, false},
			{"nonsense", -1, 11, 10, true},
		} {
			buf := bytes.Repeat([]byte{'-'}, tc.buf)
			n, end, err := f.Read("file", tc.want, buf)
			if n != tc.n || end != tc.end || err != nil {
				t.Errorf("%s: got %d bytes, end %v, %v, want %d, %v", tc.name, n, end, err, tc.n, tc.end)
				continue
			}
			if string(buf[:n]) != text[:n] || strings.Trim(string(buf[n:]), "-") != "" {
				t.Errorf("%s: got %q", tc.name, buf)
			}
		}
	})
}

func TestFileReadsOn(t *testing.T) {
	eachOpen(t, func(t *testing.T, f opened, dir string) {
		write(t, filepath.Join(dir, "file"), "hello")
		file, err := f.OpenFile("file")
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 3)
		for _, want := range []struct {
			text string
			err  error
		}{{"hel", nil}, {"lo", nil}, {"", io.EOF}, {"", io.EOF}} {
			if n, err := file.Read(buf); string(buf[:n]) != want.text || err != want.err {
				t.Errorf("got %q, %v, want %q, %v", buf[:n], err, want.text, want.err)
			}
		}
		if n, err := file.Read(nil); n != 0 || err != nil {
			t.Errorf("got %d, %v for no bytes", n, err)
		}
		for _, want := range []struct {
			at   int64
			text string
			err  error
		}{{1, "ell", nil}, {2, "llo", nil}, {3, "lo", io.EOF}, {5, "", io.EOF}, {9, "", io.EOF}} {
			if n, err := file.ReadAt(buf, want.at); string(buf[:n]) != want.text || err != want.err {
				t.Errorf("at %d: got %q, %v, want %q, %v", want.at, buf[:n], err, want.text, want.err)
			}
		}
		var info Info
		if err := f.Stat("file", false, &info); err != nil || info.Size != 5 || file.Info() != info {
			t.Errorf("opened %+v, stat says %+v, %v", file.Info(), info, err)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
		_, err = file.Read(buf)
		wantErr(t, "read what is closed", err, syscall.EBADF)
		_, err = file.ReadAt(buf, 0)
		wantErr(t, "read what is closed", err, syscall.EBADF)
		wantErr(t, "close what is closed", file.Close(), syscall.EBADF)
	})
}

// TestClosedFolderFails checks that a closed or zero [Directory] never uses another file's
// descriptor.
func TestClosedFolderFails(t *testing.T) {
	each(t, func(t *testing.T, open func(string) (opened, error), dir string) {
		write(t, filepath.Join(dir, "sub", "file"), "")
		f, err := open(filepath.Join(dir, "sub"))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		// The system reuses the number of the closed descriptor.
		next, err := open(filepath.Join(dir, "sub"))
		if err != nil {
			t.Fatal(err)
		}
		wantClosed(t, f)
		wantFile(t, next, "file", "")
		if err := next.Close(); err != nil {
			t.Error(err)
		}
	})
	var zero Folder
	wantClosed(t, adapt(&zero))
	var file File
	_, err := file.Read(make([]byte, 1))
	wantErr(t, "read from a zero File", err, syscall.EBADF)
	wantErr(t, "close a zero File", file.Close(), syscall.EBADF)
}

func wantClosed(t *testing.T, f opened) {
	t.Helper()
	var info Info
	wantErr(t, "info", f.Info(&info), syscall.EBADF)
	wantErr(t, "stat", f.Stat("file", false, &info), syscall.EBADF)
	wantErr(t, "stat", f.Stat("file", true, &info), syscall.EBADF)
	_, _, err := f.Read("file", 0, make([]byte, 1))
	wantErr(t, "read", err, syscall.EBADF)
	_, err = f.OpenFile("file")
	wantErr(t, "open", err, syscall.EBADF)
	for _, path := range []string{"", ".", "sub"} {
		for _, beneath := range []bool{true, false} {
			_, err = f.Sub(path, beneath)
			wantErr(t, "sub "+path, err, syscall.EBADF)
		}
	}
	wantErr(t, "close", f.Close(), syscall.EBADF)
}
