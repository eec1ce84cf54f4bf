package oracle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDiffListsMissingDifferentAndSuperfluousPaths(t *testing.T) {
	want := Tree{"same": "1", "gone": "2", "other": "3", "d/": ""}
	got := Tree{"same": "1", "other": "4", "new": "5", "d/": ""}
	if d := want.Diff(want); d != "" {
		t.Errorf("tree differs from itself: %s", d)
	}
	if d, say := want.Diff(got), "missing gone\nother differs: \"4\", want \"3\"\nsuperfluous new"; d != say {
		t.Errorf("got %q, want %q", d, say)
	}
}

func TestReadTreeSeesEverything(t *testing.T) {
	dir := t.TempDir()
	if err := Sample(dir); err != nil {
		t.Fatal(err)
	}
	before, err := ReadTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "notes", "readme.txt")
	for what, edit := range map[string]func() error{
		"content":         func() error { return os.WriteFile(file, []byte("another text"), 0o666) },
		"mode":            func() error { return os.Chmod(file, 0o400) },
		"empty directory": func() error { return os.Mkdir(filepath.Join(dir, "empty"), 0o777) },
		"gone":            func() error { return os.Remove(file) },
	} {
		if err := edit(); err != nil {
			t.Fatal(err)
		}
		after, err := ReadTree(dir)
		if err != nil {
			t.Fatal(err)
		}
		if before.Diff(after) == "" {
			t.Errorf("%s: no difference", what)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := Sample(dir); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for name := range before {
		if !strings.HasSuffix(name, "/") {
			n++
		}
	}
	if n != Assets+1 { // the count includes cook.toml
		t.Errorf("the sample contains %d files, want %d assets and cook.toml", n, Assets)
	}
}
