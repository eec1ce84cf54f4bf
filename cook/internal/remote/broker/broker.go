// Package broker brings a run the results of a server on which machines share them, and lets
// other machines cook.
//
// A [Broker] asks the server about many actions at once, before workers come to them
// (pending_lookups.go). A worker that finds nothing else to do begins an action without its
// answer if cooking is faster than waiting. So a slow or silent server makes no run slower.
// If an executor is on, actions that take long enough leave this machine (machines.go).
//
// Nothing here decides about an action: a broker gives [lookup.Known] results, which are
// proved by their keys like the results of the store.
package broker

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/lookup"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/parallel"
	"github.com/assetcook/assetcook/profile"
)

// Options describe the run of a broker.
type Options struct {
	Remote   remote.Options
	Actions  []plan.Action
	Queue    Queue
	Finder   *lookup.Finder
	Contents *contents.Contents
	Assets   *confine.Dir
	Summer   *hashing.Summer
	Cores    *parallel.Cores
	Workers  int // number of workers on this machine
	Now      func() time.Time
	Probe    profile.Probe
	Say      Say
}

// Say passes messages to the user.
type Say struct {
	// Step shows the wait of an action, "" for none.
	Step func(a *plan.Action, step string)
	// Note prints a line once.
	Note func(line string)
}

// A Queue hands actions to workers. Its lock guards the pending look-ups of a broker too.
type Queue interface {
	Lock()
	Unlock()
	// Push makes an action ready. The queue is locked.
	Push(i int)
	// Wake makes all workers look again. The queue is locked.
	Wake()
}

// A Broker works for one run.
type Broker struct {
	opt        Options
	client     *remote.Client
	costs      costModel
	lookups    lookups
	machines   *Machines // nil if no action leaves this machine
	endTraffic func()    // called after the last transfer
}

// Open returns a broker, nil if there is no server.
func Open(ctx context.Context, opt Options) *Broker {
	b := &Broker{opt: opt}
	b.lookups.open, b.lookups.racing = map[int]bool{}, map[int]context.CancelCauseFunc{}
	server := opt.Remote
	server.Traffic, b.endTraffic = b.watchTransfers()
	if b.client = remote.New(ctx, server, opt.Finder.Store, opt.Say.Note); b.client == nil {
		return nil
	}
	if opt.Remote.Exec {
		b.machines = newMachines(b)
	}
	return b
}

// Machines returns the machines that cook actions, nil if no action leaves this machine.
func (b *Broker) Machines() *Machines { return b.machines }

// Close ends the work of the server for the run.
func (b *Broker) Close(ctx context.Context) remote.Stats {
	defer b.endTraffic()
	stats := b.client.Close(ctx)
	if b.machines != nil {
		stats.Executed = b.machines.executed.Load()
	}
	return stats
}

// Reads reports whether the broker looks for results.
func (b *Broker) Reads() bool { return b.client.Reads() }

// Find implements lookup.Server. It looks for the files that were read here and on other
// machines. An action that is no step of a chain does not wait: Known.Unasked has the keys
// to ask the server about.
func (b *Broker) Find(ctx context.Context, t cookone.Task, sets []store.ReadSet, local lookup.Known) (lookup.Known, bool) {
	if !b.client.Reads() {
		return local, false
	}
	a := t.Action
	worth := b.costs.expected(a)
	var unasked []remote.Key
	look := func(k remote.Key) (known remote.Known) {
		if !t.IsStep() && !b.client.Expects(k) {
			unasked = append(unasked, k)
			return known
		}
		return b.client.Look(ctx, k, a.Path, worth)
	}
	answer := look(lookup.KeyOf(a, nil))
	for _, set := range answer.ReadSets {
		if !slices.ContainsFunc(sets, func(s store.ReadSet) bool { return slices.Equal(s, set) }) {
			sets = append(sets, set)
		}
	}
	found, ok := b.opt.Finder.FindBy(ctx, t, sets, func(k remote.Key) (store.Result, bool) {
		if k.Reads { // files that were read elsewhere may have a result here
			if r, ok := b.opt.Finder.StoredResult(k); ok {
				return r, true
			}
			answer = look(k)
		}
		if answer.Result == nil {
			return store.Result{}, false
		}
		b.costs.addCost(a, answer.Result.CookTime)
		return *answer.Result, true
	})
	if found.Shared = ok; !ok {
		found.Unasked = unasked
	}
	return found, ok
}

// Download implements lookup.Server.
func (b *Broker) Download(ctx context.Context, k lookup.Known) bool {
	return b.client.Fetch(ctx, lookup.KeyOf(k.Task.Action, k.Deps), k.CookTime)
}

// Keep uploads a result that is in the store.
func (b *Broker) Keep(r cookone.Ready) {
	a := r.Task.Action
	keys := []remote.Key{lookup.KeyOf(a, r.Deps)}
	if keys[0].Reads {
		keys = append(keys, lookup.KeyOf(a, nil))
	}
	b.client.Keep(a.Path, keys...)
	b.costs.addCost(a, r.CookTime)
}

// transfers records the transfers between a run and a server as rows of a recording.
type transfers struct {
	probe profile.Probe
	open  map[int]transfer
	idle  []*profile.Worker
}

// A transfer is on a row of the recording that has one transfer at a time.
type transfer struct {
	row  *profile.Worker
	span profile.Span
}

// recordTransfer begins or ends the span of a transfer.
func (t *transfers) recordTransfer(is remote.Transfer) {
	if is.Ended {
		if r, ok := t.open[is.ID]; ok {
			r.span.End()
			r.row.Flush()
			t.idle = append(t.idle, r.row)
			delete(t.open, is.ID)
		}
		return
	}
	if len(t.idle) == 0 {
		t.idle = append(t.idle, t.probe.Worker("remote"))
	}
	w := t.idle[len(t.idle)-1]
	t.idle = t.idle[:len(t.idle)-1]
	name := "cook/remote/download"
	if is.Up {
		name = "cook/remote/upload"
	}
	t.open[is.ID] = transfer{w, w.Begin(name, fmt.Sprintf("%s, %s", human.Count(is.Blobs, "blob"), human.Bytes(is.Bytes)))}
}

// endTransfers ends all transfers.
func (t *transfers) endTransfers() {
	for _, r := range t.open {
		r.span.End()
		t.idle = append(t.idle, r.row)
	}
	for _, w := range t.idle {
		w.Release()
	}
}

// watchTransfers returns functions that show the traffic of a server: to people as a step of the
// run as a whole, and in the recording. end is called after the last news.
func (b *Broker) watchTransfers() (news func(remote.Traffic), end func()) {
	var t *transfers
	if b.opt.Probe.On() {
		t = &transfers{probe: b.opt.Probe, open: map[int]transfer{}}
	}
	run := &plan.Action{}
	shown := ""
	show := func(text string) {
		if text != shown {
			shown = text
			b.opt.Say.Step(run, text)
		}
	}
	news = func(is remote.Traffic) {
		switch {
		case is.Transfer == nil:
			show(is.String())
		case t != nil:
			t.recordTransfer(*is.Transfer)
		}
	}
	return news, func() {
		show("")
		if t != nil {
			t.endTransfers()
		}
	}
}
