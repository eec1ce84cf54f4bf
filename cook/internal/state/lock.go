package state

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// A LockedError says that another cook works on the same output folder.
type LockedError struct {
	Path   string // the lock file
	Holder string // such as "process 1234", or "" if it does not say
}

// Process names the holder.
func (e *LockedError) Process() string {
	if e.Holder == "" {
		return "another process"
	}
	return e.Holder
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("%s works on the same output folder (lock %s); wait for it or choose another output folder", e.Process(), e.Path)
}

// A lock is an output folder's lock while this process has it. It ends with the
// process, however that ends; the file stays.
type lock struct {
	*flock.Flock
	// signed is the same file, opened by a way that no link leads out of the folder.
	signed *os.File
}

// Lock takes the output folder's lock and signs it. The stamp that this gives the file
// tells what time its file system thinks it is. Another holder is a *LockedError.
//
// A Dir that has the lock already keeps it. The lock is worth something only while its file is the one that others find under
// that name: see CheckLock.
func (d *Dir) Lock() (stamp scan.Stamp, err error) {
	if d.lock != nil { // since the state was moved
		if stamp, err = d.lock.sign(); err == nil {
			err = d.CheckLock()
		}
		return stamp, err
	}
	name := d.name(lockName)
	if info, err := d.home.Root().Lstat(lockName); err == nil && !info.Mode().IsRegular() {
		return stamp, fmt.Errorf("lock %s: not a regular file; remove it", name)
	}
	signed, err := d.home.Root().OpenFile(lockName, os.O_CREATE|os.O_WRONLY|regular.NoWait, 0o600)
	if err != nil {
		return stamp, fmt.Errorf("lock %s: %w", name, err)
	}
	// Should the name lead elsewhere by now, then what is locked there is locked in
	// vain, and CheckLock will see.
	l := &lock{Flock: flock.New(name, flock.SetFlag(os.O_RDONLY|regular.NoWait)), signed: signed}
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	ok, err := l.TryLock()
	for errors.Is(err, syscall.EINTR) {
		ok, err = l.TryLock()
	}
	if err != nil {
		return stamp, fmt.Errorf("lock %s: %w", name, err)
	}
	if !ok {
		return stamp, &LockedError{Path: name, Holder: d.holder()}
	}
	if stamp, err = l.sign(); err != nil {
		return stamp, fmt.Errorf("lock: %w", err)
	}
	d.lock = l
	if err = d.CheckLock(); err != nil {
		d.lock = nil
	}
	return stamp, err
}

// Close lets go of the lock.
func (l *lock) Close() error { return errors.Join(l.signed.Close(), l.Flock.Close()) }

// ErrLostLock says that the output folder, or the lock in it, was removed or replaced
// by another process while this one held it.
var ErrLostLock = errors.New("it, or the lock in it, was removed or replaced by another process meanwhile")

// CheckLock proves that the output folder and the lock in it are what others find under
// these names. Where they are not, another cook may be at work.
func (d *Dir) CheckLock() error {
	ours, err := d.lock.Stat()
	if err != nil {
		return fmt.Errorf("lock %s: %w", d.name(lockName), err)
	}
	signed, err := d.lock.signed.Stat()
	if err != nil {
		return fmt.Errorf("lock %s: %w", d.name(lockName), err)
	}
	named, err := os.Lstat(d.name(lockName))
	inside, insideErr := d.home.Root().LstatOS(lockName)
	if err == nil && insideErr == nil && os.SameFile(ours, named) && os.SameFile(ours, inside) && os.SameFile(ours, signed) {
		return nil
	}
	for _, err := range []error{err, insideErr} {
		if err != nil && !pathname.IsAbsent(err) {
			return fmt.Errorf("lock %s: cannot tell whether it is still held: %w", d.name(lockName), err)
		}
	}
	return fmt.Errorf("output folder %s: %w; run cook again", d.out.Name(), ErrLostLock)
}

// The text that says who holds a lock comes after the byte that is locked, which
// Windows lets no process read or write through another handle. It has always the same
// length, so that the file need not be cut before: that would cost more than all the
// rest.
const (
	textOffset = 1
	textFormat = "process %-20d\n"
	textSize   = int64(len("process ") + 20 + len("\n"))
)

// holder reads from a lock who holds it. That is a courtesy: whatever else the file has
// in it is not worth a message.
func (d *Dir) holder() string {
	f, err := d.home.OpenFile(lockName)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, textOffset, textSize))
	if err != nil {
		return ""
	}
	return parseHolder(text)
}

// parseHolder takes what sign writes and nothing else.
func parseHolder(text []byte) string {
	number, ok := strings.CutPrefix(string(text), "process ")
	pid, err := strconv.ParseUint(strings.TrimRight(number, " \n"), 10, 32)
	if !ok || err != nil {
		return ""
	}
	return fmt.Sprint("process ", pid)
}

// sign says in the lock who holds it.
func (l *lock) sign() (scan.Stamp, error) {
	if _, err := l.signed.WriteAt(fmt.Appendf(nil, textFormat, os.Getpid()), textOffset); err != nil {
		return scan.Stamp{}, err
	}
	info, err := l.signed.Stat()
	if err != nil {
		return scan.Stamp{}, err
	}
	return scan.StampOf(info), nil
}

// FineStamps reports whether the file system of the output folder is known to give each
// change a time of its own, and a device is where it lies.
func (d *Dir) FineStamps(device uint64) bool {
	d.fineOnce.Do(func() { d.fine, d.fineDevice = fineStamps(d.lock.sign) })
	return d.fine && device == d.fineDevice
}

// fineStamps reports whether stamps of a file that is written again and again differ by
// less than any tick of a clock would have them: that of Linux moves by 1 ms or more.
// Some tries are for the case that other processes had the processor meanwhile.
func fineStamps(write func() (scan.Stamp, error)) (fine bool, device uint64) {
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
