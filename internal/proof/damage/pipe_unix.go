//go:build unix

package damage

import "syscall"

func makePipe(name string) error { return syscall.Mkfifo(name, 0o666) }
