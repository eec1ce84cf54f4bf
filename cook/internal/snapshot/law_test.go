package snapshot_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/export"
	"github.com/assetcook/assetcook/cook/internal/remote/process"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/snapshot"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/memtemp"
	"github.com/assetcook/assetcook/recipes"
)

func TestMain(m *testing.M) {
	memtemp.Use()
	os.Exit(m.Run())
}

// A checkout is an asset directory on a machine with its own store.
type checkout struct {
	t       *testing.T
	project cook.Project
}

// newCheckout returns a checkout of a tree. Text is compressed, and other files are copied.
func newCheckout(t *testing.T, tree map[string]string) *checkout {
	dir := t.TempDir()
	c := &checkout{t, cook.Project{Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "out"), Cache: filepath.Join(dir, "store"), Recipes: recipes.All(), Engine: "own"}}
	c.write("cook.toml", "[[rule]]\nmatch = \"*.txt\"\nrecipe = \"zstd\"\n")
	for name, text := range tree {
		c.write(name, text)
	}
	return c
}

func (c *checkout) write(name, text string) {
	c.t.Helper()
	name = filepath.Join(c.project.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		c.t.Fatal(err)
	}
}

func (c *checkout) cook() cook.Summary {
	c.t.Helper()
	sum, err := cook.Cook(c.t.Context(), c.project, cook.CookOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	return sum
}

// openCarrier opens a server for a machine.
func openCarrier(t testing.TB, url string, to *store.Store) *share.Carrier {
	c, err := process.OpenCarrier(t.Context(), []string{"-url", url}, to, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// publish publishes the last run of a checkout.
func (c *checkout) publish(url string, name share.SnapshotName) (snapshot.Published, error) {
	from, err := export.Open(c.project.Out, name.Target, "")
	if err != nil {
		c.t.Fatal(err)
	}
	defer from.Close()
	p := c.project
	return snapshot.Publish(c.t.Context(), session.Options{Place: session.Place{Dir: p.Dir, Out: p.Out, Cache: p.Cache}, Recipes: p.Recipes}, from, openCarrier(c.t, url, nil), name)
}

// exported returns the files of an export of a checkout.
func (c *checkout) exported() map[string]string {
	c.t.Helper()
	to := filepath.Join(c.t.TempDir(), "export")
	from, err := export.Open(c.project.Out, "", "")
	if err != nil {
		c.t.Fatal(err)
	}
	defer from.Close()
	if _, err := from.CopyTo(c.t.Context(), to, 2, false); err != nil {
		c.t.Fatal(err)
	}
	return readTree(c.t, to)
}

// readTree returns the contents of all files in a directory.
func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func openStore(t testing.TB, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// servers returns the addresses of servers of all kinds, with the server itself if it is in this
// process.
func servers(t *testing.T) (urls map[string]string, http *remotetest.Server) {
	http = &remotetest.Server{}
	dir := filepath.ToSlash(t.TempDir())
	return map[string]string{
		"grpc":         (&remotetest.Server{}).Start(t),
		"grpc, blake3": (&remotetest.Server{BLAKE3: true, Zstd: true}).Start(t),
		"http":         http.StartHTTP(t),
		"directory":    "file:///" + strings.TrimPrefix(dir, "/"),
	}, http
}

// randomText returns a text of some length that no other call returns.
func randomText(r *rand.Rand) string {
	return strings.Repeat(fmt.Sprintf("%x ", r.Uint64()), 1+r.IntN(2000))
}

// TestSnapshotEqualsExport edits a tree several times. After each edit, it publishes a snapshot. A
// machine without sources must get a copy that equals an export, and must download only contents
// that it lacks. A checkout that starts from the snapshot must cook only what differs.
func TestSnapshotEqualsExport(t *testing.T) {
	urls, _ := servers(t)
	for kind, url := range urls {
		t.Run(kind, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(len(kind)), 3))
			tree := map[string]string{}
			for i := range 12 {
				tree[fmt.Sprintf("%s%d.%s", []string{"", "a/", "packed/", "a/b/"}[i%4], i, []string{"txt", "dat", "txt"}[i%3])] = randomText(r)
			}
			maker := newCheckout(t, tree)
			player, playerStore := filepath.Join(t.TempDir(), "game"), openStore(t, t.TempDir())
			before := map[string]bool{} // contents that the player has seen
			for round := range 4 {
				if round > 0 {
					edited := slices.Sorted(mapsKeys(tree))[r.IntN(len(tree))]
					tree[edited] = randomText(r)
					maker.write(edited, tree[edited])
					if removed := filepath.Join(maker.project.Dir, "a", fmt.Sprint(round)+".dat"); round == 2 {
						os.Remove(removed)
						delete(tree, fmt.Sprintf("a/%d.dat", round))
					}
				}
				maker.cook()
				name := share.SnapshotName{Ref: fmt.Sprint("round ", round%3)}
				if _, err := maker.publish(url, name); err != nil {
					t.Fatal(err)
				}
				want := maker.exported()

				link := openCarrier(t, url, playerStore)
				got, err := snapshot.Getter{Carrier: link, Store: playerStore, Name: name}.GetInto(t.Context(), player, 2, false)
				if err != nil {
					t.Fatal(err)
				}
				if files := readTree(t, player); !equalTrees(t, files, want) {
					t.Fatalf("round %d: another copy", round)
				}
				fresh := 0
				for name, text := range want {
					if name != "manifest.json" && !before[text] {
						fresh++
						before[text] = true
					}
				}
				if got.Downloaded != fresh {
					t.Errorf("round %d: %d downloads, want %d", round, got.Downloaded, fresh)
				}
				if n := link.CountRequests(); strings.HasPrefix(kind, "grpc") && n > 25 {
					t.Errorf("%d requests", n)
				}

				starter := newCheckout(t, tree)
				starterStore := openStore(t, starter.project.Cache)
				started, err := snapshot.Getter{Carrier: openCarrier(t, url, starterStore), Store: starterStore, Name: name}.ImportResults(t.Context())
				if err != nil || started.Lost > 0 || started.Results == 0 {
					t.Fatalf("%+v, %v", started, err)
				}
				starter.write("new.txt", randomText(r))
				sum := starter.cook()
				if sum.Restored.Assets != started.Results || sum.Cooked.Assets-copies(tree) != 1 {
					t.Errorf("round %d: %d restored, %d cooked, of them %d copied; want %d restored and 1 cooked", round, sum.Restored.Assets, sum.Cooked.Assets, copies(tree), started.Results)
				}
			}
		})
	}
}

// copies returns the number of assets of a tree that are only copied.
func copies(tree map[string]string) (n int) {
	for name := range tree {
		if strings.HasSuffix(name, ".dat") {
			n++
		}
	}
	return n
}

func mapsKeys(tree map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range tree {
			if !yield(name) {
				return
			}
		}
	}
}

func equalTrees(t *testing.T, got, want map[string]string) bool {
	t.Helper()
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %d bytes, want %d", name, len(got[name]), len(want[name]))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is extra", name)
		}
	}
	return !t.Failed()
}

// TestExpiredSnapshotChangesNothing checks that a directory stays as it is if the server has lost
// contents of the snapshot, and that the next publication repairs the snapshot. A snapshot that
// shares contents with the lost one stays complete.
func TestExpiredSnapshotChangesNothing(t *testing.T) {
	urls, server := servers(t)
	url := urls["http"]
	maker := newCheckout(t, map[string]string{"old.txt": "old old old old", "both.txt": "both both both"})
	maker.cook()
	publish := func(ref string) {
		t.Helper()
		if _, err := maker.publish(url, share.SnapshotName{Ref: ref}); err != nil {
			t.Fatal(err)
		}
	}
	publish("old")
	maker.write("old.txt", "new new new new")
	maker.cook()
	publish("new")

	get := func(ref, to string) error {
		s := openStore(t, t.TempDir())
		_, err := snapshot.Getter{Carrier: openCarrier(t, url, s), Store: s, Name: share.SnapshotName{Ref: ref}}.GetInto(t.Context(), to, 2, false)
		return err
	}
	player := filepath.Join(t.TempDir(), "game")
	if err := get("new", player); err != nil {
		t.Fatal(err)
	}
	before := readTree(t, player)
	lose := func(lost func(content []byte) bool) {
		server.Change(func(blobs map[string][]byte, _ map[string]*repb.ActionResult) {
			for hash, content := range blobs {
				if lost(content) {
					delete(blobs, hash)
				}
			}
		})
	}
	onlyOld := before["old.txt.zst"]
	lose(func(content []byte) bool {
		return bytes.HasPrefix(content, []byte("\x28\xb5\x2f\xfd")) && string(content) != onlyOld && string(content) != before["both.txt.zst"]
	})
	if err := get("old", player); err == nil || !strings.Contains(err.Error(), "no longer has 1 of the ") {
		t.Errorf("got %v", err)
	}
	if after := readTree(t, player); !equalTrees(t, after, before) {
		t.Error("the directory has changed")
	}
	if err := get("new", filepath.Join(t.TempDir(), "game")); err != nil {
		t.Errorf("the newer snapshot: %v", err)
	}
	lose(func([]byte) bool { return true })
	publish("new")
	if err := get("new", filepath.Join(t.TempDir(), "game")); err != nil {
		t.Errorf("published again: %v", err)
	}
}

// TestTornBlobsAreRefused changes single bytes of all contents on the server. The directory must
// stay as it is.
func TestTornBlobsAreRefused(t *testing.T) {
	urls, server := servers(t)
	maker := newCheckout(t, map[string]string{"a.txt": "one", "b.dat": "two"})
	maker.cook()
	name := share.SnapshotName{Ref: "main"}
	if _, err := maker.publish(urls["http"], name); err != nil {
		t.Fatal(err)
	}
	var hashes []string
	server.Change(func(blobs map[string][]byte, _ map[string]*repb.ActionResult) {
		for hash := range blobs {
			hashes = append(hashes, hash)
		}
	})
	refused := 0
	for _, hash := range hashes {
		flip := func(blobs map[string][]byte, _ map[string]*repb.ActionResult) {
			if content := slices.Clone(blobs[hash]); len(content) > 0 {
				content[len(content)/2] ^= 1
				blobs[hash] = content
			}
		}
		server.Change(flip)
		player, s := filepath.Join(t.TempDir(), "game"), openStore(t, t.TempDir())
		_, err := snapshot.Getter{Carrier: openCarrier(t, urls["http"], s), Store: s, Name: name}.GetInto(t.Context(), player, 2, false)
		server.Change(flip)
		if err == nil {
			if files := readTree(t, player); !equalTrees(t, files, maker.exported()) {
				t.Fatal("accepted a torn blob")
			}
			continue
		}
		refused++
		if entries, err := os.ReadDir(player); err == nil && len(entries) > 0 {
			t.Errorf("%d entries after an error", len(entries))
		}
	}
	if refused < 3 { // the manifest, two artifacts, and the list of files
		t.Errorf("%d of %d torn blobs were refused", refused, len(hashes))
	}
}

// TestGetMarksContentsAsUsed checks that a get marks all files of a directory as used that belong to
// the snapshot, although it downloads none of them. So cook remote trim keeps the snapshot.
func TestGetMarksContentsAsUsed(t *testing.T) {
	dir := t.TempDir()
	url := "file:///" + strings.TrimPrefix(filepath.ToSlash(dir), "/")
	maker := newCheckout(t, map[string]string{"a/b.txt": "one", "c.dat": "two"})
	maker.cook()
	name := share.SnapshotName{Ref: "main"}
	if _, err := maker.publish(url, name); err != nil {
		t.Fatal(err)
	}
	player, s := filepath.Join(t.TempDir(), "game"), openStore(t, t.TempDir())
	get := func() int {
		t.Helper()
		link := openCarrier(t, url, s)
		defer link.Close() // waits until all contents are marked
		got, err := snapshot.Getter{Carrier: link, Store: s, Name: name}.GetInto(t.Context(), player, 2, false)
		if err != nil {
			t.Fatal(err)
		}
		return got.Downloaded
	}
	get()
	long := time.Now().Add(-50 * time.Hour)
	for file := range readTree(t, dir) {
		if err := os.Chtimes(filepath.Join(dir, file), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if n := get(); n != 0 {
		t.Errorf("%d downloads", n)
	}
	for file := range readTree(t, dir) {
		info, err := os.Stat(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if time.Since(info.ModTime()) > time.Hour {
			t.Errorf("%s is not marked as used", file)
		}
	}
}

// TestSlowLinkBringsSnapshot checks that breaking connections do not end a get.
func TestSlowLinkBringsSnapshot(t *testing.T) {
	server := &remotetest.Server{CutAt: 1000}
	url := server.Start(t)
	r := rand.New(rand.NewPCG(5, 5))
	noise := make([]byte, 5<<20) // more than a batch
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	maker := newCheckout(t, map[string]string{"large.dat": string(noise), "a.txt": randomText(r)})
	maker.cook()
	name := share.SnapshotName{Ref: "main"}
	if _, err := maker.publish(url, name); err != nil {
		t.Fatal(err)
	}
	player, s := filepath.Join(t.TempDir(), "game"), openStore(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := (snapshot.Getter{Carrier: openCarrier(t, url, s), Store: s, Name: name}).GetInto(ctx, player, 2, false); err != nil {
		t.Fatal(err)
	}
	if files := readTree(t, player); !equalTrees(t, files, maker.exported()) {
		t.Error("another copy")
	}
}
