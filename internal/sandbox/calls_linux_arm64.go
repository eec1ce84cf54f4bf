package sandbox

import "golang.org/x/sys/unix"

const (
	ourMachine    = unix.AUDIT_ARCH_AARCH64
	firstForeign  = 0x40000000 // a number above all system calls
	sysNewfstatat = unix.SYS_FSTATAT
)

// refusedHere is empty, because this architecture has no additional calls to refuse.
var refusedHere map[uint32]uint32
