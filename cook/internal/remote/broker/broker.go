// Package broker fetches results for a run from a server that machines share, and lets other
// machines cook.
//
// A [Broker] looks up many actions on the server at once, before workers reach them
// (pending_lookups.go). An idle worker begins an action before its answer has arrived if cooking it
// is faster than waiting for the answer. Thus a slow or silent server does not slow down the run.
// If remote execution is on, actions that take long enough are sent to other machines
// (machines.go).
//
// A broker does not decide how an action ends. It passes results to [lookup.Known], which verifies
// their keys in the same way as for results of the store.
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

// Options describe the run that a broker works for.
type Options struct {
	Remote   remote.Options
	Actions  []plan.Action
	Queue    Queue
	Finder   *lookup.Finder
	Contents *contents.Contents
	Assets   *confine.Dir
	Summer   *hashing.Summer
	Cores    *parallel.Cores
	Workers  int
	Now      func() time.Time
	Probe    profile.Probe
	Say      Say
}

// Say has functions that show messages to the user.
type Say struct {
	// Step shows what an action waits for, or nothing if the text is "".
	Step func(a *plan.Action, step string)
	// Note prints a line, unless the run has printed the same line before.
	Note func(line string)
}

// A Queue gives actions to workers. Its lock also guards the pending look-ups of a broker.
type Queue interface {
	Lock()
	Unlock()
	// Push makes an action ready. The queue must be locked.
	Push(i int)
	// Wake makes all workers check the queue again. The queue must be locked.
	Wake()
}

// A Broker fetches results from the server and sends actions to other machines, for one run.
type Broker struct {
	opt        Options
	client     *remote.Client
	costs      costModel
	lookups    lookups
	machines   *Machines // nil if other machines do not cook
	endTraffic func()    // called after the last transfer
}

// Open returns a broker, or nil if there is no server.
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

// Machines returns the other machines that cook actions, or nil if none do.
func (b *Broker) Machines() *Machines { return b.machines }

// Close ends the connection to the server, and returns the counts of the run.
func (b *Broker) Close(ctx context.Context) remote.Stats {
	defer b.endTraffic()
	stats := b.client.Close(ctx)
	if b.machines != nil {
		stats.Executed = b.machines.executed.Load()
	}
	return stats
}

// Reads reports whether the broker looks up results.
func (b *Broker) Reads() bool { return b.client.Reads() }

// Find implements lookup.Server. It looks up results that depend on the files that the action read
// here or on other machines. Only steps of a chain wait for answers. For other actions,
// Known.Unasked lists the keys to look up later.
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
		if k.Reads { // another machine had this read set, so the store may have its result
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
	b.client.Keep(a.Path, lookup.UploadKeys(a.ID, r.Deps)...)
	b.costs.addCost(a, r.CookTime)
}

// transfers shows each transfer between a run and its server as a span in the recording.
type transfers struct {
	probe profile.Probe
	open  map[int]transfer
	idle  []*profile.Worker
}

// A transfer is a span on a row of the recording. A row has only one transfer at a time.
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

// watchTransfers returns functions that show the traffic with the server in the recording, and as a
// step of the run. Call end after the last report.
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
		case is.Link != "":
			b.noteLinkState(is.Link)
		case is.Transfer == nil:
			b.noteBytes(is.Down)
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
