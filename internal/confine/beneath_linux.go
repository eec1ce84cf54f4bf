package confine

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/internal/dirfd"
)

// beneath makes a call of os.Root with one or two system calls: the system itself sees
// to it that a path leads nowhere else (openat2(2), RESOLVE_BENEATH, since Linux 5.6),
// where os.Root opens each folder on the way. Like os.Root it follows links inside.
//
// What it cannot decide it leaves to os.Root by returning errAsk.
type beneath struct {
	file *os.File // the folder; open as long as the os.Root is
	dir  syscall.RawConn
	off  atomic.Bool // the system does not have the call, or forbids it
}

// openBeneath returns nil if all is left to os.Root.
func openBeneath(root *os.Root) *beneath {
	f, err := root.Open(".")
	if err != nil {
		return nil // a folder that may be entered and not listed
	}
	dir, err := f.SyscallConn()
	if err != nil {
		f.Close()
		return nil
	}
	return &beneath{file: f, dir: dir}
}

func (b *beneath) Close() error {
	if b == nil {
		return nil
	}
	return b.file.Close()
}

// at calls do with the folder's descriptor, which stays open for that long.
func (b *beneath) at(do func(fd int) error) error {
	if b == nil || b.off.Load() {
		return errAsk
	}
	err := errAsk
	if b.dir.Control(func(fd uintptr) { err = do(int(fd)) }) != nil {
		return errAsk // closed
	}
	if errno, ok := err.(syscall.Errno); ok && undecided(errno) {
		if errno == unix.ENOSYS {
			b.off.Store(true)
		}
		return errAsk
	}
	return err
}

// undecided reports whether os.Root could have another answer, or a better error:
// about a link that leads out or is absolute, a folder that was moved meanwhile, a name
// that is too long for one call, what is no folder, a sandbox that forbids the call.
func undecided(errno syscall.Errno) bool {
	switch errno {
	case unix.EXDEV, unix.ELOOP, unix.EAGAIN, unix.ENAMETOOLONG, unix.ENOTDIR, unix.EISDIR, unix.EINVAL, unix.EPERM, unix.ENOSYS:
		return true
	}
	return false
}

// in calls do with the folder of a path and the name in it, which ends in NUL.
func (b *beneath) in(path string, do func(dir int, name []byte) error) error {
	slash := strings.LastIndexByte(path, '/')
	name := append([]byte(path[slash+1:]), 0)
	return b.at(func(fd int) error {
		if slash < 0 {
			return do(fd, name)
		}
		dir, err := open(fd, path[:slash], unix.O_PATH|unix.O_DIRECTORY, 0)
		if err != nil {
			return err
		}
		defer unix.Close(dir)
		return do(dir, name)
	})
}

// open is the system call.
func open(dir int, path string, flags int, perm fs.FileMode) (int, error) {
	how := unix.OpenHow{
		Flags:   uint64(flags | unix.O_CLOEXEC | unix.O_LARGEFILE),
		Mode:    uint64(perm),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS,
	}
	for {
		fd, err := unix.Openat2(dir, path, &how)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

func (b *beneath) openFile(path string, flag int, perm fs.FileMode) (*os.File, error) {
	if flag&os.O_CREATE == 0 {
		perm = 0 // as openat2 wants it
	} else if perm&^fs.ModePerm != 0 {
		return nil, errAsk
	}
	var f *os.File
	err := b.at(func(fd int) error {
		made, err := open(fd, path, flag, perm)
		if err == nil {
			f = os.NewFile(uintptr(made), filepath.Join(b.file.Name(), path))
		}
		return err
	})
	if errno, ok := err.(syscall.Errno); ok {
		err = &fs.PathError{Op: "openat", Path: path, Err: errno}
	}
	return f, err
}

func (b *beneath) lstat(path string) (fs.FileInfo, error) {
	var info dirfd.Info
	err := b.in(path, func(dir int, name []byte) error { return dirfd.StatAt(dir, name, &info) })
	if errno, ok := err.(syscall.Errno); ok {
		err = &fs.PathError{Op: "statat", Path: path, Err: errno}
	}
	if err != nil {
		return nil, err
	}
	return info.Named(path), nil
}

func (b *beneath) rename(from, to string) error {
	err := b.in(from, func(fromDir int, fromName []byte) error {
		return b.in(to, func(toDir int, toName []byte) error {
			return again(func() error {
				return unix.Renameat(fromDir, string(fromName[:len(fromName)-1]), toDir, string(toName[:len(toName)-1]))
			})
		})
	})
	if errno, ok := err.(syscall.Errno); ok {
		err = &os.LinkError{Op: "renameat", Old: from, New: to, Err: errno}
	}
	return err
}
