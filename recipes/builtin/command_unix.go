//go:build unix

package builtin

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// inherited are the variables that programs inherit from cook's environment. tempVariables are the
// variables, besides TMPDIR, that name the scratch directory. homeVariables name the scratch
// directory only in a sandbox.
var (
	inherited     = []string{"PATH", "HOME"}
	tempVariables []string
	homeVariables = []string{"HOME"}
)

// A job is a process group.
type job struct{}

// start starts the leader of a group.
func (*job) start(cmd *exec.Cmd, _ strays) error {
	setProcessGroup(cmd)
	return cmd.Start()
}

// An error would mean that no process is left, so it is ignored.
func (*job) terminate(leader *os.Process) { syscall.Kill(-leader.Pid, syscall.SIGTERM) }
func (*job) kill(leader *os.Process)      { syscall.Kill(-leader.Pid, syscall.SIGKILL) }

// close does nothing.
func (*job) close() {}

// countLinks returns the number of hard links to a file.
func countLinks(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}
