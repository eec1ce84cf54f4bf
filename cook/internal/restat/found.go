package restat

import (
	"cmp"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
)

// A Kind says how a file differs.
type Kind uint8

const (
	Changed  Kind = iota // another stamp, or one that was too fresh to be trusted
	Missing              // there is no such file
	Appeared             // there is one where there was none
)

// A File is one that differs.
type File struct {
	Ref   index.Ref
	Role  index.Role
	Kind  Kind
	Known scan.Stamp
	Now   scan.Stamp // unless Missing
	// Compared says that the content was compared with what the index knows. Same says
	// that it is unchanged, Busy that the file was open for writing then: the stamp does
	// not vouch for what was read.
	Compared, Same, Busy bool
}

// A Folder is one that must be listed again.
type Folder struct {
	Ref  index.FolderRef
	Gone bool // there is no such folder any more
}

// An OutFolder is a folder of outputs with a stamp that is not in the index. It was
// taken before the outputs were looked up.
type OutFolder struct {
	Ref index.FolderRef
	Now scan.Stamp
}

// Found is what differs.
type Found struct {
	// Linked are folders that were looked at and hold files with several names.
	Linked     []index.FolderRef
	OutFolders []OutFolder // if outputs go by folder
	Files      []File      // by ref
	Folders    []Folder    // by ref
	// Reread are files under stamps that are trusted, which were ignored, and whose
	// contents are unchanged.
	Reread []index.Ref
	Counts
}

// Counts are the system calls of a comparison, and what was read.
type Counts struct {
	Opened      int64 // folders opened
	Stats       int64 // stamps of files and folders
	Read, Bytes int64 // files read, and bytes of them
}

func (f *Found) addChange(n *index.Node, kind Kind, now scan.Stamp) {
	f.Files = append(f.Files, File{Ref: n.Ref, Role: n.Role, Kind: kind, Known: n.Stamp, Now: now})
}

// A share is what one worker has found.
type share struct {
	Found
	reader *bulk.Worker // nil if no file is to be read
	parts  []part
}

// A part is what differs in one task.
type part struct {
	task   int
	files  []File
	reread []index.Ref
}

// set sets aside what differs in a task.
func (s *share) set(task int) {
	if len(s.Files)+len(s.Reread) == 0 {
		return
	}
	s.parts = append(s.parts, part{task, slices.Clone(s.Files), slices.Clone(s.Reread)})
	s.Files, s.Reread = s.Files[:0], s.Reread[:0]
}

func merge(shares []share) *Found {
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

// Sort puts files into the order of the index.
func Sort(files []File) {
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Ref, b.Ref) })
}
