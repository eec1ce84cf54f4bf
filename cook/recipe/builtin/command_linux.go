package builtin

import (
	"os"

	"golang.org/x/sys/unix"
)

// wait waits for the leader and ends the group. The group is killed while the
// leader, though dead, still holds its number, so that nobody else can be hit.
func (g *group) wait() (*os.ProcessState, error) {
	for unix.Waitid(unix.P_PID, g.leader.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	g.finish()
	return g.leader.Wait()
}
