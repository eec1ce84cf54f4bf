package pathname

import (
	"path"
	"path/filepath"
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
		t.Error("a relative name lies in an absolute folder")
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
