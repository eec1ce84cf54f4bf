package execute

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/parallel"
	"github.com/assetcook/assetcook/profile"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/memory"
)

// A MemoryError says that an action would need more memory than the budget is.
type MemoryError struct{ Need, Budget int64 } // bytes

func (e *MemoryError) Error() string {
	return fmt.Sprintf("needs about %d MiB of memory; the budget is %d MiB", e.Need>>20+1, e.Budget>>20)
}

// A budget is the memory that recipes share.
type budget struct {
	bytes int64
	left  *semaphore.Weighted
	cores *parallel.Cores // idle while a worker waits
	group *memory.Group   // what was given out
	now   func() time.Time
}

func newBudget(bytes int64, cores *parallel.Cores, probe profile.Probe, now func() time.Time) *budget {
	return &budget{bytes: bytes, left: semaphore.NewWeighted(bytes), cores: cores, group: probe.Memory.Group("recipes", bytes), now: now}
}

// reserve waits for a part of the budget.
func (b *budget) reserve(ctx context.Context, need int64, how attempt) (release func(), err error) {
	if need > b.bytes {
		return nil, &MemoryError{need, b.bytes}
	}
	if !b.left.TryAcquire(need) {
		begin := b.now()
		if err := b.cores.Lend(func() error { return b.left.Acquire(ctx, need) }); err != nil {
			return nil, err
		}
		how.times.wait(b.now().Sub(begin))
	}
	held := b.group.Grow(how.probe.Memory(), need)
	return func() {
		held.Shrink()
		b.left.Release(need)
	}, nil
}

// admit waits until the memory that an action is estimated to need is free.
func (b *budget) admit(ctx context.Context, a *plan.Action, how attempt) (release func(), err error) {
	defer how.probe.Begin("cook/run/admit", "").End()
	size := a.Source.Stamp.Size
	need := size*3 + 1<<20
	if ask := a.Method.Traits().Estimate; ask != nil {
		need, err = estimate(ask, how.source, min(size, recipe.HeadSize), size)
		if errors.Is(err, recipe.ErrShortHead) {
			var whole func()
			if whole, err = b.reserve(ctx, size, how); err != nil {
				return nil, err
			}
			need, err = estimate(ask, how.source, size, size)
			whole()
		}
		if err != nil {
			return nil, err
		}
	}
	if need < 0 {
		return nil, fmt.Errorf("recipe %s estimates that it needs %d bytes of memory", a.Method.Recipe.Name, need)
	}
	return b.reserve(ctx, need, how)
}

// estimate shows a recipe the first n bytes of a source.
func estimate(ask func(head []byte, size int64) (int64, error), src *source, n, size int64) (int64, error) {
	head, err := src.first(n)
	if err != nil {
		return 0, err
	}
	return ask(head, size)
}

// holdings are what the recipe at work on one worker says that it holds.
type holdings struct {
	kinds *kinds
	list  []holding
}

type holding struct {
	memory.Account
	name  events.Symbol
	bytes int64
}

// kinds are the kinds of memory, or the steps, that recipes named in a run.
type kinds struct {
	mu    sync.Mutex
	named map[string]bool
}

// mostKinds is how many kinds are told apart.
const mostKinds = 64

// of returns the kind that something is entered under.
func (k *kinds) of(kind string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.named[kind] && len(k.named) == mostKinds {
		return "other"
	}
	k.named[kind] = true
	return kind
}

// hold notes that the recipe holds memory of a kind.
func (h *holdings) hold(probe profile.Probe, w *profile.Worker, kind string, bytes int64) {
	kind = h.kinds.of(kind)
	one := holding{
		Account: probe.Memory.Group(kind, 0).Grow(w.Memory(), bytes),
		name:    probe.Events.Symbol(kind),
		bytes:   bytes,
	}
	w.Row().Alloc(one.name, one.bytes)
	h.list = append(h.list, one)
}

// release notes that the recipe is over.
func (h *holdings) release(w *profile.Worker) {
	for i := range h.list {
		one := &h.list[i]
		one.Shrink()
		w.Row().Free(one.name, one.bytes)
	}
	h.list = h.list[:0]
}
