// Package dirfd asks an open folder about names in it, at the price of the system
// call and nothing more.
//
// A cook with nothing to do asks for the stamps of a million files whose names
// lie, each ended by a NUL, in a mapped index. They go to the system as they
// lie there: no string is made, nothing is allocated, and the system walks no
// path but looks up one name in a folder that is open already.
//
// The bytes may be forged. A name that is none (empty, "." or "..", without its
// NUL or with another one, with a slash or whatever else separates names on
// this system) is refused as EINVAL before the system sees it.
//
// Errors, those of [Open] aside, are bare values of [syscall.Errno], so that
// they cost nothing and can be compared with ==; the caller knows the name and
// wraps what it wants to show. A folder or file that is not open answers EBADF.
package dirfd

import "io"

// Info is what stat says of a file, in the units of scan.Stamp.
type Info struct {
	Size   int64  // bytes
	MTime  int64  // last write, ns since 1970
	CTime  int64  // last change of content or metadata, ns since 1970; 0 where the system has none
	Inode  uint64 // 0 where unknown
	Device uint64 // 0 where unknown
	Mode   uint32 // type and permissions as the bits of [io/fs.FileMode], as package os gives them
	Links  uint32 // hard links, 0 where unknown
}

// A Folder is an open folder. It stays the same folder when it is renamed or
// when something else takes its place. The zero Folder is not open. Copies are
// one and the same open folder: close one of them and use none afterwards. It
// may be used by several goroutines at once.
//
// Nothing closes a Folder that is dropped.
type Folder struct{ sys folder }

// A File is a regular file that is open for reading. What is said of Folder's
// zero value, copies and closing holds for it too.
type File struct{ sys file }

// Open opens the folder of that name, following links. The error is an
// [*io/fs.PathError] around a syscall.Errno.
//
// If the folder lies on a local file system, that is taken to be so for the
// folders below it too: the scheduler of goroutines is not told of their Info and
// Stat, which then take a tenth less time. Should a network file system be
// mounted below, its answers hold up a processor.
func Open(name string) (Folder, error) {
	f, err := openFolder(name)
	return Folder{f}, err
}

// Sub opens a folder below f. The path has slashes between its names and ends
// in NUL; an absolute one, and one with "..", is refused as EINVAL. The empty
// path is f itself, opened once more.
//
// Links on the way are followed wherever they lead, unless the folder must lie
// beneath f: then a link anywhere on the way is ELOOP.
func (f Folder) Sub(path []byte, beneath bool) (Folder, error) {
	sub, err := f.sys.Sub(path, beneath)
	return Folder{sub}, err
}

// Info describes the folder itself. It leaves into alone if it fails.
func (f Folder) Info(into *Info) error { return f.sys.Info(into) }

// Stat describes the file name, which ends in NUL: a link itself, or with
// follow what it leads to. It leaves into alone if it fails.
func (f Folder) Stat(name []byte, follow bool, into *Info) error {
	return f.sys.Stat(name, follow, into)
}

// Read reads the regular file name, which ends in NUL, from its start until it
// ends or buf is full. It returns the number of bytes read and whether the file
// was seen to end there; one that just fills buf was not, so give it a byte more
// than want, the size that stat gave. A file that has this size costs three
// system calls (open, read, close), any other one more reads.
//
// Instead of a regular file, a link is ELOOP, a folder EISDIR, a pipe ESPIPE
// and a socket ENXIO; none of them makes Read wait. Devices are not told from
// files on every system: stat first.
//
// With ask, busy reports whether another process has the file open for writing, or
// mapped so, which is asked before the first byte is read and costs two system calls
// more; see package lease.
func (f Folder) Read(name []byte, want int64, ask bool, buf []byte) (n int, end, busy bool, err error) {
	return f.sys.Read(name, want, ask, buf)
}

// OpenFile opens the regular file name, which ends in NUL, for files that are
// too large for one Read, and describes it. What is no regular file fails as with
// Read, a device as ENXIO.
func (f Folder) OpenFile(name []byte, into *Info) (File, error) {
	file, err := f.sys.OpenFile(name, into)
	return File{file}, err
}

// Close closes the folder. Folders and files that were opened below it stay
// open.
func (f *Folder) Close() error { return f.sys.Close() }

// Read reads on where the last Read ended, as [io.Reader] says: at the end of
// the file the error is io.EOF.
func (f File) Read(buf []byte) (int, error) { return f.sys.Read(buf) }

// ReadAt reads at an offset, as [io.ReaderAt] says.
func (f File) ReadAt(buf []byte, offset int64) (int, error) { return f.sys.ReadAt(buf, offset) }

// Busy reports whether somebody has the file open for writing, or mapped so.
func (f File) Busy() bool { return f.sys.Busy() }

// Close closes the file.
func (f *File) Close() error { return f.sys.Close() }

// Both can be handed to what reads and closes.
var _ io.ReadCloser = (*File)(nil)
