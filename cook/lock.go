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
	l := flock.New(name)
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	if !ok {
		holder, _ := os.ReadFile(name) // who holds it is a courtesy
		return nil, &LockedError{Path: name, Holder: strings.TrimSpace(string(holder))}
	}
	if err := os.WriteFile(name, fmt.Appendf(nil, "process %d\n", os.Getpid()), 0o666); err != nil {
		l.Close()
		return nil, fmt.Errorf("lock: %w", err)
	}
	return l, nil
}
