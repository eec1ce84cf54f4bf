// Package restat compares the stamps in an index to the file system, in the order of the index,
// and returns the differences.
//
// This is almost all that a no-op run does: it opens directories, looks up their files by name, and
// compares the stamps to the mapped index. For an unchanged file it does not allocate, sort or
// search.
//
// # Directories that need no listing
//
// Adding, removing or renaming a file changes the stamp of its directory. A directory of the
// asset tree therefore has the same names if its stamp is unchanged and was old enough to be
// trusted when the directory was listed. Restat then only looks up the files. Any other
// directory must be listed again by package scan, including directories with unreliable stamps
// (scan.Folder.Odd).
//
// Restat and scan never list the directories of outputs, dependencies and programs, because other
// files there do not matter.
package restat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/dirfd"
	"github.com/assetcook/assetcook/internal/parallel"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Options are the options of Find and Compare.
type Options struct {
	Index       *index.Index
	Assets, Out string // absolute names of the directories
	Workers     int
	// Checksum is the checksum function. If it is nil, Find reads no files.
	Checksum hashing.Func
	// IgnoreStamps makes Compare read every file.
	IgnoreStamps bool
	// OutputsByFolder skips the outputs in each directory whose trusted stamp is unchanged.
	OutputsByFolder bool
	// Only reports whether to compare a directory; nil means that all are compared. Directories
	// that are not compared must be known to be unchanged.
	Only func(f *index.Folder) bool
}

// A task is a range of the nodes in one directory.
type task struct {
	folder      index.FolderRef
	first, last int32 // nodes from first up to, but not including, last
}

// bigFolder is the number of nodes in each task of a big directory.
const bigFolder = 4096

// Find compares stamps. It returns an error if only a scan can find the differences.
//
// It compares the content of a small file immediately if stamps are ignored. It also does so if the
// two previous files were touched, because opening a file and calling fstat is cheaper than two
// path lookups.
func Find(ctx context.Context, opt Options) (*Found, error) {
	s := &comparison{Options: opt}
	defer s.closeFolders()
	if err := s.openRoots(); err != nil {
		return nil, err
	}
	if err := index.Guard(func() error { s.tasks = s.planStats(); return nil }); err != nil {
		return nil, err
	}
	shares := make([]share, max(1, opt.Workers))
	if opt.Checksum.Name != "" {
		summer := hashing.NewSummer(opt.Checksum)
		for i := range shares {
			shares[i].reader = bulk.NewWorker(ctx, summer)
		}
	}
	err := parallel.Each(ctx, opt.Workers, len(s.tasks), func(worker, i int) error {
		sh := &shares[worker]
		err := index.Guard(func() error { return s.runStats(ctx, s.tasks[i], sh.reader, &sh.Found) })
		sh.setShare(i)
		return err
	})
	if err != nil {
		return nil, err
	}
	all := mergeShares(shares)
	if err := index.Guard(func() error { s.dropListed(all); return nil }); err != nil {
		return nil, err
	}
	return all, ctx.Err()
}

// A comparison compares stamps.
type comparison struct {
	Options
	roots [2]dirfd.Folder
	tasks []task
	// trusted is the device whose directory stamps are reliable, or 0 if unknown.
	trusted uint64
}

func (s *comparison) openRoots() (err error) {
	if s.roots[index.Assets], err = dirfd.Open(s.Assets); err != nil {
		return err
	}
	s.roots[index.Out], err = dirfd.Open(s.Out)
	return err
}

func (s *comparison) closeFolders() {
	for i := range s.roots {
		s.roots[i].Close()
	}
}

// planStats returns the tasks.
func (s *comparison) planStats() []task {
	folders := s.Index.Folders()
	if folders > 0 {
		if f := s.Index.Folder(0); f.Tree == index.Assets && f.Listed && !f.Odd {
			s.trusted = f.Stamp.Device
		}
	}
	var tasks []task
	if s.Only == nil {
		tasks = make([]task, 0, folders+s.Index.Nodes()/bigFolder)
	}
	var f index.Folder // declared outside of the loop, because the call of Only moves it to the heap
	for ref := range index.FolderRef(folders) {
		f = s.Index.Folder(ref)
		if !f.Listed && f.Len() == 0 || s.Only != nil && !s.Only(&f) {
			continue
		}
		for first, end := 0, f.Len(); ; {
			last := min(end, first+bigFolder)
			tasks = append(tasks, task{ref, int32(first), int32(last)})
			if first = last; first >= end {
				break
			}
		}
	}
	return tasks
}

// runStats compares the files of a task. Without a reader it reads no files.
func (s *comparison) runStats(ctx context.Context, t task, reader *bulk.Worker, found *Found) error {
	f := s.Index.Folder(t.folder)
	defer s.Index.Passed(int(t.last-t.first) * index.NodeBytes)
	listed := f.Tree == index.Assets && f.Listed
	if f.Tree == index.System || f.Tree == index.Out && !s.IgnoreStamps {
		reader = nil
	}
	dir, err := s.openCompared(&f, f.Tree == index.Assets || reader != nil)
	if err != nil && f.Tree == index.Out && reader != nil {
		reader = nil // do not read files that are reached by a link
		dir, err = s.openCompared(&f, false)
	}
	found.Opened++
	if absent(err) {
		if listed && t.first == 0 { // only the first task reports the directory
			found.Folders = append(found.Folders, Folder{f.Ref, true})
		}
		isMissing(t, &f, errors.Is(err, syscall.ELOOP), found)
		return nil
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", f.Path(), err)
	}
	defer dir.Close()
	again := false // set if the caller must list the directory
	own := &ownInfo{dir: dir}
	if listed {
		again = !f.Usable
		if !again {
			info, err := own.stat(found)
			if err != nil {
				return fmt.Errorf("stat %s: %w", f.Path(), err)
			}
			again = scan.StampOfInfo(info) != f.Stamp
		}
		if again {
			found.Folders = append(found.Folders, Folder{f.Ref, false})
		}
	}
	if f.Tree == index.Out && s.OutputsByFolder {
		if same, err := s.sameOutputs(t, &f, dir, found); same || err != nil {
			return err
		}
	}
	return s.lookAtFolder(ctx, t, &f, own, again, reader, found)
}

// sameOutputs reports whether the stamp of a directory of outputs proves that its files are
// unchanged. It returns false unless the directory is on the file system of the assets and
// directory stamps are reliable there.
func (s *comparison) sameOutputs(t task, f *index.Folder, dir dirfd.Folder, found *Found) (bool, error) {
	var info dirfd.Info
	found.Stats++
	if err := dir.Info(&info); err != nil {
		return false, fmt.Errorf("stat %s: %w", f.Path(), err)
	}
	if s.trusted == 0 || info.Device != s.trusted {
		return false, nil
	}
	now := scan.StampOfInfo(&info)
	if f.Listed && f.Usable && f.Stamp == now {
		return true, nil
	}
	if !f.FromChanges() && t.first == 0 {
		found.OutFolders = append(found.OutFolders, OutFolder{f.Ref, now})
	}
	return false, nil
}

// openCompared opens a directory of the index. If beneath is set, it follows no links.
func (s *comparison) openCompared(f *index.Folder, beneath bool) (dirfd.Folder, error) {
	if f.Tree == index.System {
		return dirfd.Open(f.Path())
	}
	return s.roots[f.Tree].Sub(f.RealName(), beneath)
}

// An ownInfo is a directory with the result of its stat call. The entries for its listing and its
// extracts share this result.
type ownInfo struct {
	dir   dirfd.Folder
	info  dirfd.Info
	known bool
}

// stat calls stat for the directory on first use.
func (o *ownInfo) stat(found *Found) (*dirfd.Info, error) {
	if !o.known {
		found.Stats++
		if err := o.dir.Info(&o.info); err != nil {
			return nil, err
		}
		o.info.Links = 0 // nothing needs the link count of a directory
		o.known = true
	}
	return &o.info, nil
}

// lookAtFolder looks up each file of a task.
func (s *comparison) lookAtFolder(ctx context.Context, t task, f *index.Folder, own *ownInfo, again bool, reader *bulk.Worker, found *Found) error {
	dir := own.dir
	var info dirfd.Info
	linked := false
	touched := 0 // number of successive files that differ
	for i := t.first; i < t.last && ctx.Err() == nil; i++ {
		n, ok := f.Node(int(i))
		if !ok || again && Listed(n.Role) {
			continue
		}
		differed := len(found.Files)
		early := reader != nil && (s.IgnoreStamps || touched >= 2) && !n.Follow() && n.Stamp.Size < bulk.SmallSize && isFile(&n)
		if !early || !s.compareSmall(&n, dir, reader, &info, found) {
			if err := s.statNode(&n, own, &info, found); err != nil {
				return err
			}
		}
		linked = linked || info.Links > 1 && n.Role != index.Absent
		if touched++; len(found.Files) == differed {
			touched = 0
		}
	}
	if linked {
		found.Linked = append(found.Linked, f.Ref)
	}
	return nil
}

// isFile reports whether a node represents the whole content of a file.
func isFile(n *index.Node) bool {
	as, _ := dependency.Stamped(n.Name)
	return as == dependency.File
}

// statNode compares the stamp of a file. For a missing file, the link count in info is 0.
func (s *comparison) statNode(n *index.Node, own *ownInfo, info *dirfd.Info, found *Found) error {
	info.Links = 0
	var err error
	as, name := dependency.Stamped(n.Name)
	if as == dependency.Folder {
		var folder *dirfd.Info
		if folder, err = own.stat(found); err == nil {
			*info = *folder
		}
	} else {
		found.Stats++
		err = own.dir.Stat(name, n.Follow() && as != dependency.Link, info)
	}
	if err == nil && as == dependency.Link && fs.FileMode(info.Mode)&fs.ModeSymlink == 0 {
		err = fs.ErrNotExist // the entry is not a link any more
	}
	switch {
	case err == nil && n.Role == index.Absent:
		found.addChange(n, Appeared, scan.StampOfInfo(info))
	case n.Role == index.Absent && errors.Is(err, syscall.ELOOP):
		found.addChange(n, Appeared, scan.Stamp{}) // a link, perhaps a dangling one
	case err == nil:
		if now := scan.StampOfInfo(info); now != n.Stamp || !n.Settled || s.IgnoreStamps {
			found.addChange(n, Changed, now)
		}
	case !absent(err):
		return fmt.Errorf("stat %s: %w", s.Index.Dependency(n.Ref), err)
	case n.Role != index.Absent:
		found.addChange(n, Missing, scan.Stamp{})
	}
	return nil
}

// isMissing reports the files of a missing directory. If the path contains a link, it also reports
// absent files as appeared, because recipes may reach them through the link.
func isMissing(t task, f *index.Folder, linked bool, found *Found) {
	for i := t.first; i < t.last; i++ {
		n, ok := f.Node(int(i))
		switch {
		case !ok || f.Listed && Listed(n.Role):
		case n.Role != index.Absent:
			found.addChange(&n, Missing, scan.Stamp{})
		case linked:
			found.addChange(&n, Appeared, scan.Stamp{})
		}
	}
}

// Listed reports whether a scan lists files of a role.
func Listed(r index.Role) bool { return r == index.Asset || r == index.Config || r == index.Ignore }

// absent reports whether an error means that a file does not exist. This includes an error caused
// by a link on the way to a directory of the tree.
func absent(err error) bool { return pathname.IsAbsent(err) || errors.Is(err, syscall.ELOOP) }

// dropListed drops the differences in directories that will be listed again, because the listing
// finds them. Such differences occur if a big directory changes between two of its tasks. They also
// occur for files in the changes of an index, whose entry for the directory does not record that a
// listing is needed.
func (s *comparison) dropListed(all *Found) {
	if len(all.Folders) == 0 {
		return
	}
	all.Files = slices.DeleteFunc(all.Files, func(f File) bool {
		if !Listed(f.Role) {
			return false
		}
		in := s.Index.Folder(s.Index.FolderOf(f.Ref))
		folder, ok := s.Index.FindFolder(in.Path())
		if !ok {
			return false
		}
		_, again := slices.BinarySearchFunc(all.Folders, folder.Ref, func(f Folder, ref index.FolderRef) int { return cmp.Compare(f.Ref, ref) })
		return again
	})
}
