package cook_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/recipes"
)

// A branch is the state of an asset tree in version control.
type branch struct {
	texts  map[string]string // contents by path, including the file of IDs
	assets map[string]int    // asset numbers by path
}

// An idTree is an asset tree with IDs, and a model of the tree.
type idTree struct {
	*rapid.T
	dir      string
	assets   map[string]int // asset numbers by path
	ids      map[int]string // IDs by asset number
	made     int            // number of assets and contents made so far
	branches []branch
}

// TestIDsStay expects IDs to survive renames on all branches, and to equal the IDs of a cook from
// scratch.
func TestIDsStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "ids")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		tree := &idTree{T: t, dir: dir, assets: map[string]int{}, ids: map[int]string{}}
		tree.write("cook.toml", "[[rule]]\nmatch = \"*.list\"\nrecipe = \"list\"\noutput = \"{stem}.names\"\n")
		tree.write("ids.list", `{{range artifacts "*.txt"}}{{.Source}} {{.ID}}{{"\n"}}{{end}}`)
		for range rapid.IntRange(2, 6).Draw(t, "cooks") {
			if len(tree.branches) > 0 && rapid.IntRange(0, 2).Draw(t, "switch") == 0 {
				tree.checkOut(rapid.SampledFrom(tree.branches).Draw(t, "branch"))
				tree.cookTwice(true)
				continue
			}
			tree.edit()
			tree.cookTwice(false)
			tree.branches = append(tree.branches, branch{tree.texts(), maps.Clone(tree.assets)})
		}
	})
}

// edit makes, edits, removes and renames assets and directories. Between two cooks, each asset has
// at most one edit, and no asset takes the path of a known asset.
func (t *idTree) edit() {
	paths := []string{"a.txt", "A.txt", "b.txt", "d/a.txt", "d/b.txt", "e/a.txt", "e/b.txt"}
	before := maps.Clone(t.assets)
	touched := map[int]bool{}
	rename := func(from, to string) {
		if _, taken := t.assets[to]; taken || before[to] != 0 || before[from] == 0 || before[from] != t.assets[from] || touched[before[from]] {
			return
		}
		t.must(os.MkdirAll(filepath.Dir(t.at(to)), 0o777))
		t.must(os.Rename(t.at(from), t.at(to)))
		t.assets[to] = t.assets[from]
		touched[t.assets[to]] = true
		delete(t.assets, from)
	}
	for range rapid.IntRange(1, 4).Draw(t.T, "edits") {
		what := rapid.SampledFrom([]string{"make", "make", "edit", "remove", "rename", "rename", "rename directory"}).Draw(t.T, "what")
		choice := paths
		if what != "make" && len(t.assets) > 0 {
			choice = slices.Sorted(maps.Keys(t.assets))
		}
		p := rapid.SampledFrom(choice).Draw(t.T, "path")
		switch asset := t.assets[p]; {
		case what == "make" && asset == 0 && before[p] == 0:
			t.made++
			t.assets[p] = t.made
			touched[t.made] = true
			t.write(p, fmt.Sprint("asset ", t.made))
		case what == "edit" && asset != 0 && !touched[asset]:
			t.made++
			touched[asset] = true
			t.write(p, fmt.Sprint("content ", t.made))
		case what == "remove" && asset != 0 && !touched[asset]:
			t.must(os.Remove(t.at(p)))
			touched[asset] = true
			delete(t.assets, p)
		case what == "rename":
			rename(p, rapid.SampledFrom(paths).Draw(t.T, "to"))
		case what == "rename directory":
			for _, p := range slices.Sorted(maps.Keys(t.assets)) {
				if rest, ok := strings.CutPrefix(p, "d/"); ok {
					rename(p, "e/"+rest)
				} else if rest, ok := strings.CutPrefix(p, "e/"); ok {
					rename(p, "f/"+rest)
				} else if rest, ok := strings.CutPrefix(p, "f/"); ok {
					rename(p, "d/"+rest)
				}
			}
		}
	}
}

// checkOut replaces the tree with a branch.
func (t *idTree) checkOut(b branch) {
	for p := range t.texts() {
		t.must(os.Remove(t.at(p)))
	}
	for p, text := range b.texts {
		t.write(p, text)
	}
	t.assets = maps.Clone(b.assets)
}

// cookTwice cooks twice and once from scratch, and compares the IDs with the model. Only the first
// cook may change the file of IDs, unless the tree is a branch.
func (t *idTree) cookTwice(isBranch bool) {
	was := t.texts()["assets.ids"]
	t.cook("cooked")
	recorded := t.texts()["assets.ids"]
	if isBranch && recorded != was {
		t.Fatalf("the file of IDs of a branch was\n%sand is\n%s", was, recorded)
	}
	listed := t.listed("cooked")
	owners := map[string]string{}
	var want strings.Builder
	for _, p := range slices.Sorted(maps.Keys(listed)) {
		id := listed[p]
		if other := owners[id]; other != "" || id == "" {
			t.Fatalf("%s has the ID %q, and so has %s", p, id, other)
		}
		owners[id] = p
		if asset := t.assets[p]; asset != 0 {
			if known := t.ids[asset]; known != "" && known != id {
				t.Fatalf("asset %d at %s had the ID %s, has %s; recorded is\n%s", asset, p, known, id, recorded)
			}
			t.ids[asset] = id
			fmt.Fprintf(&want, "%s %s\n", p, id)
		}
	}
	text, err := os.ReadFile(filepath.Join(t.dir, "cooked", "ids.names"))
	if t.must(err); string(text) != want.String() {
		t.Fatalf("the list has\n%swant\n%s", text, want.String())
	}
	outs := []string{"cooked", "scratch"}
	if rapid.Bool().Draw(t.T, "other directory") {
		outs = append(outs, "seldom")
	}
	for _, out := range outs {
		s := t.cook(out)
		if out == "cooked" && s.UpToDate() != s.Found.Assets {
			t.Fatalf("cooked again: %s", s.String())
		}
		if now := t.texts()["assets.ids"]; now != recorded {
			t.Fatalf("a cook into %s recorded\n%sthere was\n%s", out, now, recorded)
		}
		if !maps.Equal(t.listed(out), listed) {
			t.Fatalf("a cook into %s has the IDs\n%v\nwant\n%v", out, t.listed(out), listed)
		}
	}
	t.must(os.RemoveAll(filepath.Join(t.dir, "scratch")))
}

func (t *idTree) cook(out string) cook.Summary {
	s, err := cook.Cook(t.Context(), cook.Project{
		Dir: t.at("."), Out: filepath.Join(t.dir, out), Cache: filepath.Join(t.dir, "store"), Recipes: recipes.All(), Engine: "own", IDs: true,
	}, cook.CookOptions{})
	if err == nil && s.Failures() > 0 {
		err = errors.New(s.String())
	}
	t.must(err)
	return s
}

// listed returns the ID of each source in a manifest.
func (t *idTree) listed(out string) map[string]string {
	ids := map[string]string{}
	load := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(t.dir, out, name)) }
	root, err := load(manifest.Name)
	t.must(err)
	for asset, err := range manifest.Read(root, load) {
		t.must(err)
		ids[asset.Source] = asset.ID
	}
	return ids
}

func (t *idTree) at(p string) string { return filepath.Join(t.dir, "assets", filepath.FromSlash(p)) }

func (t *idTree) write(p, text string) {
	t.must(os.MkdirAll(filepath.Dir(t.at(p)), 0o777))
	t.must(os.WriteFile(t.at(p), []byte(text), 0o666))
}

func (t *idTree) texts() map[string]string {
	texts := map[string]string{}
	t.must(fs.WalkDir(os.DirFS(t.at(".")), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(t.at(p))
		texts[path.Clean(p)] = string(data)
		return err
	}))
	return texts
}

func (t *idTree) must(err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
