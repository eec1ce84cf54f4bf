package notify

import "time"

// Patience says how long [Watcher.Wait] waits for more changes after one.
type Patience struct {
	// Settled is after changes that look complete: what was opened for writing is closed,
	// what was renamed away or removed has been replaced.
	Settled time.Duration
	// Open is after others, such as a write to a file that is still open.
	Open time.Duration
	// Most is the longest, however many changes come.
	Most time.Duration
}

// quiet returns how long after the last change a burst counts as over.
func (p Patience) quiet(b *burst) time.Duration {
	if b.settled() {
		return p.Settled
	}
	return p.Open
}

// A burst is what is not complete yet of the changes since the last take. It only
// decides how long to wait: what is changed while it is read is seen again.
type burst struct {
	writing names // made or written to and not closed
	arrived names // names that something was made under, or moved to
	missing names // names that were there before the burst and have gone
}

// mostOpen bounds each set of names. Beyond that a burst is not settled.
const mostOpen = 64

func newBurst() burst {
	return burst{newNames(mostOpen), newNames(mostOpen), newNames(mostOpen)}
}

func (b *burst) settled() bool { return b.writing.none() && b.missing.none() && !b.arrived.full }

// note records an event in a watched folder. A folder that is made is never closed, nor
// is a link, which costs a little patience.
func (b *burst) note(e event) {
	switch e.kind {
	case made:
		b.arrive(e)
		if !e.folder {
			b.writing.addEventNames(e)
		}
	case written:
		b.writing.addEventNames(e)
	case closed:
		b.writing.remove(e)
	case movedTo:
		b.arrive(e)
	case removed, movedFrom:
		b.writing.remove(e)
		if !b.arrived.remove(e) {
			b.missing.addEventNames(e)
		}
	}
}

func (b *burst) arrive(e event) {
	b.arrived.addEventNames(e)
	b.missing.remove(e)
}

// clear begins a new burst.
func (b *burst) clear() {
	b.writing.clear()
	b.arrived.clear()
	b.missing.clear()
}
