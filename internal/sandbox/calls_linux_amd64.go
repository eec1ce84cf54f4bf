package sandbox

import "golang.org/x/sys/unix"

const (
	ourMachine    = unix.AUDIT_ARCH_X86_64
	firstForeign  = 0x40000000 // number of the first x32 call
	sysNewfstatat = unix.SYS_NEWFSTATAT
)

// refusedHere lists system calls that are refused only on this architecture.
var refusedHere = map[uint32]uint32{
	unix.SYS_CHOWN: pretends, unix.SYS_LCHOWN: pretends, unix.SYS_USELIB: refuses(unix.ENOSYS),
}

func init() {
	changing[unix.SYS_CHMOD] = call{folder: none, path: 0, value: 1, flags: none, change: mode}
	changing[unix.SYS_UTIME] = call{folder: none, path: 0, value: 1, flags: none, change: seconds}
	changing[unix.SYS_UTIMES] = call{folder: none, path: 0, value: 1, flags: none, change: microseconds}
	changing[unix.SYS_FUTIMESAT] = call{folder: 0, path: 1, value: 2, flags: none, change: microseconds}
	naming[unix.SYS_OPEN] = call{folder: none, path: 0, flags: 1, opens: byFlags}
	naming[unix.SYS_CREAT] = call{folder: none, path: 0, opens: creates}
	naming[unix.SYS_STAT] = call{folder: none, path: 0, flags: none, value: 1, gives: givesStat}
	naming[unix.SYS_LSTAT] = call{folder: none, path: 0, flags: none, value: 1, gives: givesStat, nofollow: true}
	naming[unix.SYS_ACCESS] = call{folder: none, path: 0, flags: none, value: 1, gives: givesAccess}
	naming[unix.SYS_READLINK] = call{folder: none, path: 0, flags: none, value: 1, gives: givesText, nofollow: true}
	for _, nr := range []uint32{unix.SYS_MKDIR, unix.SYS_RMDIR, unix.SYS_UNLINK, unix.SYS_MKNOD, unix.SYS_LINK, unix.SYS_RENAME} {
		naming[nr] = call{folder: none, path: 0, flags: none, nofollow: true}
	}
	for _, nr := range []uint32{unix.SYS_LINK, unix.SYS_RENAME} {
		namingTwo[nr] = call{folder: none, path: 1, flags: none, nofollow: true}
	}
	readingLinks = append(readingLinks, unix.SYS_READLINK)
	naming[unix.SYS_SYMLINK] = call{folder: none, path: 1, flags: none, nofollow: true}
}
