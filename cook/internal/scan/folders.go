package scan

import (
	"cmp"
	"strings"
	"sync"
)

// Folder is one folder of the tree.
//
// A later walk with the same root and the same [Options] need not list it
// again if it is not Odd, its stamp was settled and is still the same, and no
// .cookignore in it or above it changed: the names in it, and what each of them
// is, are then as they were. The stamps of its files still have to be asked for.
type Folder struct {
	Path  string // as in Entry, "" for the root
	Real  string // where it lies, likewise; differs from Path at and below a link, and only there
	Stamp Stamp  // asked of the open folder before it was listed; zero if it could not be opened
	// Odd says that equal stamps prove nothing. The folder holds a link or a
	// Problem, was reached by a link or could not be read, had a name that was
	// gone a moment later, or lies on a file system that is not known to keep
	// its folders' times. Names that are left out whatever they are (junk, the
	// folders of Options.Exclude) do not count.
	Odd bool
}

// CompareFolders gives the order of [Tree.Folders]: each path is directly
// followed by those below it.
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
		return -1 // b lies below a
	}
	return cmp.Compare('/', b[len(a)])
}

// place tells folders apart: one real folder may appear at several paths, and
// a path may come to stand for another folder.
type place struct{ path, real string }

func (f Folder) place() place { return place{f.Path, f.Real} }

// place gives n's paths as Folder has them.
func (n *node) place() place {
	if n.real == "." {
		return place{}
	}
	return place{n.path, n.real}
}

// folder gives what is known of n in the end. It is not ok for a folder that
// was passed through only, or that was gone when its turn came.
func (n *node) folder() (f Folder, ok bool) {
	if n.passing || n.gone {
		return f, false
	}
	p := n.place()
	odd := n.odd || n.linked || len(n.problems) > 0
	for _, sub := range n.subs {
		odd = odd || sub.gone
	}
	return Folder{p.path, p.real, n.stamp, odd}, true
}

// devices remembers on which devices the stamps of folders can be trusted.
type devices struct {
	mu    sync.Mutex
	known map[uint64]bool
}

// trusts asks f's file system unless one on the same device was asked before.
func (d *devices) trusts(f folder, device uint64) bool {
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
