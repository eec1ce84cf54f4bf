//go:build unix

package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// SyncFolder waits until the names in a folder are on the disk, so that what is
// renamed afterwards cannot be there without them. Where the system has no such
// thing it does nothing.
func SyncFolder(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // some network and user-space file systems
	}
	if err != nil {
		return fmt.Errorf("sync folder %s: %w", name, err)
	}
	return nil
}
