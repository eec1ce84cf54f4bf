package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// seed is the seed of all contents.
const seed = 1

// settleTime is how long a file must be unchanged before cook trusts its stamp. It is 2 s, plus a
// few ticks of the kernel's clock.
const settleTime = 2100 * time.Millisecond

// settle waits until cook can trust the stamps of all earlier writes.
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
	Root      string // absolute path of the directory with sources and outputs
	Out       string // output directory, inside Root
	Files     int
	PerFolder int
	Size      func(i int) int // size of source i in bytes
	born      time.Time       // mtime of all sources after Make
}

// config sets options for two targets. They apply to an unused recipe, so that both targets have
// equal outputs.
const config = `# Sources are copied as they are.
[[rule]]
match  = "*"
recipe = "copy"

[target.one.zstd]
level = 1

[target.two.zstd]
level = 2
`

// newTree returns a tree of small files, a hundred per directory.
func newTree(root string, files int) *Tree {
	return &Tree{Root: root, Out: "cooked", Files: files, PerFolder: 100, Size: func(i int) int { return 20 + i*7919%180 }}
}

// newPages returns a tree of files of nearly one page, 250 per directory.
func newPages(root string, files int) *Tree {
	return &Tree{Root: root, Out: "cooked", Files: files, PerFolder: 250, Size: func(i int) int { return 3700 + i*7919%396 }}
}

// newBulk returns a tree of large files. Each file has its own directory, because the limit
// programs distribute work by directory.
func newBulk(root string, files, size int) *Tree {
	return &Tree{Root: root, Out: "cooked", Files: files, PerFolder: 1, Size: func(int) int { return size }}
}

func (t *Tree) Assets() string { return filepath.Join(t.Root, "assets") }
func (t *Tree) Cooked() string { return filepath.Join(t.Root, t.Out) }

// Into returns a tree with the same sources and another output directory.
func (t *Tree) Into(out string) *Tree {
	other := *t
	other.Out = out
	return &other
}

// State returns the path of one of cook's state files.
func (t *Tree) State(name string) string { return filepath.Join(t.Cooked(), ".cook", name) }

// Folders returns the number of directories that contain files.
func (t *Tree) Folders() int { return (t.Files + t.PerFolder - 1) / t.PerFolder }

// Folder returns the path of directory i, relative to the assets.
func (t *Tree) Folder(i int) string { return fmt.Sprintf("level%03d/area%02d", i/100, i%100) }

// Name returns the name of file i without its directory.
func (t *Tree) Name(i int) string { return fmt.Sprintf("asset%07d.dat", i) }

// Path returns the path of file i, relative to the assets.
func (t *Tree) Path(i int) string { return t.Folder(i/t.PerFolder) + "/" + t.Name(i) }

// In returns the range [first, end) of the files in directory i.
func (t *Tree) In(i int) (first, end int) {
	return i * t.PerFolder, min((i+1)*t.PerFolder, t.Files)
}

// content returns version n of the content of file i.
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

// Configure replaces the rules of the tree.
func (t *Tree) Configure(text string) error {
	return os.WriteFile(filepath.Join(t.Assets(), "cook.toml"), []byte(text), 0o666)
}

// Touch sets the mtime of all sources to n seconds after their initial mtime.
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

// Edit overwrites source i in place with version n, which has the same size.
func (t *Tree) Edit(i, n int) error {
	return os.WriteFile(filepath.Join(t.Assets(), t.Path(i)), t.content(i, n), 0o666)
}

// copyTo copies the sources to another directory, for a peer.
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

// each calls do with every number from 0 to n-1, on all CPUs. It stops when a call fails or ctx
// ends.
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

// folder holds a directory with the names of its files, in the order of visits.
type folder struct {
	root  uint32
	path  string
	names []string
}

// appendList appends a list of known names in the format of limits/list.h.
func appendList(b []byte, roots int, folders []folder) []byte {
	b = append(b, "nullrun1"...)
	b = binary.NativeEndian.AppendUint32(b, uint32(roots))
	b = binary.NativeEndian.AppendUint32(b, uint32(len(folders)))
	text := uint64(len(b) + 16*len(folders))
	for _, f := range folders {
		b = binary.NativeEndian.AppendUint32(b, f.root)
		b = binary.NativeEndian.AppendUint32(b, uint32(len(f.names)))
		b = binary.NativeEndian.AppendUint64(b, text)
		text += uint64(len(f.path)) + 1
		for _, name := range f.names {
			text += uint64(len(name)) + 1
		}
	}
	for _, f := range folders {
		b = append(append(b, f.path...), 0)
		for _, name := range f.names {
			b = append(append(b, name...), 0)
		}
	}
	return b
}

// writeList writes a list of the tree's files below each root. It sorts directories and names by
// inode, and repeats the list the given number of times.
func (t *Tree) writeList(ctx context.Context, name string, roots []string, times int) error {
	type numbered struct {
		inode uint64
		folder
	}
	all := make([]numbered, len(roots)*t.Folders())
	err := each(ctx, len(all), func(at int) error {
		root, i := at/t.Folders(), at%t.Folders()
		dir := filepath.Join(roots[root], t.Folder(i))
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		first, end := t.In(i)
		names, inodes := make([]string, 0, end-first), make(map[string]uint64, end-first)
		for f := first; f < end; f++ {
			info, err := os.Lstat(filepath.Join(dir, t.Name(f)))
			if err != nil {
				return err
			}
			names = append(names, t.Name(f))
			inodes[t.Name(f)] = inode(info)
		}
		slices.SortFunc(names, func(a, b string) int { return cmp.Compare(inodes[a], inodes[b]) })
		all[at] = numbered{inode(info), folder{uint32(root), t.Folder(i), names}}
		return nil
	})
	if err != nil {
		return fmt.Errorf("list the tree: %w", err)
	}
	slices.SortStableFunc(all, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(a.root, b.root), cmp.Compare(a.inode, b.inode))
	})
	folders := make([]folder, len(all))
	for i, n := range all {
		folders[i] = n.folder
	}
	return os.WriteFile(name, appendList(nil, len(roots), slices.Repeat(folders, times)), 0o666)
}
