package notify

import "time"

// Patience says how long [Watcher.Wait] waits for further changes after one.
type Patience struct {
	// Settled applies if all changes look complete: written files are closed, and renamed or
	// removed names are replaced.
	Settled time.Duration
	// Open applies otherwise, such as after a write to a file that is still open.
	Open time.Duration
	// Most limits the wait, however many changes follow.
	Most time.Duration
}

// quiet returns the time without changes after which a burst is over.
func (p Patience) quiet(b *burst) time.Duration {
	if b.settled() {
		return p.Settled
	}
	return p.Open
}

// A burst holds the incomplete changes since the last take. It only decides how long to wait: a
// file that changes while it is read is reported again.
type burst struct {
	writing names // created or written, and not closed
	arrived names // created names, and destinations of renames
	missing names // existed before the burst and vanished
}

// mostOpen limits each set of names. A burst beyond the limit is not settled.
const mostOpen = 64

func newBurst() burst {
	return burst{newNames(mostOpen), newNames(mostOpen), newNames(mostOpen)}
}

func (b *burst) settled() bool { return b.writing.none() && b.missing.none() && !b.arrived.full }

// note records an event in a watched directory. A created directory or link is never closed,
// which costs a little patience.
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
