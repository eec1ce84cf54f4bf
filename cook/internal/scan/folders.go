package scan

import (
	"cmp"
	"strings"
	"sync"
)

// Directory is a directory of the tree.
//
// A later walk with the same root and [Options] need not list it again if it is not Odd, its
// stamp was settled and is unchanged, and no .cookignore in it or above it has changed: its names
// and their types are then unchanged. The stamps of its files must still be checked.
type Folder struct {
	Path  string // as in Entry, "" for the root
	Real  string // real path of the directory; differs from Path only at and below a link
	Stamp Stamp  // taken before the listing; zero if opening failed
	// Odd says that an equal stamp does not prove an equal listing. The directory holds a link or
	// a Problem, was reached by a link, could not be read, had a name that vanished a moment
	// later, or is on a file system that is not known to update directory times. Names that are
	// skipped whatever their type (junk, the directories of Options.Exclude) do not count.
	Odd bool
}

// CompareFolders compares two paths in the order of [Tree.Folders]: the subdirectories of a path
// follow it directly.
func CompareFolders(a, b string) int {
	if a == "" || b == "" || len(a) == len(b) {
		return strings.Compare(a, b)
	}
	if len(a) > len(b) {
		return -CompareFolders(b, a)
	}
	if c := strings.Compare(a, b[:len(a)]); c != 0 {
		return c
	}
	if b[len(a)] == '/' {
		return -1 // b is below a
	}
	return cmp.Compare('/', b[len(a)])
}

// place identifies a directory: one real directory may appear at several paths, and a path may
// later mean another directory.
type place struct{ path, real string }

func (f Folder) place() place { return place{f.Path, f.Real} }

// place returns n's paths in the form of Directory.
func (n *node) place() place {
	if n.real == "." {
		return place{}
	}
	return place{n.path, n.real}
}

// directory returns the final facts about n. ok is false for a directory that the walk only passed
// through, or that vanished before its turn.
func (n *node) folderFacts() (f Folder, ok bool) {
	if n.passing || n.findings.gone {
		return f, false
	}
	p := n.place()
	odd := n.findings.odd || n.linked || len(n.findings.problems) > 0
	for _, sub := range n.findings.subs {
		odd = odd || sub.findings.gone
	}
	return Folder{p.path, p.real, n.findings.stamp, odd}, true
}

// devices caches by device whether the stamps of directories can be trusted.
type devices struct {
	mu    sync.Mutex
	known map[uint64]bool
}

// trustsDevice reports whether f's file system is trusted, checking each device once.
func (d *devices) trustsDevice(f folder, device uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	trusted, ok := d.known[device]
	if !ok {
		trusted = f.trusted()
		if d.known == nil {
			d.known = map[uint64]bool{}
		}
		d.known[device] = trusted
	}
	return trusted
}
