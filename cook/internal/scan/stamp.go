package scan

import (
	"io/fs"
	"time"

	"github.com/assetcook/assetcook/internal/dirfd"
)

// SettleTime is how long a file must be unchanged before its stamp can be trusted. It is longer
// than the longest tick of a file system, 2 s (FAT), plus the lag of the clock for stamps. Linux
// advances this clock every 1 to 10 ms, or less often on a busy machine.
const SettleTime = 2*time.Second + 200*time.Millisecond

// Stamp is the result of stat for a file, to be compared with ==. Equal settled stamps mean that
// the file was not written in between. There is one exception: some writes through a shared mapping
// do not change a stamp.
type Stamp struct {
	Size   int64  // size in bytes
	MTime  int64  // time of the last write, in ns since 1970
	CTime  int64  // time of the last change, including metadata, in ns since 1970; 0 if unsupported
	Inode  uint64 // inode number; 0 if unknown
	Device uint64 // device number; 0 if unknown
	Mode   uint32 // type and permissions as in [fs.FileMode], on every system
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

// Settled reports whether a stamp that was taken at the given time (ns since 1970), or later, can
// be trusted. The file's last change must be at least SettleTime earlier, so that a later write
// changes the stamp. If the last change is more recent or in the future, a later write may leave
// the stamp unchanged.
func (s Stamp) Settled(at int64) bool {
	changed := s.changed()
	// The difference of two ordered int64 values always fits a uint64.
	return changed <= at && uint64(at)-uint64(changed) >= uint64(SettleTime)
}

// changed returns the time of the last change according to the stamp.
func (s Stamp) changed() int64 {
	if s.CTime == 0 {
		return s.MTime
	}
	return s.CTime
}

// IsFolder reports whether the stamp belongs to a directory.
func (s Stamp) IsFolder() bool { return s.mode().IsDir() }

func (s Stamp) mode() fs.FileMode { return fs.FileMode(s.Mode) }

// A Clock determines which stamps of a run can be trusted. It uses the local clock or the clock of
// one file system, such as a network drive, whichever is behind. It notices if the local clock is
// set back during the run. After Written, its methods may be called concurrently.
type Clock struct {
	begin   int64                                    // start of the run, in ns since 1970
	read    func() (wall int64, since time.Duration) // returns the time of day and the time since begin
	known   bool                                     // set once written is known
	device  uint64                                   // device of the file system
	written int64                                    // a time after begin by the clock of the file system
}

// NewClock returns the clock of a run that began at begin. Every stamp to check must be later. The
// times should come from [time.Now], because only times with a monotonic reading reveal that the
// clock was set.
func NewClock(begin time.Time, now func() time.Time) *Clock {
	return &Clock{begin: begin.UnixNano(), read: func() (int64, time.Duration) {
		t := now()
		return t.UnixNano(), t.Sub(begin)
	}}
}

// Written tells the clock the stamp of a file that was written after begin, and before any stamp to
// check was taken. The stamp has the time of the file system, rounded down to a tick. Files that
// change in the same tick are therefore not trusted.
func (c *Clock) Written(s Stamp) {
	c.known, c.device, c.written = true, s.Device, s.changed()
}

// Settled reports whether a stamp that was taken since the run began can be trusted; see
// [Stamp.Settled].
func (c *Clock) Settled(s Stamp) bool {
	at, _ := c.at(s.Device)
	return s.Settled(at)
}

// SettledSince reports whether a stamp that was taken now can be trusted.
func (c *Clock) SettledSince(s Stamp) bool {
	at, since := c.at(s.Device)
	return s.Settled(at + since)
}

// at returns the start of the run, and the time since then. The start is by the local clock or the
// file system's clock, whichever is behind. If the local clock was set back, at returns an earlier
// start, because new stamps are earlier, too.
func (c *Clock) at(device uint64) (at, since int64) {
	wall, passed := c.read()
	at, since = c.begin, max(0, int64(passed))
	back := max(0, at+since-wall)
	if c.known && c.device == device {
		at = min(at, c.written)
	}
	return at - back, since
}
