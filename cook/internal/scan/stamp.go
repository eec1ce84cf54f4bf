package scan

import (
	"io/fs"
	"time"

	"github.com/assetcook/assetcook/internal/dirfd"
)

// SettleTime is how long a file must have been left alone before its stamp can
// be trusted: longer than the longest tick of a file system, which is 2 s (FAT),
// by as much as the clock that stamps are taken from may be behind. Linux moves
// that clock by 1 to 10 ms at a time, and late on a machine that is kept busy.
const SettleTime = 2*time.Second + 200*time.Millisecond

// Stamp is what stat says of a file, to be compared with ==. Equal settled
// stamps mean that the file was not written to in between, as far as the file
// system shows: it does not show every write through a shared mapping.
type Stamp struct {
	Size   int64  // bytes
	MTime  int64  // last write, ns since 1970
	CTime  int64  // last change of content or metadata, ns since 1970; 0 where the system has none
	Inode  uint64 // 0 where unknown
	Device uint64 // 0 where unknown
	Mode   uint32 // type and permissions as the bits of [fs.FileMode], the same on every system
}

// StampOf reads the stamp out of a FileInfo made by [os.Stat], [os.Lstat],
// [os.Root] or [os.File.Stat].
func StampOf(fi fs.FileInfo) Stamp {
	info := dirfd.InfoOf(fi)
	return StampOfInfo(&info)
}

// StampOfInfo is StampOf for what a folder was asked for.
func StampOfInfo(i *dirfd.Info) Stamp {
	return Stamp{Size: i.Size, MTime: i.MTime, CTime: i.CTime, Inode: i.Inode, Device: i.Device, Mode: i.Mode}
}

// Settled reports whether a stamp that was taken at or after the time at (ns
// since 1970) can be trusted later. It can when the file's last change lies
// SettleTime or more before at: a write after the stamp was taken then falls
// into a later clock tick and shows. A change closer than that, or in the
// future, may share its tick with a later write that no stamp will show.
func (s Stamp) Settled(at int64) bool {
	changed := s.changed()
	// The difference of two int64 in order always fits a uint64.
	return changed <= at && uint64(at)-uint64(changed) >= uint64(SettleTime)
}

// changed is the time of the last change that the stamp shows.
func (s Stamp) changed() int64 {
	if s.CTime == 0 {
		return s.MTime
	}
	return s.CTime
}

// IsFolder reports whether the stamp is that of a folder.
func (s Stamp) IsFolder() bool { return s.mode().IsDir() }

func (s Stamp) mode() fs.FileMode { return fs.FileMode(s.Mode) }
