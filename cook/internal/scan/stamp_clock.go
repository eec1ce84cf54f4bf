package scan

import "time"

// A Clock tells which stamps of a run can be trusted later, by the local clock
// and by that of one file system, whichever is behind: a drive on the network
// has its own. It notices if the local clock is set back while the run goes on.
// Its methods may be called by many goroutines once Written is done.
type Clock struct {
	begin   int64                                    // ns since 1970
	read    func() (wall int64, since time.Duration) // the time of day now, and what has passed since begin
	known   bool                                     // whether the time of a file system is
	device  uint64                                   // which one's
	written int64                                    // what it was after begin
}

// NewClock makes the clock of a run that began at begin: no stamp that it judges
// may have been taken before. Times should come from [time.Now], because those
// that do not have no monotonic reading and cannot show that a clock was set.
func NewClock(begin time.Time, now func() time.Time) *Clock {
	return &Clock{begin: begin.UnixNano(), read: func() (int64, time.Duration) {
		t := now()
		return t.UnixNano(), t.Sub(begin)
	}}
}

// Written tells the clock the stamp of a file that was written after begin, and
// before any stamp that is judged was taken. It stands for the file system's time,
// cut down to the ticks that are stored: so files in the same tick are not
// trusted, however long the tick is.
func (c *Clock) Written(s Stamp) {
	c.known, c.device, c.written = true, s.Device, s.changed()
}

// Settled reports whether a stamp can be trusted, see [Stamp.Settled], if it was
// taken since the run began.
func (c *Clock) Settled(s Stamp) bool {
	at, _ := c.at(s.Device)
	return s.Settled(at)
}

// SettledSince reports whether a stamp can be trusted that a file has been found
// to have just now.
func (c *Clock) SettledSince(s Stamp) bool {
	at, since := c.at(s.Device)
	return s.Settled(at + since)
}

// at is the time at which the run began by the clock that is behind, and how
// much has passed since then. If the local clock was set back, the stamps of
// what is written now are as much smaller, and so is the time that they are
// judged by.
func (c *Clock) at(device uint64) (at, since int64) {
	wall, passed := c.read()
	at, since = c.begin, max(0, int64(passed))
	back := max(0, at+since-wall)
	if c.known && c.device == device {
		at = min(at, c.written)
	}
	return at - back, since
}
