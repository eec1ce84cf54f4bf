package faultfs

import "golang.org/x/sys/unix"

const (
	auditArch     = unix.AUDIT_ARCH_X86_64
	sysNewfstatat = unix.SYS_NEWFSTATAT
)

// pathOnlyCalls returns the calls without a directory descriptor, which C programs use.
func pathOnlyCalls() map[int]spec {
	one, two := []place{{cwd, 0}}, []place{{cwd, 0}, {cwd, 1}}
	return map[int]spec{
		unix.SYS_OPEN:     {name: "open", paths: one},
		unix.SYS_CREAT:    {name: "creat", paths: one, grows: true},
		unix.SYS_STAT:     {name: "stat", paths: one},
		unix.SYS_LSTAT:    {name: "lstat", paths: one},
		unix.SYS_RENAME:   {name: "rename", paths: two},
		unix.SYS_UNLINK:   {name: "unlink", paths: one},
		unix.SYS_MKDIR:    {name: "mkdir", paths: one, grows: true},
		unix.SYS_RMDIR:    {name: "rmdir", paths: one},
		unix.SYS_LINK:     {name: "link", paths: two, grows: true},
		unix.SYS_SYMLINK:  {name: "symlink", paths: two[1:], grows: true},
		unix.SYS_READLINK: {name: "readlink", paths: one},
		unix.SYS_CHMOD:    {name: "chmod", paths: one},
		unix.SYS_CHOWN:    {name: "chown", paths: one},
		unix.SYS_LCHOWN:   {name: "lchown", paths: one},
		unix.SYS_ACCESS:   {name: "access", paths: one},
		unix.SYS_UTIMES:   {name: "utimes", paths: one},
	}
}
