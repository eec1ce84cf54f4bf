package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// seed of all contents.
const seed = 1

// settleTime is how long a file must be unchanged before cook trusts its stamp: 2 s, plus some
// ticks of the kernel's clock.
const settleTime = 2100 * time.Millisecond

// settle waits until the stamps of all earlier writes can be trusted.
func settle(ctx context.Context) error { return pause(ctx, settleTime) }

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// A Tree is a directory of sources and their outputs.
type Tree struct {
	Root      string // absolute; holds assets and outputs
	Out       string // directory of outputs, in Root
	Files     int
	PerFolder int
	Size      func(i int) int // of source i, in bytes
	born      time.Time       // mtime of all sources
}

// config has target options of a recipe that cooks none of the files.
const config = `# Sources are copied as they are.
[[rule]]
match  = "*"
recipe = "copy"

[target.one.zstd]
level = 1

[target.two.zstd]
level = 2
`

// newTree describes small files, a hundred per directory.
func newTree(root string, files int) *Tree {
	return &Tree{Root: root, Out: "cooked", Files: files, PerFolder: 100, Size: func(i int) int { return 20 + i*7919%180 }}
}

// newPages describes files of nearly a page, 250 per directory.
func newPages(root string, files int) *Tree {
	return &Tree{Root: root, Out: "cooked", Files: files, PerFolder: 250, Size: func(i int) int { return 3700 + i*7919%396 }}
}

// newBulk describes files of one size, each in its own directory, because the limits distribute
// work by directory.
func newBulk(root string, files, size int) *Tree {
	return &Tree{Root: root, Out: "cooked", Files: files, PerFolder: 1, Size: func(int) int { return size }}
}

func (t *Tree) Assets() string { return filepath.Join(t.Root, "assets") }
func (t *Tree) Cooked() string { return filepath.Join(t.Root, t.Out) }

// Into returns the same sources with other outputs.
func (t *Tree) Into(out string) *Tree {
	other := *t
	other.Out = out
	return &other
}

// State returns the path of a state file of cook.
func (t *Tree) State(name string) string { return filepath.Join(t.Cooked(), ".cook", name) }

// Directories returns the number of directories with files.
func (t *Tree) Folders() int { return (t.Files + t.PerFolder - 1) / t.PerFolder }

// Directory returns the path of directory i below the assets.
func (t *Tree) Folder(i int) string { return fmt.Sprintf("level%03d/area%02d", i/100, i%100) }

// Name returns the name of file i in its directory.
func (t *Tree) Name(i int) string { return fmt.Sprintf("asset%07d.dat", i) }

// Path returns the path of file i below the assets.
func (t *Tree) Path(i int) string { return t.Folder(i/t.PerFolder) + "/" + t.Name(i) }

// In returns the range of files in directory i.
func (t *Tree) In(i int) (first, end int) {
	return i * t.PerFolder, min((i+1)*t.PerFolder, t.Files)
}

// content returns the n-th version of file i.
func (t *Tree) content(i, n int) []byte {
	var key [32]byte
	copy(key[:], fmt.Sprintf("%d/%d/%d", seed, i, n))
	b := make([]byte, t.Size(i))
	rand.NewChaCha8(key).Read(b)
	return b
}

// Make writes the sources.
func (t *Tree) Make(ctx context.Context) error {
	t.born = time.Now().Add(-time.Hour).Truncate(time.Second)
	err := each(ctx, t.Folders(), func(folder int) error {
		dir := filepath.Join(t.Assets(), t.Folder(folder))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		first, end := t.In(folder)
		for i := first; i < end; i++ {
			if err := os.WriteFile(filepath.Join(dir, t.Name(i)), t.content(i, 0), 0o666); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := t.Configure(config); err != nil {
		return err
	}
	return t.Touch(ctx, 0)
}

// Configure replaces the rules.
func (t *Tree) Configure(text string) error {
	return os.WriteFile(filepath.Join(t.Assets(), "cook.toml"), []byte(text), 0o666)
}

// Touch sets the mtime of all sources to the n-th time.
func (t *Tree) Touch(ctx context.Context, n int) error {
	at := t.born.Add(time.Duration(n) * time.Second)
	return each(ctx, t.Folders(), func(folder int) error {
		first, end := t.In(folder)
		for i := first; i < end; i++ {
			if err := os.Chtimes(filepath.Join(t.Assets(), t.Path(i)), at, at); err != nil {
				return err
			}
		}
		return nil
	})
}

// Edit overwrites a source in place with its n-th version, of the same size.
func (t *Tree) Edit(i, n int) error {
	return os.WriteFile(filepath.Join(t.Assets(), t.Path(i)), t.content(i, n), 0o666)
}

// copyTo writes a copy of the sources, for a peer.
func (t *Tree) copyTo(ctx context.Context, dir string) error {
	return each(ctx, t.Folders(), func(folder int) error {
		if err := os.MkdirAll(filepath.Join(dir, t.Folder(folder)), 0o777); err != nil {
			return err
		}
		first, end := t.In(folder)
		for i := first; i < end; i++ {
			if err := os.WriteFile(filepath.Join(dir, t.Path(i)), t.content(i, 0), 0o666); err != nil {
				return err
			}
		}
		return nil
	})
}

// each calls do for 0 to n-1 on all CPUs, until one fails or ctx ends.
func each(ctx context.Context, n int, do func(i int) error) error {
	workers := min(runtime.NumCPU(), n)
	errs := make([]error, workers)
	var next atomic.Int64
	var failed atomic.Bool
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for !failed.Load() && errs[w] == nil {
				i := int(next.Add(1) - 1)
				if i >= n {
					return
				}
				if errs[w] = ctx.Err(); errs[w] == nil {
					errs[w] = do(i)
				}
			}
			failed.Store(true)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
