package cook_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// swapUntilStopped repeatedly exchanges a directory and a symbolic link. If the cook removes the
// directory, it is made again.
func swapUntilStopped(t *testing.T, folder, link string) (stop func()) {
	target, err := os.Readlink(link)
	if err != nil {
		t.Fatal(err)
	}
	quit, group := make(chan struct{}), sync.WaitGroup{}
	group.Go(func() {
		for {
			select {
			case <-quit:
				return
			default:
			}
			err := unix.Renameat2(unix.AT_FDCWD, folder, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE)
			if err == unix.ENOENT {
				if isLink(link) {
					err = os.Mkdir(folder, 0o777)
				} else {
					err = os.Symlink(target, folder)
				}
			}
			if err != nil && !errors.Is(err, fs.ErrExist) {
				t.Errorf("exchange %s: %v", folder, err)
				return
			}
		}
	})
	return func() { close(quit); group.Wait() }
}

func isLink(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// TestFoldersSwappedForLinks swaps asset and output directories for symbolic links to outside
// directories during cooks. Nothing outside may be written or removed, or be read into an output or
// the store.
func TestFoldersSwappedForLinks(t *testing.T) {
	const files, rounds = 20, 10
	h := newHostileTree(t)
	secret := []byte("an outside secret")
	for i := range files {
		name := fmt.Sprintf("%d.txt", i)
		h.write("sub/deep/"+name, fmt.Sprint("asset ", i))
		h.write(""+name[:1]+"/"+name+".gltf",
			fmt.Sprintf(`{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 1, "uri": "../sub/deep/%s"}]}`, name))
		h.writeFile("outside/sources/deep/"+name, string(secret)+name)
		h.writeFile("outside/outputs/deep/"+name, string(secret))
	}
	h.write("cook.toml", "[[rule]]\nmatch = 'sub/deep/1*'\nrecipe = 'zstd'\noutput = '{path}'\n")
	before := readTree(t, h.path("outside"))
	_, err := h.options().Cook(t.Context())
	h.must(err)

	h.must(os.Symlink("../outside/sources", h.path("assets/link")))
	h.must(os.Symlink(h.path("outside/outputs"), h.path("link")))
	stopAssets := swapUntilStopped(t, h.path("assets/sub"), h.path("assets/link"))
	stopOutputs := swapUntilStopped(t, h.path("cooked/sub"), h.path("link"))
	for round := range rounds {
		opt := h.options()
		opt.Force = round%3 == 0
		opt.Cache = h.path(fmt.Sprint("store", round%2))
		if _, err := opt.Cook(t.Context()); err != nil {
			t.Logf("round %d: %v", round, err)
		}
	}
	stopAssets()
	stopOutputs()
	for _, dir := range []string{"cooked", "store", "store0", "store1"} {
		checkAbsent(t, h.path(dir), secret)
	}
	if d := before.Diff(readTree(t, h.path("outside"))); d != "" {
		t.Errorf("outside: %s", d)
	}

	// Without swaps, the outputs must equal the outputs of a cook from scratch.
	h.undoSwap("assets/sub", "assets/link")
	h.undoSwap("cooked/sub", "link")
	h.must(os.Remove(h.path("assets/link")))
	if s := h.cook(); s.Failed.Assets > 0 {
		t.Errorf("failed %q", h.rec.failed)
	}
	if d := fromScratch(t, h.run).Diff(h.outputs()); d != "" {
		t.Errorf("afterwards: %s", d)
	}
}

// undoSwap makes folder a directory again if it is a link.
func (h *hostileTree) undoSwap(folder, link string) {
	h.Helper()
	if !isLink(h.path(folder)) {
		return
	}
	if err := unix.Renameat2(unix.AT_FDCWD, h.path(folder), unix.AT_FDCWD, h.path(link), unix.RENAME_EXCHANGE); err != nil {
		h.must(os.Remove(h.path(folder)))
	}
}

// checkAbsent fails the test if a file below dir contains the text. It does not follow links.
func checkAbsent(t *testing.T, dir string, text []byte) {
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // the file may have been renamed
		}
		if data, err := os.ReadFile(name); err == nil && bytes.Contains(data, text) {
			t.Errorf("%s contains outside data", name)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestStateFoldersSwappedForLinks swaps cook's state directories for symbolic links to an outside
// directory during runs. Nothing outside may be written, removed or made, and a later run must
// repair the outputs.
func TestStateFoldersSwappedForLinks(t *testing.T) {
	const files, rounds = 20, 10
	for _, folder := range []string{"cooked/.cook", "cooked/.cook/tmp"} {
		t.Run(folder, func(t *testing.T) {
			h := newHostileTree(t)
			for i := range files {
				h.write(fmt.Sprintf("assets/%d.txt", i), fmt.Sprint("asset ", i))
				h.write(fmt.Sprintf("assets/%d.json", i), fmt.Sprint("[ ", i, " ]"))
			}
			// A run removes files with these names from its own state directory.
			for _, name := range []string{"lock", "index", "journal", "doubt", "changes-0", ".tmp-0", "mode", "tmp/mode", "trash/0", "0.json"} {
				h.writeFile("outside/"+name, "foreign")
			}
			before, err := oracle.ReadTree(h.path("outside"))
			h.must(err)
			_, err = h.options().Cook(t.Context())
			h.must(err)
			swapped := map[bool]int{}
			// restore makes sure that the directory and the link both exist.
			restore := func() {
				h.undoSwap(folder, "link")
				if !isLink(h.path("link")) {
					h.must(os.RemoveAll(h.path("link")))
					h.must(os.Symlink(h.path("outside"), h.path("link")))
				}
				h.must(os.MkdirAll(h.path(folder), 0o777))
			}
			for round := range rounds {
				for _, verify := range []bool{false, true} {
					restore()
					var stop func()
					opt := h.options()
					var once sync.Once
					opt.Observer = hooks{event: func(cook.Event) {
						once.Do(func() { stop = swapUntilStopped(t, h.path(folder), h.path("link")) })
					}}
					var err error
					if verify {
						_, err = opt.Check(t.Context(), oracle.Check{Sample: "all"})
					} else {
						h.write("0.json", fmt.Sprint("[ -", round, " ]"))
						opt.Force = round%3 > 0
						_, err = opt.Cook(t.Context())
					}
					if err != nil {
						t.Logf("round %d: %v", round, err)
					}
					if stop != nil {
						stop()
						swapped[verify]++
					}
				}
			}
			restore()
			if swapped[false] < rounds || swapped[true] == 0 {
				t.Errorf("reached an asset in %d cooks and %d verifies of %d", swapped[false], swapped[true], rounds)
			}
			after, err := oracle.ReadTree(h.path("outside"))
			h.must(err)
			if d := before.Diff(after); d != "" {
				t.Errorf("outside: %s", d)
			}
			if s := h.cook(); s.Failed.Assets > 0 {
				t.Errorf("failed %q", h.rec.failed)
			}
			if d := fromScratch(t, h.run).Diff(h.outputs()); d != "" {
				t.Errorf("afterwards: %s", d)
			}
		})
	}
}
