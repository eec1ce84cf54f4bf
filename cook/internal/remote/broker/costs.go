package broker

import (
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/plan"
)

// A costModel estimates the cook time of actions, which is how long waiting for their
// results is worth. It learns from the cook times of this run and of other machines, by
// recipe and size of the source.
type costModel struct {
	mu       sync.Mutex
	byRecipe map[string]cost
}

// A cost is a sum over some actions.
type cost struct {
	took  time.Duration
	bytes int64
}

// addCost notes the cook time of an action.
func (m *costModel) addCost(a *plan.Action, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byRecipe == nil {
		m.byRecipe = map[string]cost{}
	}
	old := m.byRecipe[a.Method.Choice.Recipe.Name]
	m.byRecipe[a.Method.Choice.Recipe.Name] = cost{old.took + took, old.bytes + costSize(a)}
}

// expected returns the probable cook time of an action, 0 if nothing is known.
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

// costSize returns the size of a source. An empty source has more than 0, because it takes
// time as well.
func costSize(a *plan.Action) int64 {
	if a.Source == nil {
		return 1
	}
	return a.Source.Stamp.Size + 1
}
