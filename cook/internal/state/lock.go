package state

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/statedir"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// A LockedError reports that another cook uses the output directory.
type LockedError struct {
	Path   string // path of the lock file
	Holder string // holder of the lock, such as "process 1234"; "" if unknown
}

// Process returns the holder, or "another process".
func (e *LockedError) Process() string {
	if e.Holder == "" {
		return "another process"
	}
	return e.Holder
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("%s works on the same output directory (lock %s); wait for it or choose another output directory", e.Process(), e.Path)
}

// A lock is a lock of an output directory that this process holds. It ends with the process. The
// lock file stays.
type lock struct {
	locked *flock.Flock
	// signed is the lock file. It was opened without following links that lead out of the
	// directory.
	signed *os.File
}

// Lock takes the lock of the output directory, and writes the holder into the lock file. The
// returned stamp of the file has the time of the file system. If another process has the lock, the
// error is a *LockedError.
//
// A Dir that has the lock already keeps it. The lock has an effect only while other processes find
// the same file under its name; see CheckLock.
func (d *Dir) Lock() (stamp scan.Stamp, err error) { return d.files.takeLock() }

// CheckLock returns an error if the output directory or the lock file was removed or replaced.
// Another cook may then be running.
func (d *Dir) CheckLock() error { return d.files.checkLock() }

func (f *files) unlock() {
	if f.lock != nil {
		f.lock.release()
		f.lock = nil
	}
}

// takeLock implements Dir.Lock.
func (f *files) takeLock() (stamp scan.Stamp, err error) {
	if f.lock != nil { // Settle has taken the lock
		if stamp, err = f.lock.signLock(); err == nil {
			err = f.checkLock()
		}
		return stamp, err
	}
	name := f.absoluteName(lockName)
	if info, err := f.home.Root().Lstat(lockName); err == nil && !info.Mode().IsRegular() {
		return stamp, fmt.Errorf("lock %s: not a regular file; remove it", name)
	}
	signed, err := f.home.Root().OpenFile(lockName, os.O_CREATE|os.O_WRONLY|regular.NoWait, 0o600)
	if err != nil {
		return stamp, fmt.Errorf("lock %s: %w", name, err)
	}
	// Another process may replace the file before TryLock opens it. CheckLock notices that.
	l := &lock{locked: flock.New(name, flock.SetFlag(os.O_RDONLY|regular.NoWait)), signed: signed}
	defer func() {
		if err != nil {
			l.release()
		}
	}()
	ok, err := l.locked.TryLock()
	for errors.Is(err, syscall.EINTR) {
		ok, err = l.locked.TryLock()
	}
	if err != nil {
		return stamp, fmt.Errorf("lock %s: %w", name, err)
	}
	if !ok {
		return stamp, &LockedError{Path: name, Holder: f.holder()}
	}
	if stamp, err = l.signLock(); err != nil {
		return stamp, fmt.Errorf("lock: %w", err)
	}
	f.lock = l
	if err = f.checkLock(); err != nil {
		f.lock = nil
	}
	return stamp, err
}

// release releases the lock.
func (l *lock) release() error { return errors.Join(l.signed.Close(), l.locked.Close()) }

// ErrLostLock reports that another process has removed or replaced the output directory or its
// lock.
var ErrLostLock = errors.New("another process removed or replaced the directory or its lock meanwhile")

// checkLock implements Dir.CheckLock.
func (f *files) checkLock() error {
	ours, err := f.lock.locked.Stat()
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.absoluteName(lockName), err)
	}
	signed, err := f.lock.signed.Stat()
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.absoluteName(lockName), err)
	}
	named, err := os.Lstat(f.absoluteName(lockName))
	inside, insideErr := f.home.Root().LstatOS(lockName)
	if err == nil && insideErr == nil && os.SameFile(ours, named) && os.SameFile(ours, inside) && os.SameFile(ours, signed) {
		return nil
	}
	for _, err := range []error{err, insideErr} {
		if err != nil && !pathname.IsAbsent(err) {
			return fmt.Errorf("lock %s: cannot tell whether cook still holds the lock: %w", f.absoluteName(lockName), err)
		}
	}
	return fmt.Errorf("output directory %s: %w; run cook again", f.out.Name(), ErrLostLock)
}

// The name of the holder follows the locked byte, because Windows does not let other processes read
// a locked byte. All names have the same length, so that the file need not be truncated, which
// would take longest.
const (
	textOffset = 1
	textFormat = "process %-20d\n"
	textSize   = int64(len("process ") + 20 + len("\n"))
)

// holder reads the holder from the lock file. It returns "" if the file names no holder.
func (f *files) holder() string {
	file, err := f.home.OpenFile(lockName)
	if err != nil {
		return ""
	}
	defer file.Close()
	text, err := io.ReadAll(io.NewSectionReader(file, textOffset, textSize))
	if err != nil {
		return ""
	}
	return parseHolder(text)
}

// parseHolder parses the text that signLock writes, and accepts no other text.
func parseHolder(text []byte) string {
	number, ok := strings.CutPrefix(string(text), "process ")
	pid, err := strconv.ParseUint(strings.TrimRight(number, " \n"), 10, 32)
	if !ok || err != nil {
		return ""
	}
	return fmt.Sprint("process ", pid)
}

// signLock writes the name of this process into the lock file.
func (l *lock) signLock() (scan.Stamp, error) {
	if _, err := l.signed.WriteAt(fmt.Appendf(nil, textFormat, os.Getpid()), textOffset); err != nil {
		return scan.Stamp{}, err
	}
	info, err := l.signed.Stat()
	if err != nil {
		return scan.Stamp{}, err
	}
	return scan.StampOf(info), nil
}

// FineStamps reports whether the output directory is on the given device, and each change there
// gets a distinct time.
func (d *Dir) FineStamps(device uint64) bool {
	fine, measured := d.fine()
	return fine && device == measured
}

// measureStamps reports whether the stamps of repeated writes differ by less than 1 ms, the
// shortest tick of the clock of Linux. It tries several times, because other processes may delay
// the writes.
func measureStamps(write func() (scan.Stamp, error)) (fine bool, device uint64) {
	const tries = 8
	last, err := write()
	for range tries {
		if err != nil {
			return false, 0
		}
		var now scan.Stamp
		now, err = write()
		if step := now.CTime - last.CTime; err == nil && step > 0 && step < int64(time.Millisecond)*9/10 {
			return true, now.Device
		}
		last = now
	}
	return false, 0
}

// ownerName is the file that names the asset directory of an output directory. It has three lines:
// the path from the output directory, the absolute path, and ownerEnd.
const (
	ownerName = manifest.StateDir + "/owner"
	ownerEnd  = "owner"
)

// OtherOwner returns the asset directory of the output directory if it exists and is not assets.
// Otherwise it returns "". A missing directory was probably renamed. If both directories were moved
// together, OtherOwner returns "", too.
func (d *Dir) OtherOwner(assets string) string {
	text, err := d.files.readStateFile(ownerName)
	if err != nil {
		return ""
	}
	return owner(d.files.out.Name(), text, assets)
}

// BelongsTo reports whether a run has cooked into an output directory from the given asset
// directory, or from a directory that was probably renamed. Early versions recorded no asset
// directory. In this case, the directory "assets" beside the output directory counts, if it exists.
func BelongsTo(out, assets string) bool {
	if _, err := os.Lstat(filepath.Join(out, manifest.StateDir)); err != nil {
		return false
	}
	text, err := os.ReadFile(filepath.Join(statedir.Home(out), filepath.FromSlash(ownerName)))
	if err != nil {
		_, err := os.Lstat(filepath.Join(filepath.Dir(out), "assets"))
		return err != nil
	}
	return owner(out, text, assets) == ""
}

// owner returns the asset directory that a text names. It returns "" if that is the directory
// assets, or does not exist.
func owner(out string, text []byte, assets string) (other string) {
	lines := strings.Split(string(text), "\n")
	if len(lines) != 4 || lines[2] != ownerEnd || lines[3] != "" {
		return "" // the file is damaged
	}
	own, err := os.Stat(assets)
	if err != nil {
		return ""
	}
	for _, name := range []string{filepath.Join(out, filepath.FromSlash(lines[0])), filepath.FromSlash(lines[1])} {
		info, err := os.Stat(name)
		switch {
		case err != nil, !info.IsDir():
		case os.SameFile(info, own):
			return ""
		case other == "":
			other = name
		}
	}
	return other
}

// SetOwner records the asset directory of the output directory.
func (d *Dir) SetOwner(assets string) error {
	relative, err := filepath.Rel(d.files.out.Name(), assets)
	if err != nil || strings.Contains(assets, "\n") {
		return nil // the paths cannot be written as lines
	}
	text := filepath.ToSlash(relative) + "\n" + filepath.ToSlash(assets) + "\n" + ownerEnd + "\n"
	if before, err := d.files.readStateFile(ownerName); err == nil && string(before) == text {
		return nil
	}
	return d.files.putFile(ownerName, []byte(text), withoutSync)
}
