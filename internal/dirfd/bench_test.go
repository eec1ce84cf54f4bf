//go:build linux && (amd64 || arm64)

package dirfd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// thousand creates 1,000 files of 100 bytes in a new directory. It returns the open directory and
// the files' names in three forms: followed by NUL, plain, and as a path.
func thousand(b *testing.B) (f Folder, names [][]byte, bases, paths []string) {
	b.Helper()
	dir := b.TempDir()
	for i := range 1000 {
		base := fmt.Sprintf("texture_%04d.png", i)
		path := filepath.Join(dir, base)
		if err := os.WriteFile(path, []byte(strings.Repeat("x", 100)), 0o666); err != nil {
			b.Fatal(err)
		}
		names, bases, paths = append(names, z(base)), append(bases, base), append(paths, path)
	}
	f, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	return f, names, bases, paths
}

// perFile runs do for each of 1,000 files, and reports the cost per file.
func perFile(b *testing.B, name string, do func(i int) error) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for i := range 1000 {
				if err := do(i); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/file")
	})
}

func BenchmarkStat(b *testing.B) {
	f, names, bases, paths := thousand(b)
	var info Info
	perFile(b, "at", func(i int) error { return f.Stat(names[i], false, &info) })
	// Unlike Stat, RawSyscall6 never notifies the scheduler. The difference is the cost of the
	// notification.
	var st unix.Stat_t
	perFile(b, "RawSyscall6", func(i int) error {
		_, _, errno := syscall.RawSyscall6(unix.SYS_NEWFSTATAT, uintptr(f.sys.fd()), uintptr(unsafe.Pointer(&names[i][0])),
			uintptr(unsafe.Pointer(&st)), unix.AT_SYMLINK_NOFOLLOW, 0, 0)
		if errno != 0 {
			return errno
		}
		return nil
	})
	perFile(b, "Syscall6", func(i int) error {
		_, _, errno := syscall.Syscall6(unix.SYS_NEWFSTATAT, uintptr(f.sys.fd()), uintptr(unsafe.Pointer(&names[i][0])),
			uintptr(unsafe.Pointer(&st)), unix.AT_SYMLINK_NOFOLLOW, 0, 0)
		if errno != 0 {
			return errno
		}
		return nil
	})
	perFile(b, "unix.Fstatat", func(i int) error {
		return unix.Fstatat(f.sys.fd(), bases[i], &st, unix.AT_SYMLINK_NOFOLLOW)
	})
	perFile(b, "os.Lstat", func(i int) error {
		_, err := os.Lstat(paths[i])
		return err
	})
}

func BenchmarkRead(b *testing.B) {
	f, names, _, paths := thousand(b)
	var info Info
	buf := make([]byte, 64<<10)
	perFile(b, "at", func(i int) error {
		n, end, _, err := f.Read(names[i], 100, true, buf)
		if n != 100 || !end {
			return fmt.Errorf("%d bytes, end %v: %w", n, end, err)
		}
		return err
	})
	perFile(b, "at.OpenFile", func(i int) error {
		file, err := f.OpenFile(names[i], &info)
		if err != nil {
			return err
		}
		if _, err := file.Read(buf); err != nil {
			return err
		}
		return file.Close()
	})
	perFile(b, "os.ReadFile", func(i int) error {
		_, err := os.ReadFile(paths[i])
		return err
	})
}

func BenchmarkSub(b *testing.B) {
	dir := b.TempDir()
	const folder = "characters/hero/textures"
	path := z(folder)
	if err := os.MkdirAll(filepath.Join(dir, folder), 0o777); err != nil {
		b.Fatal(err)
	}
	f, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for _, way := range []struct {
		name string
		open func([]byte, bool) (fdFolder, error)
	}{{"openat2", f.sys.Sub}, {"steps", f.sys.openByNames}} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sub, err := way.open(path, true)
				if err != nil {
					b.Fatal(err)
				}
				sub.Close()
			}
		})
	}
}
