package scan

import "time"

// A Clock decides which stamps of a run can be trusted later. It uses the local clock or the
// clock of one file system, whichever is behind: a network drive has its own clock. It detects if
// the local clock is set back during the run. Its methods are safe for concurrent use after
// Written.
type Clock struct {
	begin   int64                                    // ns since 1970
	read    func() (wall int64, since time.Duration) // time of day now, and time passed since begin
	known   bool                                     // a file system's time is known
	device  uint64                                   // that file system's device
	written int64                                    // that file system's time after begin
}

// NewClock returns the clock of a run that began at begin; no judged stamp may be older. Times
// should come from [time.Now]: times without a monotonic reading cannot show that a clock was
// set.
func NewClock(begin time.Time, now func() time.Time) *Clock {
	return &Clock{begin: begin.UnixNano(), read: func() (int64, time.Duration) {
		t := now()
		return t.UnixNano(), t.Sub(begin)
	}}
}

// Written tells the clock the stamp of a file that was written after begin and before any judged
// stamp was taken. The stamp shows the file system's time, rounded down to its ticks, so files of
// the same tick are not trusted, however long the tick is.
func (c *Clock) Written(s Stamp) {
	c.known, c.device, c.written = true, s.Device, s.changed()
}

// Settled reports whether a stamp can be trusted, see [Stamp.Settled], if it was taken since the
// run began.
func (c *Clock) Settled(s Stamp) bool {
	at, _ := c.at(s.Device)
	return s.Settled(at)
}

// SettledSince reports whether a stamp that was taken just now can be trusted.
func (c *Clock) SettledSince(s Stamp) bool {
	at, since := c.at(s.Device)
	return s.Settled(at + since)
}

// at returns the start of the run by the clock that is behind, and the time passed since then. If
// the local clock was set back, new stamps are smaller by the same amount, and so is the time
// they are compared with.
func (c *Clock) at(device uint64) (at, since int64) {
	wall, passed := c.read()
	at, since = c.begin, max(0, int64(passed))
	back := max(0, at+since-wall)
	if c.known && c.device == device {
		at = min(at, c.written)
	}
	return at - back, since
}
