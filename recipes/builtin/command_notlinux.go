//go:build !linux

package builtin

import "os"

// countGroup cannot tell how many processes there are.
func countGroup(int) int { return 0 }

// wait waits for the leader and ends the group. Systems that cannot wait
// without releasing the process number leave a moment in which a number that
// is used again at once would be hit.
func (g *group) wait() (*os.ProcessState, error) {
	state, err := g.leader.Wait()
	g.finish()
	return state, err
}
