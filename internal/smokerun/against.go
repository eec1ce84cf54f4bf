package smokerun

import (
	"context"
	"math"
	"slices"
	"time"
)

// A step trips if its processor time differs significantly between two builds: the U test's
// probability is below tripLevel, and the ratio of the medians exceeds cpuLimit. A step counts as
// changed if it trips in the first measurement, and in the same direction in at least one of two
// more. An unchanged step does so with probability 2*tripLevel² per direction. So 0.8 % of the
// runs with ten steps report a slower step by mistake.
const (
	tripLevel = 0.02
	// detected is the growth that the comparison must find with 99 % probability. The number of
	// rounds depends on the noise in the first rounds.
	detected  = 0.03
	minRounds = 30 // estimating the noise needs this number of rounds
	maxRounds = 400
	// patience is the time limit of the first measurement.
	patience = 5 * time.Minute
)

// These are quantiles of the normal distribution, for 1-tripLevel and for 99 %.
const zTrip, zFound = 2.054, 2.326

// A Comparison is the result of measuring two builds alternately.
type Comparison struct {
	Before, After *Record
	Changes       []Change
	// Rounds is how often the first measurement timed each step. Detectable gives, for each step,
	// the growth of processor time that the comparison would have found with 99 % probability.
	Rounds     int
	Detectable map[string]float64
}

// Against measures two builds alternately, and compares all figures, including processor time. It
// times each step Times times. If Times is 0, it chooses 30 to 400 times, depending on the noise.
// Timing takes about five minutes at most, unless the first 30 rounds take longer. Steps that seem
// changed are measured twice more, with the same number of rounds.
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
		if i == rounds-1 && r.Times == 0 { // more values give a better estimate of the noise
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

// again measures suspect steps twice more. It returns the steps that trip at least once more in the
// same direction.
func (r *Runner) again(ctx context.Context, a, b *workspace, rounds int, suspects []suspect) (confirmed []int, err error) {
	for n := 1; n <= 2 && len(suspects) > 0; n++ {
		r.logf("measuring again, attempt %d of 2", n)
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

// A suspect is a step that tripped in the first measurement. The direction is 1 for slower, -1 for
// faster.
type suspect struct{ step, direction int }

// empty returns a copy of the workspace without results.
func (w *workspace) empty() *workspace {
	fresh := *w
	fresh.steps = make([]executions, len(w.steps))
	return &fresh
}

// trips returns 1 if b is significantly greater than a, -1 if it is less, and 0 if the difference
// may be due to chance.
func trips(a, b []float64) (direction int) {
	switch ratio := median(b) / median(a); {
	case ratio > 1+cpuLimit && UTest(a, b) < tripLevel:
		return 1
	case ratio < 1-cpuLimit && UTest(b, a) < tripLevel:
		return -1
	}
	return 0
}

// spread estimates the relative noise of two samples.
func spread(a, b []float64) float64 {
	return max(deviation(a)/median(a), deviation(b)/median(b))
}

// roundsNeeded returns how many rounds are needed to find a growth of the size detected in every
// step.
func roundsNeeded(a, b *workspace) int {
	need := minRounds
	for i := range a.steps {
		s := spread(a.steps[i].cpu, b.steps[i].cpu)
		n := 2 * math.Pow((zTrip+zFound)*s/detected, 2) * math.Pi / 3 // The U test needs up to pi/3 times as many values as a t-test.
		need = max(need, int(min(maxRounds, math.Ceil(n))))
	}
	return need
}

// detectable returns the growth that these samples would have revealed with 99 % probability.
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
		Step: now.Name, Figure: CPUTime, Class: CPUClass, Before: f.Value, After: g.Value, P: p,
		Causes: slices.Concat(causes(was, now, TimeClass, grown), slowerItems(was, now, grown)),
	}
}
