package scan

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestCachesAreLeftOut checks that caches are skipped and reported. A tag needs the right content,
// and has no effect in the root.
func TestCachesAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	tag := cacheSignature + "\n# by some program\n"
	plant(t, dir, map[string]string{
		"CACHEDIR.TAG": tag, "a.txt": "a",
		"cooked/CACHEDIR.TAG": tag, "cooked/a.txt": "a", "cooked/x/b.txt": "b", "cooked/cook.toml": "",
		"old/.cook/owner": "..", "old/b.txt": "b",
		"served/.cook": "cook: \"../x\"\n", "served/b.txt": "b",
		"plain/CACHEDIR.TAG": "Signature: other\n", "plain/c.txt": "c",
		"short/CACHEDIR.TAG": cacheSignature[:20], "tagged/CACHEDIR.TAG/d.txt": "d",
		"kept/.cook/notes": "", "kept/.cookignore": "", "kept/e.txt": "e",
	})
	tree := walk(t, dir, Options{})
	want := []string{"CACHEDIR.TAG", "a.txt", "kept/e.txt", "plain/CACHEDIR.TAG", "plain/c.txt", "short/CACHEDIR.TAG", "tagged/CACHEDIR.TAG/d.txt"}
	if got := paths(tree.Entries); !slices.Equal(got, want) {
		t.Errorf("assets %q, want %q", got, want)
	}
	var left []string
	for _, p := range tree.Problems {
		left = append(left, p.Path+" "+p.Kind.String())
		if p.Fatal() {
			t.Errorf("%v fails the run", p)
		}
	}
	if want := []string{"cooked cache", "old cooked", "served cooked"}; !slices.Equal(left, want) || len(tree.Configs) != 0 {
		t.Errorf("left out %q and rules %v, want %q", left, tree.Configs, want)
	}
}

// TestDirectoriesOfPossibleTagsAreListedAgain edits a file with the name of a tag. Its directory
// must be odd, because its stamp does not reveal such edits.
func TestDirectoriesOfPossibleTagsAreListedAgain(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x", CacheTag)
	plant(t, dir, map[string]string{"x/a.txt": "a", "x/" + CacheTag: "no tag"})
	for _, text := range []string{"no tag", cacheSignature} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, f := range walk(t, dir, Options{}).Folders {
			if f.Path == "x" && !f.Odd {
				t.Errorf("the directory would not be listed again after %q", text)
			}
		}
	}
}
