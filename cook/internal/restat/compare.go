package restat

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
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

// Compare reads the files that Find has not compared yet. It sets Same for a file with the checksum
// in the index. A small file takes only three system calls: opening, reading and closing it. A file
// that is unreadable, not regular or reached by a link never counts as the same; the reason is
// reported when the file is read later.
//
// The stamps were taken before the files are read, so a stamp is never newer than the content. But
// a stamp proves nothing while another process can write to the file. Compare therefore looks for
// writers before it reads the first byte, and sets Busy. It skips this check for a file with its
// old trusted stamp: a process that has the file open has not written yet, and its first write will
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

// comparable reports whether a file may have the known content.
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
			continue // the caller compares such nodes
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

// A Kind is a kind of difference.
type Kind uint8

const (
	Changed  Kind = iota // the stamp changed, or is too fresh to trust
	Missing              // the file does not exist
	Appeared             // a file that was absent exists now
)

// A File is a file that differs.
type File struct {
	Ref   index.Ref
	Role  index.Role
	Kind  Kind
	Known scan.Stamp
	Now   scan.Stamp // current stamp, unless the file is Missing
	// Compared is set if the content was compared to the index; Same is set if it is unchanged.
	// Busy is set if the file was open for writing, so the stamp does not prove the content.
	Compared, Same, Busy bool
}

// A Folder is a directory that must be listed again.
type Folder struct {
	Ref  index.FolderRef
	Gone bool // the directory does not exist any more
}

// An OutFolder is a directory of outputs whose stamp has changed. Its new stamp was taken before
// the outputs were looked up.
type OutFolder struct {
	Ref index.FolderRef
	Now scan.Stamp
}

// Found is the result of a comparison: the differences.
type Found struct {
	// Linked lists the compared directories that contain files with several hard links.
	Linked     []index.FolderRef
	OutFolders []OutFolder // directories of outputs; filled only with OutputsByFolder
	Files      []File      // changed files, sorted by ref
	Folders    []Folder    // changed directories, sorted by ref
	// Reread lists unchanged files that were read although their stamps are trusted.
	Reread []index.Ref
	Counts
}

// Counts counts the system calls of a comparison, and the files and bytes read.
type Counts struct {
	Opened      int64 // number of opened directories
	Stats       int64 // number of stat calls for files and directories
	Read, Bytes int64 // number of files read, and their total size
}

func (f *Found) addChange(n *index.Node, kind Kind, now scan.Stamp) {
	f.Files = append(f.Files, File{Ref: n.Ref, Role: n.Role, Kind: kind, Known: n.Stamp, Now: now})
}

// A share holds the differences that one worker found.
type share struct {
	Found
	reader *bulk.Worker // nil if no file is read
	parts  []part
}

// A part holds the differences found by one task.
type part struct {
	task   int
	files  []File
	reread []index.Ref
}

// setShare stores the differences of a task separately.
func (s *share) setShare(task int) {
	if len(s.Files)+len(s.Reread) == 0 {
		return
	}
	s.parts = append(s.parts, part{task, slices.Clone(s.Files), slices.Clone(s.Reread)})
	s.Files, s.Reread = s.Files[:0], s.Reread[:0]
}

func mergeShares(shares []share) *Found {
	all := &Found{}
	var parts []part
	files, reread := 0, 0
	for i := range shares {
		f := &shares[i]
		parts = append(parts, f.parts...)
		all.Folders = append(all.Folders, f.Folders...)
		all.OutFolders = append(all.OutFolders, f.OutFolders...)
		all.Linked = append(all.Linked, f.Linked...)
		all.Opened += f.Opened
		all.Stats += f.Stats
		all.Read += f.Read
		all.Bytes += f.Bytes
	}
	for i := range parts {
		files, reread = files+len(parts[i].files), reread+len(parts[i].reread)
	}
	// Tasks are sorted in the order of the index.
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.task, b.task) })
	all.Files, all.Reread = slices.Grow(all.Files, files), slices.Grow(all.Reread, reread)
	for i := range parts {
		all.Files, all.Reread = append(all.Files, parts[i].files...), append(all.Reread, parts[i].reread...)
		parts[i] = part{}
	}
	slices.SortFunc(all.OutFolders, func(a, b OutFolder) int { return cmp.Compare(a.Ref, b.Ref) })
	slices.SortFunc(all.Folders, func(a, b Folder) int { return cmp.Compare(a.Ref, b.Ref) })
	all.Folders = slices.CompactFunc(all.Folders, func(a, b Folder) bool { return a.Ref == b.Ref })
	slices.Sort(all.Linked)
	all.Linked = slices.Compact(all.Linked)
	return all
}

// Sort sorts files in the order of the index.
func Sort(files []File) {
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Ref, b.Ref) })
}
