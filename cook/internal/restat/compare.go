package restat

import (
	"context"
	"errors"
	"io/fs"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/hashing"
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
// Busy. It need not be checked of a file that still has the stamp that was trusted
// when its content was read: whoever has it open since has not written yet, and the
// first thing written will change the stamp.
func Compare(ctx context.Context, opt Options, files []File, f hashing.Func, read *Reads) error {
	c := &comparer{comparison: comparison{Options: opt}, files: files, read: read}
	defer c.close()
	if err := c.openRoots(); err != nil {
		return err
	}
	var runs []bulk.Run
	if err := index.Guard(func() error { runs = c.share(); return nil }); err != nil {
		return err
	}
	err := bulk.Each(ctx, opt.Workers, hashing.NewSummer(f), runs, func(w *bulk.Worker, r bulk.Run) error {
		return index.Guard(func() error { c.compareRun(ctx, w, r); return nil })
	})
	return errors.Join(err, ctx.Err())
}

type comparer struct {
	comparison
	files []File
	read  *Reads
}

func (c *comparer) share() []bulk.Run {
	folder := func(i int) index.FolderRef { return c.Index.FolderOf(c.files[i].Ref) }
	return bulk.Runs(len(c.files), func(i, j int) bool { return folder(i) == folder(j) }, func(i int) int64 { return c.files[i].Now.Size })
}

func (c *comparer) compareRun(ctx context.Context, w *bulk.Worker, r bulk.Run) {
	f := c.Index.Folder(c.Index.FolderOf(c.files[r.First].Ref))
	dir, err := c.open(&f, true)
	if err != nil {
		return
	}
	defer dir.Close()
	for i := r.First; i < r.Last && ctx.Err() == nil; i++ {
		file := &c.files[i]
		if file.Kind != Changed || file.Now.Size != file.Known.Size || !fs.FileMode(file.Now.Mode).IsRegular() {
			continue
		}
		n := c.Index.Node(file.Ref)
		ask := bulk.Ask{Want: hashing.WantSum, Busy: !n.Settled || file.Now != file.Known}
		got, err := w.SumKnown(dir, n.Name, file.Now.Size, ask)
		if err != nil {
			continue
		}
		c.read.Files.Add(1)
		c.read.Bytes.Add(got.Size)
		file.Busy = got.Busy
		want, _ := c.Index.Content(file.Ref)
		file.Same = got.Size == file.Known.Size && got.Sum == want
	}
}
