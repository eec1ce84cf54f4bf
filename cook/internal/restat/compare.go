package restat

import (
	"context"
	"errors"
	"io/fs"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dirfd"
)

// compareSmall compares a small file by its content, and returns false if that cannot be done: a
// stat then tells what is there. See Compare.
func (s *comparison) compareSmall(n *index.Node, dir dirfd.Folder, reader *bulk.Worker, info *dirfd.Info, found *Found) (done bool) {
	f, err := dir.OpenFile(n.Name, info)
	if err != nil {
		return false
	}
	defer f.Close()
	found.Stats++
	now := scan.StampOfInfo(info)
	trusted := n.Settled && now == n.Stamp
	if trusted && !s.IgnoreStamps {
		return true
	}
	file := File{Ref: n.Ref, Role: n.Role, Kind: Changed, Known: n.Stamp, Now: now}
	if now.Size == n.Stamp.Size {
		got, err := reader.SumOpen(f, info, bulk.Ask{Want: hashing.WantSum, Busy: !trusted})
		if err != nil {
			return false
		}
		found.Read++
		found.Bytes += got.Size
		want, _ := s.Index.Content(n.Ref)
		file.Compared, file.Busy = true, got.Busy
		file.Same = got.Size == n.Stamp.Size && got.Sum == want
	}
	if trusted && file.Same {
		found.Reread = append(found.Reread, n.Ref)
	} else {
		found.Files = append(found.Files, file)
	}
	return true
}

// Compare reads the files that Find found and has not compared yet, and sets Same for
// those that have the content that the index knows, by the checksum of the index. A small
// file costs opening, reading and closing it and nothing else. What cannot be read, is no
// regular file or lies behind a link is not the same; the reason is found out where the
// file is used.
//
// The stamps of the files were taken before they are read, so none of them can vouch
// for more than what was read. It vouches for less if another process can write to
// the file under that stamp: that is checked before the first byte is read, and sets
// Busy. It need not be checked of a file that still has the stamp that was trusted
// when its content was read: whoever has it open since has not written yet, and the
// first thing written will change the stamp.
func Compare(ctx context.Context, opt Options, found *Found) error {
	c := &comparer{comparison: comparison{Options: opt}}
	for i := range found.Files {
		if f := &found.Files[i]; !f.Compared && f.comparable() {
			c.files = append(c.files, f)
		}
	}
	if len(c.files) == 0 {
		return ctx.Err()
	}
	defer c.close()
	if err := c.openRoots(); err != nil {
		return err
	}
	var runs []bulk.Run
	if err := index.Guard(func() error { runs = c.share(); return nil }); err != nil {
		return err
	}
	err := bulk.Each(ctx, opt.Workers, hashing.NewSummer(opt.Checksum), runs, func(w *bulk.Worker, r bulk.Run) error {
		return index.Guard(func() error { c.compareRun(ctx, w, r); return nil })
	})
	found.Read += c.read.Load()
	found.Bytes += c.bytes.Load()
	return errors.Join(err, ctx.Err())
}

// comparable reports whether a file can have the content that is known.
func (f *File) comparable() bool {
	return f.Kind == Changed && f.Now.Size == f.Known.Size && fs.FileMode(f.Now.Mode).IsRegular()
}

type comparer struct {
	comparison
	files       []*File
	read, bytes atomic.Int64
}

func (c *comparer) share() []bulk.Run {
	folder := func(i int) index.FolderRef { return c.Index.FolderOf(c.files[i].Ref) }
	return bulk.Runs(len(c.files), func(i, j int) bool { return folder(i) == folder(j) }, func(i int) int64 { return c.files[i].Now.Size })
}

func (c *comparer) compareRun(ctx context.Context, w *bulk.Worker, r bulk.Run) {
	f := c.Index.Folder(c.Index.FolderOf(c.files[r.First].Ref))
	dir, err := c.openCompared(&f, true)
	if err != nil {
		return
	}
	defer dir.Close()
	for i := r.First; i < r.Last && ctx.Err() == nil; i++ {
		file := c.files[i]
		n := c.Index.Node(file.Ref)
		if !isFile(&n) {
			continue // the caller may find out what has become of it
		}
		ask := bulk.Ask{Want: hashing.WantSum, Busy: !n.Settled || file.Now != file.Known}
		got, err := w.SumKnown(dir, n.Name, file.Now.Size, ask)
		if err != nil {
			continue
		}
		c.read.Add(1)
		c.bytes.Add(got.Size)
		want, _ := c.Index.Content(file.Ref)
		file.Compared, file.Busy = true, got.Busy
		file.Same = got.Size == file.Known.Size && got.Sum == want
	}
}
