package cook

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// A LockedError says that another cook works on the same output folder.
type LockedError struct {
	Path   string // the lock file
	Holder string // "process 1234", or "" if it does not say
}

func (e *LockedError) holder() string {
	if e.Holder == "" {
		return "another process"
	}
	return e.Holder
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("%s works on the same output folder (lock %s); wait for it (cook -wait does) or choose another -out", e.holder(), e.Path)
}

const lockName = plan.StateDir + "/lock"

// A heldLock is an output folder's lock while this process has it. It ends with
// the process, however that ends; the file stays.
type heldLock struct {
	*flock.Flock
	// signed is the same file, opened by a way that no link leads out of the folder.
	signed *os.File
	// stamp is the one that signing gave it, which tells what time its file system
	// thinks it is.
	stamp scan.Stamp
}

// lock takes an output folder's lock and signs it.
func lock(out *confine.Dir) (held *heldLock, err error) {
	name := filepath.Join(out.Name(), filepath.FromSlash(lockName))
	if info, err := out.Root().Lstat(lockName); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("lock %s: not a regular file; remove it", name)
	}
	signed, err := out.Root().OpenFile(lockName, os.O_CREATE|os.O_WRONLY|regular.NoWait, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	// Should the name lead elsewhere by now, then what is locked there is locked in
	// vain, and stillOurs will see.
	l := &heldLock{Flock: flock.New(name, flock.SetFlag(os.O_RDONLY|regular.NoWait)), signed: signed}
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
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	if !ok {
		return nil, &LockedError{Path: name, Holder: holder(out)}
	}
	if l.stamp, err = l.sign(); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	return l, nil
}

// Close lets go of the lock.
func (l *heldLock) Close() error { return errors.Join(l.signed.Close(), l.Flock.Close()) }

// lockTries is how often a run tries to lock a folder that is removed and made
// again all the time.
const lockTries = 100

// takeOut takes the output folder's lock. A dry run does not.
//
// The lock is worth something only while its file is the one that others find
// under that name. A cook clean that has just ended has removed it, and perhaps
// the folder; then it is made again.
func (k *kitchen) takeOut() error {
	if k.DryRun {
		return nil
	}
	var last error
	for range lockTries {
		held, err := lock(k.out)
		if err == nil {
			k.lock = held
			if last = k.stillOurs(); last == nil {
				if k.fileTime != nil {
					k.clock.Written(k.fileTime(held.stamp))
				}
				return nil
			}
			k.lock = nil
			held.Close()
		} else if last = err; !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		k.out.Close()
		if err := k.openOut(); err != nil {
			return err
		}
		k.identity = k.identify()
	}
	return last
}

// stillOurs proves that the output folder and the lock in it are what others
// find under these names. Where they are not, another cook may be at work.
func (k *kitchen) stillOurs() error {
	ours, err := k.lock.Stat()
	if err != nil {
		return fmt.Errorf("lock %s: %w", k.outFile(lockName), err)
	}
	signed, err := k.lock.signed.Stat()
	if err != nil {
		return fmt.Errorf("lock %s: %w", k.outFile(lockName), err)
	}
	named, err := os.Lstat(k.outFile(lockName))
	inside, insideErr := k.out.Root().Lstat(lockName)
	if err == nil && insideErr == nil && os.SameFile(ours, named) && os.SameFile(ours, inside) && os.SameFile(ours, signed) {
		return nil
	}
	for _, err := range []error{err, insideErr} {
		if err != nil && !pathname.IsAbsent(err) {
			return fmt.Errorf("lock %s: cannot tell whether it is still ours: %w", k.outFile(lockName), err)
		}
	}
	return fmt.Errorf("output folder %s: %w; run cook again", k.out.Name(), errNotOurs)
}

var errNotOurs = errors.New("it, or the lock in it, was removed or replaced by another process meanwhile")

// The text that says who holds a lock comes after the byte that is locked, which
// Windows lets nobody read or write through another handle. It has always the
// same length, so that the file need not be cut before: that would cost more than
// all the rest.
const (
	textOffset = 1
	textFormat = "process %-20d\n"
	textSize   = int64(len("process ") + 20 + len("\n"))
)

// holder reads from a lock who holds it. That is a courtesy: whatever else the
// file has in it is not worth a message.
func holder(out *confine.Dir) string {
	f, err := out.OpenFile(lockName)
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
func (l *heldLock) sign() (scan.Stamp, error) {
	if _, err := l.signed.WriteAt(fmt.Appendf(nil, textFormat, os.Getpid()), textOffset); err != nil {
		return scan.Stamp{}, err
	}
	info, err := l.signed.Stat()
	if err != nil {
		return scan.Stamp{}, err
	}
	return scan.StampOf(info), nil
}
