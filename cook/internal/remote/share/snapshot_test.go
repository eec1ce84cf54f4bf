package share

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/internal/remote/messages"
)

// drawTree returns a tree with files at random paths, and these files.
func drawTree(t *rapid.T) (folder, map[string]Digest) {
	tree, files := folder{}, map[string]Digest{}
	for _, p := range rapid.SliceOfDistinct(rapid.StringMatching(`([ab]/){0,3}[a-c]{1,2}`), rapid.ID).Draw(t, "paths") {
		d := SHA256.Of([]byte{rapid.Byte().Draw(t, "content")})
		if tree.addNode(p, &messages.FileNode{Digest: d}) == nil { // fails if a file is also a directory
			files[p] = d
		}
	}
	return tree, files
}

// TestTreeRoundTrip checks that an encoded tree has the same files. Equal directories, which the
// encoding lists once, must not get lost.
func TestTreeRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree, files := drawTree(t)
		for _, f := range []Function{SHA256, BLAKE3} {
			_, encoded := tree.encodeSnapshotTree(f)
			got, err := decodeSnapshotTree(encoded, f)
			if err != nil || len(got) != len(files) {
				t.Fatalf("%d files (%v), want %d", len(got), err, len(files))
			}
			for i, file := range got {
				if file.Digest != files[file.Path] || i > 0 && got[i-1].Path >= file.Path {
					t.Errorf("file %d: %+v", i, file)
				}
			}
		}
	})
}

// TestWrongTreeIsRefused uses trees with invalid names, missing directories, duplicates, and far
// more files than bytes.
func TestWrongTreeIsRefused(t *testing.T) {
	file := messages.FileNode{Name: "a", Digest: SHA256.Of(nil)}
	named := func(name string) messages.Tree {
		return messages.Tree{Root: messages.Directory{Files: []messages.FileNode{{Name: name, Digest: file.Digest}}}}
	}
	bomb := messages.Tree{}
	below := messages.Directory{Files: []messages.FileNode{file}}
	for range 40 {
		bomb.Children = append(bomb.Children, below)
		d := SHA256.Of(messages.Marshal(&below))
		below = messages.Directory{Directories: []messages.DirectoryNode{{Name: "l", Digest: d}, {Name: "r", Digest: d}}}
	}
	bomb.Root = below
	for name, c := range map[string]struct {
		tree messages.Tree
		says string
	}{
		"empty name":  {named(""), "invalid file"},
		"parent":      {named(".."), "invalid file"},
		"slash":       {named("a/b"), "invalid file"},
		"backslash":   {named(`a\b`), "invalid file"},
		"negative":    {messages.Tree{Root: messages.Directory{Files: []messages.FileNode{{Name: "a", Digest: Digest{Size: -1}}}}}, "invalid file"},
		"twice":       {messages.Tree{Root: messages.Directory{Files: []messages.FileNode{file, file}}}, "twice"},
		"no such dir": {messages.Tree{Root: messages.Directory{Directories: []messages.DirectoryNode{{Name: "d", Digest: file.Digest}}}}, "invalid directory"},
		"bomb":        {bomb, "more files than its size permits"},
	} {
		t.Run(name, func(t *testing.T) {
			if files, err := decodeSnapshotTree(messages.Marshal(&c.tree), SHA256); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%d files, %v; want %q", len(files), err, c.says)
			}
		})
	}
}

// FuzzTree checks that no bytes make decodeSnapshotTree fail other than by an error, and that its files have
// valid paths.
func FuzzTree(f *testing.F) {
	tree := folder{}
	tree.addNode("a/b", &messages.FileNode{Digest: SHA256.Of(nil)})
	_, encoded := tree.encodeSnapshotTree(SHA256)
	f.Add(encoded)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, encoded []byte) {
		files, err := decodeSnapshotTree(encoded, SHA256)
		if err != nil && files != nil {
			t.Error("both files and an error")
		}
		for _, file := range files {
			if slices.ContainsFunc(strings.Split(file.Path, "/"), func(name string) bool { return !isTreeName(name) }) {
				t.Errorf("path %q", file.Path)
			}
		}
	})
}

// TestSnapshotSignatureCoversEverything checks that a signature is not valid for another name,
// target, tree or publisher.
func TestSnapshotSignatureCoversEverything(t *testing.T) {
	public, private, _ := ed25519.GenerateKey(nil)
	name, tree, made := SnapshotName{"main", "web"}, SHA256.Of([]byte("tree")), maker{Run: "362v4qva0i200cq3a202o7u0n4", Host: "host"}
	ar, err := encodeSnapshot(name, tree, made, private)
	if err != nil {
		t.Fatal(err)
	}
	signer := func(name SnapshotName, change func(*messages.ActionResult, *snapshotRecord)) ed25519.PublicKey {
		changed := *ar
		var rec snapshotRecord
		if err := json.Unmarshal(ar.StdoutRaw, &rec); err != nil {
			t.Fatal(err)
		}
		changed.OutputDirectories = slices.Clone(ar.OutputDirectories)
		if change != nil {
			change(&changed, &rec)
		}
		changed.StdoutRaw, _ = json.Marshal(rec)
		_, key, _, err := decodeSnapshot(name, &changed)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	if !bytes.Equal(signer(name, nil), public) {
		t.Error("the signature is not valid")
	}
	for what, key := range map[string]ed25519.PublicKey{
		"ref":    signer(SnapshotName{"other", "web"}, nil),
		"target": signer(SnapshotName{"main", ""}, nil),
		"tree": signer(name, func(ar *messages.ActionResult, _ *snapshotRecord) {
			ar.OutputDirectories[0].TreeDigest.Hash = SHA256.Of(nil).Hash
		}),
		"size": signer(name, func(ar *messages.ActionResult, _ *snapshotRecord) { ar.OutputDirectories[0].TreeDigest.Size++ }),
		"host": signer(name, func(_ *messages.ActionResult, r *snapshotRecord) { r.Made.Host = "another" }),
		"run":  signer(name, func(_ *messages.ActionResult, r *snapshotRecord) { r.Made.Run = "" }),
		"key":  signer(name, func(_ *messages.ActionResult, r *snapshotRecord) { r.Key[0]++ }),
	} {
		if key != nil {
			t.Errorf("with another %s, the signature is still valid", what)
		}
	}
}
