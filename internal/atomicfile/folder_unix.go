//go:build unix

package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// SyncFolder waits until the names in a directory are on the disk, so that later renames cannot
// survive without them. It does nothing where the system has no such call.
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
		return fmt.Errorf("sync directory %s: %w", name, err)
	}
	return nil
}
