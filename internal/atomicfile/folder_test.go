package atomicfile

import (
	"path/filepath"
	"runtime"
	"testing"
)

func TestSyncFolder(t *testing.T) {
	dir := t.TempDir()
	if err := SyncFolder(dir); err != nil {
		t.Error(err)
	}
	// Where folders can be synced, one that is missing is an error.
	err := SyncFolder(filepath.Join(dir, "missing"))
	if (err == nil) != (runtime.GOOS == "windows") {
		t.Errorf("missing folder: %v", err)
	}
}
