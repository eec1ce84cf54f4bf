package pathname

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestIsAbsent(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"none", "none/none", "file/none", strings.Repeat("n", 300)} {
		if _, err := os.Lstat(filepath.Join(dir, name)); !IsAbsent(err) {
			t.Errorf("%.20s: %v", name, err)
		}
	}
	for _, err := range []error{nil, os.ErrPermission, errors.New("input/output error")} {
		if IsAbsent(err) {
			t.Errorf("%v", err)
		}
	}
}
