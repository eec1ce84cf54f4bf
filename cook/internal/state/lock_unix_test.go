//go:build unix

package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/confine"
)

// TestLock checks that one process at a time has the lock, and that the error names the process.
func TestLock(t *testing.T) {
	d, _ := locked(t)
	other := Open(d.files.out)
	var held *LockedError
	if _, err := other.Lock(); !errors.As(err, &held) || held.Holder != fmt.Sprint("process ", os.Getpid()) {
		t.Errorf("a lock that is held: %v", err)
	}
	d.Close()
	if _, err := other.Lock(); err != nil {
		t.Errorf("a lock that was given back: %v", err)
	}
	other.Close()
}

// TestLockIsRegularFile checks that Lock opens only regular files. Other files might block, or lead
// elsewhere.
func TestLockIsRegularFile(t *testing.T) {
	out, err := confine.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	d := Open(out)
	if err := d.Make(); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "target")
	if err := os.Symlink(target, filepath.Join(d.Folder(), "lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Lock(); err == nil || !strings.Contains(err.Error(), "not a regular file; remove it") {
		t.Errorf("a link in the place of the lock: %v", err)
		d.Close()
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the link was followed: %v", err)
	}
}

// TestCheckLock checks that the lock is lost if another process can lock a file of the same name.
// After that, nothing may be written.
func TestCheckLock(t *testing.T) {
	for what, harm := range map[string]func(d *Dir) error{
		"lock removed":      func(d *Dir) error { return os.Remove(d.files.absoluteName(lockName)) },
		"state removed":     func(d *Dir) error { return os.RemoveAll(d.Folder()) },
		"directory removed": func(d *Dir) error { return os.RemoveAll(d.files.out.Name()) },
		"directory moved":   func(d *Dir) error { return os.Rename(d.files.out.Name(), d.files.out.Name()+"2") },
		"lock replaced": func(d *Dir) error {
			name := d.files.absoluteName(lockName)
			return errors.Join(os.WriteFile(name+"2", nil, 0o600), os.Rename(name+"2", name))
		},
		"directory replaced": func(d *Dir) error {
			name := d.files.out.Name()
			return errors.Join(os.Rename(name, name+"2"), os.MkdirAll(d.Folder(), 0o777), os.WriteFile(d.files.absoluteName(lockName), nil, 0o600))
		},
	} {
		t.Run(what, func(t *testing.T) {
			d, _ := locked(t)
			if err := d.CheckLock(); err != nil {
				t.Fatal(err)
			}
			if err := harm(d); err != nil {
				t.Fatal(err)
			}
			if err := d.CheckLock(); !errors.Is(err, ErrLostLock) {
				t.Errorf("CheckLock: %v", err)
			}
			if err := d.files.putFile(journalName, []byte("text"), withoutSync); !errors.Is(err, ErrLostLock) {
				t.Errorf("put: %v", err)
			}
			if _, err := d.files.out.Root().Lstat(journalName); err == nil {
				t.Error("something is written without a lock")
			}
		})
	}
}
