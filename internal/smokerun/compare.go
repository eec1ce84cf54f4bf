package smokerun

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Relative differences up to these limits count as equal.
const (
	allocationLimit  = 0.001
	instructionLimit = 0.001
	cpuLimit         = 0.01
)

// These absolute differences per process always count as equal. Hash tables with random seeds vary
// in their collisions, periodic work may run once more, and signals interrupt system calls.
const (
	slackObjects      = 16
	slackBytes        = 16 << 10
	slackInstructions = 100_000
)

// slack returns the largest difference that still counts as equal for a figure.
func slack(f *Figure) float64 {
	switch f.Name {
	case AllocatedObjects:
		return slackObjects
	case AllocatedBytes:
		return slackBytes
	case instructionCount:
		return slackInstructions
	}
	return 0
}

// A Change is a figure that differs between two builds by more than its normal variation.
type Change struct {
	Step   string
	Figure string
	Class  Class
	// Before and After are the values in both builds. A missing figure has the value NaN.
	Before, After float64
	// P is the probability that chance alone causes such a difference; only for processor time.
	P float64
	// Items lists the items whose state differs, if Figure is Items.
	Items []ItemChange
	// Causes lists the related figures and items that changed most.
	Causes []Cause
}

// Items is the name of the figure that stands for all items of a step.
const Items = "items"

// An ItemChange is an item whose state differs. The state "" means that the item is missing.
type ItemChange struct{ Name, Before, After string }

// A Cause is a figure or item whose change probably explains another change.
type Cause struct {
	Name          string
	Before, After float64
}

// Worse reports whether the change makes a comparison fail. An exact figure fails if it differs at
// all, other figures if they grow.
func (c *Change) Worse() bool {
	return c.Class == Exact || c.After > c.Before
}

// relativeGrowth returns the growth of the figure relative to its earlier value.
func (c *Change) relativeGrowth() float64 { return c.After/c.Before - 1 }

// errOtherSuite is the error for two records that cannot be compared.
var errOtherSuite = errors.New("the records are from different scenarios or different inputs")

// Compare returns the differences between a record and an earlier one. It does not compare
// processor time; see [Runner.Against]. It compares allocations, instructions and levels only if
// both builds have the same Go version, system and architecture.
func Compare(before, after *Record) ([]Change, error) {
	if before.Suite != after.Suite || before.Sum != after.Sum {
		return nil, fmt.Errorf("%w (%s %.12s, %s %.12s)", errOtherSuite, before.Suite, before.Sum, after.Suite, after.Sum)
	}
	changes := []Change{} // A result of nil would mean that the records were not compared.
	for i := range after.Steps {
		now := &after.Steps[i]
		was := before.step(now.Name)
		if was == nil {
			return nil, fmt.Errorf("%w: only one record has a step %q", errOtherSuite, now.Name)
		}
		changes = append(changes, compareExact(was, now)...)
		if before.Build.sameKind(after.Build) {
			changes = append(changes, compareMeasured(was, now)...)
		}
	}
	if len(before.Steps) != len(after.Steps) {
		return nil, fmt.Errorf("%w: the records have %d and %d steps", errOtherSuite, len(before.Steps), len(after.Steps))
	}
	return changes, nil
}

// OverBudget returns the figures that exceed their budgets. The field Before of each Change holds
// the budget.
func OverBudget(r *Record) []Change {
	var over []Change
	for i := range r.Steps {
		s := &r.Steps[i]
		for _, name := range slices.Sorted(maps.Keys(s.Budgets)) {
			if _, value, ok := s.asked(name); ok && value > s.Budgets[name] {
				over = append(over, Change{Step: s.Name, Figure: name, Class: budgetClass, Before: s.Budgets[name], After: value})
			}
		}
	}
	return over
}

// compareExact compares exact figures and items. It skips figures that were unsteady in the earlier
// record. A figure that has become unsteady since then counts as different.
func compareExact(was, now *Step) []Change {
	var changes []Change
	differs := func(name string, before, after float64) {
		changes = append(changes, Change{Step: now.Name, Figure: name, Class: Exact, Before: before, After: after})
	}
	if items := compareItems(was.Items, now.Items); len(items) > 0 {
		changes = append(changes, Change{
			Step: now.Name, Figure: Items, Class: Exact, Items: items,
			Before: float64(len(was.Items)), After: float64(len(now.Items)),
		})
	}
	if was.Frames != now.Frames {
		differs("frames", float64(was.Frames), float64(now.Frames))
	}
	for _, f := range now.Figures {
		g, ok := was.Figure(f.Name)
		switch {
		case !ok && f.Class == Exact:
			differs(f.Name, math.NaN(), f.Value)
		case ok && g.Class == Exact && (f.Class != Exact || f.Value != g.Value):
			differs(f.Name, g.Value, f.Value)
		}
		if was.Frames > 1 && now.Frames > 1 && g.Class == Exact && f.Class == Exact && !g.Loose {
			if f.Loose || f.Peak != g.Peak {
				differs(f.Name+peakSuffix, g.Peak, f.Peak)
			}
			if f.Spikes != g.Spikes {
				differs(f.Name+spikesSuffix, float64(g.Spikes), float64(f.Spikes))
			}
		}
	}
	for _, g := range was.Figures {
		if _, ok := now.Figure(g.Name); !ok && g.Class == Exact {
			differs(g.Name, g.Value, math.NaN())
		}
	}
	return changes
}

func compareItems(was, now []Item) []ItemChange {
	before := map[string]string{}
	for _, item := range was {
		before[item.Name] = item.State
	}
	var changes []ItemChange
	for _, item := range now {
		state, ok := before[item.Name]
		if delete(before, item.Name); ok && state == string(UnsteadyClass) {
			continue
		}
		if !ok || state != item.State {
			changes = append(changes, ItemChange{item.Name, state, item.State})
		}
	}
	for name, state := range before {
		changes = append(changes, ItemChange{name, state, ""})
	}
	slices.SortFunc(changes, func(a, b ItemChange) int { return strings.Compare(a.Name, b.Name) })
	return changes
}

// compareLevels compares the levels that are steady in both builds.
func compareLevels(was, now *Step, g, f *Figure) (changes []Change) {
	differs := func(name string, before, after float64) {
		if before != after {
			changes = append(changes, Change{Step: now.Name, Figure: name, Class: LevelClass, Before: before, After: after})
		}
	}
	differs(f.Name, g.Value, f.Value)
	if was.Frames > 1 && now.Frames > 1 {
		differs(f.Name+peakSuffix, g.Peak, f.Peak)
		differs(f.Name+spikesSuffix, float64(g.Spikes), float64(f.Spikes))
	}
	return changes
}

// compareMeasured compares allocations, instructions and levels.
func compareMeasured(was, now *Step) []Change {
	var changes []Change
	for _, f := range now.Figures {
		if g, _ := was.Figure(f.Name); f.Steady && g.Steady {
			changes = append(changes, compareLevels(was, now, &g, &f)...)
		}
		limit, class := allocationLimit, SiteClass
		switch f.Class {
		case AllocationsClass:
		case instructionsClass:
			limit, class = instructionLimit, codeClass
		default:
			continue
		}
		g, ok := was.Figure(f.Name)
		if !ok || math.Abs(f.Value-g.Value) <= max(limit*g.Value, slack(&f)) {
			continue
		}
		changes = append(changes, Change{
			Step: now.Name, Figure: f.Name, Class: f.Class, Before: g.Value, After: f.Value,
			Causes: causes(was, now, class, f.Value-g.Value),
		})
	}
	return changes
}

// causeLimit is the maximum number of causes listed for a change.
const causeLimit = 3

// causes returns the figures of a class that changed most in the same direction as the change.
func causes(was, now *Step, class Class, direction float64) []Cause {
	var all []Cause
	for _, f := range now.Figures {
		if f.Class == class {
			g, _ := was.Figure(f.Name)
			all = append(all, Cause{f.Name, g.Value, f.Value})
		}
	}
	for _, g := range was.Figures {
		if _, ok := now.Figure(g.Name); !ok && g.Class == class {
			all = append(all, Cause{g.Name, g.Value, 0})
		}
	}
	return mostMoved(all, direction)
}

// slowerItems returns the items whose time changed most in the same direction as the change.
func slowerItems(was, now *Step, direction float64) []Cause {
	before := map[string]float64{}
	for _, item := range was.Items {
		before[item.Name] = item.NS
	}
	var all []Cause
	for _, item := range now.Items {
		if ns, ok := before[item.Name]; ok {
			all = append(all, Cause{item.Name, ns, item.NS})
		}
	}
	return mostMoved(all, direction)
}

func mostMoved(all []Cause, direction float64) []Cause {
	all = slices.DeleteFunc(all, func(c Cause) bool { return (c.After-c.Before)*direction <= 0 })
	slices.SortFunc(all, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(math.Abs(b.After-b.Before), math.Abs(a.After-a.Before)), strings.Compare(a.Name, b.Name))
	})
	return all[:min(causeLimit, len(all))]
}
