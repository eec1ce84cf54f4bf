package pathname

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

func TestBelow(t *testing.T) {
	root, err := filepath.Abs("root")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"": ".", "a": "a", "a/b": "a/b", "a/../b": "b", "..a": "..a", "..": "", "../root2": "", "../root/x": "x", "a/../../b": "",
	} {
		rel, ok := Below(root, filepath.Join(root, filepath.FromSlash(name)))
		if rel != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", name, rel, ok, want)
		}
	}
	if _, ok := Below(root, "relative"); ok {
		t.Error("Below accepts a relative path in an absolute directory")
	}
}

func TestRelative(t *testing.T) {
	for _, tc := range []struct{ folder, file, want string }{
		{".", "a", "a"}, {".", ".", "."}, {"a", ".", ".."}, {"a", "a", "."}, {"a", "a/b", "b"}, {"a", "ab", "../ab"},
		{"a/b", "a/c/d", "../c/d"}, {"a/b", "a", ".."}, {"a/b/c", "d", "../../../d"},
	} {
		if got := Relative(tc.folder, tc.file); got != tc.want || path.Join(tc.folder, got) != tc.file {
			t.Errorf("Relative(%q, %q) = %q, want %q", tc.folder, tc.file, got, tc.want)
		}
	}
}

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
