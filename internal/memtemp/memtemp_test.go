package memtemp

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestTMPDIRHasPrecedence expects temporary directories in TMPDIR if it is set. Otherwise they may
// be in memory.
func TestTMPDIRHasPrecedence(t *testing.T) {
	chosen := t.TempDir()
	t.Setenv("TMPDIR", chosen)
	Use()
	if got := os.Getenv("TMPDIR"); got != chosen {
		t.Errorf("TMPDIR is %q, want the chosen directory %q", got, chosen)
	}

	os.Unsetenv("TMPDIR") // t.Setenv restores the variable
	before := os.TempDir()
	Use()
	if runtime.GOOS != "linux" {
		if got := os.TempDir(); got != before {
			t.Errorf("directories are in %s, want %s", got, before)
		}
		return
	}
	made, err := os.MkdirTemp("", "memtemp")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(made)
	if at := filepath.Dir(made); at != before && at != "/dev/shm" {
		t.Errorf("the directory is in %s, want %s or /dev/shm", at, before)
	}
}

func TestDirIsRemovedAfterTheTest(t *testing.T) {
	var made string
	t.Run("made", func(t *testing.T) {
		made = Dir(t)
		if err := os.WriteFile(filepath.Join(made, "file"), nil, 0o666); err != nil {
			t.Error(err)
		}
	})
	if _, err := os.Stat(made); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", made, err)
	}
}
