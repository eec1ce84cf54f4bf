package watch

import "time"

// A whole look, for the sake of what no event shows, takes at most one part in lookShare
// of a core, but comes at least every mostInterval; where events show little it comes
// every leastInterval. Where nothing can be watched the tree is looked at every pollTime,
// unless that takes more than one part in pollShare of all cores.
const (
	lookShare     = 200
	leastInterval = time.Minute
	mostInterval  = time.Hour
	pollTime      = 2 * time.Second
	pollShare     = 10
)

// A pace says when to look at everything.
type pace struct {
	last time.Time     // when that was done
	took time.Duration // how long it took, 0 if that is not known
}

// looked notes a look at everything, of which it says whether it found work to do: then
// the time that it took says nothing of the next one.
func (p *pace) looked(now time.Time, took time.Duration, worked bool) {
	p.last = now
	if !worked {
		p.took = took
	}
}

// due returns when to look at everything again, given how many cores that keeps busy and
// whether events show most changes.
func (p *pace) due(cores int, shown bool) time.Time {
	interval := leastInterval
	if shown {
		interval = min(max(lookShare*p.took*time.Duration(cores), leastInterval), mostInterval)
	}
	return p.last.Add(interval)
}

// poll returns how long to wait for the next look where nothing can be watched.
func (p *pace) poll() time.Duration { return min(max(pollShare*p.took, pollTime), leastInterval) }
