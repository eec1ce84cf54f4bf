//go:build !linux

package builtin

import "os"

// wait waits for the leader and ends the group. Systems that cannot wait
// without releasing the process number leave a moment in which a number that
// is used again at once would be hit.
func (g *group) wait() (*os.ProcessState, error) {
	state, err := g.leader.Wait()
	g.finish()
	return state, err
}
