package builtin

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// newGroup has the program killed when we are, by whatever means. The system
// means by that the thread that has started it; see execute.
func newGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// countGroup counts the processes of a group.
func countGroup(leader int) (n int) {
	proc, err := os.Open("/proc")
	if err != nil {
		return 0
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1) // whatever could be listed
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if group, err := unix.Getpgid(pid); err == nil && group == leader {
			n++
		}
	}
	return n
}

// wait waits for the leader and ends the group. The group is killed while the
// leader, though dead, still holds its number, so that nobody else can be hit.
func (g *group) wait() (*os.ProcessState, error) {
	for unix.Waitid(unix.P_PID, g.leader.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	g.finish()
	return g.leader.Wait()
}
