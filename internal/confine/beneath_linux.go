package confine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/internal/dirfd"
)

// beneath implements methods of os.Root in one or two system calls. The kernel confines the path
// (openat2(2) with RESOLVE_BENEATH, since Linux 5.6), while os.Root opens each directory in it.
// Like os.Root, beneath follows symbolic links that stay inside.
//
// If the result of the kernel is inconclusive, beneath returns errAsk, and the caller must use
// os.Root.
type beneath struct {
	file *os.File // open directory of the os.Root
	dir  syscall.RawConn
	off  atomic.Bool // set if the system lacks or forbids openat2
}

// openBeneath returns a beneath for root, or nil if all calls must use os.Root.
func openBeneath(root *os.Root) *beneath {
	f, err := root.Open(".")
	if err != nil {
		return nil // the directory may be searchable but not readable
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

// atFolder calls do with the directory's descriptor, which stays open during the call. It returns
// errAsk for paths that the kernel and os.Root might interpret differently.
func (b *beneath) atFolder(path string, do func(fd int) error) error {
	if b == nil || b.off.Load() || path != "." && !isPlainPath(path) {
		return errAsk
	}
	err := errAsk
	if b.dir.Control(func(fd uintptr) { err = do(int(fd)) }) != nil {
		return errAsk // the directory is closed
	}
	if err == unix.ENOSYS {
		b.off.Store(true)
	}
	return orAsk(err)
}

// isPlainPath reports whether a path consists of names separated by single slashes.
func isPlainPath(path string) bool {
	return path != "." && fs.ValidPath(path) && strings.IndexByte(path, 0) < 0
}

// orAsk replaces an inconclusive error by errAsk.
func orAsk(err error) error {
	if errno, ok := err.(syscall.Errno); ok && undecided(errno) {
		return errAsk
	}
	return err
}

// undecided reports whether os.Root might succeed or return a better error although the kernel
// failed. Such errors are caused by
//
//   - symbolic links that are absolute or lead out of the directory,
//   - a directory that was moved meanwhile,
//   - a path too long for one call,
//   - a file in place of a directory or the reverse,
//   - a sandbox that forbids the call.
func undecided(errno syscall.Errno) bool {
	switch errno {
	case unix.EXDEV, unix.ELOOP, unix.EAGAIN, unix.ENAMETOOLONG, unix.ENOTDIR, unix.EISDIR,
		unix.ENOTEMPTY, unix.EEXIST, unix.EBUSY, unix.EINVAL, unix.EPERM, unix.ENOSYS:
		return true
	}
	return false
}

// inParentOf calls do with the parent directory of a path and the last name of the path.
func (b *beneath) inParentOf(path string, do func(dir openFolder, name string) error) error {
	slash := strings.LastIndexByte(path, '/')
	return b.atFolder(path, func(fd int) error {
		if slash < 0 {
			return do(openFolder{fd + 1}, path) // the function do returns an error for "."
		}
		dir, err := openConfined(fd, path[:slash], folderFlags, 0)
		if err != nil {
			return err
		}
		defer unix.Close(dir)
		return do(openFolder{dir + 1}, path[slash+1:])
	})
}

const folderFlags = unix.O_PATH | unix.O_DIRECTORY

// openSubfolder opens the directory at a path. On failure the returned directory is not open.
func (b *beneath) openSubfolder(path string) (f openFolder, err error) {
	err = b.atFolder(path, func(fd int) error {
		dir, err := openConfined(fd, path, folderFlags, 0)
		if err == nil {
			f.plus1 = dir + 1
		}
		return err
	})
	return f, err
}

// An openFolder is the file descriptor of a directory, plus one; 0 means that none is open.
type openFolder struct{ plus1 int }

func (f openFolder) fd() int { return f.plus1 - 1 }

func (f *openFolder) closeFolder() {
	if f.plus1 > 0 {
		unix.Close(f.fd())
		f.plus1 = 0
	}
}

// lstatName describes the file with the given name in the directory; at is its full path for
// errors.
func (f openFolder) lstatName(name, at string) (fs.FileInfo, error) {
	if f.plus1 == 0 || !isPlainPath(name) {
		return nil, errAsk
	}
	var info dirfd.Info
	err := orAsk(dirfd.StatAt(f.fd(), append([]byte(name), 0), &info))
	if errno, ok := err.(syscall.Errno); ok {
		err = &fs.PathError{Op: "statat", Path: at, Err: errno}
	}
	if err != nil {
		return nil, err
	}
	return info.Named(name), nil
}

// renameName renames a file of the directory; from and dest are the full paths for errors.
func (f openFolder) renameName(name string, to openFolder, toName, from, dest string) error {
	if f.plus1 == 0 || to.plus1 == 0 || !isPlainPath(name) || !isPlainPath(toName) {
		return errAsk
	}
	err := orAsk(repeatInterrupted(func() error { return unix.Renameat(f.fd(), name, to.fd(), toName) }))
	if errno, ok := err.(syscall.Errno); ok {
		err = &os.LinkError{Op: "renameat", Old: from, New: dest, Err: errno}
	}
	return err
}

// renameToNew is renameName, but fails if toName exists.
func (f openFolder) renameToNew(name string, to openFolder, toName, from, dest string) error {
	if f.plus1 == 0 || to.plus1 == 0 || !isPlainPath(name) || !isPlainPath(toName) {
		return errors.ErrUnsupported
	}
	err := repeatInterrupted(func() error {
		return unix.Renameat2(f.fd(), name, to.fd(), toName, unix.RENAME_NOREPLACE)
	})
	switch errno, _ := err.(syscall.Errno); errno {
	case 0:
		return nil
	case unix.EINVAL, unix.ENOSYS: // some file systems and sandboxes have no such call
		return errors.ErrUnsupported
	default:
		return &os.LinkError{Op: "renameat2", Old: from, New: dest, Err: errno}
	}
}

// openConfined calls openat2, confined to the directory.
func openConfined(dir int, path string, flags int, perm fs.FileMode) (int, error) {
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
	if path == "." {
		return nil, errAsk
	}
	if flag&os.O_CREATE == 0 {
		perm = 0 // openat2 requires 0 without O_CREAT
	} else if perm&^fs.ModePerm != 0 {
		return nil, errAsk
	}
	var f *os.File
	err := b.atFolder(path, func(fd int) error {
		made, err := openConfined(fd, path, flag, perm)
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

func (b *beneath) lstat(path string) (info fs.FileInfo, err error) {
	err = b.inParentOf(path, func(dir openFolder, name string) error {
		info, err = dir.lstatName(name, path)
		return err
	})
	if errno, ok := err.(syscall.Errno); ok { // errors without a path come from opening the directory
		err = &fs.PathError{Op: "statat", Path: path, Err: errno}
	}
	return info, err
}

func (b *beneath) rename(from, to string) error {
	err := b.inParentOf(from, func(dir openFolder, name string) error {
		return b.inParentOf(to, func(toDir openFolder, toName string) error { return dir.renameName(name, toDir, toName, from, to) })
	})
	if errno, ok := err.(syscall.Errno); ok { // errors without a path come from opening a directory
		err = &os.LinkError{Op: "renameat", Old: from, New: to, Err: errno}
	}
	return err
}
