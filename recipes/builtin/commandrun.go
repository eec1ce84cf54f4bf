package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/assetcook/assetcook/internal/sandbox"
)

// run runs the program to its end. The error has the output of the program.
func (c *Command) run(ctx context.Context, p *call, grace time.Duration) error {
	ctx, cancel := c.limitTime(ctx)
	defer cancel()

	begin := time.Now()
	state, printed, err := c.start(ctx, p, grace, p.policy(nil))
	switch {
	case errors.Is(err, errTimeout), errors.Is(err, errLimit):
	case err != nil:
		return err
	case state.Success():
		return nil
	default:
		err = p.failure(state, func(w *wanted) bool {
			if ctx.Err() != nil || time.Since(begin) > slowToFail {
				return false
			}
			again, _, err := c.start(ctx, p, grace, p.policy(w))
			return err == nil && !again.Success()
		})
	}
	if lines := printed.lastLines(); lines != "" {
		err = fmt.Errorf("%w\n%s", err, p.inUserTerms(lines))
	}
	return err
}

// slowToFail is how long a program may take to fail so that it is run again to see why.
const slowToFail = 10 * time.Second

func (c *Command) start(ctx context.Context, p *call, grace time.Duration, box *sandbox.Policy) (*os.ProcessState, *tail, error) {
	cmd := exec.Command(p.program)
	cmd.Args = p.args
	if cmd.Dir = p.folder(); box != nil {
		cmd.Dir = "" // the box sets the directory
	}
	cmd.Env = c.environ(p)
	left := findStrays(cmd.Env, p.scratch)
	if c.Daemons {
		left = strays{}
	}
	state, printed, err := execute(ctx, cmd, grace, left, box, c.limits(p))
	if state != nil && p.used != nil {
		p.used(state.UserTime() + state.SystemTime())
	}
	if state == nil && err != nil {
		err = notStarted(p.program, p.folder(), err)
	}
	return state, printed, err
}

// An end is how a program ended, or why it was not started.
type end struct {
	state *os.ProcessState
	err   error
}

// execute runs a command in a process group of its own until the command or the context ends. It
// leaves no process of the group, no stray, and no process in the box, nil for none. The error is the
// cause of the context, or a limit that the command reached before.
func execute(ctx context.Context, cmd *exec.Cmd, grace time.Duration, left strays, box *sandbox.Policy, most limits) (*os.ProcessState, *tail, error) {
	if err := ctx.Err(); err != nil {
		return nil, new(tail), context.Cause(ctx)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	cmd.Stdout, cmd.Stderr = write, write
	g := new(group)
	ended := g.start(cmd, box, left)
	write.Close()
	if g.leader == nil {
		read.Close()
		return nil, nil, (<-ended).err
	}
	if g.box != nil { // a program in a box cannot change the limits of other processes
		g.signal(func(leader *os.Process) { limitFileSize(leader.Pid, most.disk) })
	}
	printed := new(tail)
	drained := make(chan struct{})
	go func() {
		io.Copy(printed, read) // an error means that the pipe was closed below
		close(drained)
	}()

	var last end
	over := make(chan struct{})
	defer close(over)
	select {
	case last = <-ended:
	case err := <-g.watch(over, left, most):
		g.kill()
		last = <-ended
		last.err = err
	case <-ctx.Done():
		g.terminate()
		select {
		case last = <-ended:
		case <-time.After(grace):
			g.kill()
			last = <-ended
		}
		last.err = context.Cause(ctx)
	}
	if last.err == nil && g.box != nil && overFileSize(last.state) {
		last.err = most.tooMuchWritten()
	}
	if g.box == nil || !g.box.Kills() {
		left.after = g.leader.Pid
		left.kill()
	}
	if g.box != nil {
		// A process that stays is noticed if it has an output open; its reads are unknown.
		if err := g.box.End(); last.err == nil && (errors.Is(err, sandbox.ErrTrace) || err != nil && box.Trace != nil) {
			last.err = err
		}
	}
	// A process that was not found may keep the pipe open for ever.
	select {
	case <-drained:
	case <-time.After(grace):
	}
	read.Close()
	return last.state, printed, last.err
}

// start starts the leader of the group, if it can, and sends how it ends. One thread does both and
// nothing else: a program dies with the thread that started it, and other threads of Go may end
// before this process. No other goroutine gets a thread in a box.
func (g *group) start(cmd *exec.Cmd, box *sandbox.Policy, left strays) <-chan end {
	started := make(chan struct{})
	ended := make(chan end, 1)
	sandbox.Alone(func() {
		var err error
		if box != nil {
			g.box, err = sandbox.Enter(*box)
		}
		if err == nil {
			err = g.job.start(cmd, left)
		}
		g.leader = cmd.Process // nil after an error
		close(started)
		if err != nil {
			ended <- end{err: err}
			return
		}
		state, err := g.wait()
		if g.box != nil {
			g.box.Kill()
		}
		ended <- end{state, err}
	})
	<-started
	return ended
}

// A group is a program and the processes that it has started.
type group struct {
	leader *os.Process
	job    job
	box    *sandbox.Box // nil if it is not confined
	mu     sync.Mutex
	over   bool // another process may have the number of the leader by now
}

// signal sends to the group unless that is over.
func (g *group) signal(send func(leader *os.Process)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.over {
		send(g.leader)
	}
}

// killGroup kills the remaining processes of the group and ends it.
func (g *group) killGroup() {
	g.signal(func(leader *os.Process) {
		g.job.kill(leader)
		g.job.close()
		g.over = true
	})
}

func (g *group) terminate() { g.signal(g.job.terminate) }
func (g *group) kill()      { g.signal(g.job.kill) }
