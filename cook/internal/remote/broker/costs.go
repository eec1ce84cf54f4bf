package broker

import (
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/plan"
)

// A costModel estimates the cook times of actions, which limit the time to wait for results. It
// uses the times of actions with the same recipe, here and on other machines.
type costModel struct {
	mu       sync.Mutex
	byRecipe map[string]cost
}

// A cost has the sums of the cook times and the sizes of some actions.
type cost struct {
	took  time.Duration
	bytes int64
}

// addCost adds the cook time of an action to the model.
func (m *costModel) addCost(a *plan.Action, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byRecipe == nil {
		m.byRecipe = map[string]cost{}
	}
	old := m.byRecipe[a.Method.Choice.Recipe.Name]
	m.byRecipe[a.Method.Choice.Recipe.Name] = cost{old.took + took, old.bytes + costSize(a)}
}

// expected returns the estimated cook time of an action, or 0 if nothing is known.
func (m *costModel) expected(a *plan.Action) time.Duration {
	if a.Last != nil && a.Last.CookTime > 0 {
		return a.Last.CookTime
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	known, ok := m.byRecipe[a.Method.Choice.Recipe.Name]
	if !ok {
		return 0
	}
	return time.Duration(float64(known.took) / float64(known.bytes) * float64(costSize(a)))
}

// costSize returns the size of a source plus a fixed amount, because even an empty source takes
// time.
func costSize(a *plan.Action) int64 {
	if a.Source == nil {
		return 1
	}
	return a.Source.Stamp.Size + 1
}
