package notify

// comings detects names that appear in directories and vanish before the caller can list them.
// Such a name may have been another name of an existing file: a write through it is reported only
// for the directory of the vanished name.
type comings struct {
	// now has the names that appeared since the last take, before the names of the interval
	// before it: the caller lists directories only after a take has reported them.
	now, before names
	// moving are the moves without a destination so far, and whether their names had appeared.
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
		c.vanished = c.vanished || c.came(e) // the name is overwritten
		came, paired := c.moving[e.cookie]
		delete(c.moving, e.cookie)
		if came || !paired {
			c.now.addEventNames(e)
		}
	}
}

// came reports whether the name of an event appeared, or may have appeared.
func (c *comings) came(e event) bool { return c.now.has(e) || c.before.has(e) }

// placed forgets one appearance of a name since the last call of takeVanished.
func (c *comings) placed(id watchID, name string) { c.now.takeBack(entryName{id, name}) }

// takeVanished reports whether a name appeared and vanished since the last call.
func (c *comings) takeVanished() (vanished bool) {
	vanished, c.vanished = c.vanished, false
	for _, came := range c.moving {
		vanished = vanished || came // moved to an unwatched directory
	}
	clear(c.moving)
	c.now, c.before = c.before, c.now
	c.now.clear()
	return vanished
}
