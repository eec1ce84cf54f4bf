package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindLooksOnPathOrAmongAssets(t *testing.T) {
	assets, bin := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "paint.exe"), nil, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	for name, want := range map[string]string{
		"paint.exe":     filepath.Join(bin, "paint.exe"),
		"./x/tool.sh":   filepath.Join(assets, "x", "tool.sh"),
		"../up":         filepath.Join(filepath.Dir(assets), "up"),
		assets + "/abs": assets + "/abs",
	} {
		if got, err := Find(assets, name); err != nil || got != want {
			t.Errorf("Find(%q) = %q, %v; want %q", name, got, err, want)
		}
	}
	if _, err := Find(assets, "no-such-program"); err == nil || !strings.Contains(err.Error(), "not on PATH") {
		t.Errorf("error %v", err)
	}
}
