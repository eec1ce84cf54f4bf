package cook

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gofrs/flock"
)

// A LockedError says that another cook works on the same output folder.
type LockedError struct {
	Path   string // the lock file
	Holder string // "process 1234", or "" if it does not say
}

func (e *LockedError) Error() string {
	holder := e.Holder
	if holder == "" {
		holder = "another process"
	}
	return fmt.Sprintf("%s is cooking into the same folder (lock %s); wait for it or choose another -out", holder, e.Path)
}

// lock takes an output folder's lock, which ends with the process that holds
// it, however that ends. The file stays.
func lock(name string) (io.Closer, error) {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("lock %s: not a regular file; remove it", name)
	}
	l := flock.New(name)
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	if !ok {
		holder, _ := os.ReadFile(name) // who holds it is a courtesy
		return nil, &LockedError{Path: name, Holder: strings.TrimSpace(string(holder))}
	}
	if err := sign(name); err != nil {
		l.Close()
		return nil, fmt.Errorf("lock: %w", err)
	}
	return l, nil
}

// sign says in the lock who holds it. The text has always the same length, so
// that the file need not be cut before: that would cost more than all the rest.
func sign(name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteAt(fmt.Appendf(nil, "process %-20d\n", os.Getpid()), 0)
	return err
}
