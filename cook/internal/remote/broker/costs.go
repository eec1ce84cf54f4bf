package broker

import (
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/plan"
)

// A costModel estimates the cook times of actions, which limit the time to wait for results. It
// uses the times of actions with the same recipe, here and on other machines.
type costModel struct {
	mu    sync.Mutex
	costs cookone.Costs
}

// addCost adds the cook time of an action to the model.
func (m *costModel) addCost(a *plan.Action, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.costs.AddCost(a.Method.Choice.Recipe.Name, sourceSize(a), took)
}

// expected returns the estimated cook time of an action, or 0 if nothing is known.
func (m *costModel) expected(a *plan.Action) time.Duration {
	if a.Last != nil && a.Last.CookTime > 0 {
		return a.Last.CookTime
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.costs.ExpectedCost(a.Method.Choice.Recipe.Name, sourceSize(a))
}

// sourceSize returns the size of an action's source, 0 if there is none.
func sourceSize(a *plan.Action) int64 {
	if a.Source == nil {
		return 0
	}
	return a.Source.Stamp.Size
}
