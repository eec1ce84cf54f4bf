package execute

import (
	"context"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// A server is that on which results are shared, and what it is worth to wait for them.
type server struct {
	*remote.Client // nil for none
	worths         worths
	endTraffic     func() // when nothing passes any more
}

// openRemote returns a client of the server on which results are shared; nil for none.
func (r *runner) openRemote() *remote.Client {
	if r.DryRun {
		return nil // a question asks no server
	}
	opt := r.Env.Remote
	opt.Traffic, r.remote.endTraffic = r.watch()
	return remote.New(opt, r.Store, r.note)
}

// close ends the work of the server for the run.
func (s *server) close(ctx context.Context) remote.Stats {
	if s.Client == nil {
		return remote.Stats{}
	}
	defer s.endTraffic()
	return s.Close(ctx)
}

// expect tells the server what will be looked for, so that all answers travel at once and
// not one after the other.
func (r *runner) expect() {
	if r.remote.Client == nil {
		return
	}
	var fresh, changed []remote.Key
	for i := range r.plan.Actions {
		a := planned{Action: &r.plan.Actions[i]}
		if !r.asks(a) {
			continue
		}
		if k := keyOf(a, nil); a.Last == nil || len(a.Last.Outputs) == 0 {
			fresh = append(fresh, k)
		} else {
			changed = append(changed, k) // perhaps to what is in place
		}
	}
	r.remote.Expect(fresh, true)
	r.remote.Expect(changed, false)
}

// asks reports whether the result of an action will be looked for on the server.
func (r *runner) asks(a planned) bool {
	if a.Err != nil || !a.Runs || a.ID == (store.ActionID{}) || a.Moved != nil || a.forced() || !a.inStore(r.Store) {
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
