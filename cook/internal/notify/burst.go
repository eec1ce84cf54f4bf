package notify

import (
	"time"
)

// Patience limits how long [Watcher.Wait] waits for further changes after each change.
type Patience struct {
	// Settled is the limit if all changes look complete: written files are closed, and renamed or
	// removed names are replaced.
	Settled time.Duration
	// Open is the limit if a change looks incomplete, such as a write to a file that is still open.
	Open time.Duration
	// Most limits the total wait, however many changes follow.
	Most time.Duration
}

// quiet returns the time without changes after which a burst is over.
func (p Patience) quiet(b *burst) time.Duration {
	if b.settled() {
		return p.Settled
	}
	return p.Open
}

// A burst holds the incomplete changes since the last call of take. It only determines how long to
// wait. A file that changes while it is read is reported again in any case.
type burst struct {
	writing names // names that were created or written, but not closed
	arrived names // created names, and destinations of renames
	missing names // names that existed before the burst and vanished
}

// mostOpen limits each set of names. A burst beyond the limit is not settled.
const mostOpen = 64

func newBurst() burst {
	return burst{newNames(mostOpen), newNames(mostOpen), newNames(mostOpen)}
}

func (b *burst) settled() bool { return b.writing.none() && b.missing.none() && !b.arrived.full }

// note records an event in a watched directory. A created directory or link is never closed, so the
// wait is a little longer than needed.
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

// comings detects names that appear in directories and vanish before the caller can list them. Such
// a name may have been another hard link to an existing file. A write through this link is reported
// only for the directory of the vanished name.
type comings struct {
	// In now are the names that appeared since the last call of takeVanished. In before are the
	// names of the previous interval. Both are needed, because the caller lists directories only
	// after takeVanished.
	now, before names
	// moving has the moves whose destination is not known yet. The value is set if one of the two
	// sets above has the moved name.
	moving   map[uint32]bool
	vanished bool
}

// mostComings limits the remembered names and moves.
const mostComings = 4096

func newComings() comings {
	return comings{now: newNames(mostComings), before: newNames(mostComings), moving: map[uint32]bool{}}
}

// note records an event in a watched directory.
func (c *comings) note(e event) {
	switch e.kind {
	case made:
		c.now.addEventNames(e)
	case removed:
		c.vanished = c.vanished || c.came(e)
	case movedFrom:
		if len(c.moving) >= mostComings {
			clear(c.moving)
			c.vanished = true
		}
		c.moving[e.cookie] = c.came(e)
	case movedTo:
		c.vanished = c.vanished || c.came(e) // this overwrites the name
		came, paired := c.moving[e.cookie]
		delete(c.moving, e.cookie)
		if came || !paired {
			c.now.addEventNames(e)
		}
	}
}

// came reports whether the name of an event appeared, or may have appeared.
func (c *comings) came(e event) bool { return c.now.has(e) || c.before.has(e) }

// placed removes one appearance of a name that the caller itself created since the last call of
// takeVanished.
func (c *comings) placed(id watchID, name string) { c.now.takeBack(entryName{id, name}) }

// takeVanished reports whether a name appeared and vanished since the last call.
func (c *comings) takeVanished() (vanished bool) {
	vanished, c.vanished = c.vanished, false
	for _, came := range c.moving {
		vanished = vanished || came // the name moved to an unwatched directory
	}
	clear(c.moving)
	c.now, c.before = c.before, c.now
	c.now.clear()
	return vanished
}
