package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/program"
	"github.com/assetcook/assetcook/internal/sandbox"
	"github.com/assetcook/assetcook/internal/sysmem"
)

// runToEnd runs the program until it ends, and returns the last lines of its output. An error
// includes these lines.
func (c *commandOptions) runToEnd(ctx context.Context, p *call, grace time.Duration) (string, error) {
	ctx, cancel := c.limitTime(ctx)
	defer cancel()

	begin := time.Now()
	state, printed, err := c.startProgram(ctx, p, grace, p.policy(nil))
	switch {
	case errors.Is(err, errTimeout), errors.Is(err, errLimit):
	case err != nil:
		return "", err
	case state.Success():
		return p.inUserTerms(printed.lastLines()), nil
	default:
		err = p.failure(state, func(w *refusals) bool {
			if ctx.Err() != nil || time.Since(begin) > slowToFail {
				return false
			}
			again, _, err := c.startProgram(ctx, p, grace, p.policy(w))
			return err == nil && !again.Success()
		})
	}
	if lines := printed.lastLines(); lines != "" {
		err = fmt.Errorf("%w\n%s", err, p.inUserTerms(lines))
	}
	return "", err
}

// slowToFail is the longest runtime of a failed program that is rerun to find the cause.
const slowToFail = 10 * time.Second

func (c *commandOptions) startProgram(ctx context.Context, p *call, grace time.Duration, box *sandbox.Policy) (*os.ProcessState, *tail, error) {
	cmd := exec.Command(p.program)
	cmd.Args = p.args
	if cmd.Dir = p.workingDirectory(); box != nil {
		cmd.Dir = "" // the box sets the working directory
	}
	cmd.Env = c.environ(p)
	left := findStrays(cmd.Env, p.scratch)
	if c.Daemons {
		left = strays{}
	}
	state, printed, err := executeInGroup(ctx, cmd, grace, left, box, c.limitsOf(p))
	if state != nil && p.used != nil {
		p.used(state.UserTime() + state.SystemTime())
	}
	if state == nil && err != nil {
		err = explainNotStarted(p.program, p.workingDirectory(), err)
	}
	return state, printed, err
}

// An end is the exit state of a program, or the error if the program could not be started.
type end struct {
	state *os.ProcessState
	err   error
}

// executeInGroup runs a command in its own process group until the command or the context ends.
// Then it ends all processes of the group and all strays. If box is not nil, it also ends all
// processes in the box. The error is the context's cause, or a limit that the command exceeded.
func executeInGroup(ctx context.Context, cmd *exec.Cmd, grace time.Duration, left strays, box *sandbox.Policy, most limits) (*os.ProcessState, *tail, error) {
	if err := ctx.Err(); err != nil {
		return nil, new(tail), context.Cause(ctx)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	cmd.Stdout, cmd.Stderr = write, write
	g := new(group)
	ended := g.startLeader(cmd, box, left)
	write.Close()
	if g.leader == nil {
		read.Close()
		return nil, nil, (<-ended).err
	}
	if g.box != nil { // a program in a box cannot set limits of other processes
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
	case err := <-g.watchLimits(over, left, most):
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
		left.killStrays()
	}
	if g.box != nil {
		// End finds processes that remain in the box with an output open. Their reads cannot be
		// traced.
		if err := g.box.End(); last.err == nil && (errors.Is(err, sandbox.ErrTrace) || err != nil && box.Trace != nil) {
			last.err = err
		}
	}
	// A process that escaped the search may keep the pipe open forever.
	select {
	case <-drained:
	case <-time.After(grace):
	}
	read.Close()
	return last.state, printed, last.err
}

// startLeader starts the leader of the group, if possible, and later sends how it ended. One
// dedicated thread starts the leader and waits for it. The reason is that a program dies with the
// thread that started it, and other Go threads may end before this process. No other goroutine runs
// on the thread in the box.
func (g *group) startLeader(cmd *exec.Cmd, box *sandbox.Policy, left strays) <-chan end {
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
		g.leader = cmd.Process
		close(started)
		if err != nil {
			ended <- end{err: err}
			return
		}
		state, err := g.waitForLeader()
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
	box    *sandbox.Box // nil if the program is not confined
	mu     sync.Mutex
	over   bool // if set, the leader's process ID may belong to another process
}

// signal sends a signal to the group unless the group has ended.
func (g *group) signal(send func(leader *os.Process)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.over {
		send(g.leader)
	}
}

// killGroup kills the remaining processes of the group and marks it as ended.
func (g *group) killGroup() {
	g.signal(func(leader *os.Process) {
		g.job.kill(leader)
		g.job.close()
		g.over = true
	})
}

func (g *group) terminate() { g.signal(g.job.terminate) }
func (g *group) kill()      { g.signal(g.job.kill) }

// limits restrict a program and all processes that it starts, so that a faulty program does not
// exhaust the machine.
type limits struct {
	processes int
	memory    int64    // maximum memory in bytes; 0 if the machine's memory size is unknown
	disk      int64    // maximum total size of places, in bytes
	places    []string // files and directories that the program writes to
}

const (
	defaultTimeout = 5 * time.Minute
	defaultMaxDisk = 8 << 30
	// grace is the time between the request to end and the kill.
	grace = 2 * time.Second
)

// maxProcesses limits the number of simultaneous processes of a program. Only tests change it.
var maxProcesses = 1000

// smallest is the size in bytes that is charged for a smaller file.
const smallest = 4096

// Errors for programs that were stopped.
var (
	errLimit   = errors.New("stopped") // the program exceeded a process, memory or file limit
	errTimeout = errors.New("timed out")
)

// limitTime returns a context with the timeout of the rule.
func (c *commandOptions) limitTime(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.Timeout, fmt.Errorf("%w after %s (timeout)", errTimeout, showDuration(c.Timeout)))
}

func (c *commandOptions) limitsOf(p *call) limits {
	l := limits{processes: maxProcesses, memory: sysmem.Total() / 4 * 3, disk: defaultMaxDisk, places: append(slices.Clone(p.outputs), p.scratch)}
	if p.cell != nil {
		l.places = slices.Clone(p.cell.write) // all files count, whatever their names
	}
	if c.MaxMemory > 0 {
		l.memory = int64(c.MaxMemory) << 20
	}
	if c.MaxDisk > 0 {
		l.disk = int64(c.MaxDisk) << 20
	}
	return l
}

// watchLimits checks a group every second until the group ends or exceeds a limit.
func (g *group) watchLimits(over <-chan struct{}, left strays, most limits) <-chan error {
	exceeded := make(chan error, 1)
	go func() {
		pause := time.Second
		for {
			select {
			case <-over:
				return
			case <-time.After(pause):
			}
			begin := time.Now()
			members := left.membersOf(g.leader.Pid)
			if err := errors.Join(most.checkTaken(members), most.checkWritten(sizeOfRemoved(members, most.places))); err != nil {
				exceeded <- err
				return
			}
			pause = max(time.Second, 20*time.Since(begin)) // the checks use at most a twentieth of a core
		}
	}()
	return exceeded
}

// checkTaken returns an error if there are too many processes or if they use too much memory.
func (l limits) checkTaken(members []int) error {
	switch memory := memoryOf(members); {
	case len(members) > l.processes:
		return fmt.Errorf("%w: the program ran more than %d processes at once", errLimit, l.processes)
	case l.memory > 0 && memory > l.memory:
		return fmt.Errorf("%w: the program used more memory than %s (max_memory)", errLimit, human.Bytes(l.memory))
	}
	return nil
}

// checkWritten returns an error if the files in l.places exceed the disk limit. size is the
// total size of deleted files that are still open.
func (l limits) checkWritten(size int64) error {
	for _, place := range l.places {
		filepath.WalkDir(place, func(_ string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				if info, err := entry.Info(); err == nil { // an error means that the file no longer exists
					size += max(smallest, info.Size())
				}
			}
			return nil // unreadable directories are ignored
		})
	}
	if size > l.disk {
		return l.tooMuchWritten()
	}
	return nil
}

func (l limits) tooMuchWritten() error {
	return fmt.Errorf("%w: the program wrote more than %s to the outputs and the scratch directory (max_disk)", errLimit, human.Bytes(l.disk))
}

// showDuration formats 5m instead of 5m0s.
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

// Run runs a program for a recipe, as the recipe command does, in the same sandbox. The program
// runs in the scratch directory of the job, and reads and writes only there. argv starts with
// the program's name, which must be one of Traits.Tools. Run returns the last lines of the
// program's output; an error includes them.
func Run(ctx context.Context, job *recipe.Job, scratch string, timeout time.Duration, argv []string) (printed string, err error) {
	assets, err := filepath.Abs(job.Assets())
	if err != nil {
		return "", err
	}
	if scratch, err = filepath.Abs(scratch); err != nil {
		return "", err
	}
	program, err := program.Find(assets, argv[0])
	if err != nil {
		return "", err
	}
	noteOpen(job)
	c := &commandOptions{Command: argv, Timeout: timeout, Sandbox: true}
	vars, _, used := jobs.Programs(job) // the program is confined to its inputs, so no trace is needed
	p := &call{assets: assets, scratch: scratch, program: program, args: argv, vars: vars, used: used}
	p.cell = &cell{assets: scratch, write: []string{scratch}, read: readsOf(program, assets, scratch)}
	if printed, err = c.runToEnd(ctx, p, grace); err != nil {
		return "", fmt.Errorf("%s: %w", argv[0], err)
	}
	return printed, nil
}

// Deliver makes a file in the scratch directory the job's first output. It returns an error
// unless the file is a regular file without other hard links.
func Deliver(job *recipe.Job, file string) error {
	if err := checkOutput(file); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return busyfile.Rename(file, job.OutputFile(0))
}
