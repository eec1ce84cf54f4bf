//go:build unix && !linux

package builtin

import (
	"os/exec"
	"syscall"
)

func setProcessGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Strays are processes that have left their process group. They cannot be found on this system.
type strays struct{ after int }

func findStrays([]string, string) strays { return strays{} }

func (strays) killStrays() {}
