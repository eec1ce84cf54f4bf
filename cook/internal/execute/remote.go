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

// A Remote is a server through which machines share results. It may have machines that cook. A
// Remote is nil if there is no server.
type Remote interface {
	lookup.Server
	// Reads reports whether the run looks up results on the server.
	Reads() bool
	// Ask looks up all ready actions whose results the server may have. It returns the actions that
	// it did not look up. Each looked-up action is pushed to the queue when its answer has arrived.
	Ask(ready []int) (rest []int)
	// AskAgain looks up further cache keys of an action.
	AskAgain(i int, a *plan.Action, keys []remote.Key)
	// Pending returns the number of actions that wait for answers. The queue must be locked.
	Pending() int
	// Next returns a pending action to begin without its answer, or the time to wait for answers.
	// idle is the number of workers that already wait. The queue must be locked.
	Next(idle int, hurry bool) (i int, wait time.Duration, ok bool)
	// Race cooks an action. If the result arrives earlier from the server, the error is
	// broker.ErrArrived.
	Race(ctx context.Context, i int, a *plan.Action, cook func(context.Context) (cookone.Ready, error)) (cookone.Ready, error)
	// Keep uploads a result that is in the store.
	Keep(r cookone.Ready)
	// Machines returns the other machines that may cook actions, or nil if there are none.
	Machines() *broker.Machines
	// Close disconnects the run from the server.
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

// A site is the place where a worker's actions are cooked: this machine or other machines.
type site interface {
	// nextAction returns the next action to begin. It waits as long as an action may still become
	// ready.
	nextAction(ctx context.Context) (i int, ok bool)
	// hold acquires the resources that a worker needs for an action.
	hold() (release func())
	// block calls wait without holding a core.
	block(wait func())
	// cook writes the artifacts of a task to scratch files.
	cook(ctx context.Context, w *worker, t cookone.Task) (cookone.Ready, error)
}
