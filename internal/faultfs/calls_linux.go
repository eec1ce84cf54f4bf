//go:build amd64 || arm64

package faultfs

import "golang.org/x/sys/unix"

// A spec says which arguments of a system call are files.
type spec struct {
	name  string
	paths []place  // the files it names; a created file comes last
	fd    descr    // the open file it uses
	only  []uint32 // relevant values of the second argument; nil for all
	grows bool     // it takes disk space; see also openFlags
	data  transfer // it moves bytes between a file and memory
}

// A place is a pair of arguments: the directory's descriptor and the path.
type place struct{ dir, path int8 }

// cwd marks a call without a directory's descriptor.
const cwd = -1

// descr is the number of the argument with an open file's descriptor, plus one.
type descr int8

const (
	noFile descr = 0
	first  descr = 1
	mapped descr = 5 // of mmap
)

// A transfer can be done by half.
type transfer int8

const (
	none   transfer = iota
	reads           // into args[1], at most args[2] bytes
	writes          // from args[1], args[2] bytes
	copies          // to the file args[2]
)

// table returns the calls that concern files, by number.
func table() map[int]spec {
	one := []place{{0, 1}}
	two := []place{{0, 1}, {2, 3}}
	t := map[int]spec{
		unix.SYS_OPENAT:          {name: "openat", paths: one},
		unix.SYS_OPENAT2:         {name: "openat2", paths: one},
		unix.SYS_READ:            {name: "read", fd: first, data: reads},
		unix.SYS_PREAD64:         {name: "pread64", fd: first, data: reads},
		unix.SYS_READV:           {name: "readv", fd: first},
		unix.SYS_PREADV:          {name: "preadv", fd: first},
		unix.SYS_WRITE:           {name: "write", fd: first, data: writes, grows: true},
		unix.SYS_PWRITE64:        {name: "pwrite64", fd: first, data: writes, grows: true},
		unix.SYS_WRITEV:          {name: "writev", fd: first, grows: true},
		unix.SYS_PWRITEV:         {name: "pwritev", fd: first, grows: true},
		unix.SYS_FSTAT:           {name: "fstat", fd: first},
		sysNewfstatat:            {name: "newfstatat", paths: one},
		unix.SYS_STATX:           {name: "statx", paths: one},
		unix.SYS_FSTATFS:         {name: "fstatfs", fd: first},
		unix.SYS_STATFS:          {name: "statfs", paths: []place{{cwd, 0}}},
		unix.SYS_GETDENTS64:      {name: "getdents64", fd: first},
		unix.SYS_RENAMEAT:        {name: "renameat", paths: two},
		unix.SYS_RENAMEAT2:       {name: "renameat2", paths: two},
		unix.SYS_UNLINKAT:        {name: "unlinkat", paths: one},
		unix.SYS_MKDIRAT:         {name: "mkdirat", paths: one, grows: true},
		unix.SYS_LINKAT:          {name: "linkat", paths: two, grows: true},
		unix.SYS_SYMLINKAT:       {name: "symlinkat", paths: []place{{1, 2}}, grows: true},
		unix.SYS_READLINKAT:      {name: "readlinkat", paths: one},
		unix.SYS_FSYNC:           {name: "fsync", fd: first},
		unix.SYS_FDATASYNC:       {name: "fdatasync", fd: first},
		unix.SYS_SYNCFS:          {name: "syncfs", fd: first},
		unix.SYS_FTRUNCATE:       {name: "ftruncate", fd: first},
		unix.SYS_TRUNCATE:        {name: "truncate", paths: []place{{cwd, 0}}},
		unix.SYS_FALLOCATE:       {name: "fallocate", fd: first, grows: true},
		unix.SYS_FCHMOD:          {name: "fchmod", fd: first},
		unix.SYS_FCHMODAT:        {name: "fchmodat", paths: one},
		unix.SYS_FCHOWN:          {name: "fchown", fd: first},
		unix.SYS_FCHOWNAT:        {name: "fchownat", paths: one},
		unix.SYS_UTIMENSAT:       {name: "utimensat", paths: one},
		unix.SYS_FLOCK:           {name: "flock", fd: first},
		unix.SYS_IOCTL:           {name: "ioctl", fd: first, only: []uint32{unix.FICLONE}, grows: true},
		unix.SYS_COPY_FILE_RANGE: {name: "copy_file_range", fd: first + 2, data: copies, grows: true},
		unix.SYS_SENDFILE:        {name: "sendfile", fd: first},
		unix.SYS_MMAP:            {name: "mmap", fd: mapped},
		unix.SYS_FCNTL:           {name: "fcntl", fd: first, only: []uint32{unix.F_SETLEASE, unix.F_DUPFD_CLOEXEC}},
		unix.SYS_FACCESSAT:       {name: "faccessat", paths: one},
		unix.SYS_FACCESSAT2:      {name: "faccessat2", paths: one},
	}
	for number, s := range older() {
		t[number] = s
	}
	return t
}
