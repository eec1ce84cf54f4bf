package broker

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/lookup"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// Machines are the other machines that cook actions of the run. An action is sent away if another
// machine can cook it and this saves time. The local worker of the action then waits without
// holding a core:
//
//	taken -> away -> arrived      another machine cooked the action
//	              -> cooked here  no machine cooked the action, or nothing else was left to
//	                              begin and this machine was faster
//
// An action that has arrived has a known result, like a result found on the server: its artifacts
// are in the store, and its dependencies have the same content here.
type Machines struct {
	opt      *Options
	client   *remote.Client
	costs    *costModel
	executed atomic.Int64 // number of actions that other machines cooked
	program  thisProgram
	offload  offload

	mu      sync.Mutex
	refused map[*plan.Method]bool // methods that other machines cannot cook
}

// newMachines returns the machines of a server.
func newMachines(b *Broker) *Machines {
	return &Machines{opt: &b.opt, client: b.client, costs: &b.costs, program: thisProgram{locate: os.Executable}}
}

// thisProgram describes the file of this program, which other machines run.
type thisProgram struct {
	locate func() (string, error) // finds the program's file; tests replace os.Executable
	find   sync.Once
	file   remote.File
	err    error
}

// An offload decides which actions are worth sending away, based on the overhead of earlier
// actions.
type offload struct {
	mu   sync.Mutex
	out  int             // number of actions that other machines are executing
	over []time.Duration // overheads of recent executions
	off  bool            // set if no more actions may be sent away
}

const (
	samples = 8 // number of recent executions that determine the overhead
	probes  = 3 // number of first executions that run one at a time
)

// overhead returns the smallest overhead of the recent executions, or 0 if none is known. The
// overhead of an execution is its time minus the cook time.
func (s *offload) overhead() time.Duration {
	if len(s.over) == 0 {
		return 0
	}
	return slices.Min(s.over)
}

// noteOverhead records the overhead of an execution.
func (s *offload) noteOverhead(over time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = append(s.over, max(1, over))
	s.over = s.over[max(0, len(s.over)-samples):]
}

// takeAction reports whether to send away an action with the given expected cook time. If so, it
// counts the action. One action at a time may be sent although it saves little time, so that the
// overhead is measured again.
func (s *offload) takeAction(expected time.Duration, always bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	worth := always
	if over := s.overhead(); len(s.over) < probes || s.out == 0 {
		worth = worth || s.out == 0 && expected >= over/2
	} else {
		worth = worth || expected > 2*over
	}
	if s.off || !worth {
		return false
	}
	s.out++
	return true
}

// countReturned counts an action that has returned.
func (s *offload) countReturned() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out--
}

func (s *offload) turnOff() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.off = true
}

func (s *offload) isTurnedOff() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.off
}

// refuseAction records that another machine refused a method, and reports whether this is the first
// refusal.
func (m *Machines) refuseAction(method *plan.Method) (first bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if first = m.refused == nil; first {
		m.refused = map[*plan.Method]bool{}
	}
	m.refused[method] = true
	return first
}

func (m *Machines) refusesAction(method *plan.Method) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.refused[method]
}

// jobsPerWorker is the default number of concurrent actions on other machines, for each local
// worker.
const jobsPerWorker = 4

// Executors returns the number of workers that send actions away. left is the number of remaining
// actions, and local is the number of local workers.
func (m *Machines) Executors(left, local int) int {
	if left <= local && !m.opt.Remote.Always {
		return 0
	}
	jobs := m.opt.Remote.Jobs
	if jobs <= 0 {
		jobs = jobsPerWorker * m.opt.Workers
	}
	if m.opt.Remote.Always {
		local = 0
	}
	return min(jobs, left-local)
}

// Always reports whether actions are sent to other machines even if that saves no time.
func (m *Machines) Always() bool { return m.opt.Remote.Always }

// NoneLeaves reports whether no more actions may be sent away.
func (m *Machines) NoneLeaves() bool { return m.offload.isTurnedOff() }

// Take reports whether to send an action to another machine. If so, the caller must call Release
// afterwards.
func (m *Machines) Take(i int) bool {
	a := &m.opt.Actions[i]
	if !m.mayLeave(a) {
		return false
	}
	return m.offload.takeAction(m.leaveTime(a), m.opt.Remote.Always)
}

// Release ends an action after Take returned true for it.
func (m *Machines) Release() { m.offload.countReturned() }

// leaveTime returns the expected cook time of an action on another machine.
func (m *Machines) leaveTime(a *plan.Action) time.Duration {
	if took := m.costs.expected(a); took > 0 {
		return took
	}
	return cookone.Expected(a)
}

// mayLeave reports whether other machines can cook an action.
func (m *Machines) mayLeave(a *plan.Action) bool {
	switch {
	case a.Err != nil || !a.Runs() || a.ID.IsZero() || a.IsLate():
		return false
	case a.IsForced() || a.Moved != nil || !m.opt.Finder.Stores(a) || lookup.IndexHas(a):
		return false
	case a.Method.Next != nil || a.Method.Choice.Bundles() || a.Method.Choice.Follows() || a.IsLinked() || m.refusesAction(a.Method):
		return false
	}
	return !a.Method.Choice.Traits().Local
}

// Local holds the functions of a worker that sends an action away.
type Local struct {
	// Idle is closed when no other action is left to begin.
	Idle <-chan struct{}
	// Cook cooks the action on this machine. The caller must hold a core.
	Cook func(context.Context) (cookone.Ready, error)
	// Fetch writes the artifacts of a known result to scratch files.
	Fetch func(context.Context, lookup.Known) (cookone.Ready, error)
}

// CookElsewhere lets another machine cook an action. If no machine accepts the action, or no other
// action is left to begin, it also cooks the action on this machine. The first result counts.
func (m *Machines) CookElsewhere(ctx context.Context, t cookone.Task, here Local) (cookone.Ready, error) {
	racing, stop := context.WithCancel(ctx) // canceled when the other machine has a result
	asking, give := context.WithCancel(ctx)
	came := make(chan *lookup.Known, 1)
	go func() {
		k := m.executeOnMachine(asking, t)
		came <- k
		if k != nil {
			stop()
		}
		close(came)
	}()
	defer func() { // waits for the goroutine
		give()
		for range came {
		}
		stop()
	}()
	m.opt.Say.Step(t.Action, "on another machine")
	idle := here.Idle
	if m.opt.Remote.Always {
		idle = nil
	}
	select {
	case k := <-came:
		if k != nil {
			return m.fetchExecuted(ctx, *k, here)
		}
	case <-idle:
	}
	m.opt.Say.Step(t.Action, "")
	r, err := m.onCore(racing, here.Cook)
	if err != nil && racing.Err() != nil && ctx.Err() == nil {
		if k := <-came; k != nil {
			return m.fetchExecuted(ctx, *k, here)
		}
	}
	return r, err
}

// onCore waits for a core, and cooks while it holds the core. It stops waiting if ctx ends.
func (m *Machines) onCore(ctx context.Context, cook func(context.Context) (cookone.Ready, error)) (cookone.Ready, error) {
	release, err := m.opt.Cores.HoldUnless(ctx)
	if err != nil {
		return cookone.Ready{}, err
	}
	defer release()
	return cook(ctx)
}

// fetchExecuted writes the artifacts of another machine to scratch files.
func (m *Machines) fetchExecuted(ctx context.Context, k lookup.Known, here Local) (cookone.Ready, error) {
	r, err := here.Fetch(ctx, k)
	if err == nil {
		m.executed.Add(1)
		r.Kept = true
		return r, nil
	}
	if ctx.Err() != nil {
		return cookone.Ready{}, err
	}
	return m.onCore(ctx, here.Cook) // the store has lost the artifacts
}

// rounds limits the executions of one action. Each retry adds files that were missing in the last
// execution.
const rounds = 4

// leastWait is the minimum time to wait for a remote result, because a machine may have to start
// up.
const leastWait = 2 * time.Minute

// executeOnMachine lets another machine cook an action. It returns the result, or nil if there is
// no verified result.
func (m *Machines) executeOnMachine(ctx context.Context, t cookone.Task) *lookup.Known {
	a := t.Action
	program, err := m.ownProgram(ctx)
	if err != nil {
		return nil
	}
	p, err := m.packAction(ctx, t, program)
	if err != nil {
		return nil
	}
	for range rounds {
		root := p.packedRoot()
		root.Asset, root.Wait = a.Path, leastWait+4*m.leaveTime(a)
		ran, ok := m.client.Run(ctx, root)
		if ran.Off {
			m.offload.turnOff()
		}
		if !ok {
			return nil
		}
		if why := ran.Record.Refused; why != "" {
			if m.refuseAction(a.Method) {
				m.opt.Say.Note(fmt.Sprintf("remote: %s and other assets of its rule cannot be cooked on another machine: %s", pathname.Show(a.Path), pathname.Show(why[:min(len(why), 300)])))
			}
			return nil
		}
		k, more := m.judgeExecution(ctx, t, &ran.Record, p)
		if k != nil {
			k.Origin = ran.Origin
			m.offload.noteOverhead(ran.Over)
		}
		if !more {
			return k
		}
	}
	return nil
}

// judgeExecution compares the dependencies on another machine with the dependencies here. If they
// are equal and the action was cooked, it returns the result. If the other machine lacked files, it
// adds them to the pack and sets more, so that the action is executed again.
func (m *Machines) judgeExecution(ctx context.Context, t cookone.Task, rec *remote.Record, p *pack) (k *lookup.Known, more bool) {
	a := t.Action
	var deps []index.Dep
	same := true
	for i, there := range rec.Reads {
		at, err := there.Asked.Resolve(a.Path)
		if err != nil || at.Kind.IsArtifacts() || i > 0 && dependency.Compare(there.Asked, rec.Reads[i-1].Asked) <= 0 {
			return nil, false
		}
		f := m.opt.Contents.At(ctx, at)
		if f.How == contents.Unreadable || ctx.Err() != nil {
			return nil, false
		}
		here := plan.Dependency(there.Asked.Path, at, f)
		blob := ""
		if here.Blob != (store.BlobID{}) {
			blob = here.Blob.String()
		}
		if here.Found != there.Found || blob != there.Blob {
			same = false
			if many := at.Kind.IsListing() || at.Kind == dependency.Extracts; here.Found && (many || !there.Found) {
				more = p.addPath(ctx, at) || more
			}
		}
		deps = append(deps, here)
	}
	made, err := rec.Result()
	if more || !same || rec.Error != "" || err != nil || len(made.Artifacts) != len(a.Outputs) {
		return nil, more
	}
	return &lookup.Known{Task: t, Deps: deps, Made: made.Artifacts, CookTime: max(0, made.CookTime), Warnings: made.Warnings, Facts: made.Facts, Shared: true}, false
}

// ownProgram returns this program, which other machines run.
func (m *Machines) ownProgram(ctx context.Context) (remote.File, error) {
	s := &m.program
	s.find.Do(func() {
		if s.file, s.err = m.findProgram(context.WithoutCancel(ctx)); s.err != nil {
			m.offload.turnOff()
			m.opt.Say.Note(fmt.Sprintf("remote: other machines cannot cook, because they cannot run this program: %v", s.err))
		}
	})
	return s.file, s.err
}

// findProgram finds the file of this program and computes its checksums.
func (m *Machines) findProgram(ctx context.Context) (remote.File, error) {
	name, err := m.program.locate()
	if err != nil {
		return remote.File{}, err
	}
	f, err := regular.Open(name)
	if err != nil {
		return remote.File{}, err
	}
	defer f.Close()
	sum, err := m.opt.Summer.Sum(ctx, f, hashing.WantDigest)
	if err != nil {
		return remote.File{}, err
	}
	to := "cook"
	if runtime.GOOS == "windows" {
		to += ".exe"
	}
	return remote.File{Path: to, From: name, Blob: sum.Digest.String(), Size: sum.Size, Executable: true}, nil
}
