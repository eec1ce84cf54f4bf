//go:build !linux

package builtin

import "os"

// membersOf returns nil: processes are not listed on this system.
func (strays) membersOf(int) []int { return nil }

// memoryOf returns 0: memory is not measured on this system.
func memoryOf([]int) int64 { return 0 }

// sizeOfRemoved returns 0: removed files are not found on this system.
func sizeOfRemoved([]int, []string) int64 { return 0 }

// limitFileSize does nothing.
func limitFileSize(int, int64) {}

// overFileSize reports false: nothing is limited.
func overFileSize(*os.ProcessState) bool { return false }

// waitForLeader waits for the leader and ends the group. On systems that cannot wait without releasing
// the process number, another process that gets the number at once could be killed.
func (g *group) waitForLeader() (*os.ProcessState, error) {
	state, err := g.leader.Wait()
	g.killGroup()
	return state, err
}
