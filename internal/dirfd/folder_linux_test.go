package dirfd

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

func TestFileMode(t *testing.T) {
	for _, tc := range []struct {
		st   uint32
		want fs.FileMode
	}{
		{unix.S_IFREG | 0o644, 0o644},
		{unix.S_IFREG | 0o7777, fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky | 0o777},
		{unix.S_IFREG | 0o4000, fs.ModeSetuid},
		{unix.S_IFREG | 0o2000, fs.ModeSetgid},
		{unix.S_IFDIR | 0o1777, fs.ModeDir | fs.ModeSticky | 0o777},
		{unix.S_IFLNK | 0o777, fs.ModeSymlink | 0o777},
		{unix.S_IFIFO, fs.ModeNamedPipe},
		{unix.S_IFSOCK, fs.ModeSocket},
		{unix.S_IFCHR, fs.ModeDevice | fs.ModeCharDevice},
		{unix.S_IFBLK, fs.ModeDevice},
		{0, fs.ModeIrregular},
		{0xf000, fs.ModeIrregular},
	} {
		if got := fileMode(tc.st); got != tc.want {
			t.Errorf("%#o: got %v, want %v", tc.st, got, tc.want)
		}
	}
}

// TestNamesMayHoldAnyBytes uses every byte that may occur in a name, and names that are paths on
// other systems.
func TestNamesMayHoldAnyBytes(t *testing.T) {
	eachOpen(t, func(t *testing.T, f opened, dir string) {
		names := []string{"...", "..a", ".a", `a\b`, `..\b`, "C:", "NUL", " ", "a.", "-rf", "*"}
		for b := 1; b < 256; b++ {
			if b != '/' {
				names = append(names, "n"+string([]byte{byte(b)})+"\xff")
			}
		}
		for _, name := range names {
			write(t, filepath.Join(dir, name), name)
			write(t, filepath.Join(dir, "below", name, "file"), name)
		}
		for _, name := range names {
			wantStat(t, f, name, false, lstat(t, filepath.Join(dir, name)))
			wantFile(t, f, name, name)
			for _, beneath := range []bool{true, false} {
				sub, err := f.Sub("below/"+name, beneath)
				if err != nil {
					t.Errorf("%q: %v", name, err)
					continue
				}
				wantFile(t, sub, "file", name)
				sub.Close()
			}
		}
	})
}

// TestReadsPastShortReads reads a file in /proc, which the system returns page by page and whose
// size it reports as 0.
func TestReadsPastShortReads(t *testing.T) {
	each(t, func(t *testing.T, open func(string) (opened, error), _ string) {
		f, err := open("/proc/self")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		file, err := f.OpenFile("smaps")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		buf := make([]byte, 1<<20)
		once, err := file.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		n, end, err := f.Read("smaps", 0, buf)
		if n < 2*once || !end || err != nil {
			t.Errorf("%d bytes at once, %d in all, end %v, %v", once, n, end, err)
		}
	})
}

// TestOpenBeneathStaysBeneath checks that the system also refuses paths that checkPath would
// refuse.
func TestOpenBeneathStaysBeneath(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "in", "file"), "")
	f, err := Open(filepath.Join(dir, "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, path := range []string{"..", "../in", dir} {
		if _, errno := openBeneath(f.sys.fd(), z(path)); errno != syscall.EXDEV {
			t.Errorf("%s: got %v, want %v", path, errno, syscall.EXDEV)
		}
	}
}

// TestFailuresLeaveNothingOpen counts open descriptors after failures.
func TestFailuresLeaveNothingOpen(t *testing.T) {
	each(t, func(t *testing.T, open func(string) (opened, error), dir string) {
		write(t, filepath.Join(dir, "a", "b", "file"), "text")
		link(t, "b", filepath.Join(dir, "a", "link"))
		if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
			t.Fatal(err)
		}
		use := func() {
			f, err := open(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{"", ".", "a/b", "a/gone", "a/b/gone/c", "a/b/file", "a/b/file/c", "a/link", "pipe"} {
				for _, beneath := range []bool{true, false} {
					if sub, err := f.Sub(path, beneath); err == nil {
						sub.Read("file", 4, make([]byte, 5))
						sub.Close()
					}
				}
			}
			for _, name := range []string{"pipe", "a", "gone"} {
				if _, _, err := f.Read(name, 0, make([]byte, 5)); err == nil {
					t.Errorf("Read of %s succeeded", name)
				}
				if _, err := f.OpenFile(name); err == nil {
					t.Errorf("OpenFile of %s succeeded", name)
				}
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		use() // package os opens one more descriptor on first use
		before := descriptors(t)
		use()
		if after := descriptors(t); after != before {
			t.Errorf("%d descriptors are open, %d before", after, before)
		}
	})
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// TestDescriptorsAreNotInherited checks that programs started by a recipe inherit no descriptor.
func TestDescriptorsAreNotInherited(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "sub", "file"), "")
	top, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer top.Close()
	descriptors := []descriptor{top.sys.descriptor}
	for _, path := range []string{"", "sub"} {
		for _, beneath := range []bool{true, false} {
			f, err := top.Sub(z(path), beneath)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			descriptors = append(descriptors, f.sys.descriptor)
		}
	}
	stepped, err := top.sys.openByNames(z("sub"), true)
	if err != nil {
		t.Fatal(err)
	}
	defer stepped.Close()
	file, err := stepped.OpenFile(z("file"), new(Info))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for i, d := range append(descriptors, stepped.descriptor, file.descriptor) {
		if flags, err := unix.FcntlInt(uintptr(d.fd()), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
			t.Errorf("descriptor %d: flags %#x, %v", i, flags, err)
		}
	}
}

// TestFallbackWithoutOpenat2 forbids openat2 for one thread. Old sandboxes do the same, and old
// kernels return ENOSYS.
func TestFallbackWithoutOpenat2(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a", "b", "file"), "text")
	link(t, "b", filepath.Join(dir, "a", "link"))
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, refusal := range []syscall.Errno{syscall.ENOSYS, syscall.EPERM} {
		t.Run(fmt.Sprint(refusal), func(t *testing.T) {
			done := make(chan error)
			go func() {
				runtime.LockOSThread() // never unlocked, so the thread ends with the goroutine
				done <- func() error {
					if err := forbid(unix.SYS_OPENAT2, refusal); err != nil {
						return fmt.Errorf("cannot forbid openat2: %w", err)
					}
					if _, errno := openBeneath(f.sys.fd(), z("a/b")); errno != refusal {
						return fmt.Errorf("openat2 gave %v, want %v", errno, refusal)
					}
					sub, err := f.Sub(z("a/b"), true)
					if err != nil {
						return err
					}
					defer sub.Close()
					var info Info
					if err := sub.Stat(z("file"), false, &info); err != nil || info.Size != 4 {
						return fmt.Errorf("stat: %+v, %v", info, err)
					}
					if _, err := f.Sub(z("a/link"), true); err != syscall.ELOOP {
						return fmt.Errorf("a link gave %v", err)
					}
					return nil
				}()
			}()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

// forbid makes a system call fail on this thread from now on.
func forbid(call uint32, errno syscall.Errno) error {
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // load the number of the system call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: call},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
}
