package cookone

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

// A MemoryError reports an action that needs more memory than the whole budget.
type MemoryError struct{ Need, Budget int64 } // sizes in bytes

func (e *MemoryError) Error() string {
	return fmt.Sprintf("cooking needs about %d MiB of memory, but the budget is %d MiB; raise the budget", e.Need>>20+1, e.Budget>>20)
}

// A budget limits the memory of all running recipes.
type budget struct {
	bytes int64
	left  *semaphore.Weighted
	cores *parallel.Cores // waiting workers lend their cores to other recipes
	group *memory.Group
	now   func() time.Time
}

func newBudget(bytes int64, cores *parallel.Cores, probe profile.Probe, now func() time.Time) *budget {
	return &budget{bytes: bytes, left: semaphore.NewWeighted(bytes), cores: cores, group: probe.Memory.Group("recipes", memory.GroupOptions{Budget: bytes}), now: now}
}

// reserveMemory reserves part of the budget. It waits until enough memory is free.
func (b *budget) reserveMemory(ctx context.Context, need int64, how Attempt) (release func(), err error) {
	if need > b.bytes {
		return nil, &MemoryError{need, b.bytes}
	}
	if !b.left.TryAcquire(need) {
		begin := b.now()
		if err := b.cores.Lend(func() error { return b.left.Acquire(ctx, need) }); err != nil {
			return nil, err
		}
		how.Times.addWait(b.now().Sub(begin))
	}
	held := b.group.Grow(how.Probe.Memory(), need)
	return func() {
		held.Shrink()
		b.left.Release(need)
	}, nil
}

// admitRecipe reserves the memory that an action will probably need.
func (b *budget) admitRecipe(ctx context.Context, a *plan.Action, how Attempt) (release func(), err error) {
	defer how.Probe.Begin("cook/run/admit", "").End()
	size := a.Source.Stamp.Size
	need := size*3 + 1<<20
	if ask := a.Method.Choice.Traits().Estimate; ask != nil {
		need, err = askEstimate(ask, how.Source, min(size, recipe.HeadSize), size)
		if errors.Is(err, recipe.ErrShortHead) {
			var whole func()
			if whole, err = b.reserveMemory(ctx, size, how); err != nil {
				return nil, err
			}
			need, err = askEstimate(ask, how.Source, size, size)
			whole()
		}
		if err != nil {
			return nil, err
		}
	}
	if need < 0 {
		return nil, fmt.Errorf("recipe %s estimates a need of %d bytes of memory; its estimate must not be negative", a.Method.Choice.Recipe.Name, need)
	}
	return b.reserveMemory(ctx, need, how)
}

// askEstimate calls the memory estimate of a recipe with the first n bytes of a source.
func askEstimate(ask func(head []byte, size int64) (int64, error), src *Source, n, size int64) (int64, error) {
	head, err := src.First(n)
	if err != nil {
		return 0, err
	}
	return ask(head, size)
}

// Holdings records the memory that the running recipe of one worker reports.
type Holdings struct {
	kinds *labels
	list  []holding
}

// A holding is memory that a recipe has reserved. Its name appears in the recording.
type holding struct {
	account memory.Account
	name    events.Symbol
	bytes   int64
}

func (c *Cooker) NewHoldings() *Holdings { return &Holdings{kinds: c.kinds} }

// noteHolding records that the recipe holds memory. kind is the recipe's name for this memory.
func (h *Holdings) noteHolding(probe profile.Probe, w *profile.Worker, kind string, bytes int64) {
	kind = h.kinds.labelOf(kind)
	one := holding{
		account: probe.Memory.Group(kind, memory.GroupOptions{}).Grow(w.Memory(), bytes),
		name:    probe.Events.Symbol(kind),
		bytes:   bytes,
	}
	w.Row().Alloc(one.name, one.bytes)
	h.list = append(h.list, one)
}

// endHoldings records that the recipe has ended.
func (h *Holdings) endHoldings(w *profile.Worker) {
	for i := range h.list {
		one := &h.list[i]
		one.account.Shrink()
		w.Row().Free(one.name, one.bytes)
	}
	h.list = h.list[:0]
}

// labels is the set of names that recipes gave to their memory or their steps.
type labels struct {
	mu    sync.Mutex
	named map[string]bool
}

// mostLabels limits the number of distinct labels.
const mostLabels = 64

func newLabels() *labels { return &labels{named: map[string]bool{}} }

// labelOf returns the label of a name: the name itself, or "other" if there are too many names.
func (l *labels) labelOf(label string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.named[label] && len(l.named) == mostLabels {
		return "other"
	}
	l.named[label] = true
	return label
}
