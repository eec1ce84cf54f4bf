package execute

import (
	"context"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// A server is that on which results are shared, and what it is worth to wait for them.
type server struct {
	*remote.Client // nil for none
	worths         worths
	away           away
	endTraffic     func() // when nothing passes any more
}

// openRemote returns a client of the server on which results are shared; nil for none.
func (r *runner) openRemote(ctx context.Context) *remote.Client {
	if r.DryRun {
		return nil // a question asks no server
	}
	opt := r.Env.Remote
	opt.Traffic, r.remote.endTraffic = r.watch()
	return remote.New(ctx, opt, r.Store, r.note)
}

// closeServer ends the work of the server for the run.
func (s *server) closeServer(ctx context.Context) remote.Stats {
	if s.Client == nil {
		return remote.Stats{}
	}
	defer s.endTraffic()
	return s.Close(ctx)
}

// expect has the server look for all that is going to be looked for there, so that all answers
// travel at once and not one after the other.
func (r *runner) expect() {
	q := &r.queue
	if !r.remote.Reads() {
		return
	}
	q.ready = slices.DeleteFunc(q.ready, func(i int) bool {
		asks := r.asks(planned{Action: &r.plan.Actions[i]})
		if asks {
			q.order = append(q.order, i)
		}
		return asks
	})
	order := slices.Clone(q.order)
	wanted := make([]remote.Wanted, len(order))
	for n, i := range order {
		a := planned{Action: &r.plan.Actions[i]}
		wanted[n] = wantedOf(a, keyOf(a, nil))
	}
	q.await(order)
	q.asking(r.Now())
	r.remote.Expect(wanted, func(n int, whole bool) { r.arrived(order[n], whole) })
}

// wantedOf is a result of an action, without the artifacts that are in place already.
func wantedOf(a planned, k remote.Key) remote.Wanted {
	w := remote.Wanted{Key: k, Asset: string(a.Path)}
	if a.Last == nil {
		return w
	}
	for i := range a.Last.Outputs {
		o := &a.Last.Outputs[i]
		if o.State == contents.Intact && i < len(a.Outputs) && o.Artifact.Path == a.Outputs[i] {
			w.Have = append(w.Have, o.Artifact.Blob)
		}
	}
	return w
}

// asks reports whether the result of an action will be looked for on the server.
func (r *runner) asks(a planned) bool {
	if a.Err != nil || !a.Runs() || a.ID == (store.ActionID{}) || a.Moved != nil || a.forced() || !a.inStore(r.Store) {
		return false
	}
	if a.Last != nil && a.Last.State == index.Done && !a.Stale {
		return false // the index knows
	}
	if sets, err := r.Store.ReadSets(a.ID); err == nil && sets != nil {
		return false
	}
	_, err := r.Store.Result(plan.ResultID(a.ID, nil))
	return err != nil
}
