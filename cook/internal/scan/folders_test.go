package scan

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// trusting trusts every file system, so that the tests work on any of them.
type trusting struct{ folder }

func (trusting) trusted() bool { return true }

func openTrusting(root *os.Root, rel string) (folder, error) {
	f, err := openFolder(root, rel)
	if err != nil {
		return nil, err
	}
	return trusting{f}, nil
}

// folderLines formats each directory as its path, followed by " -> " and its real path if that
// differs, and by " odd".
func folderLines(folders []Folder) []string {
	list := []string{}
	for _, f := range folders {
		line := f.Path
		if f.Path != f.Real {
			line += " -> " + f.Real
		}
		if f.Odd {
			line += " odd"
		}
		list = append(list, line)
	}
	return list
}

// TestSubdirectoriesFollowTheirParent checks that directories are sorted by path+"/".
func TestSubdirectoriesFollowTheirParent(t *testing.T) {
	name := rapid.StringOfN(rapid.RuneFrom([]rune("a!-.0/")), 1, 4, -1)
	path := rapid.Map(rapid.SliceOfN(name, 0, 3), func(names []string) string { return cleanSlashes(strings.Join(names, "/")) })
	key := func(path string) string {
		if path == "" {
			return ""
		}
		return path + "/"
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := path.Draw(t, "a"), path.Draw(t, "b")
		if rapid.Bool().Draw(t, "below") && a != "" {
			b = joinPath(a, "x")
		}
		if got, want := CompareFolders(a, b), strings.Compare(key(a), key(b)); got != want {
			t.Fatalf("%q and %q: got %d, want %d", a, b, got, want)
		}
	})
}

func TestDirectoriesAreListedInOrder(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{
		"a/b/y": "", "a/b/c/": "", "a-d/z": "", "a.d/z": "", "aa/z": "", "!x/": "", "b": "", "empty/too/": "",
		".git/x": "", "CVS/x": "", "out/x": "", "ignored/x": "", ".cookignore": "/ignored/\n", "e/.cookignore": "x", "a/.cookignore": "",
		"a-d/.cookignore": "!x",
	})
	for _, workers := range []int{1, 4} {
		tree, err := dirTrusting(dir, Options{Workers: workers, Exclude: []string{filepath.Join(dir, "out")}})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"", "!x", "a-d", "a.d", "a", "a/b", "a/b/c", "aa", "e", "empty", "empty/too"}
		if diff := cmp.Diff(want, folderLines(tree.Folders)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if !slices.IsSortedFunc(tree.Folders, func(a, b Folder) int { return CompareFolders(a.Path, b.Path) }) {
			t.Error("not in the order of CompareFolders")
		}
		if diff := cmp.Diff([]string{".cookignore", "a/.cookignore", "a-d/.cookignore", "e/.cookignore"}, paths(tree.Ignores)); diff != "" {
			t.Errorf("ignore files (-want +got):\n%s", diff)
		}
		for _, f := range tree.Folders {
			want := stampAt(t, dir, f.Real)
			want.Size = f.Stamp.Size // sizes of directories depend on the system
			if f.Stamp != want {
				t.Errorf("%q: got %+v, want %+v", f.Path, f.Stamp, want)
			}
		}
		for _, e := range tree.Ignores {
			if want := stampAt(t, dir, e.Path); e.Stamp != want {
				t.Errorf("%q: got %+v, want %+v", e.Path, e.Stamp, want)
			}
		}
		if tree.Listed != int64(len(want)) {
			t.Errorf("%d directories listed, want %d", tree.Listed, len(want))
		}
	}
}

// dirTrusting calls Dir, and trusts every file system.
func dirTrusting(root string, opt Options) (*Tree, error) {
	return walkRoot(context.Background(), root, opt, openTrusting, nil)
}

func stampAt(t testing.TB, dir, path string) Stamp {
	t.Helper()
	fi, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return StampOf(fi)
}

// TestDirectoryWithFaultIsOdd lists stamps that do not prove a listing.
func TestDirectoryWithFaultIsOdd(t *testing.T) {
	io5 := errors.New("input/output error")
	tests := []struct {
		name    string
		openErr error
		fault   faulty
		want    []string // lines of folderLines for d and the directories below
		rootOdd bool
		listed  int64
	}{
		{"none", nil, faulty{}, []string{"d", "d/e"}, false, 4},
		{"cannot be opened", fs.ErrPermission, faulty{}, []string{"d odd"}, false, 2},
		{"is gone", fs.ErrNotExist, faulty{}, nil, true, 2},
		{"listing breaks off", nil, faulty{broken: io5}, []string{"d odd"}, false, 2},
		{"file cannot be stat'ed", nil, faulty{failing: map[string]error{"b": io5}}, []string{"d odd", "d/e"}, false, 4},
		{"file is gone", nil, faulty{ghosts: []string{"ghost"}}, []string{"d odd", "d/e"}, false, 4},
		{"junk is gone", nil, faulty{ghosts: []string{"ghost~"}}, []string{"d odd", "d/e"}, false, 4},
		{"junk is not asked for", nil, faulty{ghosts: []string{".git"}}, []string{"d", "d/e"}, false, 4},
		{"ignore file is gone", nil, faulty{ghosts: []string{IgnoreName}}, []string{"d odd", "d/e"}, false, 4},
		{"ignore file cannot be stat'ed", nil, faulty{ghosts: []string{IgnoreName}, failing: map[string]error{IgnoreName: io5}}, []string{"d odd"}, false, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			plant(t, dir, map[string]string{"a": "", "d/b": "", "d/e/a": "", "z/a": ""})
			tree, err := scanWith(dir, 2, func(root *os.Root, rel string) (folder, error) {
				f, err := openTrusting(root, rel)
				if rel != "d" || err != nil {
					return f, err
				}
				if tt.openErr != nil {
					f.Close()
					return nil, tt.openErr
				}
				fault := tt.fault
				fault.folder = f
				return &fault, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			first := ""
			if tt.rootOdd {
				first = " odd"
			}
			want := append(append([]string{first}, tt.want...), "z")
			if diff := cmp.Diff(want, folderLines(tree.Folders)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if tree.Listed != tt.listed {
				t.Errorf("%d listed, want %d", tree.Listed, tt.listed)
			}
			if tt.openErr != nil && len(tt.want) > 0 && tree.Folders[1].Stamp != (Stamp{}) {
				t.Errorf("stamp of a directory that was not opened: %+v", tree.Folders[1].Stamp)
			}
		})
	}
}

// TestStampIsFromBeforeTheListing checks that a directory's stamp is taken before its names are
// read. A later stamp could include a name that the listing lacks.
func TestStampIsFromBeforeTheListing(t *testing.T) {
	var calls []string
	_, err := scanWith(t.TempDir(), 1, func(root *os.Root, rel string) (folder, error) {
		f, err := openTrusting(root, rel)
		return noting{f, &calls}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(calls) < 2 || calls[0] != "stat" || calls[1] != "list" {
		t.Errorf("calls: %v", calls)
	}
}

type noting struct {
	folder
	calls *[]string
}

func (n noting) stat() (Stamp, error) {
	*n.calls = append(*n.calls, "stat")
	return n.folder.stat()
}

func (n noting) Readdirnames(max int) ([]string, error) {
	*n.calls = append(*n.calls, "list")
	return n.folder.Readdirnames(max)
}

// TestDistrustIsPerDevice checks that each file system is checked once, and that directories on an
// untrusted file system are odd.
func TestDistrustIsPerDevice(t *testing.T) {
	asked := map[uint64]int{}
	tree, err := scanWith(plantedDevices(t), 1, func(root *os.Root, rel string) (folder, error) {
		f, err := openFolder(root, rel)
		if err != nil {
			return nil, err
		}
		device := uint64(1)
		if strings.HasPrefix(rel, "far") {
			device = 2
		}
		return onDevice{f, device, asked}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"", "d", "far odd", "far/e odd", "z"}, folderLines(tree.Folders)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[uint64]int{1: 1, 2: 1}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func plantedDevices(t *testing.T) string {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"d/": "", "far/e/": "", "z/": ""})
	return dir
}

// onDevice is a directory on a given device. Only device 1 is trusted.
type onDevice struct {
	folder
	device uint64
	asked  map[uint64]int
}

func (f onDevice) stat() (Stamp, error) { return Stamp{Device: f.device}, nil }

func (f onDevice) trusted() bool {
	f.asked[f.device]++
	return f.device == 1
}
