//go:build unix

package scan

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// plantLinks creates files and links. In the target of a link, BASE means the parent of the asset
// directory.
func plantLinks(t *testing.T, base string, files map[string]string) {
	t.Helper()
	real, err := filepath.EvalSymlinks(base)
	if err != nil {
		t.Fatal(err)
	}
	filled := map[string]string{}
	for path, content := range files {
		filled[path] = strings.ReplaceAll(content, "BASE", real)
	}
	plant(t, base, filled)
}

func TestLinksAreResolvedOrProblems(t *testing.T) {
	tests := []struct {
		name    string
		files   map[string]string // files in addition to "outside/f" and "assets/a"
		exclude []string
		entries []string // expected entries in addition to "a"
		probs   []string
	}{
		{"to a file", map[string]string{"assets/d/l": "-> ../a"}, nil, []string{"d/l"}, nil},
		{"chain", map[string]string{"assets/l": "-> m", "assets/m": "-> d/n", "assets/d/n": "-> ../a"}, nil, []string{"d/n", "l", "m"}, nil},
		{"absolute, inside", map[string]string{"assets/l": "-> BASE/assets/a"}, nil, []string{"l"}, nil},
		{"out and in again", map[string]string{"assets/l": "-> ../assets/a", "assets/m": "-> ../side/a", "side": "-> assets"}, nil, []string{"l", "m"}, nil},
		{"absolute, outside", map[string]string{"assets/l": "-> BASE/outside/f"}, nil, nil, []string{"l: escape"}},
		{"relative, outside", map[string]string{"assets/l": "-> ../outside/f"}, nil, nil, []string{"l: escape"}},
		{"directory outside", map[string]string{"assets/l": "-> ../outside"}, nil, nil, []string{"l: escape"}},
		{"name that begins alike", map[string]string{"assets2/f": "", "assets/l": "-> ../assets2/f"}, nil, nil, []string{"l: escape"}},
		{"outside by a second link", map[string]string{"assets/l": "-> m", "assets/m": "-> ../outside/f"}, nil, nil, []string{"l: escape", "m: escape"}},
		{"outside, and not there", map[string]string{"assets/l": "-> ../outside/nope"}, nil, nil, []string{"l: dangling"}},
		{"dangling", map[string]string{"assets/l": "-> nope", "assets/m": "-> a/nope", "assets/n": "-> BASE/assets/nope"}, nil, nil,
			[]string{"l: dangling", "m: dangling", "n: dangling"}},
		{"circle of links", map[string]string{"assets/l": "-> m", "assets/m": "-> l", "assets/s": "-> s"}, nil, nil,
			[]string{"l: dangling", "m: dangling", "s: dangling"}},
		{"to a directory", map[string]string{"assets/d/e/f": "", "assets/l": "-> d"}, nil, []string{"d/e/f", "l/e/f"}, nil},
		{"to the directory itself", map[string]string{"assets/d/l": "-> ."}, nil, nil, []string{"d/l: loop"}},
		{"to a directory above", map[string]string{"assets/d/e/l": "-> ../../d"}, nil, nil, []string{"d/e/l: loop"}},
		{"to the root", map[string]string{"assets/d/l": "-> BASE/assets", "assets/m": "-> ."}, nil, nil, []string{"d/l: loop", "m: loop"}},
		{"directory that begins alike", map[string]string{"assets/d2/l": "-> ../d", "assets/d/f": ""}, nil, []string{"d/f", "d2/l/f"}, nil},
		{"directory link in a linked directory", map[string]string{"assets/d/l": "-> ../e", "assets/e/f": "", "assets/k": "-> d"}, nil,
			[]string{"d/l/f", "e/f"}, []string{"k/l: nested"}},
		{"file link in a linked directory", map[string]string{"assets/d/l": "-> ../a", "assets/k": "-> d"}, nil, []string{"d/l", "k/l"}, nil},
		{"two directories that link to each other", map[string]string{"assets/d/l": "-> ../e", "assets/e/l": "-> ../d"}, nil, nil,
			[]string{"d/l/l: nested", "e/l/l: nested"}},
		{"to junk", map[string]string{"assets/b~": "", "assets/l": "-> b~", "assets/.git/x": "", "assets/g": "-> .git"}, nil, []string{"g/x", "l"}, nil},
		{"to what is ignored", map[string]string{"assets/b.x": "", "assets/d.x/f": "", "assets/l": "-> b.x", "assets/m": "-> d.x", "assets/.cookignore": "*.x\n"}, nil,
			[]string{"l", "m/f"}, nil},
		{"rules are for the link's path", map[string]string{"assets/d/f": "", "assets/d/g": "", "assets/l": "-> d", "assets/m": "-> a", "assets/.cookignore": "/l/f\n/m\n"}, nil,
			[]string{"d/f", "d/g", "l/g"}, nil},
		{"a linked directory is a directory to the rules", map[string]string{"assets/d/f": "", "assets/l": "-> d", "assets/m": "-> a", "assets/.cookignore": "l/\nm/\n"}, nil,
			[]string{"d/f", "m"}, nil},
		{"rules in a linked directory", map[string]string{"assets/d/f": "", "assets/d/.cookignore": "/f\n", "assets/d/g": "", "assets/l": "-> d"}, nil, []string{"d/g", "l/g"}, nil},
		{"ignored trouble is no trouble", map[string]string{"assets/l": "-> nope", "assets/m": "-> ..", "assets/.cookignore": "l\nm\n"}, nil, nil, nil},
		{"junk links", map[string]string{"assets/.#a": "-> user@host.1:2", "assets/.git": "-> ../outside"}, nil, nil, nil},
		{"ignore file by link", map[string]string{"assets/d/.cookignore": "-> ../a", "assets/d/f": ""}, nil, nil, []string{"d/.cookignore: bad ignore file"}},
		{"into the output", map[string]string{"assets/out/f": "", "assets/l": "-> out/f", "assets/m": "-> ../far/d", "far/d/f": ""}, []string{"assets/out", "far"}, nil,
			[]string{"l: escape", "m: escape"}},
		{"to the output", map[string]string{"assets/out/f": "", "assets/l": "-> out", "assets/m": "-> ../far", "far/f": ""}, []string{"assets/out", "far"}, nil, nil},
		{"output given by its link", map[string]string{"assets/out": "-> ../far", "far/f": ""}, []string{"assets/out"}, nil, nil},
		{"output given through a link", map[string]string{"assets/out/f": "", "side": "-> assets"}, []string{"side/out"}, nil, nil},
		{"output below a linked directory", map[string]string{"assets/d/out/f": "", "assets/d/g": "", "assets/l": "-> d"}, []string{"assets/d/out"}, []string{"d/g", "l/g"}, nil},
		{"output that is not there yet", map[string]string{"assets/l": "-> out/x"}, []string{"assets/out"}, nil, []string{"l: dangling"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base := t.TempDir()
			plantLinks(t, base, map[string]string{"outside/f": "secret", "assets/a": "12345"})
			plantLinks(t, base, tt.files)
			var opt Options
			for _, e := range tt.exclude {
				opt.Exclude = append(opt.Exclude, filepath.Join(base, e))
			}
			wantTree(t, walk(t, filepath.Join(base, "assets"), opt), append([]string{"a"}, tt.entries...), nil, tt.probs)
		})
	}
}

func TestLinkHasTheStampOfItsTarget(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a": "12345", "d/l": "-> ../a", "e/cook.toml": "-> ../a"})
	tree := walk(t, dir, Options{})
	wantTree(t, tree, []string{"a", "d/l"}, []string{"e/cook.toml"}, nil)
	if a := tree.Entries[0].Stamp; tree.Entries[1].Stamp != a || tree.Configs[0].Stamp != a || a.Size != 5 {
		t.Errorf("got %+v and %+v", tree.Entries, tree.Configs)
	}
}

func TestRootMayBeALink(t *testing.T) {
	base := t.TempDir()
	plantLinks(t, base, map[string]string{"assets/a": "", "assets/l": "-> BASE/link/a", "link": "-> assets", "assets/out/f": ""})
	tree := walk(t, filepath.Join(base, "link"), Options{Exclude: []string{filepath.Join(base, "link", "out")}})
	wantTree(t, tree, []string{"a", "l"}, nil, nil)
}

// TestVanishedLinkIsAbsent removes a link after its lstat.
func TestVanishedLinkIsAbsent(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a": "", "d/l": "-> ../a"})
	tree, err := scanWith(dir, 1, func(root *os.Root, rel string) (folder, error) {
		f, err := openFolder(root, rel)
		return swapping{f, "l", func() error { return os.Remove(filepath.Join(dir, "d", "l")) }}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	wantTree(t, tree, []string{"a"}, nil, nil)
}

// swapping changes the tree after the lstat of a given name.
type swapping struct {
	folder
	name string
	swap func() error
}

func (s swapping) lstat(name string) (Stamp, error) {
	st, err := s.folder.lstat(name)
	if name == s.name && err == nil {
		err = s.swap()
	}
	return st, err
}

// TestMessageNamesTheLinksTarget checks that messages distinguish broken links from links to the
// outside.
func TestMessageNamesTheLinksTarget(t *testing.T) {
	base := t.TempDir()
	plantLinks(t, base, map[string]string{
		"outside/f": "secret", "assets/a": "-> nope", "assets/b": "-> ../outside/nope", "assets/c": "-> ../outside/f",
		"assets/d": "-> d", "assets/e": "-> a", "assets/f": "-> no\npe",
	})
	var got []string
	for _, p := range walk(t, filepath.Join(base, "assets"), Options{}).Problems {
		got = append(got, strings.ReplaceAll(p.Error(), base, "BASE"))
	}
	want := []string{
		"a: link is broken: nope does not exist; repair or remove the link",
		"b: link is broken: ../outside/nope does not exist, and would be outside of the asset directory; repair or remove the link",
		"c: link leads out of the asset directory: target BASE/outside/f; copy the target into the asset directory",
		"d: link is broken: the target d is a link that leads back to this link; repair or remove the link",
		"e: link is broken: the target a is a link to a missing file; repair or remove the link",
		`f: link is broken: "no\npe" does not exist; repair or remove the link`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
