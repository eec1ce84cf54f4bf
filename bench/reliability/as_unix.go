//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// as makes a command run as somebody else.
func as(user uint32, cmd *exec.Cmd) {
	if user != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	}
}
