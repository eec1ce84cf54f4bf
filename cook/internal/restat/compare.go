package restat

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dirfd"
	"github.com/assetcook/assetcook/internal/parallel"
)

// Reads are what Compare has read.
type Reads struct{ Files, Bytes atomic.Int64 }

// Compare reads files that Find found and sets Same for those that have the content
// that the index knows, by the checksum of the index. A small file costs opening,
// reading and closing it and nothing else. What cannot be read, is no regular file or
// lies behind a link is not the same; the reason is found out where the file is used.
//
// The stamps of the files were taken before they are read, so none of them can vouch
// for more than what was read. It vouches for less if another process can write to
// the file under that stamp: that is checked before the first byte is read, and sets
// Busy.
func Compare(ctx context.Context, opt Options, files []File, f hashing.Func, read *Reads) error {
	c := &comparer{comparison: comparison{Options: opt}, files: files, sum: f, summer: hashing.NewSummer(f), read: read}
	defer c.close()
	if err := c.openRoots(); err != nil {
		return err
	}
	if err := index.Guard(c.share); err != nil {
		return err
	}
	bufs := make([][]byte, max(1, opt.Workers))
	err := parallel.Each(ctx, opt.Workers, len(c.runs), func(worker, i int) error {
		if bufs[worker] == nil {
			bufs[worker] = make([]byte, bufferSize)
		}
		return index.Guard(func() error { c.compareRun(ctx, c.runs[i], bufs[worker]); return nil })
	})
	return errors.Join(err, ctx.Err())
}

const (
	// bufferSize is how much is read at once: large enough that the system call
	// is noise, small enough that the bytes are still in the second-level cache
	// when they are summed.
	bufferSize = 256 << 10
	// runFiles and runBytes are when a run of files is enough for one worker.
	runFiles = 256
	runBytes = 1 << 20
)

// A run is some files of one folder.
type run struct {
	first, last int
	bytes       int64
}

type comparer struct {
	comparison
	files  []File
	runs   []run
	sum    hashing.Func
	summer *hashing.Summer
	read   *Reads
}

// share cuts the files into runs, the longest first, so that none of them is
// left for the end.
func (c *comparer) share() error {
	folder := func(i int) index.FolderRef { return c.Index.FolderOf(c.files[i].Ref) }
	for first := 0; first < len(c.files); {
		r := run{first: first, last: first}
		for r.last < len(c.files) && folder(r.last) == folder(first) &&
			r.last-first < runFiles && r.bytes < runBytes {
			r.bytes += c.files[r.last].Now.Size
			r.last++
		}
		c.runs = append(c.runs, r)
		first = r.last
	}
	slices.SortStableFunc(c.runs, func(a, b run) int { return cmp.Compare(b.bytes, a.bytes) })
	return nil
}

func (c *comparer) compareRun(ctx context.Context, r run, buf []byte) {
	f := c.Index.Folder(c.Index.FolderOf(c.files[r.first].Ref))
	dir, err := c.open(&f, true)
	if err != nil {
		return
	}
	defer dir.Close()
	for i := r.first; i < r.last && ctx.Err() == nil; i++ {
		file := &c.files[i]
		if file.Kind != Changed || file.Now.Size != file.Known.Size || !fs.FileMode(file.Now.Mode).IsRegular() {
			continue
		}
		n := c.Index.Node(file.Ref)
		got, size, busy, ok := c.sumOf(ctx, dir, n.Name, file.Now.Size, buf)
		if !ok {
			continue
		}
		c.read.Files.Add(1)
		c.read.Bytes.Add(size)
		file.Busy = busy
		want, _ := c.Index.Content(file.Ref)
		file.Same = size == file.Known.Size && got == want
	}
}

// sumOf reads a whole file.
func (c *comparer) sumOf(ctx context.Context, dir dirfd.Folder, name []byte, want int64, buf []byte) (sum hashing.Sum128, size int64, busy, ok bool) {
	if want < int64(len(buf)) {
		if n, end, busy, err := dir.Read(name, want, buf); err != nil || end {
			return c.sum.Sum128(buf[:n]), int64(n), busy, err == nil
		}
	}
	file, err := dir.OpenFile(name)
	if err != nil {
		return hashing.Sum128{}, 0, false, false
	}
	defer file.Close()
	busy = file.Busy()
	got, err := c.summer.Sum(ctx, file, hashing.WantSum)
	return got.Sum, got.Size, busy, err == nil
}
