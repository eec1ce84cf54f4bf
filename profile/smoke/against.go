package smoke

import (
	"context"
	"math"
	"slices"
	"time"
)

// How processor time is judged. A step trips if the U test gives less than tripLevel and
// the typical ratio is past cpuLimit; it has changed if it trips in the first
// measurement and, in the same direction, in one of two more. Of unchanged steps
// 2*tripLevel² do that in each direction: of runs with ten steps 0.8 % would report one
// that is slower.
const (
	tripLevel = 0.02
	// detected is the growth that is to be found with 99 % probability; how many rounds that
	// takes depends on the noise found in the first ones.
	detected  = 0.03
	minRounds = 30 // of fewer times the noise cannot be told
	maxRounds = 400
	// patience is how long the first measurement may take.
	patience = 5 * time.Minute
)

// quantiles of the normal distribution: of 1-tripLevel and of the 99 %.
const zTrip, zFound = 2.054, 2.326

// A Comparison is what came of measuring two builds in turn.
type Comparison struct {
	Before, After *Record
	Changes       []Change
	// Rounds is how often each step was timed in the first measurement; Detectable, for
	// each step, the growth of processor time that would have been found with 99 %
	// probability.
	Rounds     int
	Detectable map[string]float64
}

// Against measures two builds that take turns, and compares all that they did and cost,
// processor time included. Their steps are timed Times times; if that is 0, from 30 to
// 400 times, depending on how noisy they are, and in some five minutes if 30 times fit. Two
// more measurements of as many rounds follow for steps that are suspect.
func (r *Runner) Against(ctx context.Context, before, after string) (*Comparison, error) {
	a, err := r.workspace("a", before)
	if err != nil {
		return nil, err
	}
	b, err := r.workspace("b", after)
	if err != nil {
		return nil, err
	}
	if err := r.deterministicRounds(ctx, a, b); err != nil {
		return nil, err
	}
	rounds := r.Times
	if rounds == 0 {
		rounds = minRounds
	}
	began := time.Now()
	for i := 0; i < rounds; i++ {
		r.logf("round %d of %d", i+1, rounds)
		if err := r.round(ctx, plain, len(r.Suite.Steps), a, b); err != nil {
			return nil, err
		}
		if i == rounds-1 && r.Times == 0 { // the noise is known better now
			affordable := int(patience / (time.Since(began) / time.Duration(i+1)))
			rounds = max(rounds, min(roundsNeeded(a, b), affordable))
		}
	}
	c := &Comparison{Before: r.record(a), After: r.record(b), Rounds: rounds, Detectable: map[string]float64{}}
	if c.Changes, err = Compare(c.Before, c.After); err != nil {
		return nil, err
	}
	var suspects []suspect
	for i, task := range r.Suite.Steps {
		c.Detectable[task.Name] = detectable(a.steps[i].cpu, b.steps[i].cpu)
		if direction := trips(a.steps[i].cpu, b.steps[i].cpu); direction != 0 {
			suspects = append(suspects, suspect{i, direction})
		}
	}
	confirmed, err := r.again(ctx, a, b, rounds, suspects)
	if err != nil {
		return nil, err
	}
	for _, i := range confirmed {
		c.Changes = append(c.Changes, cpuChange(&c.Before.Steps[i], &c.After.Steps[i]))
	}
	return c, nil
}

// again measures suspected steps twice more and returns those that trip once more at
// least, in the same direction.
func (r *Runner) again(ctx context.Context, a, b *workspace, rounds int, suspects []suspect) (confirmed []int, err error) {
	for n := 1; n <= 2 && len(suspects) > 0; n++ {
		r.logf("measuring again, %d of 2", n)
		last := suspects[len(suspects)-1].step
		fresh := [2]*workspace{a.empty(), b.empty()}
		for range rounds {
			if err := r.round(ctx, plain, last+1, fresh[:]...); err != nil {
				return nil, err
			}
		}
		suspects = slices.DeleteFunc(suspects, func(s suspect) bool {
			if trips(fresh[0].steps[s.step].cpu, fresh[1].steps[s.step].cpu) != s.direction {
				return false
			}
			confirmed = append(confirmed, s.step)
			return true
		})
	}
	slices.Sort(confirmed)
	return confirmed, nil
}

// A suspect is a step that has tripped once.
type suspect struct{ step, direction int }

// empty returns the workspace without what was found in it.
func (w *workspace) empty() *workspace {
	fresh := *w
	fresh.steps = make([]executions, len(w.steps))
	return &fresh
}

// trips returns 1 if b took more than a, -1 if less, 0 if by no more than chance explains.
func trips(a, b []float64) (direction int) {
	switch ratio := median(b) / median(a); {
	case ratio > 1+cpuLimit && UTest(a, b) < tripLevel:
		return 1
	case ratio < 1-cpuLimit && UTest(b, a) < tripLevel:
		return -1
	}
	return 0
}

// spread is the noise of two samples, as a part of their size.
func spread(a, b []float64) float64 {
	return max(deviation(a)/median(a), deviation(b)/median(b))
}

// roundsNeeded is how many rounds find the growth that is to be found in all steps.
func roundsNeeded(a, b *workspace) int {
	need := minRounds
	for i := range a.steps {
		s := spread(a.steps[i].cpu, b.steps[i].cpu)
		n := 2 * math.Pow((zTrip+zFound)*s/detected, 2) * math.Pi / 3 // the U test needs up to pi/3 times what a t-test does
		need = max(need, int(min(maxRounds, math.Ceil(n))))
	}
	return need
}

// detectable is the growth that these samples would have shown.
func detectable(a, b []float64) float64 {
	return max(cpuLimit, (zTrip+zFound)*spread(a, b)*math.Sqrt(2*math.Pi/3/float64(max(1, len(a)))))
}

func cpuChange(was, now *Step) Change {
	f, _ := was.Figure(CPUTime)
	g, _ := now.Figure(CPUTime)
	grown := g.Value - f.Value
	p := UTest(f.Values, g.Values)
	if grown < 0 {
		p = UTest(g.Values, f.Values)
	}
	return Change{
		Step: now.Name, Figure: CPUTime, Class: CPU, Before: f.Value, After: g.Value, P: p,
		Causes: slices.Concat(causes(was, now, Time, grown), slowerItems(was, now, grown)),
	}
}
