package execute

import (
	"context"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/plan"
)

// reported is what has been said of a run so far.
type reported struct {
	sync.Mutex
	warned  map[[2]string]bool // sources and lines
	detail  Detail
	removed []Size    // artifacts that no action claims
	store   sync.Once // warns of the store
}

// note reports a line once.
func (r *runner) note(line string) {
	r.reporting.Lock()
	defer r.reporting.Unlock()
	if key := [2]string{"", line}; !r.reporting.warned[key] {
		r.reporting.warned[key] = true
		r.Warn(line)
	}
}

// follow works on an action and notes when.
func (w *worker) follow(ctx context.Context, i int, epoch time.Time) *waitError {
	w.times.reset()
	begin := w.Now().Sub(epoch)
	wait := w.work(ctx, i)
	if how := w.results[i].Outcome; wait == nil && how != NotReached && how != UpToDate {
		w.track.addSpan(Span{
			Begin: begin, End: w.Now().Sub(epoch), Waited: time.Duration(w.times.waited.Load()), Helped: time.Duration(w.times.helped.Load()),
			Path: Path(w.plan.Actions[i].Path),
		})
	}
	return wait
}

// addSize notes how much the artifacts of an action have grown.
func (r *runner) addSize(a *plan.Action, res *Result, now int64) {
	if res.Outcome == UpToDate || res.Outcome == NotReached {
		return
	}
	s := Size{Path: Path(a.Path), Target: a.Target, Before: -1, After: now}
	if a.Last != nil {
		s.Before = 0
		for i := range a.Last.Made {
			s.Before += a.Last.Made[i].Stamp.Size
		}
	}
	r.reporting.Lock()
	defer r.reporting.Unlock()
	r.reporting.detail.addSize(s)
}

// finishDetail adds to the detail what was removed because its source is gone. What an
// action that has other outputs now has left behind counts there.
func (r *runner) finishDetail() *Detail {
	d := &r.reporting.detail
	if len(r.reporting.removed) > 0 {
		type key struct {
			path   Path
			target string
		}
		gone, order := map[key]int64{}, []key{}
		for _, s := range r.reporting.removed {
			k := key{s.Path, s.Target}
			if _, seen := gone[k]; !seen {
				order = append(order, k)
			}
			gone[k] += s.Before
		}
		for i := range r.plan.Actions {
			delete(gone, key{Path(r.plan.Actions[i].Path), r.plan.Actions[i].Target})
		}
		for _, k := range order {
			if size, ok := gone[k]; ok {
				d.addSize(Size{k.path, k.target, size, -1})
			}
		}
	}
	d.cutSizes()
	return d
}
