// Package dirfd describes and opens files of an open directory, at the cost of the system calls
// only.
//
// A no-op run of cook needs the stamps of a million files whose names are in a mapped index, each
// ending in a NUL. The names are passed to the system from there: no string is made, nothing is
// allocated, and the system resolves no path, but only one name in an open directory.
//
// The bytes may be forged. Invalid names are refused with EINVAL before the system sees them: an
// empty name, "." or "..", a name without its NUL or with another one, and a name with a slash or
// another separator of the system.
//
// Except for [Open], errors are bare values of [syscall.Errno], so that they cost nothing and
// can be compared with ==; the caller knows the name and wraps errors for messages. Calls on a
// Folder or File that is not open return EBADF.
//
// The reading order: this file has the interface, name.go checks names, folder_linux.go and unix.go
// make the system calls, and root.go does the same work by [os.Root] for other systems.
package dirfd

import (
	"io"
	"io/fs"
	"path"
	"syscall"
	"time"
)

// Info is the result of stat, in the units of scan.Stamp.
type Info struct {
	Size   int64  // bytes
	MTime  int64  // last write, ns since 1970
	CTime  int64  // last change of content or metadata, like MTime; 0 if unsupported
	Inode  uint64 // 0 if unknown
	Device uint64 // 0 if unknown
	Mode   uint32 // type and permissions, bits of [io/fs.FileMode]
	Links  uint32 // hard links, 0 if unknown
}

// A Folder is an open directory. It stays the same directory when it is renamed or replaced. The
// zero Folder is not open. Copies are the same open directory: close one of them, and use none
// afterwards. Several goroutines may use it at once.
//
// A Folder that is dropped without Close stays open.
type Folder struct{ sys folder }

// A File is a regular file that is open for reading. The rules for a Folder's zero value, copies
// and closing also apply to a File.
type File struct{ sys file }

// Open opens a directory by name, following symbolic links. The error is an [*io/fs.PathError]
// around a syscall.Errno.
//
// If the directory is on a local file system, Open assumes the same of the directories below it.
// Their Info and Stat do not tell the goroutine scheduler about the call, and take a tenth less
// time. If a network file system is mounted below, its calls block a processor.
func Open(name string) (Folder, error) {
	f, err := openFolder(name)
	return Folder{f}, err
}

// Sub opens a directory below f. The path has slashes between its names and ends in NUL; an
// absolute path, or one with "..", is refused with EINVAL. The empty path opens f again.
//
// Symbolic links on the way are followed anywhere, unless beneath is set: then a link anywhere on
// the way is ELOOP.
func (f Folder) Sub(path []byte, beneath bool) (Folder, error) {
	sub, err := f.sys.Sub(path, beneath)
	return Folder{sub}, err
}

// Info describes the directory itself. On failure it does not change into.
func (f Folder) Info(into *Info) error { return f.sys.Info(into) }

// Stat describes the file name, which ends in NUL: a symbolic link itself or, with follow, its
// target. On failure it does not change into.
func (f Folder) Stat(name []byte, follow bool, into *Info) error {
	return f.sys.Stat(name, follow, into)
}

// Read reads the regular file name, which ends in NUL, from its start until it ends or buf is full.
// It returns the number of bytes read and whether the file's end was reached. A file that exactly
// fills buf was not seen to end, so make buf a byte longer than want, the size from stat. A file of
// that size costs three system calls (open, read, close), other files need more reads.
//
// Instead of a regular file, a symbolic link is ELOOP, a directory EISDIR, a pipe ESPIPE and a
// socket ENXIO; none of them blocks. Some systems do not distinguish devices from files, so call
// Stat first.
//
// With ask, busy reports whether another process has the file open or mapped for writing. This is
// tested before the first byte is read, and costs two more system calls; see package lease.
func (f Folder) Read(name []byte, want int64, ask bool, buf []byte) (n int, end, busy bool, err error) {
	return f.sys.Read(name, want, ask, buf)
}

// OpenFile opens the regular file name, which ends in NUL, for files too large for one Read, and
// describes it. Anything but a regular file fails as with Read, a device with ENXIO.
func (f Folder) OpenFile(name []byte, into *Info) (File, error) {
	file, err := f.sys.OpenFile(name, into)
	return File{file}, err
}

// Close closes the directory. Directories and files that were opened below it stay open.
func (f *Folder) Close() error { return f.sys.Close() }

// Read continues after the last Read, like [io.Reader]: at the end of the file the error is io.EOF.
func (f File) Read(buf []byte) (int, error) { return f.sys.Read(buf) }

// ReadAt reads at an offset, like [io.ReaderAt].
func (f File) ReadAt(buf []byte, offset int64) (int, error) { return f.sys.ReadAt(buf, offset) }

// Busy reports whether a process has the file open or mapped for writing.
func (f File) Busy() bool { return f.sys.Busy() }

// Close closes the file.
func (f *File) Close() error { return f.sys.Close() }

// Both can be passed to code that reads and closes.
var _ io.ReadCloser = (*File)(nil)

// Named returns the Info as a FileInfo of package fs. The path has slashes.
func (i Info) Named(name string) fs.FileInfo { return &namedInfo{i, path.Base(name)} }

type namedInfo struct {
	Info
	name string
}

func (n *namedInfo) Name() string       { return n.name }
func (n *namedInfo) Size() int64        { return n.Info.Size }
func (n *namedInfo) Mode() fs.FileMode  { return fs.FileMode(n.Info.Mode) }
func (n *namedInfo) ModTime() time.Time { return time.Unix(0, n.MTime) }
func (n *namedInfo) IsDir() bool        { return n.Mode().IsDir() }
func (n *namedInfo) Sys() any           { return nil }

// notRegular returns the error for reading a file of this mode, nil for a regular file: the error
// of Linux for opening such a file and reading at an offset.
func notRegular(mode fs.FileMode) error {
	switch mode.Type() {
	case 0:
		return nil
	case fs.ModeSymlink:
		return syscall.ELOOP
	case fs.ModeDir:
		return syscall.EISDIR
	case fs.ModeNamedPipe:
		return syscall.ESPIPE
	}
	return syscall.ENXIO
}
