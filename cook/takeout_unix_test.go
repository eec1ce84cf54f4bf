//go:build unix

package cook

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/internal/confine"
)

// Between the opening of the output folder and the taking of its lock it may be
// removed, or another may get its name. The lock is that of the folder that is
// worked on all the same.
func TestLockIsThatOfTheFolder(t *testing.T) {
	for what, harm := range map[string]func(out string) error{
		"nothing":    func(string) error { return nil },
		"no lock":    func(out string) error { return os.RemoveAll(filepath.Join(out, lockName)) },
		"no state":   func(out string) error { return os.RemoveAll(filepath.Join(out, ".cook")) },
		"no folder":  func(out string) error { return os.RemoveAll(out) },
		"new folder": func(out string) error { return os.Rename(out+"2", out) },
	} {
		dir := t.TempDir()
		opt := Options{Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "cooked"), Cache: filepath.Join(dir, "store")}
		for _, name := range []string{opt.Dir, filepath.Join(opt.Out+"2", ".cook")} {
			if err := os.MkdirAll(name, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		k, err := begin(opt)
		if err != nil {
			t.Fatal(err)
		}
		if what == "new folder" {
			if err := os.RemoveAll(opt.Out); err != nil {
				t.Fatal(err)
			}
		}
		if err := harm(opt.Out); err != nil {
			t.Fatal(err)
		}
		if err := k.takeOut(); err != nil {
			t.Errorf("%s: %v", what, err)
		} else if err := k.stillOurs(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		out, err := confine.Open(opt.Out)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		if _, err := lock(out); err == nil {
			t.Errorf("%s: somebody else has the lock as well", what)
		}
		k.close()
		if again, err := lock(out); err != nil {
			t.Errorf("%s: the lock is not given back: %v", what, err)
		} else {
			again.Close()
		}
	}
}

// Whoever finds that the lock is gone may begin to cook, though clean is not quite
// at its end: what he makes stays.
func TestCleanRemovesTheLockLast(t *testing.T) {
	for range 20 {
		out, err := confine.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		state := filepath.Join(out.Name(), plan.StateDir)
		write := func(name string) {
			if err := errors.Join(os.MkdirAll(state, 0o777), os.WriteFile(filepath.Join(state, name), nil, 0o666)); err != nil {
				t.Error(err)
			}
		}
		write("lock")
		for i := range 100 {
			write(fmt.Sprint("changes-", i))
		}
		var next sync.WaitGroup
		next.Go(func() {
			for {
				if _, err := out.Root().Lstat(lockName); err != nil {
					break
				}
			}
			// Until there is a new lock, clean may take the folder away.
			for try := 0; try < lockTries; try++ {
				os.MkdirAll(state, 0o777)
				if os.WriteFile(filepath.Join(state, "lock"), nil, 0o666) == nil {
					break
				}
			}
			write("mine")
		})
		if err := removeState(out.Root()); err != nil {
			t.Error(err)
		}
		next.Wait()
		for _, name := range []string{"lock", "mine"} {
			if _, err := os.Stat(filepath.Join(state, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
}
