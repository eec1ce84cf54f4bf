package pathname

import (
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
