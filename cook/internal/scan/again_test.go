package scan

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// at returns a Folder for each path, reached without links.
func at(paths ...string) []Folder {
	var list []Folder
	for _, p := range paths {
		list = append(list, Folder{Path: p, Real: p})
	}
	return list
}

// knowing returns a function for the argument known. It returns true for the given directories, and
// records its calls in asked.
func knowing(asked *[]string, folders ...Folder) func(Folder) bool {
	return func(f Folder) bool {
		*asked = append(*asked, folderLines([]Folder{f})...)
		return slices.ContainsFunc(folders, func(k Folder) bool { return k.place() == f.place() })
	}
}

func TestAgainListsOnlyUnknownDirectories(t *testing.T) {
	files := map[string]string{
		"a": "", "cook.toml": "", ".cookignore": "*.x\n/ignored/\n!keep.x\n",
		"d/a": "", "d/b.x": "", "d/keep.x": "", "d/e/a": "", "d/e/cook.toml": "", "d/e/f/a": "", "d/e/f/g/a": "",
		"d/.cookignore": "/e/f/a\n", "d-/a": "", "ignored/a": "", "junk/.git/a": "", "junk/a": "", "out/a": "", "z/a": "", "z/y/a": "",
		"bad/.cookignore/": "", "bad/sub/a": "", "file": "",
	}
	all := []string{"", "bad", "d-", "d", "d/e", "d/e/f", "d/e/f/g", "junk", "z", "z/y"}
	tests := []struct {
		name    string
		dirs    []Folder
		known   []Folder
		folders []string
		asked   []string
		entries []string
		probs   []string
	}{
		{"nothing", nil, nil, nil, nil, nil, nil},
		{"leaf", at("z/y"), at(all...), []string{"z/y"}, nil, []string{"z/y/a"}, nil},
		{"with known below", at("d"), at(all...), []string{"d"}, []string{"d/e"}, []string{"d/a", "d/keep.x"}, nil},
		{"with unknown below", at("d"), nil, []string{"d", "d/e", "d/e/f", "d/e/f/g"}, []string{"d/e", "d/e/f", "d/e/f/g"},
			[]string{"d/a", "d/e/a", "d/e/f/g/a", "d/keep.x"}, nil},
		{"rules from above", at("d/e/f"), at(all...), []string{"d/e/f"}, []string{"d/e/f/g"}, nil, nil},
		{"met, not asked", at("d", "d/e"), at(all...), []string{"d", "d/e"}, []string{"d/e/f"}, []string{"d/a", "d/e/a", "d/keep.x"}, nil},
		{"known in between", at("d", "d/e/f/g"), at(all...), []string{"d", "d/e/f/g"}, []string{"d/e"}, []string{"d/a", "d/e/f/g/a", "d/keep.x"}, nil},
		{"unknown in between", at("d", "d/e/f/g"), nil, []string{"d", "d/e", "d/e/f", "d/e/f/g"}, []string{"d/e", "d/e/f"},
			[]string{"d/a", "d/e/a", "d/e/f/g/a", "d/keep.x"}, nil},
		{"given twice, in any order", at("z/y", "d/e", "z/y", "z", "d-"), at(all...), []string{"d-", "d/e", "z", "z/y"}, []string{"d/e/f"},
			[]string{"d-/a", "d/e/a", "z/a", "z/y/a"}, nil},
		{"root", at(""), at(all...), []string{""}, []string{"bad", "d", "d-", "junk", "z"}, []string{"a", "file"}, nil},
		{"root, but one", at(""), at(all[1:6]...), []string{"", "junk", "z", "z/y"}, []string{"bad", "d", "d-", "junk", "z", "z/y"},
			[]string{"a", "file", "junk/a", "z/a", "z/y/a"}, nil},
		{"gone", at("nope", "nope/x", "d/nope", "z/y"), at(all...), []string{"z/y"}, nil, []string{"z/y/a"}, nil},
		{"file", at("file", "d/a", "file/x"), at(all...), nil, nil, nil, nil},
		{"not part of the tree", at("ignored", "junk/.git", "out", "z/y"), at(all...), []string{"z/y"}, nil, []string{"z/y/a"}, nil},
		{"bad ignore file", at("bad"), at(all...), []string{"bad odd"}, nil, nil, []string{"bad/.cookignore: bad ignore file"}},
		{"bad ignore file above", at("bad/sub", "z/y"), at(all...), []string{"z/y"}, nil, []string{"z/y/a"}, []string{"bad/.cookignore: bad ignore file"}},
		{"lies elsewhere", []Folder{{Path: "d", Real: "z"}, {Path: "", Real: "z"}, {Path: "z", Real: ""}, {Path: "d", Real: "../x"}}, at(all...), nil, nil, nil, nil},
		{"no path of a walk", at("/", "d/", "/d", "d//e", ".", "..", "d/..", "d/../z", "./z", "z\x00", "\x00"), at(all...), nil, nil, nil, nil},
	}
	dir := t.TempDir()
	plant(t, dir, files)
	opt := Options{Workers: 1, Exclude: []string{filepath.Join(dir, "out")}}
	whole, err := walkRoot(context.Background(), dir, opt, openTrusting, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all, pathsOf(whole.Folders)); diff != "" {
		t.Fatal(diff)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asked := []string{}
			tree, err := relist(context.Background(), dir, opt, tt.dirs, knowing(&asked, tt.known...), openTrusting)
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(asked)
			for _, c := range []struct {
				what      string
				got, want []string
			}{{"folders", folderLines(tree.Folders), tt.folders}, {"asked", asked, tt.asked}, {"entries", paths(tree.Entries), tt.entries}, {"problems", problems(tree), tt.probs}} {
				if diff := cmp.Diff(c.want, c.got, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s (-want +got):\n%s", c.what, diff)
				}
			}
			listed := pathsOf(tree.Folders)
			for _, c := range []struct {
				what      string
				got, from []Entry
			}{{"configs", tree.Configs, whole.Configs}, {"ignore files", tree.Ignores, whole.Ignores}} {
				want := slices.DeleteFunc(slices.Clone(c.from), func(e Entry) bool { return !slices.Contains(listed, slashParent(e.Path)) })
				if diff := cmp.Diff(want, c.got, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s (-want +got):\n%s", c.what, diff)
				}
			}
			if tree.Listed != int64(len(tt.folders)) {
				t.Errorf("%d directories listed, want %d", tree.Listed, len(tt.folders))
			}
		})
	}
}

func pathsOf(folders []Folder) []string {
	list := []string{}
	for _, f := range folders {
		list = append(list, f.Path)
	}
	return list
}

// TestAgainListsNothingElse counts the system calls of Again. It must make no calls for directories
// that it neither lists nor passes through.
func TestAgainListsNothingElse(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a": "", "b": "", "c/a": "", "d/a": "", "d/b": "", "d/e/a": "", "d/e/f/a": "", "d/e/f/b": "", "d/g/a": ""})
	var listed, asked atomic.Int64
	tree, err := relist(context.Background(), dir, Options{}, at("d/e/f", "d/g"), nil, func(root *os.Root, rel string) (folder, error) {
		f, err := openTrusting(root, rel)
		return counting{onList{f, func() { listed.Add(1) }}, func() { asked.Add(1) }}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	wantTree(t, tree, []string{"d/e/f/a", "d/e/f/b", "d/g/a"}, nil, nil)
	// These are four directories (d, d/e, d/e/f and d/g), three files, and three possible ignore
	// files (in the root, d and d/e).
	if asked.Load() != 4+3+3 || tree.Stats != asked.Load() {
		t.Errorf("%d lstats, but Stats is %d", asked.Load(), tree.Stats)
	}
	if listed.Load() != 2 || tree.Listed != 2 {
		t.Errorf("%d directories listed, but Listed is %d", listed.Load(), tree.Listed)
	}
}

// onList calls a function each time names of a directory were read.
type onList struct {
	folder
	tell func()
}

func (l onList) Readdirnames(n int) ([]string, error) {
	names, err := l.folder.Readdirnames(n)
	if len(names) > 0 {
		l.tell()
	}
	return names, err
}

func TestUnreadableDirectoryIsAProblemAgain(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"d/e/f/a": "", "z/a": ""})
	for _, tt := range []struct {
		at      string
		err     error
		folders []string
		probs   []string
	}{
		{"d/e", fs.ErrPermission, []string{"z"}, []string{"d/e: unreadable"}},
		{"d/e", fs.ErrNotExist, []string{"z"}, nil},
		{"d/e/f", fs.ErrPermission, []string{"d/e/f odd", "z"}, []string{"d/e/f: unreadable"}},
		{"d/e/f", fs.ErrNotExist, []string{"z"}, nil},
	} {
		tree, err := relist(context.Background(), dir, Options{}, at("d/e/f", "z"), nil, func(root *os.Root, rel string) (folder, error) {
			if filepath.ToSlash(rel) == tt.at {
				return nil, tt.err
			}
			return openTrusting(root, rel)
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.folders, folderLines(tree.Folders)); diff != "" {
			t.Errorf("%s, %v (-want +got):\n%s", tt.at, tt.err, diff)
		}
		wantTree(t, tree, []string{"z/a"}, nil, tt.probs)
	}
}

func TestAgainFailsWithoutItsRoot(t *testing.T) {
	base := t.TempDir()
	plant(t, base, map[string]string{"out/assets/a": ""})
	ended, end := context.WithCancel(context.Background())
	end()
	closed := func(*os.Root, string) (folder, error) { return nil, fs.ErrPermission }
	assets := filepath.Join(base, "out", "assets")
	for _, tt := range []struct {
		name string
		ctx  context.Context
		root string
		opt  Options
		dirs []Folder
		open openFunc
		want error
	}{
		{"missing", context.Background(), filepath.Join(base, "nope"), Options{}, nil, openFolder, fs.ErrNotExist},
		{"inside the output", context.Background(), assets, Options{Exclude: []string{filepath.Join(base, "out")}}, at("d"), openFolder, errInsideExcluded},
		{"context", ended, assets, Options{}, at(""), openFolder, context.Canceled},
		{"root cannot be listed", context.Background(), assets, Options{}, at(""), closed, fs.ErrPermission},
		{"root cannot be passed", context.Background(), assets, Options{}, at("d"), closed, fs.ErrPermission},
	} {
		tree, err := relist(tt.ctx, tt.root, tt.opt, tt.dirs, nil, tt.open)
		if tree != nil || !errors.Is(err, tt.want) || !strings.HasPrefix(err.Error(), "scan ") {
			t.Errorf("%s: got %v, %v", tt.name, tree, err)
		}
	}
}

// TestKnownIsCalledByOneGoroutineAtATime relies on the race detector.
func TestKnownIsCalledByOneGoroutineAtATime(t *testing.T) {
	tree := fakeTree{}
	for _, d := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		for _, e := range []string{"1", "2", "3", "4"} {
			tree.add(d + "/" + e + "/f")
		}
	}
	asked := 0
	_, err := relist(context.Background(), t.TempDir(), Options{Workers: 8}, at(""), func(Folder) bool { asked++; return false }, tree.open)
	if err != nil || asked != 8+8*4 {
		t.Errorf("asked %d times, %v", asked, err)
	}
}
