// Package dirfd describes and opens files of an open directory, with no overhead beyond the system
// calls.
//
// A no-op run of cook may need the stamps of a million files whose names are in a mapped index,
// each followed by a NUL. The names are passed to the system directly from the index. So nothing is
// allocated, and the system resolves only one name in an open directory instead of a path.
//
// The bytes may be forged. Invalid names are refused with EINVAL before the system receives them:
// an empty name, "." or "..", a name with a slash or another separator of the system, and a name
// without its final NUL or with another NUL.
//
// Except in [Open], errors are bare values of [syscall.Errno], which need no allocation and can be
// compared with ==. The caller wraps errors with the name for messages. Calls on a Folder or File
// that is not open return EBADF.
//
// In reading order: this file has the interface, name.go checks names, folder_linux.go and unix.go
// make the system calls, and root.go implements the same functions with [os.Root] for other
// systems.
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
	Size   int64  // size in bytes
	MTime  int64  // time of the last modification, in ns since 1970
	CTime  int64  // time of the last change of content or metadata, in ns since 1970; 0 if unsupported
	Inode  uint64 // inode number; 0 if unknown
	Device uint64 // device number; 0 if unknown
	Mode   uint32 // type and permissions, as the bits of [io/fs.FileMode]
	Links  uint32 // number of hard links; 0 if unknown
}

// A Folder is an open directory. If the directory is renamed or replaced, the Folder still refers
// to it. The zero Folder is not open. Copies refer to the same open directory: close one of them,
// and use none afterwards. Several goroutines may use it at once.
//
// A Folder that is dropped without Close stays open.
type Folder struct{ sys folder }

// A File is a regular file that is open for reading. As for a Folder, the zero value is not open,
// and copies refer to the same open file.
type File struct{ sys file }

// Open opens a directory by name, following symbolic links. The error is an [*io/fs.PathError]
// around a syscall.Errno.
//
// If the directory is on a local file system, Open assumes that all directories below it are local.
// Their Info and Stat, and calls that open and close files for reading, do not notify the goroutine
// scheduler of the system call. This saves a tenth of the time of a stat, and a sixth of the time of
// verifying a small file. If a network file system is mounted below the directory, a slow call blocks a
// processor (a P).
func Open(name string) (Folder, error) {
	f, err := openFolder(name)
	return Folder{f}, err
}

// Sub opens a directory below f. The path has names separated by slashes and ends in NUL. For an
// absolute path, or a path with "..", the error is EINVAL. The empty path opens f again.
//
// Sub follows symbolic links, even to places outside f. If beneath is set, the error for a symbolic
// link is ELOOP.
func (f Folder) Sub(path []byte, beneath bool) (Folder, error) {
	sub, err := f.sys.Sub(path, beneath)
	return Folder{sub}, err
}

// Info describes the directory itself. On failure it does not change *into.
func (f Folder) Info(into *Info) error { return f.sys.Info(into) }

// Stat describes the file with the given name, which ends in NUL: a symbolic link itself or, if
// follow is set, its target. On failure it does not change *into.
func (f Folder) Stat(name []byte, follow bool, into *Info) error {
	return f.sys.Stat(name, follow, into)
}

// Read reads the regular file with the given name, which ends in NUL, from its start until its end
// or until buf is full. It returns the number of bytes read and whether it reached the file's end.
// want is the file's size from stat. If a file exactly fills buf, Read does not notice the file's
// end, so make buf one byte longer than want. A file of the expected size takes three system calls
// (open, read, close); other files need more reads.
//
// If the file is not regular, the error is ELOOP for a symbolic link, EISDIR for a directory,
// ESPIPE for a pipe and ENXIO for a socket. None of these files blocks Read. Some systems do
// not distinguish devices from files, so call Stat first.
//
// If ask is set, busy reports whether another process has the file open or mapped for writing. Read
// tests this before the first byte, with two more system calls; see package lease.
func (f Folder) Read(name []byte, want int64, ask bool, buf []byte) (n int, end, busy bool, err error) {
	return f.sys.Read(name, want, ask, buf)
}

// OpenFile opens the regular file with the given name, which ends in NUL, and describes it. Use it
// for files that are too large for one Read. If the file is not regular, it returns the errors of
// Read; for a device the error is ENXIO.
func (f Folder) OpenFile(name []byte, into *Info) (File, error) {
	file, err := f.sys.OpenFile(name, into)
	return File{file}, err
}

// Create writes a new file with the given name, which ends in NUL, and describes the file before it
// closes it. perm is limited by the umask. If the name exists, even as a symbolic link, the error is
// EEXIST. If another call fails, the file stays there, perhaps incomplete.
func (f Folder) Create(name []byte, perm fs.FileMode, data []byte, into *Info) error {
	return f.sys.Create(name, perm, data, into)
}

// Close closes the directory. Directories and files opened below it stay open.
func (f *Folder) Close() error { return f.sys.Close() }

// Read reads from the current position, like [io.Reader]. At the end of the file the error is
// io.EOF.
func (f File) Read(buf []byte) (int, error) { return f.sys.Read(buf) }

// ReadAt reads at an offset, like [io.ReaderAt].
func (f File) ReadAt(buf []byte, offset int64) (int, error) { return f.sys.ReadAt(buf, offset) }

// Busy reports whether a process has the file open or mapped for writing.
func (f File) Busy() bool { return f.sys.Busy() }

// Close closes the file.
func (f *File) Close() error { return f.sys.Close() }

// File implements io.ReadCloser.
var _ io.ReadCloser = (*File)(nil)

// Named returns the Info as an fs.FileInfo for the file with the given slash-separated path.
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

// notRegular returns the error for reading a file with this mode, or nil for a regular file. It
// returns the errors that Linux returns for such a file.
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
