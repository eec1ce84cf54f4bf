package scan

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"
	"sync"
)

// Folder is a directory of the tree.
//
// A later walk with the same root and [Options] need not list the directory again if three
// conditions are met: it is not Odd, its stamp was settled and is unchanged, and no .cookignore in
// it or above it has changed. Its names and their types are then unchanged. The stamps of its files
// must still be checked.
type Folder struct {
	Path  string // path in the tree, "" for the root; see Entry
	Real  string // path with links resolved
	Stamp Stamp  // taken before the listing; zero if opening failed
	// Odd is set if an equal stamp does not prove an equal listing. That is the case if the
	// directory has a link or a Problem, was reached by a link, could not be read, or lost a name
	// during the walk. It is also the case on file systems that may not update the times of
	// directories. Junk and Options.Exclude do not count.
	Odd bool
}

// CompareFolders compares two paths in the order of [Tree.Folders]. In this order, the
// subdirectories of a path follow it directly.
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
		return -1 // b is below a, and so follows a
	}
	return cmp.Compare('/', b[len(a)])
}

// place identifies a directory by its path in the tree and its real path. Several paths may lead to
// one real directory, and a path may later lead to another directory.
type place struct{ path, real string }

func (f Folder) place() place { return place{f.Path, f.Real} }

// place returns the two paths of n as a place.
func (n *node) place() place {
	if n.real == "." {
		return place{}
	}
	return place{n.path, n.real}
}

// folderFacts returns the facts about n at the end of the walk. ok is false for a directory that
// the walk only passed through, or that disappeared before the walk reached it.
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

// devices records by device whether the stamps of directories can be trusted.
type devices struct {
	mu    sync.Mutex
	known map[uint64]bool
}

// trustsDevice reports whether the file system of f is trusted. It checks each device once.
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

// Again lists some directories of root again, and all directories below them for which known
// returns false. The result has only these directories. Merged with the other directories, it
// equals the result of [Dir].
//
// dirs are directories that Dir or Again found earlier, by Path and Real. A directory that Dir
// would no longer find is not in the result. A directory whose parent is also in dirs is found by
// listing the parent. The other parents are assumed to be unchanged. Again does not list them, but
// passes through them, to check each entry of dirs and to read the .cookignore files again. If a
// parent cannot be read, it is a [Problem] as for Dir, and everything below it is missing.
//
// Again calls known with Path and Real for each subdirectory of a listed directory that is not in
// dirs. If known returns true, the caller knows the subdirectory, and Again visits only the entries
// of dirs below it. So known must return false below a directory whose .cookignore has changed.
// Again calls known from one goroutine at a time. If known is nil, no directory is known.
func Again(ctx context.Context, root string, opt Options, dirs []Folder, known func(f Folder) bool) (*Tree, error) {
	return relist(ctx, root, opt, dirs, known, openFolder)
}

func relist(ctx context.Context, root string, opt Options, dirs []Folder, known func(Folder) bool, open openFunc) (*Tree, error) {
	return walkRoot(ctx, root, opt, open, newErrand(dirs, known))
}

// errand is the set of directories that a walk must visit. A nil errand means all directories.
type errand struct {
	listed map[place]bool      // directories to list, even if known returns true
	below  map[string][]string // names that lead to a directory in listed, by parent directory
	mu     sync.Mutex          // held while known runs
	known  func(Folder) bool
}

func newErrand(dirs []Folder, known func(Folder) bool) *errand {
	e := &errand{listed: map[place]bool{}, below: map[string][]string{}, known: known}
	led := map[string]bool{} // paths that were added to below
	for _, f := range dirs {
		if f.Path != "" && !isClean(f.Path) {
			continue // no walk can have returned this path
		}
		e.listed[f.place()] = true
		for path := f.Path; path != "" && !led[path]; path = slashParent(path) {
			led[path] = true
			above := slashParent(path)
			e.below[above] = append(e.below[above], strings.TrimPrefix(path[len(above):], "/"))
		}
	}
	return e
}

// isClean reports whether a path has the form of a walk's result. The caller's memory of the path
// may be damaged.
func isClean(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." || name == ".." {
			return false
		}
	}
	return strings.IndexByte(path, 0) < 0 && filepath.IsLocal(filepath.FromSlash(path))
}

// rootNode returns the node of the root, or nil if the errand is empty.
func (e *errand) rootNode() *node {
	n := &node{real: "."}
	if e != nil && !e.listed[place{}] {
		if len(e.below) == 0 {
			return nil
		}
		n.passing = true
	}
	return n
}

// leadsInto reports whether the walk visits sub, a subdirectory of n. It sets sub.passing if the
// walk does not list sub.
func (e *errand) leadsInto(n, sub *node) bool {
	if e == nil || e.listed[sub.place()] {
		return true
	}
	if !n.passing && !e.callerKnows(sub) {
		return true
	}
	sub.passing = true
	return len(e.below[sub.path]) > 0
}

func (e *errand) callerKnows(n *node) bool {
	if e.known == nil {
		return false
	}
	p := n.place()
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known(Folder{Path: p.path, Real: p.real})
}
