package faultfs

import "golang.org/x/sys/unix"

const (
	auditArch     = unix.AUDIT_ARCH_AARCH64
	sysNewfstatat = unix.SYS_FSTATAT
)

// pathOnlyCalls returns nil, because all calls of this architecture have a directory descriptor.
func pathOnlyCalls() map[int]spec { return nil }
