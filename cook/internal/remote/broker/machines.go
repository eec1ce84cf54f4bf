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

// Machines are other machines that cook actions of the run. An action leaves this machine if
// that is possible and takes less time. Its worker waits without a core:
//
//	taken -> away -> arrived      another machine made it
//	              -> cooked here  no machine made it, or nothing else is left to begin and
//	                              this machine was faster
//
// An arrived action is a known result, as from the server: its artifacts are in the store,
// and its dependencies have the same content here.
type Machines struct {
	opt      *Options
	client   *remote.Client
	costs    *costModel
	executed atomic.Int64 // actions that other machines cooked
	program  thisProgram
	offload  offload

	mu      sync.Mutex
	refused map[*plan.Method]bool // methods that other machines cannot cook
}

// newMachines returns the machines of a server.
func newMachines(b *Broker) *Machines {
	return &Machines{opt: &b.opt, client: b.client, costs: &b.costs, program: thisProgram{locate: os.Executable}}
}

// thisProgram is the file of this program, for other machines.
type thisProgram struct {
	locate func() (string, error) // os.Executable; tests replace it
	find   sync.Once
	file   remote.File
	err    error
}

// An offload policy decides which actions are worth sending away, from the cost of earlier
// ones.
type offload struct {
	mu   sync.Mutex
	out  int             // actions that are away
	over []time.Duration // cost of the last ones, besides cooking
	off  bool            // no action leaves any more
}

const (
	samples = 8 // executions that count
	probes  = 3 // executions one at a time at first, because the first ones take longest
)

// overhead returns the least cost of an execution besides cooking, 0 if none is known.
func (s *offload) overhead() time.Duration {
	if len(s.over) == 0 {
		return 0
	}
	return slices.Min(s.over)
}

// noteOverhead notes the cost of an execution besides cooking.
func (s *offload) noteOverhead(over time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = append(s.over, max(1, over))
	s.over = s.over[max(0, len(s.over)-samples):]
}

// takeAction reports whether an action with an expected cook time leaves this machine, and counts
// it. One action at a time may leave although it is hardly worth it, to measure the cost
// anew.
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

// countReturned counts an action that came back.
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

// refuseAction notes that another machine refused a method, and reports whether it is the first
// one.
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

// jobsPerWorker is the default number of actions away for each worker here.
const jobsPerWorker = 4

// Executors returns the number of workers that send actions away. left is the number of
// actions; local workers begin some of them at once.
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

// Always reports whether every action leaves that can, however little it gains.
func (m *Machines) Always() bool { return m.opt.Remote.Always }

// NoneLeaves reports whether no action leaves any more.
func (m *Machines) NoneLeaves() bool { return m.offload.isTurnedOff() }

// Take reports whether an action leaves, and counts it until Release.
func (m *Machines) Take(i int) bool {
	a := &m.opt.Actions[i]
	if !m.mayLeave(a) {
		return false
	}
	return m.offload.takeAction(m.leaveTime(a), m.opt.Remote.Always)
}

// Release ends a Take.
func (m *Machines) Release() { m.offload.countReturned() }

// leaveTime returns the probable cook time of an action on another machine.
func (m *Machines) leaveTime(a *plan.Action) time.Duration {
	if took := m.costs.expected(a); took > 0 {
		return took
	}
	return cookone.Expected(a)
}

// mayLeave reports whether another machine can cook an action.
func (m *Machines) mayLeave(a *plan.Action) bool {
	switch {
	case a.Err != nil || !a.Runs() || a.ID.IsZero() || a.IsLate():
		return false
	case a.IsForced() || a.Moved != nil || !m.opt.Finder.Stores(a) || lookup.IndexHas(a):
		return false
	case a.Method.Next != nil || a.Method.Choice.Bundles() || a.Method.Choice.Follows() || m.refusesAction(a.Method):
		return false
	}
	return !a.Method.Choice.Traits().Local
}

// Local is the work of a worker that sends an action away.
type Local struct {
	// Idle is closed when nothing else is left to begin.
	Idle <-chan struct{}
	// Cook cooks the action on this machine. The worker holds a core.
	Cook func(context.Context) (cookone.Ready, error)
	// Fetch makes scratch files of a known result.
	Fetch func(context.Context, lookup.Known) (cookone.Ready, error)
}

// CookElsewhere lets another machine cook an action. If no machine does, or once nothing else
// is left to begin here, the action is cooked here too, and the first result counts.
func (m *Machines) CookElsewhere(ctx context.Context, t cookone.Task, here Local) (cookone.Ready, error) {
	racing, stop := context.WithCancel(ctx) // the context of cooking here
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
	defer func() { // the goroutine must end with this call
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

// onCore waits for a core, unless ctx ends, and cooks on it.
func (m *Machines) onCore(ctx context.Context, cook func(context.Context) (cookone.Ready, error)) (cookone.Ready, error) {
	release, err := m.opt.Cores.HoldUnless(ctx)
	if err != nil {
		return cookone.Ready{}, err
	}
	defer release()
	return cook(ctx)
}

// fetchExecuted makes scratch files of the artifacts of another machine.
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
	return m.onCore(ctx, here.Cook) // the store has lost the artifacts again
}

// rounds is the most executions of one action, each with more of the files that the last one
// missed.
const rounds = 4

// leastWait is the shortest time to wait for a remote result: a machine may have to start
// first.
const leastWait = 2 * time.Minute

// executeOnMachine lets another machine cook an action, and returns its result, nil if there is
// none that is known to be right.
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
				m.opt.Say.Note(fmt.Sprintf("remote: %s cannot be cooked on another machine, nor other assets of its rule: %s", pathname.Show(a.Path), pathname.Show(why[:min(len(why), 300)])))
			}
			return nil
		}
		k, more := m.judgeExecution(ctx, t, &ran.Record, p)
		if k != nil {
			m.offload.noteOverhead(ran.Over)
		}
		if !more {
			return k
		}
	}
	return nil
}

// judgeExecution compares the dependencies on another machine with the dependencies here. If they
// are the same, and the action was cooked, its result is known. Files that the other machine missed
// are added to the pack; then more asks to execute the action again.
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
	return &lookup.Known{Task: t, Deps: deps, Made: made.Artifacts, CookTime: max(0, made.CookTime), Warnings: made.Warnings, Shared: true}, false
}

// ownProgram returns this program, which other machines run.
func (m *Machines) ownProgram(ctx context.Context) (remote.File, error) {
	s := &m.program
	s.find.Do(func() {
		if s.file, s.err = m.findProgram(context.WithoutCancel(ctx)); s.err != nil {
			m.offload.turnOff()
			m.opt.Say.Note(fmt.Sprintf("remote: no other machine can cook: this program: %v", s.err))
		}
	})
	return s.file, s.err
}

// findProgram finds and sums the file of this program.
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
