package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// run runs the program to its end. The error carries what it printed.
func (c *Command) run(ctx context.Context, p *call, grace time.Duration) error {
	errTimeout := fmt.Errorf("timed out after %s (timeout)", showDuration(c.Timeout))
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout, errTimeout)
	defer cancel()

	cmd := exec.Command(p.program)
	cmd.Args = p.args
	cmd.Dir = p.assets
	cmd.Env = c.environ(p.scratch, p.vars)
	left := findStrays(cmd.Env, p.scratch)
	if c.Daemons {
		left = strays{}
	}
	state, printed, err := execute(ctx, cmd, grace, left)
	switch {
	case errors.Is(err, errTimeout):
	case err != nil:
		return err
	case state.Success():
		return nil
	default:
		err = errors.New(state.String())
	}
	if lines := printed.lastLines(); lines != "" {
		err = fmt.Errorf("%w\n%s", err, lines)
	}
	return err
}

// An end is how a program ended, or why it was not started.
type end struct {
	state *os.ProcessState
	err   error
}

// execute runs a command in a process group of its own until it ends or the
// context does, and leaves nothing behind of the group and the strays. The error
// is the context's cause if that was first.
func execute(ctx context.Context, cmd *exec.Cmd, grace time.Duration, left strays) (*os.ProcessState, *tail, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, context.Cause(ctx)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	cmd.Stdout, cmd.Stderr = write, write
	newGroup(cmd)
	g := new(group)
	ended := g.start(cmd)
	write.Close()
	if g.leader == nil {
		read.Close()
		return nil, nil, (<-ended).err
	}
	printed := new(tail)
	drained := make(chan struct{})
	go func() {
		io.Copy(printed, read) // an error means that the pipe was closed below
		close(drained)
	}()

	var last end
	select {
	case last = <-ended:
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
	left.after = g.leader.Pid
	left.kill()
	// Who was not found may hold the pipe open for ever.
	select {
	case <-drained:
	case <-time.After(grace):
	}
	read.Close()
	return last.state, printed, last.err
}

// start starts the group's leader, if it can, and sends how it ends. Both are
// done by one thread, which does nothing else: a program that is to die with the
// thread that started it must not die earlier than we do, and threads that are
// lent to others may end.
func (g *group) start(cmd *exec.Cmd) <-chan end {
	started := make(chan struct{})
	ended := make(chan end, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		g.leader = cmd.Process // nil after an error
		close(started)
		if err != nil {
			ended <- end{err: err}
			return
		}
		state, err := g.wait()
		ended <- end{state, err}
	}()
	<-started
	return ended
}

// A group is a program and what it has started.
type group struct {
	leader *os.Process
	mu     sync.Mutex
	over   bool // the leader's number may belong to somebody else by now
}

// signal sends to the group unless that is over.
func (g *group) signal(send func(leader *os.Process)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.over {
		send(g.leader)
	}
}

// finish kills what is left of the group and ends it.
func (g *group) finish() {
	g.signal(func(leader *os.Process) {
		killGroup(leader)
		g.over = true
	})
}

func (g *group) terminate() { g.signal(terminateGroup) }
func (g *group) kill()      { g.signal(killGroup) }

// showDuration writes 5m rather than 5m0s.
func showDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
