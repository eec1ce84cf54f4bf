package sandbox

import "golang.org/x/sys/unix"

const (
	ourMachine    = unix.AUDIT_ARCH_X86_64
	firstForeign  = 0x40000000 // number of the first x32 call
	sysNewfstatat = unix.SYS_NEWFSTATAT
)

// refusedHere returns the system calls that are refused only on this architecture.
func refusedHere() map[uint32]uint32 {
	return map[uint32]uint32{unix.SYS_CHOWN: pretends, unix.SYS_LCHOWN: pretends, unix.SYS_USELIB: refuses(unix.ENOSYS)}
}

func oldChanging() map[uint32]call {
	return map[uint32]call{
		unix.SYS_CHMOD:     {folder: none, path: 0, value: 1, flags: none, change: mode},
		unix.SYS_UTIME:     {folder: none, path: 0, value: 1, flags: none, change: seconds},
		unix.SYS_UTIMES:    {folder: none, path: 0, value: 1, flags: none, change: microseconds},
		unix.SYS_FUTIMESAT: {folder: 0, path: 1, value: 2, flags: none, change: microseconds},
	}
}

func oldNaming() map[uint32]call {
	all := map[uint32]call{
		unix.SYS_OPEN:     {folder: none, path: 0, flags: 1, opens: byFlags},
		unix.SYS_CREAT:    {folder: none, path: 0, opens: creates},
		unix.SYS_STAT:     {folder: none, path: 0, flags: none, value: 1, gives: givesStat},
		unix.SYS_LSTAT:    {folder: none, path: 0, flags: none, value: 1, gives: givesStat, nofollow: true},
		unix.SYS_ACCESS:   {folder: none, path: 0, flags: none, value: 1, gives: givesAccess},
		unix.SYS_READLINK: {folder: none, path: 0, flags: none, value: 1, gives: givesText, nofollow: true},
		unix.SYS_SYMLINK:  {folder: none, path: 1, flags: none, nofollow: true},
	}
	for _, nr := range []uint32{unix.SYS_MKDIR, unix.SYS_RMDIR, unix.SYS_UNLINK, unix.SYS_MKNOD, unix.SYS_LINK, unix.SYS_RENAME} {
		all[nr] = call{folder: none, path: 0, flags: none, nofollow: true}
	}
	return all
}

func oldNamingTwo() map[uint32]call {
	second := call{folder: none, path: 1, flags: none, nofollow: true}
	return map[uint32]call{unix.SYS_LINK: second, unix.SYS_RENAME: second}
}

// readingLinks are the calls that read a symbolic link. Every box watches them.
var readingLinks = []uint32{unix.SYS_READLINKAT, unix.SYS_READLINK}
