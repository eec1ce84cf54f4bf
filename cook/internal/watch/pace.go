package watch

import "time"

// A look at everything finds changes without events. It takes at most one part in lookShare of a
// core, but comes at least every mostInterval. Where events show little it comes every
// leastInterval. Where the system cannot watch, it comes every pollTime, unless that takes more
// than one part in pollShare of all cores.
const (
	lookShare     = 200
	leastInterval = time.Minute
	mostInterval  = time.Hour
	pollTime      = 2 * time.Second
	pollShare     = 10
)

// A pace schedules the looks at everything.
type pace struct {
	last time.Time     // time of the last look
	took time.Duration // its duration, 0 if unknown
}

// looked notes a look at everything. If it found work, its duration does not predict the next.
func (p *pace) looked(now time.Time, took time.Duration, worked bool) {
	p.last = now
	if !worked {
		p.took = took
	}
}

// due returns the time of the next look at everything, given its busy cores and whether events
// show most changes.
func (p *pace) due(cores int, shown bool) time.Time {
	interval := leastInterval
	if shown {
		interval = min(max(lookShare*p.took*time.Duration(cores), leastInterval), mostInterval)
	}
	return p.last.Add(interval)
}

// poll returns the wait before the next look where the system cannot watch.
func (p *pace) poll() time.Duration { return min(max(pollShare*p.took, pollTime), leastInterval) }
