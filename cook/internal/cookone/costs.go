package cookone

import (
	"time"

	"github.com/assetcook/assetcook/cook/internal/plan"
)

// Expected returns the expected time of an action: the time in the last run, or an estimate from
// the size of the source.
func Expected(a *plan.Action) time.Duration {
	if a.Last != nil && a.Last.CookTime > 0 {
		return a.Last.CookTime
	}
	return ExpectedOfSize(a.Source.Stamp.Size)
}

// ExpectedOfSize returns an estimate of a cook time from the size of the source.
func ExpectedOfSize(bytes int64) time.Duration {
	const perByte = 20 * time.Nanosecond // typical for images
	return time.Duration(bytes) * perByte
}

// Costs estimates cook times from the times of other actions with the same recipe.
type Costs struct {
	byRecipe map[string]cost
}

// A cost has the sums of the cook times and the sizes of some actions.
type cost struct {
	took  time.Duration
	bytes int64
}

// AddCost adds the cook time of an action to the model. size is the size of its source.
func (m *Costs) AddCost(recipe string, size int64, took time.Duration) {
	if m.byRecipe == nil {
		m.byRecipe = map[string]cost{}
	}
	old := m.byRecipe[recipe]
	m.byRecipe[recipe] = cost{old.took + took, old.bytes + costSize(size)}
}

// ExpectedCost returns the estimated cook time of an action, or 0 if nothing is known.
func (m *Costs) ExpectedCost(recipe string, size int64) time.Duration {
	known, ok := m.byRecipe[recipe]
	if !ok {
		return 0
	}
	return time.Duration(float64(known.took) / float64(known.bytes) * float64(costSize(size)))
}

// costSize returns the size of a source plus a fixed amount, because even an empty source takes
// time.
func costSize(size int64) int64 { return size + 1 }
