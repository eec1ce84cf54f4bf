package pathname

import (
	"slices"
	"testing"
)

func TestListing(t *testing.T) {
	for _, tc := range []struct {
		folder, pattern string
		ofFolders       bool
		path, shown     string
	}{
		{".", "*.x", false, ".\x00*.x", "*.x"},
		{"a/b", "*", true, "a/b/.\x00*\x00", "a/b/*/"},
		{"/", "*.x", false, "/.\x00*.x", "/*.x"},
		{"/a", "?", false, "/a/.\x00?", "/a/?"},
		{"a/b", "", false, "a/b/.\x00", "a/b/"},
		{".", "", false, ".\x00", "./"},
		{"../a", "*", false, "../a/.\x00*", "../a/*"},
	} {
		p := Listing(tc.folder, tc.pattern, tc.ofFolders)
		l, ok := CutListing(p)
		if p != tc.path || !ok || l != (Listed{tc.folder, tc.pattern, tc.ofFolders}) || Show(p) != tc.shown {
			t.Errorf("%+v: %q, %+v, %v, shown as %s", tc, p, l, ok, Show(p))
		}
	}
	for _, p := range []string{"", ".", "a", "a/.", "\x00a", "a.\x00b", "a/.\x00\x00", ".\x00a/b", ".\x00a\x00b", "x\x00y/.\x00"} {
		if l, ok := CutListing(p); ok {
			t.Errorf("%q: %+v", p, l)
		}
	}
}

func TestIDs(t *testing.T) {
	for _, patterns := range [][]string{{"**"}, {"a b", "!/c"}, {""}} {
		artifacts := Artifacts("pc", patterns)
		ids := IDs(artifacts)
		target, cut, ok := CutArtifacts(ids)
		if IsIDs(artifacts) || !IsIDs(ids) || !IsArtifacts(ids) || target != "pc" || !slices.Equal(cut, patterns) || !ok {
			t.Errorf("%q: IDs %v %v of %q %q", patterns, IsIDs(artifacts), IsIDs(ids), target, cut)
		}
	}
	if IsIDs("a\x00") || IsIDs(Listing("a", "*", true)) {
		t.Error("other paths are IDs")
	}
}
