package sandbox

import "golang.org/x/sys/unix"

const (
	ourMachine    = unix.AUDIT_ARCH_X86_64
	firstForeign  = 0x40000000 // of the x32 calls
	sysNewfstatat = unix.SYS_NEWFSTATAT
	sysLstat      = unix.SYS_LSTAT
)

// refusedHere are more calls of this machine that are not let through.
var refusedHere = map[uint32]uint32{
	unix.SYS_CHOWN: pretends, unix.SYS_LCHOWN: pretends,
}

func init() {
	changing[unix.SYS_CHMOD] = call{folder: none, path: 0, value: 1, flags: none, change: mode}
	changing[unix.SYS_UTIME] = call{folder: none, path: 0, value: 1, flags: none, change: seconds}
	changing[unix.SYS_UTIMES] = call{folder: none, path: 0, value: 1, flags: none, change: microseconds}
	changing[unix.SYS_FUTIMESAT] = call{folder: 0, path: 1, value: 2, flags: none, change: microseconds}
	naming[unix.SYS_OPEN] = call{folder: none, path: 0, flags: 1, opens: byFlags}
	naming[unix.SYS_CREAT] = call{folder: none, path: 0, opens: creates}
	for _, nr := range []uint32{unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_ACCESS, unix.SYS_READLINK} {
		naming[nr] = call{folder: none, path: 0, flags: none}
	}
}
