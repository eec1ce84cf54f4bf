//go:build !linux

package builtin

import "os"

// members cannot tell which processes there are.
func (strays) members(int) []int { return nil }

// memoryOf cannot tell what memory they take.
func memoryOf([]int) int64 { return 0 }

// unlinked cannot tell which files have no names.
func unlinked([]int, []string) int64 { return 0 }

// limitFileSize does nothing.
func limitFileSize(int, int64) {}

// overFileSize reports false: nothing is limited.
func overFileSize(*os.ProcessState) bool { return false }

// wait waits for the leader and ends the group. Systems that cannot wait
// without releasing the process number leave a moment in which a number that
// is used again at once would be hit.
func (g *group) wait() (*os.ProcessState, error) {
	state, err := g.leader.Wait()
	g.finish()
	return state, err
}
