//go:build unix

package builtin

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// inherited are the variables that programs get from the cooker's own
// environment, tempVariables those that name the scratch folder besides TMPDIR, and
// homeVariables those that do so in a sandbox.
var (
	inherited     = []string{"PATH", "HOME"}
	tempVariables []string
	homeVariables = []string{"HOME"}
)

// A job is a process group.
type job struct{}

// start starts the leader of a group.
func (*job) start(cmd *exec.Cmd, _ strays) error {
	newGroup(cmd)
	return cmd.Start()
}

// The errors of these say that nobody is left, which is what was wanted.
func (*job) terminate(leader *os.Process) { syscall.Kill(-leader.Pid, syscall.SIGTERM) }
func (*job) kill(leader *os.Process)      { syscall.Kill(-leader.Pid, syscall.SIGKILL) }

// close does nothing.
func (*job) close() {}

// links returns how many names a file has.
func links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}
