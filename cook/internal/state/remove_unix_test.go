//go:build unix

package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/internal/confine"
)

// TestRemoveRemovesTheLockLast starts another cook as soon as the lock is gone. The files of that
// cook must stay.
func TestRemoveRemovesTheLockLast(t *testing.T) {
	const tries = 100 // number of attempts, because Remove may remove the directory
	for range 20 {
		out, err := confine.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		d := Open(out)
		write := func(name string) error {
			return errors.Join(os.MkdirAll(d.Folder(), 0o777), os.WriteFile(filepath.Join(d.Folder(), name), nil, 0o666))
		}
		for i := range 100 {
			if err := write(fmt.Sprint("changes-", i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := write("lock"); err != nil {
			t.Fatal(err)
		}
		var next sync.WaitGroup
		next.Go(func() {
			for d.MayExist(lockName) {
			}
			// The directory may disappear until the new lock exists.
			err := write("lock")
			for try := 1; err != nil && try < tries; try++ {
				err = write("lock")
			}
			if err := errors.Join(err, write("other")); err != nil {
				t.Error(err)
			}
		})
		if err := d.Remove(); err != nil {
			t.Error(err)
		}
		next.Wait()
		for _, name := range []string{"lock", "other"} {
			if _, err := os.Stat(filepath.Join(d.Folder(), name)); err != nil {
				t.Fatal(err)
			}
		}
	}
}
