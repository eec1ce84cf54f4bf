package pass

import (
	"time"

	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
)

// A forecast is the observer of a dry run that collects the actions that a run would cook.
type forecast struct {
	session.Observer
	cooked []execute.Event
}

func (f *forecast) Event(e execute.Event) {
	if e.Outcome == execute.Cooked {
		f.cooked = append(f.cooked, e)
	}
	f.Observer.Event(e)
}

// expectedTime returns the expected wall time of cooking. It is the sum of the last cook times,
// divided by the workers, and at least the time of the longest action. An action that was never
// cooked counts as other actions with its recipe, in proportion to the size of its source.
func (f *forecast) expectedTime(last *index.Index, workers int) time.Duration {
	if len(f.cooked) == 0 {
		return 0
	}
	var costs cookone.Costs
	took := map[[2]string]time.Duration{}
	for i := range f.cooked {
		took[[2]string{f.cooked[i].Path, f.cooked[i].Target}] = 0
	}
	index.Guard(func() error { // a damaged index only makes the estimate worse
		if err := last.Load(); err != nil {
			return err
		}
		for row := range last.Results().Rows("") {
			if row.CookTime() <= 0 {
				continue
			}
			_, size, _ := row.Source()
			costs.AddCost(plan.RecipeOf(row.Method()), size, row.CookTime())
			name := [2]string{row.Path(), row.Target()}
			if _, asked := took[name]; asked {
				took[name] = row.CookTime()
			}
		}
		return nil
	})
	var sum, longest time.Duration
	for i := range f.cooked {
		e := &f.cooked[i]
		t := took[[2]string{e.Path, e.Target}]
		if t == 0 {
			t = costs.ExpectedCost(e.Recipe, e.In)
		}
		if t == 0 {
			t = cookone.ExpectedOfSize(e.In)
		}
		sum, longest = sum+t, max(longest, t)
	}
	return max(longest, sum/time.Duration(workers))
}
