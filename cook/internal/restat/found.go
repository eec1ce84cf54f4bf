package restat

import (
	"cmp"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
)

// A Kind is a kind of difference.
type Kind uint8

const (
	Changed  Kind = iota // another stamp, or a stamp too fresh to trust
	Missing              // no such file
	Appeared             // an absent file exists now
)

// A File is a file that differs.
type File struct {
	Ref   index.Ref
	Role  index.Role
	Kind  Kind
	Known scan.Stamp
	Now   scan.Stamp // unless Missing
	// Compared says that the content was compared to the index, Same that it is unchanged.
	// Busy says that the file was open for writing, so the stamp does not prove the content.
	Compared, Same, Busy bool
}

// A Directory is a directory that must be listed again.
type Folder struct {
	Ref  index.FolderRef
	Gone bool // it does not exist any more
}

// An OutFolder is a directory of outputs with a new stamp, taken before the outputs were looked
// up.
type OutFolder struct {
	Ref index.FolderRef
	Now scan.Stamp
}

// Found has the differences.
type Found struct {
	// Linked are the compared directories that hold files with several names.
	Linked     []index.FolderRef
	OutFolders []OutFolder // only with OutputsByFolder
	Files      []File      // by ref
	Folders    []Folder    // by ref
	// Reread are unchanged files that were read although their stamps are trusted.
	Reread []index.Ref
	Counts
}

// Counts counts the system calls of a comparison, and the reading.
type Counts struct {
	Opened      int64 // directories
	Stats       int64 // of files and directories
	Read, Bytes int64 // files and their bytes
}

func (f *Found) addChange(n *index.Node, kind Kind, now scan.Stamp) {
	f.Files = append(f.Files, File{Ref: n.Ref, Role: n.Role, Kind: kind, Known: n.Stamp, Now: now})
}

// A share has the differences that one worker found.
type share struct {
	Found
	reader *bulk.Worker // nil to read no file
	parts  []part
}

// A part has the differences of one task.
type part struct {
	task   int
	files  []File
	reread []index.Ref
}

// setShare sets the differences of a task aside.
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
	// Tasks are in the order of the index.
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
