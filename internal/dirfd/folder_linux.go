package dirfd

import (
	"io"
	"io/fs"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/internal/lease"
)

type (
	folder = fdFolder
	file   = fdFile
)

// A descriptor is a file descriptor plus one, so that the zero value is not open.
type descriptor int

// fd returns the file descriptor, or -1 if the file is not open. Every system call on -1 fails with
// EBADF.
func (d descriptor) fd() int { return int(d) - 1 }

func (d *descriptor) Close() error {
	fd := d.fd()
	*d = 0
	// The descriptor is closed even if the error is EINTR. A second call could close another file.
	if err := unix.Close(fd); err != unix.EINTR {
		return err
	}
	return nil
}

// fdFolder makes system calls directly. Packages os, syscall and unix take names as strings and
// copy them to add a NUL.
type fdFolder struct {
	descriptor
	prompt bool // set if the file system answers promptly; see Open
}

// folderFlags open a directory only for looking up names, not for listing. This is faster and needs
// fewer permissions.
const folderFlags = unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC

func openFolder(name string) (fdFolder, error) {
	for {
		fd, err := unix.Open(name, folderFlags, 0)
		if err == nil {
			return fdFolder{descriptor(fd + 1), isPrompt(fd)}, nil
		}
		if err != unix.EINTR {
			return fdFolder{}, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
}

// isPrompt reports whether a directory is on a file system in memory or on a local disk.
func isPrompt(fd int) bool {
	var st unix.Statfs_t
	if unix.Fstatfs(fd, &st) != nil {
		return false
	}
	switch uint32(st.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC,
		unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC:
		return true
	}
	return false
}

func (f fdFolder) Sub(path []byte, beneath bool) (fdFolder, error) {
	if err := checkPath(path); err != nil {
		return fdFolder{}, err
	}
	if len(path) == 1 {
		fd, err := unix.FcntlInt(uintptr(f.fd()), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return fdFolder{}, err
		}
		return fdFolder{descriptor(fd + 1), f.prompt}, nil
	}
	var d descriptor
	var errno syscall.Errno
	if beneath {
		d, errno = openBeneath(f.fd(), path)
	} else {
		d, errno = openat(f.fd(), path, folderFlags)
	}
	if stepwise(errno) {
		return f.openByNames(path, beneath)
	}
	if errno != 0 {
		return fdFolder{}, errno
	}
	return fdFolder{d, f.prompt}, nil
}

func (f fdFolder) Info(into *Info) error {
	return into.ofFile(f.fd(), f.prompt)
}

func (f fdFolder) Stat(name []byte, follow bool, into *Info) error {
	flags := unix.AT_SYMLINK_NOFOLLOW
	if follow {
		flags = 0
	}
	return into.ofName(f.fd(), name, flags, f.prompt)
}

func (f fdFolder) Create(name []byte, perm fs.FileMode, data []byte, into *Info) error {
	if err := checkName(name); err != nil {
		return err
	}
	const flags = unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_NOCTTY | unix.O_CLOEXEC | unix.O_LARGEFILE
	d, errno := openatMode(f.fd(), name, flags, uint32(perm.Perm()))
	if errno != 0 {
		return errno
	}
	err := writeAll(d.fd(), data)
	if err == nil {
		err = into.ofFile(d.fd(), f.prompt)
	}
	if closed := d.Close(); err == nil {
		err = closed
	}
	return err
}

// writeAll writes all of data.
func writeAll(fd int, data []byte) error {
	for len(data) > 0 {
		n, err := unix.Write(fd, data)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return err
		case n == 0:
			return unix.EIO
		default:
			data = data[n:]
		}
	}
	return nil
}

// openat makes the system call openat. The path ends in NUL.
func openat(fd int, path []byte, flags int) (descriptor, syscall.Errno) {
	return openatMode(fd, path, flags, 0)
}

// openatMode is like openat. A new file gets the given mode.
func openatMode(fd int, path []byte, flags int, mode uint32) (descriptor, syscall.Errno) {
	for {
		n, _, errno := syscall.Syscall6(unix.SYS_OPENAT, uintptr(fd), uintptr(unsafe.Pointer(&path[0])), uintptr(flags), uintptr(mode), 0, 0)
		switch errno {
		case 0:
			return descriptor(n + 1), 0
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}

// openBeneath opens a path. The system refuses symbolic links and paths that lead out of the
// directory.
func openBeneath(fd int, path []byte) (descriptor, syscall.Errno) {
	how := unix.OpenHow{
		Flags:   folderFlags,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	for {
		n, _, errno := syscall.Syscall6(unix.SYS_OPENAT2, uintptr(fd), uintptr(unsafe.Pointer(&path[0])),
			uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
		switch errno {
		case 0:
			return descriptor(n + 1), 0
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}

// stepwise reports whether a path that could not be opened in one call may be opened name by name.
// Possible reasons are a kernel older than openat2 (5.6), a sandbox that forbids unknown calls, and
// a path that is too long for any call.
func stepwise(errno syscall.Errno) bool {
	return errno == syscall.ENOSYS || errno == syscall.EPERM || errno == syscall.ENAMETOOLONG
}

// openByNames implements Sub by opening one directory after another. The path must have been
// checked.
func (f fdFolder) openByNames(path []byte, beneath bool) (fdFolder, error) {
	at := f
	var name [unix.PathMax]byte
	for rest := path[:len(path)-1]; len(rest) > 0; {
		var next []byte
		if next, rest = nextName(rest); next == nil {
			continue
		}
		if len(next) >= len(name) {
			return at.closeUnlessTop(f, syscall.ENAMETOOLONG)
		}
		name[copy(name[:], next)] = 0
		d, errno := at.openNextFolder(name[:len(next)+1], beneath)
		if errno != 0 {
			return at.closeUnlessTop(f, errno)
		}
		if at != f {
			at.Close()
		}
		at = fdFolder{d, f.prompt}
	}
	if at == f { // the path has no names: it is "." or similar
		return f.Sub([]byte{0}, beneath)
	}
	return at, nil
}

// openNextFolder opens the directory with the given name in f.
func (f fdFolder) openNextFolder(name []byte, beneath bool) (descriptor, syscall.Errno) {
	if !beneath {
		return openat(f.fd(), name, folderFlags)
	}
	d, errno := openat(f.fd(), name, folderFlags|unix.O_NOFOLLOW)
	if errno == syscall.ENOTDIR {
		// For a symbolic link the error is ELOOP, as with openat2, instead of ENOTDIR.
		var st unix.Stat_t
		if fstatat(f.fd(), name, &st, unix.AT_SYMLINK_NOFOLLOW, f.prompt) == 0 && st.Mode&unix.S_IFMT == unix.S_IFLNK {
			errno = syscall.ELOOP
		}
	}
	return d, errno
}

// closeUnlessTop closes f after an error, unless f is the directory top, where the path starts.
func (f fdFolder) closeUnlessTop(top fdFolder, errno syscall.Errno) (fdFolder, error) {
	if f != top {
		f.Close()
	}
	return fdFolder{}, errno
}

// fileFlags open a file for reading. They do not follow a symbolic link, do not wait for the writer
// of a pipe, and do not make a terminal the controlling terminal.
const fileFlags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC | unix.O_LARGEFILE

// openWithoutAccessTime opens a file without updating its access time, because the update takes
// longer than reading the file. Only the file's owner may do so.
func (f fdFolder) openWithoutAccessTime(name []byte) (fdFile, syscall.Errno) {
	open := openat
	if f.prompt {
		open = openPromptly
	}
	d, errno := open(f.fd(), name, fileFlags|unix.O_NOATIME)
	if errno == unix.EPERM {
		d, errno = open(f.fd(), name, fileFlags)
	}
	return fdFile{d, f.prompt}, errno
}

// openPromptly is like openat, but does not notify the goroutine scheduler; see Open.
func openPromptly(fd int, path []byte, flags int) (descriptor, syscall.Errno) {
	for {
		n, _, errno := syscall.RawSyscall6(unix.SYS_OPENAT, uintptr(fd), uintptr(unsafe.Pointer(&path[0])), uintptr(flags), 0, 0, 0)
		switch errno {
		case 0:
			return descriptor(n + 1), 0
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}

func (f fdFolder) Read(name []byte, want int64, ask bool, buf []byte) (n int, end, busy bool, err error) {
	if err := checkName(name); err != nil {
		return 0, false, false, err
	}
	d, errno := f.openWithoutAccessTime(name)
	if errno != 0 {
		return 0, false, false, errno
	}
	busy = ask && lease.Ask(d.fd()) == lease.Busy
	n, end, err = readFrom(d.fd(), want, buf)
	d.Close() // ignored, because nothing was written
	return n, end, busy, err
}

// readFrom reads at offsets. The system refuses this for a pipe, so no other call has to test for
// pipes. A short read that ends at the size from stat is the end of the file. After any other short
// read, readFrom reads again.
func readFrom(fd int, want int64, buf []byte) (n int, end bool, err error) {
	for {
		m, err := unix.Pread(fd, buf[n:], int64(n))
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return n, false, err
		}
		n += m
		switch {
		case n == len(buf):
			return n, false, nil
		case m == 0, int64(n) == want:
			return n, true, nil
		}
	}
}

func (f fdFolder) OpenFile(name []byte, into *Info) (fdFile, error) {
	if err := checkName(name); err != nil {
		return fdFile{}, err
	}
	d, errno := f.openWithoutAccessTime(name)
	if errno != 0 {
		return fdFile{}, errno
	}
	var st unix.Stat_t
	var err error
	if errno := fstat(d.fd(), &st, f.prompt); errno != 0 {
		err = errno
	} else {
		err = notRegular(fileMode(st.Mode))
	}
	if err != nil {
		d.Close()
		return fdFile{}, err
	}
	into.setFromStat(&st)
	return d, nil
}

// fdFile is an open regular file. An os.File would use several system calls to test whether the
// file supports polling, which a regular file never does.
type fdFile struct {
	descriptor
	prompt bool // set if the file system answers promptly; see Open
}

// Close closes the file. Closing a file that was only read takes no time.
func (f *fdFile) Close() error {
	if !f.prompt {
		return f.descriptor.Close()
	}
	fd := f.fd()
	f.descriptor = 0
	// The descriptor is closed even if the error is EINTR.
	if _, _, errno := syscall.RawSyscall(unix.SYS_CLOSE, uintptr(fd), 0, 0); errno != 0 && errno != unix.EINTR {
		return errno
	}
	return nil
}

func (f fdFile) Busy() bool { return lease.Ask(f.fd()) == lease.Busy }

func (f fdFile) Read(buf []byte) (int, error) {
	for {
		n, err := unix.Read(f.fd(), buf)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return 0, err
		case n == 0 && len(buf) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (f fdFile) ReadAt(buf []byte, offset int64) (int, error) {
	for n := 0; ; {
		m, err := unix.Pread(f.fd(), buf[n:], offset+int64(n))
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return n, err
		}
		n += m
		switch {
		case n == len(buf):
			return n, nil
		case m == 0:
			return n, io.EOF
		}
	}
}

// addSystem adds the attributes that only the system's own stat structure has.
func (i *Info) addSystem(sys any) {
	st, ok := sys.(*syscall.Stat_t)
	if !ok {
		return
	}
	i.CTime = st.Ctim.Nano()
	i.Inode = st.Ino
	i.Device = uint64(st.Dev)
	i.Links = uint32(st.Nlink)
}
