//go:build amd64 || arm64

package sandbox

import "golang.org/x/sys/unix"

// A call describes the arguments of a system call.
type call struct {
	folder, path, value, flags int // argument numbers; none if missing
	change                     change
	opens                      opens // where a call that takes a file name has its open flags
	gives                      gives // kind of the call's result; value is the address for it
	nofollow                   bool  // a symbolic link at the end of the path is not followed
}

// gives is the kind of result of a call on a file.
type gives int

const (
	givesNothing gives = iota // only whether the file exists
	givesStat                 // a struct stat
	givesStatx                // a struct statx
	givesAccess               // whether the access mode in value is allowed
	givesText                 // the target of a symbolic link
	givesPlace                // the new working directory
)

// opens says where a call passes open flags.
type opens int

const (
	looks   opens = iota // the call opens no file
	byFlags              // the flags are an argument
	byHow                // the flags are a field of struct open_how
	creates              // the flags are fixed, as for creat
)

// A change is the attribute that a call sets, and its format.
type change int

const (
	mode         change = iota
	seconds             // times as two timeval structs
	microseconds        // times as two struct timeval
	nanoseconds         // times as two timespec structs
)

// none marks an argument that a call does not have.
const none = -1

// changing lists the calls that change modes and times. The server executes them itself, on files
// in a directory of the box, because the meaning of a path can change between a check and the call.
var changing = map[uint32]call{
	unix.SYS_FCHMOD:    {folder: 0, path: none, value: 1, flags: none, change: mode},
	unix.SYS_FCHMODAT:  {folder: 0, path: 1, value: 2, flags: none, change: mode},
	sysFchmodat2:       {folder: 0, path: 1, value: 2, flags: 3, change: mode},
	unix.SYS_UTIMENSAT: {folder: 0, path: 1, value: 2, flags: 3, change: nanoseconds},
}

// sysFchmodat2 has the same number on all architectures.
const sysFchmodat2 = 452

// naming describes the calls that open, stat, execute or change a file by name, and the calls that
// stat an open file.
var naming = map[uint32]call{
	unix.SYS_OPENAT: {folder: 0, path: 1, flags: 2, opens: byFlags}, unix.SYS_OPENAT2: {folder: 0, path: 1, flags: 2, opens: byHow},
	unix.SYS_STATX: {folder: 0, path: 1, flags: 2, value: 4, gives: givesStatx}, sysNewfstatat: {folder: 0, path: 1, flags: 3, value: 2, gives: givesStat},
	unix.SYS_FSTAT:     {folder: 0, path: none, flags: none, value: 1, gives: givesStat},
	unix.SYS_FACCESSAT: {folder: 0, path: 1, flags: none, value: 2, gives: givesAccess}, unix.SYS_FACCESSAT2: {folder: 0, path: 1, flags: 3, value: 2, gives: givesAccess},
	unix.SYS_READLINKAT: {folder: 0, path: 1, flags: none, value: 2, gives: givesText, nofollow: true},
	unix.SYS_CHDIR:      {folder: none, path: 0, flags: none, gives: givesPlace},
	unix.SYS_STATFS:     {folder: none, path: 0, flags: none}, unix.SYS_TRUNCATE: {folder: none, path: 0, flags: none},
	unix.SYS_MKDIRAT: {folder: 0, path: 1, flags: none, nofollow: true}, unix.SYS_MKNODAT: {folder: 0, path: 1, flags: none, nofollow: true},
	unix.SYS_UNLINKAT: {folder: 0, path: 1, flags: none, nofollow: true}, unix.SYS_SYMLINKAT: {folder: 1, path: 2, flags: none, nofollow: true},
	unix.SYS_LINKAT: {folder: 0, path: 1, flags: none, nofollow: true}, unix.SYS_RENAMEAT: {folder: 0, path: 1, flags: none, nofollow: true},
	unix.SYS_RENAMEAT2: {folder: 0, path: 1, flags: none, nofollow: true},
	unix.SYS_EXECVE:    {folder: none, path: 0, flags: none}, unix.SYS_EXECVEAT: {folder: 0, path: 1, flags: 4},
}

// namingTwo describes the second path of calls that take two paths.
var namingTwo = map[uint32]call{
	unix.SYS_LINKAT: {folder: 2, path: 3, flags: none, nofollow: true}, unix.SYS_RENAMEAT: {folder: 2, path: 3, flags: none, nofollow: true},
	unix.SYS_RENAMEAT2: {folder: 2, path: 3, flags: none, nofollow: true},
}

// readingLinks are the calls that read a symbolic link. Every box watches them.
var readingLinks = []uint32{unix.SYS_READLINKAT}

// reaching lists the calls that connect to servers. They are watched if Policy.Server is set.
var reaching = []uint32{unix.SYS_SOCKET, unix.SYS_CONNECT, unix.SYS_SENDTO}
