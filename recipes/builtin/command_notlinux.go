//go:build !linux

package builtin

import "os"

// membersOf returns nil, because processes are not listed on this system.
func (strays) membersOf(int) []int { return nil }

// memoryOf returns 0, because memory is not measured on this system.
func memoryOf([]int) int64 { return 0 }

// sizeOfRemoved returns 0, because deleted files are not found on this system.
func sizeOfRemoved([]int, []string) int64 { return 0 }

// limitFileSize does nothing.
func limitFileSize(int, int64) {}

// overFileSize returns false, because no file size is limited on this system.
func overFileSize(*os.ProcessState) bool { return false }

// waitForLeader waits for the leader and ends the group. Systems that cannot wait without releasing
// the process ID may reuse it at once. Then this function could kill another process.
func (g *group) waitForLeader() (*os.ProcessState, error) {
	state, err := g.leader.Wait()
	g.killGroup()
	return state, err
}
