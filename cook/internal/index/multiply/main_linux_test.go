package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
)

// A tree is a directory with a few files and their index.
type tree struct {
	*testing.T
	root string
}

func (t tree) stamp(name string) scan.Stamp {
	t.Helper()
	info, err := os.Lstat(filepath.Join(t.root, name))
	if err != nil {
		t.Fatal(err)
	}
	return scan.StampOf(info)
}

// write writes the files and returns their encoded index.
func (t tree) write(paths ...string) index.Encoded {
	t.Helper()
	for _, path := range paths {
		for _, name := range []string{"assets/" + path, "cooked/" + path} {
			if err := os.MkdirAll(filepath.Join(t.root, filepath.Dir(name)), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(t.root, name), []byte(path), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	next := index.Empty().Anew("xxh128")
	err := filepath.WalkDir(filepath.Join(t.root, "assets"), func(name string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			path, _ := filepath.Rel(filepath.Join(t.root, "assets"), name)
			path = strings.TrimPrefix(path, ".")
			next.PutFolder(scan.Folder{Path: path, Real: path, Stamp: t.stamp("assets/" + path)}, true)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		next.PutFile(index.File{Path: path, Stamp: t.stamp("assets/" + path), Settled: true})
		next.PutAction(index.Action{Path: path, Method: index.Method{{Key: "recipe", Value: "copy"}},
			Made: []index.Artifact{{Path: path, Stamp: t.stamp("cooked/" + path), Settled: true}}})
	}
	next.Vouch(hashing.DigestOf([]byte("a cook")), []index.Vouch{{}})
	e, ok, err := next.Encode()
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	return e
}

func open(t *testing.T, e index.Encoded) *index.Index {
	t.Helper()
	x, err := index.Open(e.Flat, e.Changes)
	if err == nil {
		err = x.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestCopiesAreUnchanged makes links to a directory with the names of its copies. A run must find
// the copies unchanged.
func TestCopiesAreUnchanged(t *testing.T) {
	tree := tree{t, t.TempDir()}
	small := tree.write("other/x", "pool/a/x", "pool/a/y", "pool/z")
	const copies = 3
	for _, name := range []string{"pool-0000001", "pool-0000002", "pool-0000003"} {
		if err := os.Symlink("pool", filepath.Join(tree.root, "cooked", name)); err != nil {
			t.Fatal(err)
		}
	}
	state := filepath.Join(tree.root, "cooked", ".cook")
	if err := os.Mkdir(state, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"index": small.Flat, "changes-" + small.ID: small.Changes} {
		if err := os.WriteFile(filepath.Join(state, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := multiplyIndex([]string{filepath.Dir(state), "pool", "3"}); err != nil {
		t.Fatal(err)
	}
	var large index.Encoded
	names, err := filepath.Glob(state + "/*")
	if err != nil || len(names) != 2 {
		t.Fatalf("%q, %v", names, err)
	}
	if large.Changes, err = os.ReadFile(names[0]); err == nil {
		large.Flat, err = os.ReadFile(names[1])
	}
	if err != nil {
		t.Fatal(err)
	}
	x := open(t, large)
	if before := open(t, small); x.Fingerprint() != before.Fingerprint() || len(x.Vouched()) != 1 {
		t.Errorf("vouches for %v", x.Vouched())
	}
	const assets = 1 + 3*(1+copies)
	if n := x.Results().Totals().Actions; n != assets {
		t.Errorf("%d actions, want %d", n, assets)
	}
	if source, ok := x.Results().Owner("pool-0000002/a/y"); !ok || source != "pool-0000002/a/y" {
		t.Errorf("an output of a copy is of %q", source)
	}
	found, err := restat.Find(t.Context(), restat.Options{
		Index: x, Assets: filepath.Join(tree.root, "assets"), Out: filepath.Join(tree.root, "cooked"), Workers: 2,
	})
	if err != nil || len(found.Files)+len(found.Folders) > 0 {
		t.Fatalf("differences %+v, %v", found, err)
	}
	if folders := int64(2 + 2*(1+copies)); found.Stats != 2*assets+folders {
		t.Errorf("%d stamps were asked for, want %d", found.Stats, 2*assets+folders)
	}
	if err := os.WriteFile(filepath.Join(tree.root, "cooked/pool/z"), []byte("edited"), 0o666); err != nil {
		t.Fatal(err)
	}
	found, err = restat.Find(t.Context(), restat.Options{
		Index: x, Assets: filepath.Join(tree.root, "assets"), Out: filepath.Join(tree.root, "cooked"), Workers: 2,
	})
	if err != nil || len(found.Files) != 1+copies {
		t.Errorf("%d differences, want %d (%v)", len(found.Files), 1+copies, err)
	}
}

func TestRefused(t *testing.T) {
	x := open(t, tree{t, t.TempDir()}.write("pool/x"))
	for folder, want := range map[string]string{"poo": "no asset", "pool/x/y": "no asset"} {
		if _, err := multiply(x, folder, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", folder, err)
		}
	}
	next := x.Anew("xxh128")
	next.PutFile(index.File{Path: "pool/x"})
	next.PutAction(index.Action{Path: "pool/x", Made: []index.Artifact{{Path: "elsewhere"}}})
	fresh, err := next.Index()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := multiply(fresh, "pool", 1); err == nil || !strings.Contains(err.Error(), "changes that were not cooked") {
		t.Errorf("an index that vouches for nothing: %v", err)
	}
	next = x.Anew("xxh128")
	next.PutFile(index.File{Path: "pool/x"})
	next.PutAction(index.Action{Path: "pool/x", Made: []index.Artifact{{Path: "elsewhere"}}})
	next.Vouch(x.Fingerprint(), []index.Vouch{{}})
	e, _, err := next.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := multiply(open(t, e), "pool", 1); err == nil || !strings.Contains(err.Error(), "elsewhere") {
		t.Errorf("outputs in another folder: %v", err)
	}
	for _, args := range [][]string{nil, {"a", "b", "-1"}, {"a", "b", "x"}, {t.TempDir(), "b", "1"}} {
		if err := multiplyIndex(args); err == nil {
			t.Errorf("%q is no error", args)
		}
	}
}
