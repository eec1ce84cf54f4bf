package sandbox

import "golang.org/x/sys/unix"

const (
	ourMachine    = unix.AUDIT_ARCH_AARCH64
	firstForeign  = 0x40000000 // a number above all system calls
	sysNewfstatat = unix.SYS_FSTATAT
)

// refusedHere and the following functions return nothing: this architecture has no old calls.
func refusedHere() map[uint32]uint32 { return nil }

func oldChanging() map[uint32]call  { return nil }
func oldNaming() map[uint32]call    { return nil }
func oldNamingTwo() map[uint32]call { return nil }

// readingLinks are the calls that read a symbolic link. Every box watches them.
var readingLinks = []uint32{unix.SYS_READLINKAT}
