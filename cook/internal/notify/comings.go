package notify

// comings finds names that come into folders and go again before the caller can list
// them. Such a name may have been another one of a file that is still there: a write
// through it is reported for its own folder only, where nothing is left of it.
type comings struct {
	// now are the names that came since the last take, before those since the one before
	// that: what a take reports is listed only afterwards.
	now, before names
	// moving are the moves without a destination so far, and whether the name had come.
	moving   map[uint32]bool
	vanished bool
}

// mostComings bounds what is remembered of names and of moves.
const mostComings = 4096

func newComings() comings {
	return comings{now: newNames(mostComings), before: newNames(mostComings), moving: map[uint32]bool{}}
}

// note records an event in a watched folder.
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
		c.vanished = c.vanished || c.came(e) // and is overwritten
		came, paired := c.moving[e.cookie]
		delete(c.moving, e.cookie)
		if came || !paired {
			c.now.addEventNames(e)
		}
	}
}

// came reports whether the name of an event came, or may have.
func (c *comings) came(e event) bool { return c.now.has(e) || c.before.has(e) }

// placed forgets that a name came once since the last call of takeVanished.
func (c *comings) placed(id watchID, name string) { c.now.takeBack(entryName{id, name}) }

// takeVanished reports whether a name came and went since the last call.
func (c *comings) takeVanished() (vanished bool) {
	vanished, c.vanished = c.vanished, false
	for _, came := range c.moving {
		vanished = vanished || came // to a folder that is not watched
	}
	clear(c.moving)
	c.now, c.before = c.before, c.now
	c.now.clear()
	return vanished
}
