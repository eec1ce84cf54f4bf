package faultfs

import "golang.org/x/sys/unix"

const (
	auditArch     = unix.AUDIT_ARCH_AARCH64
	sysNewfstatat = unix.SYS_FSTATAT
)

// pathOnlyCalls returns nil: this architecture has no calls without a directory's descriptor.
func pathOnlyCalls() map[int]spec { return nil }
