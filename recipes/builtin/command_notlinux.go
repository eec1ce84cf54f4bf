//go:build !linux

package builtin

import "os"

// useOf cannot tell how many processes there are, nor what they take.
func useOf(int) (processes int, memory int64) { return 0, 0 }

// wait waits for the leader and ends the group. Systems that cannot wait
// without releasing the process number leave a moment in which a number that
// is used again at once would be hit.
func (g *group) wait() (*os.ProcessState, error) {
	state, err := g.leader.Wait()
	g.finish()
	return state, err
}
