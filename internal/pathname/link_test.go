package pathname

import (
	"testing"

	"pgregory.net/rapid"
)

func TestLink(t *testing.T) {
	for _, name := range []string{"a", "a/b", "@", "a.", "a->", "/abs/l"} {
		link := Link(name)
		of, ok := CutLink(link)
		if !ok || of != name || IsArtifacts(link) || PresenceOnly(link) || FileOf(link) != name || Plain(link) != name+" (link)" {
			t.Errorf("%q: %q %v, artifacts %v, of %q, shown as %q", name, of, ok, IsArtifacts(link), FileOf(link), Plain(link))
		}
	}
	for _, name := range []string{"", "a", Link(""), Listing("a", "*", false), Listing(".", "->", false), Listing("a", "->", false), Presence("a"), Artifacts("pc", []string{"->"}), Extracted{"a", "m.1", "x"}.Path()} {
		if of, ok := CutLink(name); ok {
			t.Errorf("%q is the link %q", name, of)
		}
	}
}

// The path of a link is never also the path of another kind.
func TestLinkIsUnambiguous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := string(rapid.SliceOfN(rapid.SampledFrom([]byte("a./\x00@->")), 0, 12).Draw(t, "path"))
		_, link := CutLink(name)
		_, extract := CutExtract(name)
		_, listing := CutListing(name)
		if link && (extract || listing || IsArtifacts(name)) {
			t.Fatalf("%q: extract %v, listing %v, artifacts %v", name, extract, listing, IsArtifacts(name))
		}
	})
}
