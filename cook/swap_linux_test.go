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
	"github.com/assetcook/assetcook/cook/cooktest"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/cook/run"
)

// swapFor exchanges a folder and a link, over and over, until stopped. At each
// moment both are there, unless the cook removes the one called folder: then
// it comes back.
func swapFor(t *testing.T, folder, link string) (stop func()) {
	target, err := os.Readlink(link)
	if err != nil {
		t.Fatal(err)
	}
	quit, over := make(chan struct{}), sync.WaitGroup{}
	over.Go(func() {
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
	return func() { close(quit); over.Wait() }
}

func isLink(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// Folders turn into links that lead outside and back at any moment of a cook,
// among the assets and among the outputs. Nothing outside is read into an
// output or the store, and nothing outside is written, removed or made.
func TestFoldersSwappedForLinks(t *testing.T) {
	const files, rounds = 20, 10
	h := newHostileTree(t)
	secret := []byte("what is outside and nobody's business")
	for i := range files {
		name := fmt.Sprintf("%d.txt", i)
		h.write("assets/sub/deep/"+name, fmt.Sprint("asset ", i))
		h.write("assets/"+name[:1]+"/"+name+".gltf",
			fmt.Sprintf(`{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 1, "uri": "../sub/deep/%s"}]}`, name))
		h.write("outside/sources/deep/"+name, string(secret)+name)
		h.write("outside/outputs/deep/"+name, string(secret))
	}
	h.write("assets/cook.toml", "[[rule]]\nmatch = 'sub/deep/1*'\nrecipe = 'zstd'\noutput = '{path}'\n")
	before, err := cooktest.ReadTree(h.path("outside"))
	h.must(err)
	_, err = cook.Cook(t.Context(), h.options())
	h.must(err)

	h.must(os.Symlink("../outside/sources", h.path("assets/link")))
	h.must(os.Symlink(h.path("outside/outputs"), h.path("link")))
	stopAssets := swapFor(t, h.path("assets/sub"), h.path("assets/link"))
	stopOutputs := swapFor(t, h.path("out/sub"), h.path("link"))
	for round := range rounds {
		opt := h.options()
		opt.Force = round%3 == 0 // all is read and made again
		opt.Cache = h.path(fmt.Sprint("cache", round%2))
		// What fails, and how, is a matter of luck.
		if _, err := cook.Cook(t.Context(), opt); err != nil {
			t.Logf("round %d: %v", round, err)
		}
	}
	stopAssets()
	stopOutputs()
	for _, dir := range []string{"out", "cache", "cache0", "cache1"} {
		findNot(t, h.path(dir), secret)
	}
	after, err := cooktest.ReadTree(h.path("outside"))
	h.must(err)
	if d := before.Diff(after); d != "" {
		t.Errorf("outside: %s", d)
	}

	// Once all is still, the outputs are what they would have been.
	h.putBack("assets/sub", "assets/link")
	h.putBack("out/sub", "link")
	h.must(os.Remove(h.path("assets/link")))
	if s := h.cook(); s.Failed.Assets > 0 {
		t.Errorf("failed %q", h.failed)
	}
	fresh := h.options()
	fresh.Out, fresh.Cache = h.path("fresh"), h.path("freshcache")
	_, err = cook.Cook(t.Context(), fresh)
	h.must(err)
	want, err := cooktest.ReadTree(fresh.Out)
	h.must(err)
	got, err := cooktest.ReadTree(h.path("out"))
	h.must(err)
	if d := want.Diff(got); d != "" {
		t.Errorf("afterwards: %s", d)
	}
}

// putBack ends a swap: what is called folder is one.
func (h *hostileTree) putBack(folder, link string) {
	h.t.Helper()
	if !isLink(h.path(folder)) {
		return
	}
	if err := unix.Renameat2(unix.AT_FDCWD, h.path(folder), unix.AT_FDCWD, h.path(link), unix.RENAME_EXCHANGE); err != nil {
		h.must(os.Remove(h.path(folder)))
	}
}

// findNot fails if a file below a folder holds some text. It follows no link.
func findNot(t *testing.T, dir string, text []byte) {
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // it may be on its way to another name
		}
		if data, err := os.ReadFile(name); err == nil && bytes.Contains(data, text) {
			t.Errorf("%s holds what was read outside", name)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// atFirst does something when a run comes to its first asset.
type atFirst struct {
	report.Multi // does nothing
	once         sync.Once
	do           func()
}

func (a *atFirst) Event(run.Event) { a.once.Do(a.do) }

// The cooker's own folders turn into links that lead outside while it cooks:
// nothing outside is written, removed or made, and once all is still a run makes
// good what went wrong.
func TestOwnFoldersSwappedForLinks(t *testing.T) {
	const files, rounds = 20, 10
	for _, folder := range []string{"out/.cook", "out/.cook/tmp"} {
		t.Run(folder, func(t *testing.T) {
			h := newHostileTree(t)
			for i := range files {
				h.write(fmt.Sprintf("assets/%d.txt", i), fmt.Sprint("asset ", i))
				h.write(fmt.Sprintf("assets/%d.json", i), fmt.Sprint("[ ", i, " ]"))
			}
			// What the cooker removes at its beginning if it takes this for its own.
			for _, name := range []string{"lock", "index", "journal", "doubt", "changes-0", ".tmp-0", "mode", "tmp/mode", "trash/0", "0.json"} {
				h.write("outside/"+name, "nobody's business")
			}
			before, err := cooktest.ReadTree(h.path("outside"))
			h.must(err)
			_, err = cook.Cook(t.Context(), h.options())
			h.must(err)
			swapped := map[bool]int{}
			// apart puts both in place again: the folder, and the link beside it.
			apart := func() {
				h.putBack(folder, "link")
				if !isLink(h.path("link")) {
					h.must(os.RemoveAll(h.path("link")))
					h.must(os.Symlink(h.path("outside"), h.path("link")))
				}
				h.must(os.MkdirAll(h.path(folder), 0o777))
			}
			for round := range rounds {
				for _, verify := range []bool{false, true} {
					apart()
					var stop func()
					opt := h.options()
					opt.Observer = &atFirst{do: func() { stop = swapFor(t, h.path(folder), h.path("link")) }}
					var err error
					if verify {
						_, err = cook.Verify(t.Context(), opt, cook.VerifyOptions{Sample: "all"})
					} else {
						h.write("assets/0.json", fmt.Sprint("[ -", round, " ]"))
						opt.Force = round%3 > 0
						_, err = cook.Cook(t.Context(), opt)
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
			apart()
			if swapped[false] < rounds || swapped[true] == 0 {
				t.Errorf("came to an asset in %d cooks and %d verifies of %d", swapped[false], swapped[true], rounds)
			}
			after, err := cooktest.ReadTree(h.path("outside"))
			h.must(err)
			if d := before.Diff(after); d != "" {
				t.Errorf("outside: %s", d)
			}
			if s := h.cook(); s.Failed.Assets > 0 {
				t.Errorf("failed %q", h.failed)
			}
			want := scratchTree(t, h.options())
			if d := want.Diff(readTree(t, h.path("out"))); d != "" {
				t.Errorf("afterwards: %s", d)
			}
		})
	}
}
