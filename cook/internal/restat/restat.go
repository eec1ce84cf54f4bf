// Package restat compares the stamps of all that an index knows with the file system,
// in the order of the index, and returns what differs.
//
// It is all that a no-op run does: folders are opened, their files are looked up by
// name, and the answers are compared with the index where it lies. Nothing is
// allocated, sorted or searched for a file that is unchanged.
//
// # Which folders need no listing
//
// Adding, removing or renaming a file changes the stamp of the folder that holds it.
// A folder of the asset tree whose stamp is unchanged, and was old enough to be
// trusted when it was listed, holds the same names; only the files under them are
// looked up. Any other folder has to be listed again, by package scan. So do folders
// whose stamps the scan does not vouch for (scan.Folder.Odd).
//
// Output folders, and those of dependencies and programs, are never listed: what else
// lies there does not matter.
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

// Options say what to compare.
type Options struct {
	Index       *index.Index
	Assets, Out string // the folders, absolute
	Workers     int
	// Checksum is the function of the index's sums. Without it Find reads no file.
	Checksum hashing.Func
	// IgnoreStamps has every file read.
	IgnoreStamps bool
	// OutputsByFolder skips the outputs in a folder whose stamp is usable and equal.
	OutputsByFolder bool
	// Only, if not nil, says which folders to look at: the others are known to be
	// unchanged.
	Only func(f *index.Folder) bool
}

// A task is a run of nodes of one folder.
type task struct {
	folder      index.FolderRef
	first, last int32 // of its nodes: from first up to last
}

// bigFolder is how many nodes of one folder make one task.
const bigFolder = 4096

// Find compares everything. It returns an error if the result is inconclusive: then a
// scan must find out.
//
// A small file is compared by its content at once where stamps are ignored, and where the
// two files before it were touched: to open it and ask the descriptor for its stamp costs
// less than to look it up twice.
func Find(ctx context.Context, opt Options) (*Found, error) {
	s := &comparison{Options: opt}
	defer s.close()
	if err := s.openRoots(); err != nil {
		return nil, err
	}
	if err := index.Guard(func() error { s.tasks = s.plan(); return nil }); err != nil {
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
		err := index.Guard(func() error { return s.do(ctx, s.tasks[i], sh.reader, &sh.Found) })
		sh.set(i)
		return err
	})
	if err != nil {
		return nil, err
	}
	all := merge(shares)
	if err := index.Guard(func() error { s.dropListed(all); return nil }); err != nil {
		return nil, err
	}
	return all, ctx.Err()
}

type comparison struct {
	Options
	roots [2]dirfd.Folder
	tasks []task
	// trusted is the device on which the stamps of folders can be trusted, 0 if none is
	// known.
	trusted uint64
}

func (s *comparison) openRoots() (err error) {
	if s.roots[index.Assets], err = dirfd.Open(s.Assets); err != nil {
		return err
	}
	s.roots[index.Out], err = dirfd.Open(s.Out)
	return err
}

func (s *comparison) close() {
	for i := range s.roots {
		s.roots[i].Close()
	}
}

// plan lists the tasks.
func (s *comparison) plan() []task {
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
	var f index.Folder // one for all: calling Only moves it to the heap
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

// do compares the files of a task. It reads none without a reader.
func (s *comparison) do(ctx context.Context, t task, reader *bulk.Worker, found *Found) error {
	f := s.Index.Folder(t.folder)
	defer s.Index.Passed(int(t.last-t.first) * index.NodeBytes)
	listed := f.Tree == index.Assets && f.Listed
	if f.Tree == index.System || f.Tree == index.Out && !s.IgnoreStamps {
		reader = nil
	}
	dir, err := s.openCompared(&f, f.Tree == index.Assets || reader != nil)
	if err != nil && f.Tree == index.Out && reader != nil {
		reader = nil // nothing is read behind a link
		dir, err = s.openCompared(&f, false)
	}
	found.Opened++
	if absent(err) {
		if listed && t.first == 0 { // one of the folder's tasks speaks for the folder
			found.Folders = append(found.Folders, Folder{f.Ref, true})
		}
		missing(t, &f, errors.Is(err, syscall.ELOOP), found)
		return nil
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", f.Path(), err)
	}
	defer dir.Close()
	again := false // a listing will show what the scan wants
	if listed {
		var info dirfd.Info
		again = !f.Usable
		if !again {
			found.Stats++
			if err := dir.Info(&info); err != nil {
				return fmt.Errorf("stat %s: %w", f.Path(), err)
			}
			again = scan.StampOfInfo(&info) != f.Stamp
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
	return s.look(ctx, t, &f, dir, again, reader, found)
}

// sameOutputs reports whether a folder of outputs has the stamp that vouches for what
// is in it. That it can do so on this file system is known if the assets lie there too
// and their folders' stamps are usable.
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

// openCompared opens a folder of the index, through links or, beneath, through none.
func (s *comparison) openCompared(f *index.Folder, beneath bool) (dirfd.Folder, error) {
	if f.Tree == index.System {
		return dirfd.Open(f.Path())
	}
	return s.roots[f.Tree].Sub(f.RealName(), beneath)
}

// look looks up each file of a task.
func (s *comparison) look(ctx context.Context, t task, f *index.Folder, dir dirfd.Folder, again bool, reader *bulk.Worker, found *Found) error {
	var info dirfd.Info
	linked := false
	touched := 0 // files in a row that differ
	for i := t.first; i < t.last && ctx.Err() == nil; i++ {
		n, ok := f.Node(int(i))
		if !ok || again && Listed(n.Role) {
			continue
		}
		differed := len(found.Files)
		early := reader != nil && (s.IgnoreStamps || touched >= 2) && !n.Follow() && n.Stamp.Size < bulk.SmallSize && isFile(&n)
		if !early || !s.compareSmall(&n, dir, reader, &info, found) {
			if err := s.stat(&n, dir, &info, found); err != nil {
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

// isFile reports whether a node is a file that is known by all that it holds.
func isFile(n *index.Node) bool {
	as, _ := dependency.Stamped(n.Name)
	return as == dependency.File
}

// stat compares a file by its stamp. It leaves info without links if there is none.
func (s *comparison) stat(n *index.Node, dir dirfd.Folder, info *dirfd.Info, found *Found) error {
	found.Stats++
	info.Links = 0
	var err error
	as, name := dependency.Stamped(n.Name)
	if as == dependency.Folder {
		err = dir.Info(info)
		info.Links = 0 // of a folder they say nothing
	} else {
		err = dir.Stat(name, n.Follow() && as != dependency.Link, info)
	}
	if err == nil && as == dependency.Link && fs.FileMode(info.Mode)&fs.ModeSymlink == 0 {
		err = fs.ErrNotExist // a file of another type is not this link
	}
	switch {
	case err == nil && n.Role == index.Absent:
		found.addChange(n, Appeared, scan.StampOfInfo(info))
	case n.Role == index.Absent && errors.Is(err, syscall.ELOOP):
		found.addChange(n, Appeared, scan.Stamp{}) // a link, if to nowhere
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

// missing notes the files of a folder that is not there. If that is because a link is
// on the way to it, then a recipe, which may follow links, may find there what was
// absent.
func missing(t task, f *index.Folder, linked bool, found *Found) {
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

// absent reports whether err says that nothing is there. A link on the way to a folder
// of the tree is a change as well.
func absent(err error) bool { return pathname.IsAbsent(err) || errors.Is(err, syscall.ELOOP) }

// dropListed drops what a listing will tell: a big folder may have changed between two
// of its tasks, and what the changes add to a folder of the flat file lies in a folder
// of its own, which knows nothing of a listing.
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
