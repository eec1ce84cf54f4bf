package sweep

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/at"
)

// Reads are what Compare has read.
type Reads struct{ Files, Bytes atomic.Int64 }

// Compare reads files that a sweep found and tells which of them have the
// content that the index knows, by the checksum of the index. A small file costs
// opening, reading and closing it and nothing else. What cannot be read, is no
// regular file or lies behind a link is not the same; why, is for others to find
// out.
//
// The stamps of the files were taken before they are read, so none of them can
// vouch for more than what was read. It vouches for less if somebody can write to
// the file under that stamp: this is asked before the first byte is read, and noted
// in files.
func Compare(ctx context.Context, opt Options, files []File, f hashing.Func, read *Reads) ([]bool, error) {
	c := &comparer{
		sweeper: sweeper{Options: opt, parts: opt.Index.Parts()},
		files:   files, same: make([]bool, len(files)), sum: f, summer: hashing.NewSummer(f), read: read,
	}
	defer c.close()
	var err error
	if c.roots[index.Assets], err = at.Open(opt.Assets); err != nil {
		return nil, err
	}
	if c.roots[index.Out], err = at.Open(opt.Out); err != nil {
		return nil, err
	}
	if err := Guard(c.share); err != nil {
		return nil, err
	}
	workers := max(1, min(opt.Workers, len(c.runs)))
	errs := make([]error, workers)
	var group sync.WaitGroup
	for i := range workers {
		group.Go(func() { errs[i] = Guard(func() error { return c.work(ctx) }) })
	}
	group.Wait()
	return c.same, errors.Join(append(errs, ctx.Err())...)
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
	sweeper
	files  []File
	same   []bool
	runs   []run
	sum    hashing.Func
	summer *hashing.Summer
	read   *Reads
}

// share cuts the files into runs, the longest first, so that none of them is
// left for the end.
func (c *comparer) share() error {
	folder := func(i int) int { return c.parts[c.files[i].Part].NodeFolder(c.files[i].Node) }
	for first := 0; first < len(c.files); {
		r := run{first: first, last: first}
		for r.last < len(c.files) && c.files[r.last].Part == c.files[first].Part && folder(r.last) == folder(first) &&
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

func (c *comparer) work(ctx context.Context) error {
	buf := make([]byte, bufferSize)
	for ctx.Err() == nil {
		i := int(c.next.Add(1)) - 1
		if i >= len(c.runs) {
			return nil
		}
		c.compareRun(ctx, c.runs[i], buf)
	}
	return ctx.Err()
}

func (c *comparer) compareRun(ctx context.Context, r run, buf []byte) {
	part := c.files[r.first].Part
	x := c.parts[part]
	f := x.Folder(x.NodeFolder(c.files[r.first].Node))
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
		p := x.Probe(file.Node)
		got, size, busy, ok := c.sumOf(ctx, dir, p.Name, file.Now.Size, buf)
		if !ok {
			continue
		}
		c.read.Files.Add(1)
		c.read.Bytes.Add(size)
		file.Busy = busy
		want, _ := x.Content(file.Node)
		c.same[i] = size == file.Known.Size && got == want
	}
}

// sumOf reads a whole file.
func (c *comparer) sumOf(ctx context.Context, dir at.Folder, name []byte, want int64, buf []byte) (sum hashing.Sum128, size int64, busy, ok bool) {
	if want < int64(len(buf)) {
		if n, end, busy, err := dir.ReadQuiet(name, want, buf); err != nil || end {
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
