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

// compareSmall compares the content of a small file; see Compare. It returns false if it cannot
// read the file; the caller then compares stamps.
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

// Compare reads the files from Find that are not compared yet. It sets Same for a file with the
// checksum in the index. A small file costs opening, reading and closing it and nothing else. A
// file that is unreadable, not regular or behind a link is not the same; its user reports the
// reason.
//
// The stamps were taken before the files are read, so a stamp never proves content read earlier.
// It proves nothing if another process can write to the file with that stamp. Compare checks
// that before reading the first byte, and sets Busy. It skips the check for a file with its old
// trusted stamp: a process that has the file open has not written yet, and its first write will
// change the stamp.
func Compare(ctx context.Context, opt Options, found *Found) error {
	c := &comparer{roots: &comparison{Options: opt}}
	for i := range found.Files {
		if f := &found.Files[i]; !f.Compared && f.comparable() {
			c.files = append(c.files, f)
		}
	}
	if len(c.files) == 0 {
		return ctx.Err()
	}
	defer c.roots.closeFolders()
	if err := c.roots.openRoots(); err != nil {
		return err
	}
	var runs []bulk.Run
	if err := index.Guard(func() error { runs = c.compareShare(); return nil }); err != nil {
		return err
	}
	err := bulk.Each(ctx, opt.Workers, hashing.NewSummer(opt.Checksum), runs, func(w *bulk.Worker, r bulk.Run) error {
		return index.Guard(func() error { c.compareRun(ctx, w, r); return nil })
	})
	found.Read += c.read.Load()
	found.Bytes += c.bytes.Load()
	return errors.Join(err, ctx.Err())
}

// comparable reports whether a file can have the known content.
func (f *File) comparable() bool {
	return f.Kind == Changed && f.Now.Size == f.Known.Size && fs.FileMode(f.Now.Mode).IsRegular()
}

// A comparer compares contents.
type comparer struct {
	roots       *comparison
	files       []*File
	read, bytes atomic.Int64
}

func (c *comparer) compareShare() []bulk.Run {
	folder := func(i int) index.FolderRef { return c.roots.Index.FolderOf(c.files[i].Ref) }
	return bulk.Runs(len(c.files), func(i, j int) bool { return folder(i) == folder(j) }, func(i int) int64 { return c.files[i].Now.Size })
}

func (c *comparer) compareRun(ctx context.Context, w *bulk.Worker, r bulk.Run) {
	f := c.roots.Index.Folder(c.roots.Index.FolderOf(c.files[r.First].Ref))
	dir, err := c.roots.openCompared(&f, true)
	if err != nil {
		return
	}
	defer dir.Close()
	for i := r.First; i < r.Last && ctx.Err() == nil; i++ {
		file := c.files[i]
		n := c.roots.Index.Node(file.Ref)
		if !isFile(&n) {
			continue // the caller may compare it
		}
		ask := bulk.Ask{Want: hashing.WantSum, Busy: !n.Settled || file.Now != file.Known}
		got, err := w.SumKnown(dir, n.Name, file.Now.Size, ask)
		if err != nil {
			continue
		}
		c.read.Add(1)
		c.bytes.Add(got.Size)
		want, _ := c.roots.Index.Content(file.Ref)
		file.Compared, file.Busy = true, got.Busy
		file.Same = got.Size == file.Known.Size && got.Sum == want
	}
}
