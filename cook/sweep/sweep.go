// Package sweep asks stat about everything that the index knows, in the order
// of the index, and tells what differs.
//
// It is all that a run does in which nothing changed: the folders are opened,
// their files are asked for by name, and the answers are compared with the
// index where it lies. Nothing is allocated for a file that is as it was, nor
// is anything sorted or looked up.
//
// # Which folders need no listing
//
// Whoever adds, removes or renames a file changes the stamp of the folder that
// holds it. A folder of the asset tree whose stamp is as it was, and was old
// enough to be trusted when it was listed, holds the same names; only the files
// under them are asked for. Any other folder is listed again, by package scan.
// So are all folders whose stamp the scan does not vouch for (scan.Folder.Odd).
//
// Output folders, and those of dependencies and programs, are never listed:
// what else lies there does not matter.
package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/internal/at"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Options say what to sweep.
type Options struct {
	Index       *index.Live
	Assets, Out string // the folders, absolute
	Workers     int
	// Verify trusts no stamp: every file is one that differs.
	Verify bool
	// OutputsByFolder asks for no output in a folder whose stamp is usable and
	// equal.
	OutputsByFolder bool
	// Only, if not nil, says which folders to look at: the others are known to
	// be as they were.
	Only func(f *index.Folder) bool
}

// A Kind says how a file differs.
type Kind uint8

const (
	Changed  Kind = iota // another stamp, or one that was too fresh to be trusted
	Missing              // there is no such file
	Appeared             // there is one where there was none
)

// A File is one that differs.
type File struct {
	Part, Node int // in the index
	Role       index.Role
	Kind       Kind
	Known      scan.Stamp
	Now        scan.Stamp // unless Missing
	// Busy says that somebody had the file open for writing when Compare read it:
	// the stamp does not vouch for what was read.
	Busy bool
}

// A Folder is one that must be listed again.
type Folder struct {
	Part, Row int
	Gone      bool // there is no such folder any more
}

// An OutFolder is a folder of outputs with a stamp that is not in the index. It
// was taken before the outputs were asked for.
type OutFolder struct {
	Part, Row int
	Now       scan.Stamp
}

// Found is what a sweep found.
type Found struct {
	// Linked are folders that were looked at and hold files with several names.
	Linked     []Folder
	OutFolders []OutFolder // if outputs go by folder
	Files      []File      // by part and node
	Folders    []Folder    // by part and row
	Counts
}

// Counts are the system calls of a sweep.
type Counts struct {
	Opened int64 // folders opened
	Stats  int64 // stamps asked for, of files and folders
}

// ErrFault says that the index was cut while it was in use.
var ErrFault = errors.New("index: cut while it was in use")

// A task is a run of nodes of one folder.
type task struct {
	part        int32
	folder      int32
	first, last int32 // of its nodes: from first up to last
}

// bigFolder is how many nodes of one folder make one task.
const bigFolder = 4096

// Sweep asks about everything. Its error is for what keeps the sweep from
// knowing: then a scan must find out.
func Sweep(ctx context.Context, opt Options) (*Found, error) {
	s := &sweeper{Options: opt, parts: opt.Index.Parts()}
	defer s.close()
	var err error
	if s.roots[index.Assets], err = at.Open(opt.Assets); err != nil {
		return nil, err
	}
	if s.roots[index.Out], err = at.Open(opt.Out); err != nil {
		return nil, err
	}
	if s.tasks, err = s.plan(); err != nil {
		return nil, err
	}
	workers := max(1, min(opt.Workers, len(s.tasks)))
	found := make([]Found, workers)
	errs := make([]error, workers)
	var group sync.WaitGroup
	for i := range workers {
		group.Go(func() { errs[i] = Guard(func() error { return s.work(ctx, &found[i]) }) })
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	all := merge(found)
	if err := Guard(func() error { s.settle(all); return nil }); err != nil {
		return nil, err
	}
	return all, ctx.Err()
}

// Guard runs what reads the index in place. A fault, or a row that points
// nowhere, becomes an error.
func Guard(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrFault, p)
		}
	}()
	return do()
}

type sweeper struct {
	Options
	parts [2]*index.Index
	roots [2]at.Folder
	tasks []task
	next  atomic.Int64
	// trusted is the device on which the stamps of folders can be trusted, 0 if
	// none is known.
	trusted uint64
}

func (s *sweeper) close() {
	for i := range s.roots {
		s.roots[i].Close()
	}
}

// plan lists the tasks.
func (s *sweeper) plan() (tasks []task, err error) {
	err = Guard(func() error {
		if s.parts[0].Folders() > 0 {
			if f := s.parts[0].Folder(0); f.Tree == index.Assets && f.Listed && !f.Odd {
				s.trusted = f.Stamp.Device
			}
		}
		total := s.parts[0].Folders() + s.parts[1].Folders()
		tasks = make([]task, 0, total+(s.parts[0].Nodes()+s.parts[1].Nodes())/bigFolder)
		for part, x := range s.parts {
			for row := range x.Folders() {
				f := x.Folder(row)
				if f.Dead && f.Count == 0 || s.Only != nil && !s.Only(&f) {
					continue
				}
				first, end := f.First, f.First+f.Count
				for {
					last := min(end, first+bigFolder)
					tasks = append(tasks, task{int32(part), int32(row), int32(first), int32(last)})
					if first = last; first >= end {
						break
					}
				}
			}
		}
		return nil
	})
	return tasks, err
}

func (s *sweeper) work(ctx context.Context, found *Found) error {
	for ctx.Err() == nil {
		i := int(s.next.Add(1)) - 1
		if i >= len(s.tasks) {
			return nil
		}
		if err := s.do(s.tasks[i], found); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (s *sweeper) do(t task, found *Found) error {
	x := s.parts[t.part]
	f := x.Folder(int(t.folder))
	begins := int(t.first) == f.First // one of the folder's tasks speaks for the folder
	dir, err := s.open(&f, f.Tree == index.Assets)
	found.Opened++
	if absent(err) {
		if f.Tree == index.Assets && f.Listed && !f.Dead && begins {
			found.Folders = append(found.Folders, Folder{int(t.part), int(t.folder), true})
		}
		s.missing(t, x, errors.Is(err, syscall.ELOOP), found)
		return nil
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", f.Path, err)
	}
	defer dir.Close()
	again := false // a listing will tell of what the scan wants
	if f.Tree == index.Assets && f.Listed && !f.Dead {
		var info at.Info
		again = !f.Usable
		if !again {
			found.Stats++
			if err := dir.Info(&info); err != nil {
				return fmt.Errorf("stat %s: %w", f.Path, err)
			}
			again = stampOf(&info) != f.Stamp
		}
		if again {
			found.Folders = append(found.Folders, Folder{int(t.part), int(t.folder), false})
		}
	}
	if f.Tree == index.Out && s.OutputsByFolder {
		if same, err := s.sameOutputs(t, &f, dir, found); same || err != nil {
			return err
		}
	}
	return s.ask(t, x, dir, again, found)
}

// sameOutputs reports whether a folder of outputs has the stamp that vouches for
// what is in it. That it can do so on this file system is known if the assets
// lie there too and their folders' stamps are usable.
func (s *sweeper) sameOutputs(t task, f *index.Folder, dir at.Folder, found *Found) (bool, error) {
	var info at.Info
	found.Stats++
	if err := dir.Info(&info); err != nil {
		return false, fmt.Errorf("stat %s: %w", f.Path, err)
	}
	if s.trusted == 0 || info.Device != s.trusted {
		return false, nil
	}
	now := stampOf(&info)
	if f.Listed && f.Usable && f.Stamp == now {
		return true, nil
	}
	if t.part == 0 && int(t.first) == f.First {
		found.OutFolders = append(found.OutFolders, OutFolder{int(t.part), int(t.folder), now})
	}
	return false, nil
}

// open opens a folder of the index, through links or, beneath, through none.
func (s *sweeper) open(f *index.Folder, beneath bool) (at.Folder, error) {
	if f.Tree == index.System {
		return at.Open(string(f.Path))
	}
	return s.roots[f.Tree].Sub(f.RealName(), beneath)
}

// ask asks for each file of a task.
func (s *sweeper) ask(t task, x *index.Index, dir at.Folder, again bool, found *Found) error {
	var info at.Info
	linked := false
	for node := int(t.first); node < int(t.last); node++ {
		p := x.Probe(node)
		if p.Idle() || again && Listed(p.Role) {
			continue
		}
		found.Stats++
		err := dir.Stat(p.Name, p.Follow(), &info)
		linked = linked || err == nil && info.Links > 1 && p.Role != index.Absent
		switch {
		case err == nil && p.Role == index.Absent:
			found.add(t, node, &p, Appeared, stampOf(&info))
		case p.Role == index.Absent && errors.Is(err, syscall.ELOOP):
			found.add(t, node, &p, Appeared, scan.Stamp{}) // a link, if to nowhere
		case err == nil:
			if now := stampOf(&info); now != p.Stamp || !p.Settled || s.Verify {
				found.add(t, node, &p, Changed, now)
			}
		case !absent(err):
			return fmt.Errorf("stat %s: %w", x.NodePath(node), err)
		case p.Role != index.Absent:
			found.add(t, node, &p, Missing, scan.Stamp{})
		}
	}
	if linked {
		found.Linked = append(found.Linked, Folder{Part: int(t.part), Row: int(t.folder)})
	}
	return nil
}

// missing tells of the files of a folder that is not there. If that is because a
// link is on the way to it, then a recipe, which may follow links, may find there
// what was absent.
func (s *sweeper) missing(t task, x *index.Index, linked bool, found *Found) {
	f := x.Folder(int(t.folder))
	for node := int(t.first); node < int(t.last); node++ {
		p := x.Probe(node)
		switch {
		case p.Idle() || f.Listed && !f.Dead && Listed(p.Role):
		case p.Role != index.Absent:
			found.add(t, node, &p, Missing, scan.Stamp{})
		case linked:
			found.add(t, node, &p, Appeared, scan.Stamp{})
		}
	}
}

// Listed reports whether a scan lists files of a role.
func Listed(r index.Role) bool { return r == index.Asset || r == index.Config || r == index.Ignore }

func (f *Found) add(t task, node int, p *index.Probe, kind Kind, now scan.Stamp) {
	f.Files = append(f.Files, File{Part: int(t.part), Node: node, Role: p.Role, Kind: kind, Known: p.Stamp, Now: now})
}

// absent reports whether err says that nothing is there. A link on the way to a
// folder of the tree is a change as well.
func absent(err error) bool {
	return pathname.IsAbsent(err) || errors.Is(err, syscall.ELOOP)
}

func stampOf(i *at.Info) scan.Stamp {
	return scan.Stamp{Size: i.Size, MTime: i.MTime, CTime: i.CTime, Inode: i.Inode, Device: i.Device, Mode: i.Mode}
}

func merge(found []Found) *Found {
	all := &found[0]
	for _, f := range found[1:] {
		all.Files = append(all.Files, f.Files...)
		all.Folders = append(all.Folders, f.Folders...)
		all.OutFolders = append(all.OutFolders, f.OutFolders...)
		all.Linked = append(all.Linked, f.Linked...)
		all.Opened += f.Opened
		all.Stats += f.Stats
	}
	Sort(all.Files)
	slices.SortFunc(all.OutFolders, func(a, b OutFolder) int { return cmp.Compare(a.Row, b.Row) }) // of one part
	for _, list := range [...]*[]Folder{&all.Folders, &all.Linked} {
		slices.SortFunc(*list, compareFolders)
		*list = slices.CompactFunc(*list, func(a, b Folder) bool { return compareFolders(a, b) == 0 })
	}
	return all
}

// Sort puts files into the order of the index.
func Sort(files []File) {
	slices.SortFunc(files, func(a, b File) int { return cmp.Or(cmp.Compare(a.Part, b.Part), cmp.Compare(a.Node, b.Node)) })
}

func compareFolders(a, b Folder) int {
	return cmp.Or(cmp.Compare(a.Part, b.Part), cmp.Compare(a.Row, b.Row))
}

// settle drops what a listing will tell: a big folder may have changed between
// two of its tasks, and what the changes add to a folder of the base lies in a
// folder of its own, which knows nothing of a listing.
func (s *sweeper) settle(all *Found) {
	if len(all.Folders) == 0 {
		return
	}
	all.Files = slices.DeleteFunc(all.Files, func(f File) bool {
		if !Listed(f.Role) {
			return false
		}
		x := s.parts[f.Part]
		part, row, ok := s.Index.FindFolder(string(x.Folder(x.NodeFolder(f.Node)).Path))
		if !ok {
			return false
		}
		_, again := slices.BinarySearchFunc(all.Folders, Folder{Part: part, Row: row}, compareFolders)
		return again
	})
}
