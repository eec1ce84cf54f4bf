package scan

import (
	"io/fs"
	"time"

	"github.com/assetcook/assetcook/internal/dirfd"
)

// SettleTime is how long a file must be unchanged before its stamp can be trusted. It exceeds
// the longest tick of a file system, 2 s (FAT), by the maximum lag of the clock that stamps are
// taken from. Linux advances that clock in steps of 1 to 10 ms, and later on a busy machine.
const SettleTime = 2*time.Second + 200*time.Millisecond

// Stamp is the result of stat for a file, to be compared with ==. Equal settled stamps mean that
// the file was not written in between, as far as the file system shows it: some writes through a
// shared mapping do not change a stamp.
type Stamp struct {
	Size   int64  // bytes
	MTime  int64  // last write, ns since 1970
	CTime  int64  // last change of content or metadata, ns since 1970; 0 if unsupported
	Inode  uint64 // 0 if unknown
	Device uint64 // 0 if unknown
	Mode   uint32 // type and permissions as the bits of [fs.FileMode], the same on every system
}

// StampOf returns the stamp of a FileInfo from [os.Stat], [os.Lstat], [os.Root] or
// [os.File.Stat].
func StampOf(fi fs.FileInfo) Stamp {
	info := dirfd.InfoOf(fi)
	return StampOfInfo(&info)
}

// StampOfInfo returns the stamp of a dirfd.Info.
func StampOfInfo(i *dirfd.Info) Stamp {
	return Stamp{Size: i.Size, MTime: i.MTime, CTime: i.CTime, Inode: i.Inode, Device: i.Device, Mode: i.Mode}
}

// Settled reports whether a stamp that was taken at or after the time at (ns since 1970) can be
// trusted later. It can if the file's last change was SettleTime or more before at: a write
// after the stamp then has a later time and changes the stamp. A more recent change, or a
// change in the future, may have the same time as a later write, so that the stamp would not
// change.
func (s Stamp) Settled(at int64) bool {
	changed := s.changed()
	// The difference of two ordered int64 always fits a uint64.
	return changed <= at && uint64(at)-uint64(changed) >= uint64(SettleTime)
}

// changed returns the time of the last change that the stamp shows.
func (s Stamp) changed() int64 {
	if s.CTime == 0 {
		return s.MTime
	}
	return s.CTime
}

// IsFolder reports whether the stamp belongs to a directory.
func (s Stamp) IsFolder() bool { return s.mode().IsDir() }

func (s Stamp) mode() fs.FileMode { return fs.FileMode(s.Mode) }

// A Clock determines which stamps of a run can be trusted later. It uses the local clock or the
// clock of one file system, whichever is behind: a network drive has its own clock. It detects
// if the local clock is set back during the run. Its methods are safe for concurrent use after
// Written.
type Clock struct {
	begin   int64                                    // ns since 1970
	read    func() (wall int64, since time.Duration) // time of day now, and time passed since begin
	known   bool                                     // set once a file system's time is known
	device  uint64                                   // device of that file system
	written int64                                    // time of that file system after begin
}

// NewClock returns the clock of a run that began at begin; no checked stamp may be older. Times
// should come from [time.Now], because times without a monotonic reading cannot reveal that the
// clock was set.
func NewClock(begin time.Time, now func() time.Time) *Clock {
	return &Clock{begin: begin.UnixNano(), read: func() (int64, time.Duration) {
		t := now()
		return t.UnixNano(), t.Sub(begin)
	}}
}

// Written informs the clock of the stamp of a file that was written after begin and before any
// checked stamp was taken. The stamp shows the file system's time, rounded down to a tick, so
// files changed in the same tick are not trusted, however long the tick is.
func (c *Clock) Written(s Stamp) {
	c.known, c.device, c.written = true, s.Device, s.changed()
}

// Settled reports whether a stamp that was taken since the run began can be trusted; see
// [Stamp.Settled].
func (c *Clock) Settled(s Stamp) bool {
	at, _ := c.at(s.Device)
	return s.Settled(at)
}

// SettledSince reports whether a stamp that was taken just now can be trusted.
func (c *Clock) SettledSince(s Stamp) bool {
	at, since := c.at(s.Device)
	return s.Settled(at + since)
}

// at returns the start of the run according to the clock that is behind, and the time passed since
// then. If the local clock was set back, new stamps are smaller by the same amount. at then reduces
// the time with which stamps are compared in the same way.
func (c *Clock) at(device uint64) (at, since int64) {
	wall, passed := c.read()
	at, since = c.begin, max(0, int64(passed))
	back := max(0, at+since-wall)
	if c.known && c.device == device {
		at = min(at, c.written)
	}
	return at - back, since
}
