package scan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plant creates files in dir, given as paths and contents. A path that ends in '/' is a directory.
// A content that starts with "-> " makes a link.
func plant(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for path, content := range files {
		name := filepath.Join(dir, filepath.FromSlash(path))
		if strings.HasSuffix(path, "/") {
			if err := os.MkdirAll(name, 0o777); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			err = os.Symlink(filepath.FromSlash(target), name)
		} else {
			err = os.WriteFile(name, []byte(content), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func walk(t testing.TB, root string, opt Options) *Tree {
	t.Helper()
	tree, err := Dir(context.Background(), root, opt)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func paths(entries []Entry) []string {
	list := []string{}
	for _, e := range entries {
		list = append(list, e.Path)
	}
	return list
}

// problems formats each problem as "path: kind".
func problems(tree *Tree) []string {
	list := []string{}
	for _, p := range tree.Problems {
		list = append(list, p.Path+": "+p.Kind.String())
	}
	return list
}

// wantTree compares the paths, configs and problems of a tree.
func wantTree(t *testing.T, tree *Tree, entries, configs, probs []string) {
	t.Helper()
	for _, c := range []struct {
		what      string
		got, want []string
	}{{"entries", paths(tree.Entries), entries}, {"configs", paths(tree.Configs), configs}, {"problems", problems(tree), probs}} {
		if c.want == nil {
			c.want = []string{}
		}
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
}

func TestEntriesAreSortedByPath(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{
		"a/x": "", "a/b/y": "", "a-b": "", "a.b": "", "a0": "", "a-": "", "a-d/z": "", "a.d/z": "", "aa/z": "", "Z": "", "b": "", "empty/": "", "empty/too/": "",
	})
	wantTree(t, walk(t, dir, Options{}), []string{
		"Z", "a-", "a-b", "a-d/z", "a.b", "a.d/z", "a/b/y", "a/x", "a0", "aa/z", "b",
	}, nil, nil)
}

func TestEntriesHaveTheStampsOfTheirFiles(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a": "1", "d/b": "22", "d/e/c": "333", "d/cook.toml": "4444"})
	tree := walk(t, dir, Options{})
	all := append(slices.Clone(tree.Entries), tree.Configs...)
	if len(all) != 4 {
		t.Fatalf("got %d entries", len(all))
	}
	for _, e := range all {
		fi, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(e.Path)))
		if err != nil {
			t.Fatal(err)
		}
		if want := StampOf(fi); e.Stamp != want {
			t.Errorf("%s: got %+v, want %+v", e.Path, e.Stamp, want)
		}
	}
}

func TestConfigsAreListedSeparately(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{
		"cook.toml": "", "a/cook.toml": "", "a/b/cook.toml": "", "a-b/cook.toml": "", "z/cook.toml": "",
		"q/cook.toml/x": "", // a directory named cook.toml
		"out/cook.toml": "",
		".cookignore":   "*.toml\nout/\n", // excludes the directory out with its cook.toml, but no other cook.toml
	})
	wantTree(t, walk(t, dir, Options{}), []string{}, []string{
		"cook.toml", "a/cook.toml", "a-b/cook.toml", "a/b/cook.toml", "z/cook.toml",
	}, nil)
}

func TestDirLeavesJunkOut(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{
		".git/config": "", "d/.git": "gitdir: x", "CVS/Root": "", "e/CVS": "a file", ".DS_Store": "", "d/a~": "", "old~/a": "",
		".cookignore": "", "d/.svn/a/b": "", "a": "",
	})
	wantTree(t, walk(t, dir, Options{}), []string{"a", "e/CVS", "old~/a"}, nil, nil)
}

func TestDirExclude(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "assets")
	plant(t, dir, map[string]string{"a": "", "out/a": "", "d/out/a": "", "d/store/x/y": "", "outer/a": ""})
	tree := walk(t, dir, Options{Exclude: []string{
		filepath.Join(dir, "out"),
		filepath.Join(dir, "d", "..", "d", "store") + string(filepath.Separator),
		filepath.Join(dir, "not", "there"),
		filepath.Join(base, "elsewhere"),
	}})
	wantTree(t, tree, []string{"a", "d/out/a", "outer/a"}, nil, nil)
}

func TestUnusableRootIsAnError(t *testing.T) {
	base := t.TempDir()
	plant(t, base, map[string]string{"file": "", "out/assets/a": ""})
	out := filepath.Join(base, "out")
	ended, end := context.WithCancel(context.Background())
	end()
	tests := []struct {
		name string
		ctx  context.Context
		root string
		opt  Options
		want error
	}{
		{"missing", context.Background(), filepath.Join(base, "nope"), Options{}, fs.ErrNotExist},
		{"below a file", context.Background(), filepath.Join(base, "file", "x"), Options{}, nil},
		{"a file", context.Background(), filepath.Join(base, "file"), Options{}, syscall.ENOTDIR},
		{"no name", context.Background(), "", Options{}, nil},
		{"is the output", context.Background(), out, Options{Exclude: []string{out}}, errInsideExcluded},
		{"inside the output", context.Background(), filepath.Join(out, "assets"), Options{Exclude: []string{out}}, errInsideExcluded},
		{"context", ended, base, Options{}, context.Canceled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree, err := Dir(tt.ctx, tt.root, tt.opt)
			if err == nil || tree != nil {
				t.Fatalf("got %v, %v", tree, err)
			}
			if tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if !strings.HasPrefix(err.Error(), "scan ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("line is %q", err)
			}
		})
	}
}

func TestDirRelativeRoot(t *testing.T) {
	t.Chdir(t.TempDir())
	plant(t, ".", map[string]string{"assets/d/a": "", "assets/cooked/a": ""})
	wantTree(t, walk(t, "assets", Options{Exclude: []string{"assets/cooked"}}), []string{"d/a"}, nil, nil)
	wantTree(t, walk(t, "./assets/d/..", Options{}), []string{"cooked/a", "d/a"}, nil, nil)
}

func TestUnreadableIgnoreFileHidesItsDirectory(t *testing.T) {
	big := strings.Repeat("a\n", MaxIgnoreSize/2)
	tests := []struct {
		name  string
		files map[string]string
		want  []string
		cause string
	}{
		{"too large", map[string]string{"d/.cookignore": big + "b"}, []string{"d/.cookignore: bad ignore file"}, "larger than 1048576 bytes"},
		{"just fits", map[string]string{"d/.cookignore": big}, nil, ""},
		{"a directory", map[string]string{"d/.cookignore/x": ""}, []string{"d/.cookignore: bad ignore file"}, "is a directory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			plant(t, dir, tt.files)
			plant(t, dir, map[string]string{"a": "", "d/b": "", "d/e/b": "", "z/a": ""})
			tree := walk(t, dir, Options{})
			if tt.want == nil {
				wantTree(t, tree, []string{"a", "d/b", "d/e/b", "z/a"}, nil, nil)
				return
			}
			wantTree(t, tree, []string{"a", "z/a"}, nil, tt.want)
			if p := tree.Problems[0]; !p.Fatal() || !strings.Contains(p.Error(), tt.cause) {
				t.Errorf("got %q, want %q in it", p, tt.cause)
			}
			if !tree.Incomplete("d/e/b") || tree.Incomplete("z/b") {
				t.Error("only paths in the directory of the bad file are uncertain")
			}
		})
	}
}

func BenchmarkDir(b *testing.B) {
	dir := b.TempDir()
	for d := range 100 {
		folder := filepath.Join(dir, fmt.Sprintf("level%d", d/10), fmt.Sprintf("props%d", d))
		if err := os.MkdirAll(folder, 0o777); err != nil {
			b.Fatal(err)
		}
		for f := range 100 {
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("crate_%02d_diffuse.png", f)), nil, 0o666); err != nil {
				b.Fatal(err)
			}
		}
	}
	ignore := "*.psd\n*.blend1\n/work/\n**/source/*.tga\n!keep.psd\n"
	for _, bb := range []struct{ name, ignore string }{{"plain", ""}, {"ignore", ignore}} {
		b.Run(bb.name, func(b *testing.B) {
			plant(b, dir, map[string]string{IgnoreName: bb.ignore})
			b.ReportAllocs()
			for b.Loop() {
				if tree := walk(b, dir, Options{}); len(tree.Entries) != 10_000 {
					b.Fatalf("%d entries", len(tree.Entries))
				}
			}
		})
	}
}
