package state

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/internal/confine"
)

// settleIn opens the state of a new output directory and settles it.
func settleIn(t *testing.T, out, home string) (*Dir, bool, error) {
	t.Helper()
	if err := os.MkdirAll(out, 0o777); err != nil {
		t.Fatal(err)
	}
	dir, err := confine.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	d := Open(dir)
	t.Cleanup(d.Close)
	settled, err := d.Settle(home)
	return d, settled, err
}

// TestInterruptedSettleIsCompleted simulates a killed Settle, which leaves a state that the output
// directory does not name. The next Settle must find this state.
func TestInterruptedSettleIsCompleted(t *testing.T) {
	root := t.TempDir()
	out, home := filepath.Join(root, "out"), filepath.Join(root, "home")
	d, settled, err := settleIn(t, out, home)
	if err != nil || !settled {
		t.Fatal(settled, err)
	}
	if err := d.files.writeNew(historyName, []byte("runs")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(out, manifest.StateDir)); err != nil {
		t.Fatal(err)
	}
	d, settled, err = settleIn(t, out, home)
	if err != nil || !settled {
		t.Fatal(settled, err)
	}
	if text, err := d.files.readStateFile(historyName); err != nil || string(text) != "runs" {
		t.Errorf("history %q, %v", text, err)
	}
	if _, settled, err = settleIn(t, out, home); err != nil || settled {
		t.Errorf("a second time: %t, %v", settled, err)
	}
	if _, _, err = settleIn(t, filepath.Join(root, "other"), home); err == nil {
		t.Error("the state of another output directory was taken")
	}
}

// TestOtherFileSystemIsRefused checks that the state cannot be on another file system, and that no
// empty directory stays.
func TestOtherFileSystemIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no directory is certain to be on another drive")
	}
	other, err := os.MkdirTemp("/dev/shm", "settle")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(other) })
	here, err := os.MkdirTemp(".", "settle")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(here) })
	_, settled, err := settleIn(t, here, filepath.Join(other, ".cook-state", "out"))
	if err == nil {
		t.Skip("both are on one file system")
	}
	if settled || !errors.Is(err, ErrOtherFileSystem) {
		t.Errorf("%t, %v", settled, err)
	}
	if _, err := os.Lstat(filepath.Join(other, ".cook-state")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
}
