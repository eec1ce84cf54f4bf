// Package scan turns the asset directory into a sorted list of files with their stamps.
//
// # What it reads
//
// It reads directory listings, calls lstat once per entry, and reads link targets and .cookignore
// files. It opens few other files: the index detects changed contents.
//
// # What it excludes
//
//   - directories of version control, and temporary files of editors and desktops (the tables in
//     ignore.go)
//   - the directories in [Options.Exclude]
//   - files that a .cookignore names
//   - directories that other programs make again, and output directories of other cooks (cache.go)
//   - files in [Defaults] that no .cookignore includes again
//
// A .cookignore has the meaning of a .gitignore in the same place (ignore.go). It is case-sensitive
// on every system, so that two machines cook the same set. The cook.toml files are listed
// separately, in [Tree.Configs]. Rules for files do not hide a cook.toml; rules for its directory
// do.
//
// # Links
//
// A link to a file or directory of the tree acts as its target under the link's path; ignore rules
// and junk names apply to that path too. A directory link is followed once: directory links below
// it are not followed. A link that leads out of the tree, in a circle or nowhere is a [Problem].
// The tree is held open as an [os.Root], so an entry that is replaced by a link during the walk
// cannot lead outside.
//
// # Listing again
//
// [Tree.Folders] has what a later run needs to skip the listing of a directory: its stamp, and
// whether an equal stamp proves an equal listing. [Again] lists the other directories.
//
// # Order
//
// Entries are sorted by the bytes of the whole path, and nothing in the result depends on the
// number of workers.
package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"syscall"

	"github.com/assetcook/assetcook/internal/pathname"
)

const (
	// ConfigName is the name of the files listed in [Tree.Configs].
	ConfigName = "cook.toml"
	// IgnoreName is the name of the files with patterns for files to exclude.
	IgnoreName = ".cookignore"
	// IDsName is the name of the file in the root that records the IDs of renamed assets.
	IDsName = "assets.ids"
)

// Entry is one asset.
type Entry struct {
	Path  string // slash-separated path below the root; may contain any bytes but NUL
	Stamp Stamp  // stamp of the target if Path is a link
}

// Options select the files to exclude, and the number of workers. The zero value excludes only what
// every walk excludes, and uses one worker per processor.
type Options struct {
	Exclude []string // directories to skip, such as the output directory; need not exist
	Workers int      // number of workers; GOMAXPROCS if not positive
	// ListAll makes every directory Odd, as on file systems that do not update the times of
	// directories.
	ListAll bool
	// Wanted has extensions that Defaults must not exclude, in lower case with their dots.
	Wanted []string
	// Known makes the walk leave out assets that the caller knows. Workers call it concurrently, for
	// each directory that is not reached by a link. The result reports whether the caller knows a
	// regular file of the directory. The walk calls it in the order of the names, and does not call
	// lstat for files that it reports. If Known is nil, the walk leaves out nothing.
	Known func(directory string) func(name string) bool
}

// Tree is the result of [Dir] or [Again].
type Tree struct {
	Entries []Entry // assets, sorted by the bytes of Path
	Configs []Entry // cook.toml files, sorted by directory; parents come first
	// Ignores are the files whose content determines which files are assets: .cookignore files, and
	// excluded files for which ContentDecides. Their stamps were taken before their contents were
	// read. They are sorted like Configs.
	Ignores  []Entry
	Problems []Problem // sorted by Path, then Kind
	Folders  []Folder  // visited directories, in the order of CompareFolders
	LeftOut  []Entry   // files and directories that [Defaults] excludes, by directory

	Listed int64 // number of directories that were listed completely
	Stats  int64 // number of lstat calls; links cause more calls
}

// Dir walks root, which may itself be a link. Anything unreadable below root is a [Problem] in the
// tree. Dir returns an error if root cannot be listed, ctx ends, or root is inside an excluded
// directory.
func Dir(ctx context.Context, root string, opt Options) (*Tree, error) {
	return scanDir(ctx, root, opt, openFolder)
}

func scanDir(ctx context.Context, root string, opt Options, open openFunc) (*Tree, error) {
	return walkRoot(ctx, root, opt, open, nil)
}

// walkRoot walks root, or only the directories of the errand if errand is not nil.
func walkRoot(ctx context.Context, root string, opt Options, open openFunc, e *errand) (*Tree, error) {
	fail := func(err error) (*Tree, error) {
		return nil, fmt.Errorf("scan %s: %w", pathname.Show(root), plainCause(err))
	}
	if err := ctx.Err(); err != nil {
		return fail(err)
	}
	real, info, err := resolveRoot(root)
	if err != nil {
		return fail(err)
	}
	exclude, err := newExclusions(real, info, opt.Exclude)
	if err != nil {
		return fail(err)
	}
	top, err := os.OpenRoot(real)
	if err != nil {
		return fail(err)
	}
	defer top.Close()

	workers := opt.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	w := newWalker(ctx, resolver{root: top, real: real, exclude: exclude}, open)
	w.opt = opt
	w.errand = e
	first, err := w.walkTree(workers, defaultList(opt.Wanted))
	if err != nil {
		return fail(err)
	}
	return gatherTree(first), nil
}

// resolveRoot returns the absolute path of a directory with all links resolved.
func resolveRoot(name string) (string, fs.FileInfo, error) {
	if name == "" {
		return "", nil, errors.New("empty directory name")
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", nil, err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", nil, err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", nil, err
	}
	if !info.IsDir() {
		return "", nil, syscall.ENOTDIR
	}
	return real, info, nil
}

// Incomplete reports whether path may exist although it is not in Entries, because path or a
// directory above could not be read. The outputs of such a source must not be removed.
func (t *Tree) Incomplete(path string) bool {
	if len(t.Problems) == 0 {
		return false
	}
	if t.hasProblem(IgnoreName, BadIgnore) || t.hasProblem(path, Unreadable) {
		return true
	}
	for end := strings.LastIndexByte(path, '/'); end > 0; end = strings.LastIndexByte(path[:end], '/') {
		if t.hasProblem(path[:end], Unreadable) || t.hasProblem(path[:end]+"/"+IgnoreName, BadIgnore) {
			return true
		}
	}
	return false
}

func (t *Tree) hasProblem(path string, kind Kind) bool {
	i := sort.Search(len(t.Problems), func(i int) bool { return t.Problems[i].Path >= path })
	for ; i < len(t.Problems) && t.Problems[i].Path == path; i++ {
		if t.Problems[i].Kind == kind {
			return true
		}
	}
	return false
}

// gatherTree makes the tree from its directories.
//
// The order of paths is the order of a walk that visits the files and subdirectories of each
// directory by name, with a slash after the name of a subdirectory. So the sorted listings can be
// merged without sorting again.
func gatherTree(first *node) *Tree {
	var size sizes
	size.addNodeSizes(first)
	t := &Tree{
		Entries:  make([]Entry, 0, size.entries),
		Configs:  make([]Entry, 0, size.configs),
		Ignores:  make([]Entry, 0, size.ignores),
		Problems: make([]Problem, 0, size.problems),
		Folders:  make([]Folder, 0, size.folders),
	}
	t.appendNode(first)
	byFolder := func(a, b Entry) int { return cmp.Compare(slashParent(a.Path), slashParent(b.Path)) }
	slices.SortFunc(t.Configs, byFolder)
	slices.SortFunc(t.Ignores, byFolder)
	slices.SortFunc(t.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind))
	})
	return t
}

// sizes are the lengths of the lists in a tree.
type sizes struct{ entries, configs, ignores, problems, folders int }

func (s *sizes) addNodeSizes(n *node) {
	s.entries += len(n.findings.entries)
	s.configs += len(n.findings.configs)
	s.ignores += len(n.findings.ignores)
	s.problems += len(n.findings.problems)
	if _, ok := n.folderFacts(); ok {
		s.folders++
	}
	for _, sub := range n.findings.subs {
		s.addNodeSizes(sub)
	}
}

// appendNode appends the findings in n and below, and releases n. The recursion depth is the number
// of slashes in the longest path.
func (t *Tree) appendNode(n *node) {
	if f, ok := n.folderFacts(); ok {
		t.Folders = append(t.Folders, f)
	}
	t.Stats += n.findings.stats
	if n.findings.listed {
		t.Listed++
	}
	files := n.findings.entries
	for _, sub := range n.findings.subs {
		i, _ := slices.BinarySearchFunc(files, sub.path, func(e Entry, folder string) int {
			return compareToFolder(e.Path, folder)
		})
		t.Entries = append(t.Entries, files[:i]...)
		files = files[i:]
		t.appendNode(sub)
	}
	t.Entries = append(t.Entries, files...)
	t.Problems = append(t.Problems, n.findings.problems...)
	t.Configs = append(t.Configs, n.findings.configs...)
	t.Ignores = append(t.Ignores, n.findings.ignores...)
	t.LeftOut = append(t.LeftOut, n.findings.leftOut...)
	*n = node{}
}

// compareToFolder compares the path of a file with folder+"/". Both must be in the same directory.
func compareToFolder(file, folder string) int {
	if len(file) <= len(folder) {
		if c := strings.Compare(file, folder[:len(file)]); c != 0 {
			return c
		}
		return -1
	}
	if c := strings.Compare(file[:len(folder)], folder); c != 0 {
		return c
	}
	return cmp.Compare(file[len(folder)], '/')
}

// slashParent returns the directory of a path, or "" for the root.
func slashParent(path string) string {
	return path[:max(0, strings.LastIndexByte(path, '/'))]
}
