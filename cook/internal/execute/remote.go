package execute

import (
	"context"
	"time"

	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/lookup"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/broker"
)

// A Remote is a server on which machines share results, and whose machines may cook. It is
// nil if there is none.
type Remote interface {
	lookup.Server
	// Reads reports whether the server is asked for results.
	Reads() bool
	// Ask asks about all ready actions whose results the server may have, and returns the
	// other actions. Each action is pushed to the queue when its answer has come.
	Ask(ready []int) (rest []int)
	// AskAgain asks about an action with more keys.
	AskAgain(i int, a *plan.Action, keys []remote.Key)
	// Pending returns the number of actions that wait for answers. The queue is locked.
	Pending() int
	// Next returns a pending action to begin without its answer, or how long to wait for
	// answers, beside idle workers that wait already. The queue is locked.
	Next(idle int, hurry bool) (i int, wait time.Duration, ok bool)
	// Race cooks an action. The error is broker.ErrArrived if its result comes meanwhile.
	Race(ctx context.Context, i int, a *plan.Action, cook func(context.Context) (cookone.Ready, error)) (cookone.Ready, error)
	// Keep uploads a result that is in the store.
	Keep(r cookone.Ready)
	// Machines returns the machines that may cook actions, nil for none.
	Machines() *broker.Machines
	// Close ends the work for the run.
	Close(ctx context.Context) remote.Stats
}

// openBroker opens the server of the run, if there is one.
func (r *run) openBroker(ctx context.Context, opt remote.Options) {
	b := broker.Open(ctx, broker.Options{
		Remote: opt, Actions: r.plan.Actions, Queue: r.queue, Finder: r.finder, Contents: r.env.Contents, Assets: r.env.Assets,
		Summer: r.summer, Cores: r.env.Cores, Workers: r.opt.Workers, Now: r.env.Now, Probe: r.env.Probe,
		Say: broker.Say{Step: r.reports.showStep, Note: r.reports.noteLineOnce},
	})
	if b != nil {
		r.remote, r.queue.remote, r.finder.Server = b, b, b
	}
}

// A site is the place where the actions of a worker are cooked.
type site interface {
	// nextAction returns the next action to begin, and waits for one if one may become ready.
	nextAction(ctx context.Context) (i int, ok bool)
	// hold holds the resources of the worker while it has an action.
	hold() (release func())
	// block calls wait, which may take long.
	block(wait func())
	// cook makes the artifacts of a task as scratch files.
	cook(ctx context.Context, w *worker, t cookone.Task) (cookone.Ready, error)
}

// thisMachine is the site of workers that cook themselves. Each holds a core.
type thisMachine struct{ run *run }

func (m thisMachine) nextAction(ctx context.Context) (i int, ok bool) {
	return m.run.queue.nextAction(ctx)
}

func (m thisMachine) hold() (release func()) { return m.run.env.Cores.Hold() }

func (m thisMachine) block(wait func()) {
	m.run.env.Cores.Lend(func() error { wait(); return nil })
}

func (m thisMachine) cook(ctx context.Context, w *worker, t cookone.Task) (cookone.Ready, error) {
	return w.cookHere(ctx, t)
}

// otherMachines is the site of workers that send their actions away. They wait without a
// core.
type otherMachines struct {
	run      *run
	machines *broker.Machines
}

func (m otherMachines) nextAction(ctx context.Context) (i int, ok bool) {
	return m.run.queue.nextToLeave(ctx, m.machines)
}

func (m otherMachines) hold() (release func()) {
	return func() {
		m.machines.Release()
		m.run.queue.cameBack()
	}
}

func (m otherMachines) block(wait func()) { wait() }

func (m otherMachines) cook(ctx context.Context, w *worker, t cookone.Task) (cookone.Ready, error) {
	return m.machines.CookElsewhere(ctx, t, broker.Local{
		Idle:  m.run.queue.away.idle,
		Cook:  func(ctx context.Context) (cookone.Ready, error) { return w.cookHere(ctx, t) },
		Fetch: func(ctx context.Context, k lookup.Known) (cookone.Ready, error) { return w.fetchArtifacts(ctx, k) },
	})
}
