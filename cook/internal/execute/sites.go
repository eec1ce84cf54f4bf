package execute

import (
	"context"

	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/lookup"
	"github.com/assetcook/assetcook/cook/internal/remote/broker"
)

// thisMachine is the site of workers that cook on this machine. Each holds a core while it has an
// action.
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

// otherMachines is the site of workers that send their actions to other machines. They wait without
// holding a core.
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
