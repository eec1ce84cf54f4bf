//go:build amd64 || arm64

package sandbox

import (
	"maps"
	"sync"

	"golang.org/x/sys/unix"
)

// A call describes the arguments of a system call.
type call struct {
	folder, path, value, flags int // argument numbers; none if the call has no such argument
	change                     change
	opens                      opens // location of the open flags
	gives                      gives // kind of result; the argument number value holds its address
	nofollow                   bool  // whether the call does not follow a symbolic link at the end of the path
}

// A gives value is the kind of result that a system call on a file returns.
type gives int

const (
	givesNothing gives = iota // the call only reveals whether the file exists
	givesStat
	givesStatx
	givesAccess // the call tests whether an access mode is allowed; the field value is the number of this argument
	givesText   // the call returns the target of a symbolic link
	givesPlace  // the call changes the working directory
)

// An opens value says where a system call passes its open flags.
type opens int

const (
	looks   opens = iota // the call does not open a file
	byFlags              // the flags are an argument
	byHow                // the flags are a field of struct open_how
	creates              // the call has fixed flags, like creat
)

// A change is the kind of attribute that a call sets, and its format.
type change int

const (
	mode         change = iota
	seconds             // two times in a struct utimbuf
	microseconds        // two times as struct timeval
	nanoseconds         // two times as struct timespec
)

// none is the argument number for an argument that a call does not have.
const none = -1

// changing lists the calls that change modes and times. The server executes them itself, on files
// in a directory of the box. Otherwise the meaning of a path could change between the check and the
// call.
var changing = sync.OnceValue(func() map[uint32]call {
	return withOld(oldChanging, map[uint32]call{
		unix.SYS_FCHMOD:    {folder: 0, path: none, value: 1, flags: none, change: mode},
		unix.SYS_FCHMODAT:  {folder: 0, path: 1, value: 2, flags: none, change: mode},
		sysFchmodat2:       {folder: 0, path: 1, value: 2, flags: 3, change: mode},
		unix.SYS_UTIMENSAT: {folder: 0, path: 1, value: 2, flags: 3, change: nanoseconds},
	})
})

// sysFchmodat2 has the same number on all architectures.
const sysFchmodat2 = 452

// naming describes the calls that open, stat, execute or change a file by name, and the calls that
// stat an open file.
var naming = sync.OnceValue(func() map[uint32]call {
	return withOld(oldNaming, map[uint32]call{
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
	})
})

// withOld returns all with the calls that only some architectures have.
func withOld(old func() map[uint32]call, all map[uint32]call) map[uint32]call {
	maps.Copy(all, old())
	return all
}

// namingTwo describes the second path of calls that take two paths.
var namingTwo = sync.OnceValue(func() map[uint32]call {
	return withOld(oldNamingTwo, map[uint32]call{
		unix.SYS_LINKAT: {folder: 2, path: 3, flags: none, nofollow: true}, unix.SYS_RENAMEAT: {folder: 2, path: 3, flags: none, nofollow: true},
		unix.SYS_RENAMEAT2: {folder: 2, path: 3, flags: none, nofollow: true},
	})
})

// reaching lists the calls that connect to servers. They are watched if Policy.Server is set.
var reaching = []uint32{unix.SYS_SOCKET, unix.SYS_CONNECT, unix.SYS_SENDTO}
