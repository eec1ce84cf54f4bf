package builtin

import (
	"fmt"
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

// useOf returns how many processes a group has, and what memory they take that is theirs
// alone.
func useOf(leader int) (processes int, memory int64) {
	proc, err := os.Open("/proc")
	if err != nil {
		return 0, 0
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1) // whatever could be listed
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if group, err := unix.Getpgid(pid); err != nil || group != leader {
			continue
		}
		processes++
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid)) // empty if it has ended
		var size, resident, shared int64
		fmt.Sscan(string(text), &size, &resident, &shared)
		memory += (resident - shared) * int64(os.Getpagesize())
	}
	return processes, memory
}

// wait waits for the leader and ends the group. The group is killed while the
// leader, though dead, still holds its number, so that nobody else can be hit.
func (g *group) wait() (*os.ProcessState, error) {
	for unix.Waitid(unix.P_PID, g.leader.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	g.finish()
	return g.leader.Wait()
}
