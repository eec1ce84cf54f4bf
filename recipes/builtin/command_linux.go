package builtin

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// newGroup has the program killed when we are, by whatever means. The system
// means by that the thread that has started it; see execute.
func newGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// wait waits for the leader and ends the group. The group is killed while the
// leader, though dead, still holds its number, so that nobody else can be hit.
func (g *group) wait() (*os.ProcessState, error) {
	for unix.Waitid(unix.P_PID, g.leader.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	g.finish()
	return g.leader.Wait()
}
